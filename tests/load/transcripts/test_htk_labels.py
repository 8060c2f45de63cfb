"""HTK's label files and master label files, and plain label files as the Montreal aligner has them."""

from pathlib import Path

import pytest
from support import symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.formats import guess_format, load_transcript


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        load_transcript(path)
    return str(caught.value)


def test_labels_with_times_and_scores(tmp_path: Path) -> None:
    path = write(
        tmp_path / "u1.lab", "0 3600000 sil -230.5\r\n3600000 4000000 e -20.1 ten -300\r\n4000000 4500000 n\r\n"
    )
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"u1": ["sil", "e", "n"]}
    assert read.start is not None
    assert read.end is not None
    assert read.start.tolist() == [0, 0.36, 0.4]
    assert read.end.tolist() == [0.36, 0.4, 0.45]
    assert read.confidence is None  # scores are log-likelihoods
    assert read.places == (f"{path}:1", f"{path}:2", f"{path}:3")


@pytest.mark.parametrize("text", ["a k͡p 1\n", "a\nk͡p\n1\n", "a k͡p\n1"])
def test_labels_without_times_are_plain_text(tmp_path: Path, text: str) -> None:
    read = load_transcript(write(tmp_path / "u1.lab", text))
    assert symbols_by_utterance(read) == {"u1": ["a", "k͡p", "1"]}
    assert read.start is None


def test_an_empty_label_file_is_an_utterance_without_phones(tmp_path: Path) -> None:
    assert symbols_by_utterance(load_transcript(write(tmp_path / "u1.lab", ""))) == {"u1": []}


def test_octal_bytes_are_letters(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "u1.lab", "\\311\\233\\314\\203 r\\ \\377 a\\123\n"))
    assert symbols_by_utterance(read) == {"u1": ["ɛ̃", "r\\", "\\377", "a\\123"]}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0 100 a\nb\n", ":2: a line without `start end label`, though others have times; found: b"),
        ("0.0 0.5 a\n", ":1: times are whole numbers of 100 ns in this format; found: 0.0 0.5 a"),
        ("-1 -1 a\n", ":1: times are whole numbers of 100 ns"),
        ("0 100 a\n///\n0 100 b\n", ":2: alternatives (///) are not read"),
        ("200 100 a\n", ":1: an interval must not end"),
    ],
)
def test_what_is_wrong_with_a_label_file(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "u1.lab", text)
    assert refusal(path).startswith(str(path) + complaint)


MLF = """\
#!MLF!#
"*/fcjf0_sa1.lab"
0 1000000 h#
1000000 2500000 sh -41.5
.
"/data/out/u2.rec"
ix
n
.
"*/u3.lab"
.
"""


def test_a_master_label_file(tmp_path: Path) -> None:
    timed, plain = MLF.split('"/data', 1)
    read = load_transcript(write(tmp_path / "all.mlf", timed))
    assert symbols_by_utterance(read) == {"fcjf0_sa1": ["h#", "sh"]}
    assert read.end is not None
    assert read.end.tolist() == [0.1, 0.25]
    read = load_transcript(write(tmp_path / "plain.mlf", '#!MLF!#\n"/data' + plain))
    assert symbols_by_utterance(read) == {"u2": ["ix", "n"], "u3": []}
    assert read.start is None
    assert guess_format(write(tmp_path / "labels", MLF)) == "mlf"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('"*/u1.lab"\na\n.\n', ":1: a master label file begins with #!MLF!#"),
        ("", ":1: a master label file begins with #!MLF!#"),
        ("#!MLF!#\na\n.\n", ":2: here stands the quoted name of a label file"),
        ('#!MLF!#\n"*/u1.lab" -> "/other"\n', ":2: here stands the quoted name of a label file"),
        ('#!MLF!#\n"*/u1.lab"\na\n', ":2: the entry that begins here does not end with a full stop"),
        ('#!MLF!#\n"*/u*.lab"\na\n.\n', ':2: the name "*/u*.lab" stands for many files'),
        ('#!MLF!#\n"*/u1.lab"\na\n.\n"x/u1.rec"\nb\n.\n', ":5: utterance 'u1' occurs again (first at line 2)"),
        (MLF, ": 2 of 4 phones have times; give all or none"),
        ("#!MLF!#\n", ": holds no utterance"),
    ],
)
def test_what_is_wrong_with_a_master_label_file(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "all.mlf", text)
    assert refusal(path).startswith(str(path) + complaint)

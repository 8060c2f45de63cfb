"""TIMIT's .phn: a file, a folder, a glob."""

from pathlib import Path

import pytest
from support import symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript


def make_folder(root: Path) -> Path:
    write(root / "dr1" / "fcjf0" / "sa1.phn", "0 1600 h#\n1600 3200 sh\n")
    write(root / "dr1" / "mdab0" / "sa1.PHN", "0 160 iy\r\n")
    write(root / "dr1" / "mdab0" / "sa1.wrd", "0 160 she\n")
    return root


def test_one_file(tmp_path: Path) -> None:
    path = write(tmp_path / "my_sa1.phn", "0 1600 h#\n1600 2400 sh\n")
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"my_sa1": ["h#", "sh"]}
    assert read.start is not None
    assert read.end is not None
    assert (read.start.tolist(), read.end.tolist()) == ([0.0, 0.1], [0.1, 0.15])  # samples of 16 kHz
    assert read.speakers is None
    assert read.places == (f"{path}:1", f"{path}:2")


def test_a_folder(tmp_path: Path) -> None:
    read = load_transcript(make_folder(tmp_path / "timit"))
    assert symbols_by_utterance(read) == {"dr1_fcjf0_sa1": ["h#", "sh"], "dr1_mdab0_sa1": ["iy"]}
    assert read.speakers == ("fcjf0", "mdab0")
    assert read.places[2] == f"{tmp_path / 'timit/dr1/mdab0/sa1.PHN'}:1"


def test_a_glob(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_folder(tmp_path / "timit")
    read = load_transcript(tmp_path / "timit" / "dr1" / "f*" / "*.phn")
    assert symbols_by_utterance(read) == {"fcjf0_sa1": ["h#", "sh"]}
    assert read.speakers == ("fcjf0",)
    monkeypatch.chdir(tmp_path / "timit" / "dr1" / "fcjf0")
    assert load_transcript(Path("*.phn")).utterances == ("sa1",)


def test_files_side_by_side_are_no_speaker(tmp_path: Path) -> None:
    write(tmp_path / "all" / "a_1.phn", "0 1 a\n")
    write(tmp_path / "all" / "b_1.phn", "0 1 a\n")
    assert load_transcript(tmp_path / "all").speakers is None
    assert load_transcript(tmp_path / "all" / "*.phn").speakers is None


def test_a_folder_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    write(tmp_path / "data [v2]" / "u1.phn", "0 1 a\n")
    assert load_transcript(tmp_path / "data [v2]").utterances == ("u1",)
    assert load_transcript(tmp_path / "data [v2]" / "u1.phn").utterances == ("u1",)


def test_an_empty_file_is_an_utterance_without_phones(tmp_path: Path) -> None:
    write(tmp_path / "out" / "u1.phn", "0 16000 a\n")
    write(tmp_path / "out" / "u2.phn", "")
    write(tmp_path / "out" / "u3.phn", "0 16000 b\n")
    read = load_transcript(tmp_path / "out")
    assert symbols_by_utterance(read) == {"u1": ["a"], "u2": [], "u3": ["b"]}
    assert read.end is not None
    assert read.end.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("line", ["0 160", "0 160 a b", "0.0 160 a", "-1 160 a", "a 0 160"])
def test_a_line_that_is_none(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "u1.phn", f"0 1 a\n{line}\n")
    with pytest.raises(DataError, match=r"u1\.phn:2: a \.phn line is: start end label") as caught:
        load_transcript(path)
    assert line in str(caught.value)


def test_an_end_before_its_start_names_the_file_and_line(tmp_path: Path) -> None:
    write(tmp_path / "out" / "u1.phn", "0 1 a\n32000 16000 a\n")
    with pytest.raises(DataError, match=r"u1\.phn:2: an interval must not end \(1\) before it starts \(2\)"):
        load_transcript(tmp_path / "out")


def test_a_folder_or_glob_without_files(tmp_path: Path) -> None:
    write(tmp_path / "out" / "notes.txt", "x")
    with pytest.raises(DataError, match=r"out: the folder holds no file with a known ending; looked for .*\*\.phn"):
        load_transcript(tmp_path / "out")
    with pytest.raises(DataError, match=r"out: holds no \*\.phn file"):
        load_transcript(tmp_path / "out", "phn")
    with pytest.raises(DataError, match=r"\*\.phn: no such file"):
        load_transcript(tmp_path / "out" / "*.phn")


def test_two_files_of_one_id(tmp_path: Path) -> None:
    write(tmp_path / "out" / "a_b.phn", "0 1 a\n")
    write(tmp_path / "out" / "a" / "b.phn", "0 1 a\n")
    with pytest.raises(DataError, match="would both be the utterance 'a_b'"):
        load_transcript(tmp_path / "out")

"""Phones with times from the Montreal aligner's CSV, allosaurus, ZeroSpeech, and tables with all times in one cell."""

from pathlib import Path

import pytest
from support import symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.formats import guess_format, load_transcript

MFA = """Begin,End,Label,Type,Speaker
0.0,0.5,"hello, you",words,anna
0.0,0.125,h,phones,anna
0.125,0.5,ə,phones,anna
"""
ALLOSAURUS = "0.210 0.045 æ\n0.390 0.045 l\n"
ALIGN = "#file onset offset #phone\nf1 0.0 0.25 a\nf1 0.25 0.5 b\nf2 0 1 a\n"


def refusal(path: Path, form: str | None = None) -> str:
    with pytest.raises(DataError) as caught:
        load_transcript(path, form)
    return str(caught.value).removeprefix(str(path))


def times(path: Path, form: str | None = None, columns: dict[str, str] | None = None) -> list[tuple[float, float]]:
    read = load_transcript(path, form, columns)
    assert read.start is not None
    assert read.end is not None
    return [*zip(read.start.tolist(), read.end.tolist(), strict=True)]


def test_the_aligners_csv_is_an_utterance_a_file(tmp_path: Path) -> None:
    for name in ("u1", "u2"):
        write(tmp_path / "anna" / f"{name}.csv", MFA.replace("\n", "\r\n"))
    path = tmp_path / "anna"
    assert guess_format(path) == guess_format(path / "u1.csv") == guess_format(path / "*.csv") == "mfa-csv"
    assert guess_format((path / "u2.csv").rename(path / "u2.txt")) == "mfa-csv"
    read = load_transcript(path / "u1.csv")
    assert symbols_by_utterance(read) == {"u1": ["h", "ə"]}
    assert read.speakers == ("anna",)
    assert times(path / "u1.csv") == [(0, 0.125), (0.125, 0.5)]


def test_an_aligners_csv_without_phones_still_has_a_speaker(tmp_path: Path) -> None:
    write(tmp_path / "u1.csv", MFA)
    write(tmp_path / "u2.csv", "\n".join(MFA.splitlines()[:2]))
    read = load_transcript(tmp_path)
    assert symbols_by_utterance(read) == {"u1": ["h", "ə"], "u2": []}
    assert read.speakers == ("anna", "anna")
    assert read.start is not None


def test_other_csv_files_are_not_the_aligners(tmp_path: Path) -> None:
    assert guess_format(write(tmp_path / "x.csv", "utterance,phones\nu1,a\n")) == "csv"
    assert "the header of the Montreal aligner's CSV is Begin" in refusal(tmp_path / "x.csv", "mfa-csv")
    assert guess_format(write(tmp_path / "y.csv", MFA), {"utterance": "Speaker"}) == "csv"
    two = write(tmp_path / "z.csv", MFA + "0.5,1,k,phones,ben\n")
    assert "utterance 'z' has the speakers 'anna' and 'ben'" in refusal(two)


def test_allosaurus(tmp_path: Path) -> None:
    path = write(tmp_path / "u1.txt", ALLOSAURUS)
    assert guess_format(path) == "allosaurus"
    assert symbols_by_utterance(load_transcript(path)) == {"u1": ["æ", "l"]}
    assert times(path) == [(0.21, 0.21 + 0.045), (0.39, 0.39 + 0.045)]
    assert symbols_by_utterance(load_transcript(tmp_path, "allosaurus")) == {"u1": ["æ", "l"]}
    assert load_transcript(write(tmp_path / "u2.txt", ""), "allosaurus").utterances == ("u2",)


def test_labels_with_starts_and_ends_are_not_taken_for_it(tmp_path: Path) -> None:
    path = write(tmp_path / "u1.txt", "0.000000\t0.500000\ta\n0.500000\t0.750000\tb\n")
    assert "looks like labels of one recording (start, end, label), as of Audacity: write them as" in refusal(path)


def test_allosaurus_with_several_phones(tmp_path: Path) -> None:
    for text in ("0.210 0.045 æ (0.577) ɛ (0.128)\n", "æ (0.577) ɛ (0.128) | l (0.754) ɹ (0.1)\n"):
        assert "allosaurus with several phones for each place: run it without --topk" in refusal(
            write(tmp_path / "x", text)
        )


def test_zerospeech(tmp_path: Path) -> None:
    path = write(tmp_path / "dev.align", ALIGN)
    assert guess_format(path) == guess_format(write(tmp_path / "x", ALIGN)) == "zerospeech-align"
    assert symbols_by_utterance(load_transcript(path)) == {"f1": ["a", "b"], "f2": ["a"]}
    assert times(path) == [(0, 0.25), (0.25, 0.5), (0, 1)]
    assert ":1: the header of a ZeroSpeech alignment is #file" in refusal(write(tmp_path / "y.align", "0 9 sil\n"))
    item = write(tmp_path / "dev.item", "#file onset offset #phone prev-phone next-phone speaker\nf1 0 1 b a c s\n")
    assert "looks like an ABX item file, which lists single phones" in refusal(item)


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_times_of_all_phones_in_one_cell(tmp_path: Path, form: str) -> None:
    cells = "0.156-0.240 0.240-0.390"
    texts = {
        "tsv": f"utt\tipa\twhen\nu1\ti p\t{cells}\nu2\t\t\n",
        "jsonl": f'{{"utt": "u1", "ipa": ["i", "p"], "when": "{cells}"}}\n{{"utt": "u2", "ipa": "", "when": []}}\n',
    }
    path = write(tmp_path / "x", texts[form])
    columns = {"utterance": "utt", "phones": "ipa", "times": "when"}
    assert times(path, form, columns) == [(0.156, 0.24), (0.24, 0.39)]
    assert symbols_by_utterance(load_transcript(path, form, columns)) == {"u1": ["i", "p"], "u2": []}
    pairs = write(tmp_path / "y.jsonl", '{"id": "u1", "phones": "i p", "when": [[0.5, 1], [1, 2.5]]}\n')
    assert times(pairs, None, {"times": "when"}) == [(0.5, 1), (1, 2.5)]


def test_a_column_that_happens_to_be_called_times_is_left_alone(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "x.tsv", "utterance\tphones\ttimes\nu1\ta b\t3\n"))
    assert read.start is None


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ("0.1-0.2", ":2: 2 phones, but 1 times; each phone needs its start-end"),
        ("0.1-0.2 0.2", ":2: not the times of a phone: '0.2'; write start-end in seconds: 0.1-0.2"),
        ("0.1-0.2 -0.1-0.2", ":2: not the times of a phone: '-0.1-0.2'"),
        ("0.1-0.2 0.3-0.2", ":2: an interval must not end (0.2) before it starts (0.3)"),
    ],
)
def test_what_is_wrong_with_times_in_one_cell(tmp_path: Path, cell: str, complaint: str) -> None:
    path = write(tmp_path / "x.tsv", f"utterance\tphones\tt\nu1\ta b\t{cell}\n")
    with pytest.raises(DataError) as caught:
        load_transcript(path, columns={"times": "t"})
    assert str(caught.value).startswith(f"{path}{complaint}")


def test_numbers_beside_a_text_are_the_utterances_own_times(tmp_path: Path) -> None:
    row = '{"id": "u1", "recording_id": "r", "start": 0.5, "duration": 2.0, "text": "a b", "speaker": "anna"}\n'
    read = load_transcript(write(tmp_path / "supervisions.jsonl", row), columns={"phones": "text"})
    assert read.start is None
    assert symbols_by_utterance(read) == {"u1": ["a", "b"]}

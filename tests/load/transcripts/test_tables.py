"""TSV and CSV: what is read, and what is refused."""

from pathlib import Path

import pytest
from support import symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript

ROWS = "utterance\tphones\n"
INTERVALS = "utterance\tstart\tend\tphone\n"
SCORED = "utterance\tstart\tend\tphone\tconfidence\tspeaker\n"


def refusal(path: Path, form: str | None = None, columns: dict[str, str] | None = None) -> str:
    with pytest.raises(DataError) as caught:
        load_transcript(path, form, columns)
    return str(caught.value)


def test_a_row_an_utterance(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "utterance\tphones\tspeaker\nu2\tk͡p a  b\tanna\nu1\t\tben\n")
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"u2": ["k͡p", "a", "b"], "u1": []}
    assert read.utterances == ("u2", "u1")
    assert read.speakers == ("anna", "ben")
    assert read.start is read.end is read.confidence is None
    assert read.source == str(path)
    assert read.symbols == ("k͡p", "a", "b")
    assert read.places == (f"{path}:2",) * 3


def test_places_name_the_line_where_a_symbol_is_first_met(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", ROWS + "u1\ta\n\nu2\ta b\nu3\tb c\n")
    assert load_transcript(path).places == (f"{path}:2", f"{path}:4", f"{path}:5")


def test_an_interval_a_row(tmp_path: Path) -> None:
    rows = "u1\t0.5\t0.75\ta\t0.9\tanna\nu1\t0.25\t0.5\t b \t1\tanna\nu2\t0\t0\tc\t0\tben\n"
    read = load_transcript(write(tmp_path / "gold.tsv", SCORED + rows))
    assert symbols_by_utterance(read) == {"u1": ["a", "b"], "u2": ["c"]}  # the file's order, not that of the times
    assert read.start is not None
    assert read.end is not None
    assert read.confidence is not None
    assert read.start.tolist() == [0.5, 0.25, 0.0]
    assert read.end.tolist() == [0.75, 0.5, 0.0]
    assert read.confidence.tolist() == [0.9, 1.0, 0.0]
    assert read.speakers == ("anna", "ben")


def test_an_empty_label_is_a_symbol_of_its_own(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "gold.tsv", INTERVALS + "u1\t0\t1\t\nu1\t1\t2\ta\n"))
    assert symbols_by_utterance(read) == {"u1": ["", "a"]}


@pytest.mark.parametrize("cell", ["NA", "nan", "NaN", "null", "None", '"a', '"', "1", "#", "''"])
def test_cells_stay_text(tmp_path: Path, cell: str) -> None:
    rows = load_transcript(write(tmp_path / "rows.tsv", f"{ROWS}u1\ta {cell} b\n{cell}\t{cell}\n"))
    assert symbols_by_utterance(rows) == {"u1": ["a", cell, "b"], cell: [cell]}
    intervals = load_transcript(write(tmp_path / "intervals.tsv", f"{INTERVALS}u1\t0\t1\t{cell}\nu1\t1\t2\tb\n"))
    assert symbols_by_utterance(intervals) == {"u1": [cell, "b"]}


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "gold.tsv", "\ufeffutterance\tphones\r\nu1\ta ɛ\r\n\r\nu2\tb\r\n"))
    assert symbols_by_utterance(read) == {"u1": ["a", "ɛ"], "u2": ["b"]}
    assert read.places[2].endswith(":4")


def test_a_last_line_without_an_end(tmp_path: Path) -> None:
    assert symbols_by_utterance(load_transcript(write(tmp_path / "gold.tsv", ROWS + "u1\ta"))) == {"u1": ["a"]}


def test_columns_are_renamed_and_others_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "age\tsample\tgold_ipa\twho\n9\tu1\ta b\tanna\n")
    read = load_transcript(path, columns={"utterance": "sample", "phones": "gold_ipa", "speaker": "who"})
    assert symbols_by_utterance(read) == {"u1": ["a", "b"]}
    assert read.speakers == ("anna",)


def test_columns_of_intervals_are_renamed(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "id\tfrom\tto\tsegment\tscore\nu1\t0\t1\ta\t0.5\n")
    names = {"utterance": "id", "start": "from", "end": "to", "phone": "segment", "confidence": "score"}
    read = load_transcript(path, columns=names)
    assert read.end is not None
    assert read.confidence is not None
    assert (read.end.tolist(), read.confidence.tolist()) == ([1.0], [0.5])


def test_csv_with_quotes(tmp_path: Path) -> None:
    rows = 'utterance,phones,speaker\n"u,1","a b","says ""hi"""\nu2,NA nan,two\nu3,"c\nd",three\n'
    read = load_transcript(write(tmp_path / "gold.csv", rows))
    assert symbols_by_utterance(read) == {"u,1": ["a", "b"], "u2": ["NA", "nan"], "u3": ["c", "d"]}
    assert read.speakers == ('says "hi"', "two", "three")


def test_csv_cells_may_hold_any_unicode_space(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.csv", "utterance,phones,remark\nu1,a b,x\u2028y\u0085z\nu2,c,\n")
    assert symbols_by_utterance(load_transcript(path)) == {"u1": ["a", "b"], "u2": ["c"]}


def test_a_speaker_with_a_line_end_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.csv", 'utterance,phones,speaker\nu1,a b,"two\nlines"\n')
    assert "the speaker 'two\\nlines' holds a tab" in refusal(path)


def test_csv_of_intervals(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "gold.csv", 'utterance,start,end,phone\r\nu1,0,1,","\r\n'))
    assert symbols_by_utterance(read) == {"u1": [","]}


def test_csv_that_ends_within_quotes_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.csv", 'utterance,phones\nu1,"a b\n')
    assert refusal(path).startswith(f"{path}:2: not CSV")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (ROWS + "u1\ta\nu2\tb\tc\n", ":3: 3 cells, but the header has 2"),
        (ROWS + "u1\n", ":2: 1 cell, but the header has 2"),
        (INTERVALS + "u1\t0\t1\n", ":2: 3 cells, but the header has 4"),
        (ROWS + "u1\ta\n\nu2\tb\nu1\tc\n", ":5: utterance 'u1' occurs again (first at line 2)"),
        (INTERVALS + "u1\t0\t1\ta\nu2\t0\t1\ta\nu1\t1\t2\ta\n", ":4: utterance 'u1' occurs again (first at line 2)"),
        (INTERVALS + "u1\t0\t1\ta\nu1\t2\t1\ta\n", ":3: an interval must not end (1) before it starts (2)"),
        (INTERVALS + "u1\tzero\t1\ta\n", ":2: start is no number: 'zero'"),
        (INTERVALS + "u1\t0\t\ta\n", ":2: end is no number: ''"),
        (INTERVALS + "u1\tnan\t1\ta\n", ":2: an interval must not end (1) before it starts (nan)"),
        (INTERVALS + "u1\t0\tinf\ta\n", ":2: an interval must not end (inf) before it starts (0)"),
        (SCORED + "u1\t0\t1\ta\t1.01\tx\n", ":2: the confidence 1.01 lies outside 0 … 1"),
        (SCORED + "u1\t0\t1\ta\t-0.1\tx\n", ":2: the confidence -0.1 lies outside 0 … 1"),
        (SCORED + "u1\t0\t1\ta\tnan\tx\n", ":2: the confidence nan lies outside 0 … 1"),
        (SCORED + "u1\t0\t1\ta\thigh\tx\n", ":2: confidence is no number: 'high'"),
        (SCORED + "u1\t0\t1\ta\t1\tx\nu1\t1\t2\ta\t1\ty\n", ":3: utterance 'u1' has the speakers 'x' and 'y'"),
        (ROWS + "\ta\n", ":2: the utterance id is empty"),
        (ROWS + "u\x07\ta\n", ":2: the utterance id 'u\\x07' holds"),
        (ROWS, ": holds no utterance"),
        (INTERVALS, ": holds no utterance"),
        ("utterance\tphones\tphones\nu1\ta\tb\n", ":1: a column name occurs twice: utterance, phones, phones"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "gold.tsv", text)
    assert refusal(path).startswith(str(path) + complaint)


@pytest.mark.parametrize(
    ("header", "missing"),
    [("sample\ttext", "phones, utterance"), ("utterance\tphone", "end, start"), ("utterance\tstart", "phones")],
)
def test_missing_columns_are_all_listed_with_those_there_are(tmp_path: Path, header: str, missing: str) -> None:
    path = write(tmp_path / "gold.tsv", header + "\nx\ty\n")
    assert refusal(path).startswith(f"{path}:1: no column {missing}; the file has: {header.replace(chr(9), ', ')}.")


def test_a_renamed_column_must_be_there(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", ROWS + "u1\ta\n")
    assert "no column who; the file has: utterance, phones" in refusal(path, columns={"speaker": "who"})


@pytest.mark.parametrize("name", ["gold.tsv", "gold.csv"])
def test_an_empty_file_lacks_its_columns(tmp_path: Path, name: str) -> None:
    assert refusal(write(tmp_path / name, "")) == f"{tmp_path / name}: the file is empty"


def test_a_symbol_with_a_tab_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.csv", "utterance,start,end,phone\nu1,0,1,a\tb\n")
    assert refusal(path).startswith(f"{path}:2: the symbol 'a\\tb' holds a tab")


def test_speakers_of_some_utterances_only_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("utterance\tphones\tspeaker\nu1\ta\tanna\nu2\ta\t\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 of 2 utterances have a speaker; give all or none"):
        load_transcript(path)

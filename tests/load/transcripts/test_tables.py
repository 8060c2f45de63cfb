"""TSV and CSV: what is read, and what is refused."""

from pathlib import Path

import pytest
from support import refusal, symbols_by_utterance, times_of, write

from phonxling.load.formats import load_transcript

ROWS = "utterance\tphones\n"
INTERVALS = "utterance\tstart\tend\tphone\n"
SCORED = "utterance\tstart\tend\tphone\tconfidence\tspeaker\n"


SHAPES = "utterance\tphones\nu1\tk a t\nu2\td o g\n"
EXPECTED = {"u1": ["k", "a", "t"], "u2": ["d", "o", "g"]}


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
    assert read.start.tolist() == [0.5, 0.25, 0.0]
    assert read.end.tolist() == [0.75, 0.5, 0.0]
    assert read.confidence.tolist() == [0.9, 1.0, 0.0]
    assert read.speakers == ("anna", "ben")


@pytest.mark.parametrize("cell", ["NA", "nan", "NaN", "null", "None", '"a', '"', "1", "#", "''"])
def test_cells_stay_text(tmp_path: Path, cell: str) -> None:
    rows = load_transcript(write(tmp_path / "rows.tsv", f"{ROWS}u1\ta {cell} b\n{cell}\t{cell}\n"))
    assert symbols_by_utterance(rows) == {"u1": ["a", cell, "b"], cell: [cell]}
    intervals = load_transcript(write(tmp_path / "intervals.tsv", f"{INTERVALS}u1\t0\t1\t{cell}\nu1\t1\t2\tb\n"))
    assert symbols_by_utterance(intervals) == {"u1": [cell, "b"]}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.tsv", INTERVALS + "u1\t0\t1\t\nu1\t1\t2\ta\n", {"u1": ["", "a"]}),  # an empty label is a symbol
        ("x.tsv", ROWS + "u1\ta", {"u1": ["a"]}),
        ("x.csv", 'utterance,phones\n"u,1","a ""b"""\nu2,NA nan\nu3,"c\nd"\n',
         {"u,1": ["a", '"b"'], "u2": ["NA", "nan"], "u3": ["c", "d"]}),
        ("x.csv", "utterance,phones,remark\nu1,a b,x\u2028y\u0085z\nu2,c,\n", {"u1": ["a", "b"], "u2": ["c"]}),
        ("x.csv", 'utterance,start,end,phone\r\nu1,0,1,","\r\n', {"u1": [","]}),
        ("x.csv", 'utterance,phones,"a;b"\nu1,k a t,1;2\nu2,d o g,\n', EXPECTED),
        ("x.tsv", SHAPES.replace("utterance", "id"), EXPECTED),
        ("x.tsv", SHAPES.replace("utterance", "path"), EXPECTED),
        ("x.csv", "id,utterance,phones\n7,u1,k a t\n8,u2,d o g\n", EXPECTED),
        ("x.csv", ",utterance,phones\n0,u1,k a t\n1,u2,d o g\n", EXPECTED),  # the index of pandas
    ],
)  # fmt: skip
def test_what_is_read(tmp_path: Path, name: str, text: str, expected: dict[str, list[str]]) -> None:
    assert symbols_by_utterance(load_transcript(write(tmp_path / name, text))) == expected


def test_columns_are_renamed_and_others_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "age\tsample\tgold_ipa\twho\n9\tu1\ta b\tanna\n")
    read = load_transcript(path, columns={"utterance": "sample", "phones": "gold_ipa", "speaker": "who"})
    assert symbols_by_utterance(read) == {"u1": ["a", "b"]}
    assert read.speakers == ("anna",)
    assert "no column whose; the file has: age, sample, gold_ipa, who" in refusal(
        load_transcript, path, columns={"utterance": "sample", "phones": "gold_ipa", "speaker": "whose"}
    )


def test_columns_of_intervals_are_renamed(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "id\tfrom\tto\tsegment\tscore\nu1\t0\t1\ta\t0.5\n")
    names = {"utterance": "id", "start": "from", "end": "to", "phone": "segment", "confidence": "score"}
    read = load_transcript(path, columns=names)
    assert (read.end.tolist(), read.confidence.tolist()) == ([1.0], [0.5])


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
        (INTERVALS + "u1\t\t\t\nu1\t0\t1\ta\n", ":2: a row without a phone, though the utterance has others"),
        (INTERVALS + "u1\t0\t1\ta\nu1\t\t\t\n", ":3: a row without a phone, though the utterance has others"),
        (INTERVALS + "u1\t\t\t\nu1\t\t\t\n", ":2: a row without a phone, though the utterance has others"),
        (INTERVALS + "u1\t0\t\t\n", ":2: end is no number: ''"),
        (INTERVALS + "u1\t\t\ta\n", ":2: start is no number: ''"),
        ("utterance\tphones\tspeaker\nu1\ta\tanna\nu2\ta\t\n", ": 1 of 2 utterances have a speaker; give all"),
        ("", ": the file is empty"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    assert refusal(load_transcript, write(tmp_path / "gold.tsv", text)).startswith(complaint)


@pytest.mark.parametrize(
    ("header", "missing"),
    [("sample\ttext", "phones, utterance"), ("utterance\tphone", "end, start"), ("utterance\tstart", "phones")],
)
def test_missing_columns_are_all_listed_with_those_there_are(tmp_path: Path, header: str, missing: str) -> None:
    path = write(tmp_path / "gold.tsv", header + "\nx\ty\n")
    assert refusal(load_transcript, path).startswith(
        f":1: no column {missing}; the file has: {header.replace(chr(9), ', ')}."
    )


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(("name", "separator"), [("x.tsv", "\t"), ("x.csv", ","), ("x.csv", ";"), ("x", ";")])
def test_line_ends_byte_order_marks_and_separators(
    tmp_path: Path, ends: str, mark: str, name: str, separator: str
) -> None:
    text = mark + SHAPES.replace("\t", separator).replace("\n", ends)
    assert symbols_by_utterance(load_transcript(write(tmp_path / name, text))) == EXPECTED


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("x.csv", SHAPES, ":1: looks tab-separated, not comma-separated; give format: tsv (--format tsv), or rename"),
        ("x.tsv", SHAPES.replace("\t", ","), ":1: looks comma-separated, not tab-separated; give format: csv"),
        ("x.tsv", SHAPES.replace("\t", ";"), ":1: looks semicolon-separated, not tab-separated; give format: csv"),
        ("x.csv", "utterance;start;end;phone\nu1;0,5;1;a\n", ":2: start is no number: '0,5'; write a point for the"),
        (
            "x.tsv",
            "u1\tk a t\nu2\td o g\n",
            ":1: no header: the first line is 'u1<tab>k a t'. Write this line above it: utterance<tab>phones",
        ),
        ("x.csv", "anna,u1,k a\nben,u2,d\n", "Write this line above it: utterance,column2,phones"),
        ("x.tsv", "u1\t0.0\t0.1\tk\n", "Write this line above it: utterance<tab>start<tab>end<tab>phone"),
        ("x.tsv", "u1\tk\nu2\td\n", "If this is the first utterance, write a header above it: utterance<tab>phones"),
        ("x.tsv", "utterance phones\nu1 k a t\n", ":1: the first line, 'utterance phones', is one column"),
        ("x.csv", "utterance|phones\nu1|a b\n", ":1: columns between |, not comma-separated; write commas instead"),
        ("x.txt", "sample\tgold\theard\nu1\ta\tb\n", "looks like a table with the columns sample, gold, heard; give"),
        ("x.txt", "sample\tgold\theard\nu1\ta\tb\n", "--columns 'utterance=sample,phones=gold;utterance=sample,phon"),
        ("x.txt", "sample\tipa\nu1\ta b\n", "Give columns: {utterance: sample, phones: ipa} (score:"),
        ("x.tsv", "u1 k a t\n", "give format: kaldi-text (--format kaldi-text)"),
        ("x.csv", "sep=;\nutterance;phones\nu1;a\n", ":1: the first line, sep=…, is a mark for Excel; remove it"),
        ("x.csv", "utterance, phones\nu1, a\n", ":1: names of columns with spaces around them"),
        ("x.tsv", '"utterance"\t"phones"\n"u1"\t"a"\n', ":1: names of columns in quotes, which are part of the names"),
        ("x.tsv", "phones\tspeaker\na b\tx\n", "; … is the name of the column of the ids (the same in gold and pred"),
        ("x.csv", "Utterance,Phones\nu1,a\n", "Give columns: {utterance: Utterance, phones: Phones} (score: --columns"),
        ("x.csv", "file,begin,end,label\nu1,0,1,a\n", "{utterance: file, start: begin, phone: label}"),
        ("x.tsv", SHAPES + "u3\ta\tb\nu4\ta\nu5\nu6\t\n", ":4: 3 cells, but the header has 2 (and 1 more such row);"),
        ("x.tsv", "utterance\tphones\n1\tu1\ta\n2\tu2\tb\n", "as R writes it, write without (row.names = FALSE)"),
        ("x.csv", "utterance,phones\nu1,\"['k', 'a']\"\n", ":2: a list of Python, not phones with spaces between them"),
        ("x.tsv", "utterance\tphones\nu1\t['k']\n", ":2: a list of Python, not phones"),
        ("x.tsv", "path\tutt_id\tphones\na.wav\tu1\tk a t\n", "Give columns: {utterance: utt_id} (score"),
        ("x.csv", 'utterance,phones,speaker\nu1,a b,"two\nlines"\n', "the speaker 'two\\nlines' holds a tab"),
        ("x.csv", "utterance,start,end,phone\nu1,0,1,a\tb\n", ":2: the symbol 'a\\tb' holds a tab"),
        ("x.csv", 'utterance,phones\nu1,"a b\n', ":2: not CSV"),
        ("x.csv", "", ": the file is empty"),
    ],
)
def test_what_is_refused_says_what_to_do(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    assert complaint in refusal(load_transcript, write(tmp_path / name, text))


def test_ragged_rows_are_counted_beyond_the_rows_that_are_read_at_once(tmp_path: Path) -> None:
    rows = "".join(f"u{number}\ta\n" for number in range(5000)) + "v1\ta\tb\nv2\n"
    path = write(tmp_path / "x.tsv", "utterance\tphones\nw\ta\tb\tc\n" + rows)
    assert refusal(load_transcript, path).startswith(":2: 4 cells, but the header has 2 (and 2 more such rows);")


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_times_of_all_phones_in_one_cell(tmp_path: Path, form: str) -> None:
    cells = "0.156-0.240 0.240-0.390"
    texts = {
        "tsv": f"utt\tipa\twhen\nu1\ti p\t{cells}\nu2\t\t\n",
        "jsonl": f'{{"utt": "u1", "ipa": ["i", "p"], "when": "{cells}"}}\n{{"utt": "u2", "ipa": "", "when": []}}\n',
    }
    path = write(tmp_path / "x", texts[form])
    columns = {"utterance": "utt", "phones": "ipa", "times": "when"}
    assert times_of(load_transcript(path, form, columns)) == [(0.156, 0.24), (0.24, 0.39)]
    assert symbols_by_utterance(load_transcript(path, form, columns)) == {"u1": ["i", "p"], "u2": []}
    pairs = write(tmp_path / "y.jsonl", '{"id": "u1", "phones": "i p", "when": [[0.5, 1], [1, 2.5]]}\n')
    assert times_of(load_transcript(pairs, columns={"times": "when"})) == [(0.5, 1), (1, 2.5)]


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
    assert refusal(load_transcript, path, columns={"times": "t"}).startswith(complaint)


def test_numbers_beside_a_text_are_the_utterances_own_times(tmp_path: Path) -> None:
    row = '{"id": "u1", "recording_id": "r", "start": 0.5, "duration": 2.0, "text": "a b", "speaker": "anna"}\n'
    read = load_transcript(write(tmp_path / "supervisions.jsonl", row), columns={"phones": "text"})
    assert read.start is None
    assert symbols_by_utterance(read) == {"u1": ["a", "b"]}


@pytest.mark.parametrize("separator", ["\t", ","])
def test_an_utterance_may_have_no_interval(tmp_path: Path, separator: str) -> None:
    rows = [SCORED.strip(), "u1\t0\t1\ta\t0.5\ts", "u2\t\t\t\t\tt", "u3\t1\t2\tb\t0.25\ts"]
    path = write(tmp_path / "x", "\n".join(rows).replace("\t", separator))
    read = load_transcript(path, "tsv" if separator == "\t" else "csv")
    assert symbols_by_utterance(read) == {"u1": ["a"], "u2": [], "u3": ["b"]}
    assert read.speakers == ("s", "t", "s")
    assert read.confidence.tolist() == [0.5, 0.25]


def test_a_file_of_such_utterances_alone_still_has_times(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "x.tsv", f"{SCORED.strip()}\nu1\t\t\t\t\ts\n"))
    assert read.start is not None
    assert read.confidence is not None
    assert (len(read), len(read.codes), len(read.start), len(read.confidence)) == (1, 0, 0, 0)
    read = load_transcript(write(tmp_path / "y.tsv", "utterance\tstart\tend\tphone\nu1\t\t\t\n"))
    assert read.start is not None
    assert read.confidence is None


def test_one_column_may_be_both_times(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "utterance\tt\tphone\nu1\t0.5\ta\nu1\t1.5\tb\n")
    assert times_of(load_transcript(path, columns={"start": "t", "end": "t"})) == [(0.5, 0.5), (1.5, 1.5)]

"""Tables of a shape that many programs write: read, or refused with what to do."""

from pathlib import Path

import pytest
from support import symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript

ROWS = "utterance\tphones\nu1\tk a t\nu2\td o g\n"
EXPECTED = {"u1": ["k", "a", "t"], "u2": ["d", "o", "g"]}


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        load_transcript(path)
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(("name", "separator"), [("x.tsv", "\t"), ("x.csv", ","), ("x.csv", ";"), ("x", ";")])
def test_line_ends_byte_order_marks_and_separators(
    tmp_path: Path, ends: str, mark: str, name: str, separator: str
) -> None:
    text = mark + ROWS.replace("\t", separator).replace("\n", ends)
    assert symbols_by_utterance(load_transcript(write(tmp_path / name, text))) == EXPECTED


def test_ids_in_a_column_called_id_and_the_index_of_pandas(tmp_path: Path) -> None:
    assert symbols_by_utterance(load_transcript(write(tmp_path / "x.tsv", ROWS.replace("utterance", "id")))) == EXPECTED
    both = "id,utterance,phones\n7,u1,k a t\n8,u2,d o g\n"
    assert symbols_by_utterance(load_transcript(write(tmp_path / "x.csv", both))) == EXPECTED
    index = ",utterance,phones\n0,u1,k a t\n1,u2,d o g\n"
    assert symbols_by_utterance(load_transcript(write(tmp_path / "y.csv", index))) == EXPECTED


def test_a_semicolon_in_a_name_between_commas_separates_nothing(tmp_path: Path) -> None:
    rows = 'utterance,phones,"a;b"\nu1,k a t,1;2\nu2,d o g,\n'
    assert symbols_by_utterance(load_transcript(write(tmp_path / "x.csv", rows))) == EXPECTED


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("x.csv", ROWS, ":1: looks tab-separated, not comma-separated; give format: tsv (--format tsv), or rename"),
        ("x.tsv", ROWS.replace("\t", ","), ":1: looks comma-separated, not tab-separated; give format: csv"),
        ("x.tsv", ROWS.replace("\t", ";"), ":1: looks semicolon-separated, not tab-separated; give format: csv"),
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
        ("x.tsv", ROWS + "u3\ta\tb\nu4\ta\nu5\nu6\t\n", ":4: 3 cells, but the header has 2 (and 1 more such row);"),
        ("x.tsv", "utterance\tphones\n1\tu1\ta\n2\tu2\tb\n", "as R writes it, write without (row.names = FALSE)"),
        ("x.csv", "utterance,phones\nu1,\"['k', 'a']\"\n", ":2: a list of Python, not phones with spaces between them"),
        ("x.tsv", "utterance\tphones\nu1\t['k']\n", ":2: a list of Python, not phones"),
    ],
)
def test_what_is_refused_says_what_to_do(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    assert complaint in refusal(write(tmp_path / name, text))


def test_ragged_rows_are_counted_beyond_the_rows_that_are_read_at_once(tmp_path: Path) -> None:
    rows = "".join(f"u{number}\ta\n" for number in range(5000)) + "v1\ta\tb\nv2\n"
    path = write(tmp_path / "x.tsv", "utterance\tphones\nw\ta\tb\tc\n" + rows)
    assert refusal(path).startswith(":2: 4 cells, but the header has 2 (and 2 more such rows);")

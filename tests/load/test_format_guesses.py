"""Encodings, missing files, and which format a path is taken for; what is not clear is an error that says so."""

import ast
import io
import shlex
import zipfile
from pathlib import Path

import pytest
from support import error_of, refusal, symbols_by_utterance, write
from valid_files import TRANSCRIPTS

from phonxling.core.errors import DataError
from phonxling.load.formats import guess_format, load_transcript
from phonxling.load.posteriors import load_raw_posteriors
from phonxling.load.text import read_lines


def test_a_table_is_known_by_the_usual_names_of_its_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "x.txt", "file_name,ref_phones,hyp\nu1.wav,a b,a\nu2.wav,b a c,b\n")
    for side, phones in (("gold", ["a", "b"]), ("predicted", ["a"])):
        assert symbols_by_utterance(load_transcript(path, side=side))["u1.wav"] == phones
    lexicon = write(tmp_path / "y.txt", "spelling,phones_here,frequency\ncab,k a b,3\ntab,t a b,4\n")
    assert "looks like a table (csv), but no column utterance" in refusal(load_transcript, lexicon)
    read = load_transcript(lexicon, columns={"utterance": "spelling", "phones": "phones_here"})  # as is proposed there
    assert read.utterances == ("cab", "tab")


def test_lengths_that_fit_no_unit_could_be_either(tmp_path: Path) -> None:
    path = write(tmp_path / "x.txt", "0 60000 a\n60000 120000 b\n")
    assert refusal(load_transcript, path) == ": its lines could be lab or phn; say which (--format or format:)"


def test_a_folder_is_read_as_most_of_its_files_are(tmp_path: Path) -> None:
    for name in ("u1.lab", "u2.LAB", "u3.lab", "u1.TextGrid", "wide.csv", "notes.txt"):
        write(tmp_path / "data" / name, "a\n")
    note = "files of the format lab are read; those of other formats are left out: "
    note += "csv (1, first wide.csv), textgrid (1, first u1.TextGrid)"
    read = load_transcript(tmp_path / "data")
    assert (read.utterances, read.notes) == (("u1", "u2", "u3"), (note,))
    assert load_transcript(tmp_path / "data", "lab").notes == load_transcript(tmp_path / "data" / "*.lab").notes == ()


def test_a_folder_of_which_no_format_has_most_files_and_a_glob(tmp_path: Path) -> None:
    for name in ("u1.lab", "u2.LAB", "u1.TextGrid", "u2.TextGrid"):
        write(tmp_path / "data" / name, "a\n")
    told = "holds files of several formats: lab (2), textgrid (2); give format: (--format), or a glob such as "
    for path in (tmp_path / "data", tmp_path / "data" / "*"):
        assert refusal(load_transcript, path) == f": {told}{tmp_path}/data/*.lab"
    assert load_transcript(tmp_path / "data", "lab").utterances == ("u1", "u2")


def zipped(name: str, text: str = "x") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, text)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x1f\x8b\x08\x00", "a gzip archive: unpack it first"),
        (zipped("m/data.pkl"), "a file of PyTorch, whose pickle could run any program and is never opened here"),
        (b"cat\tk ae t\ndog\td ao g\n", "a pronunciation dictionary"),
        (b"<?xml version='1.0'?>\n<Trans>\n", "XML (<Trans>) of no format that is read here"),
    ],
)
def test_what_is_read_elsewhere_is_called_by_its_name(tmp_path: Path, data: bytes, what: str) -> None:
    path = tmp_path / "x.dat"
    path.write_bytes(data)
    assert refusal(load_transcript, path).startswith(f": looks like {what}")


def test_posteriors_in_a_pickle_are_never_opened(tmp_path: Path) -> None:
    path = tmp_path / "my 'posteriors'.pt"
    path.write_bytes(zipped("x/data.pkl"))
    said = error_of(DataError, load_raw_posteriors, path)
    assert "could run any program and is never opened here" in said
    *_, option, program = shlex.split(said)  # the line can be pasted into a shell
    assert (option, str(path.with_suffix(".npz")) in program, bool(ast.parse(program))) == ("-c", True, True)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "gold.tsv"
    path.write_bytes(mark + b"utterance\tphones\nu1\ta\n\xe9\ta\n")
    bad = f"{path}:3: not UTF-8 text (byte 0xe9); it may be Latin-1"
    assert error_of(DataError, load_transcript, path).startswith(bad)


@pytest.mark.parametrize(
    ("mark", "encoding", "name"),
    [("", "utf-16-le", "gold.tsv"), ("\ufeff", "utf-16-be", "gold.dat"), ("", "utf-16-be", "gold.dat")],
)
def test_utf16_is_read_as_spreadsheets_write_it(tmp_path: Path, mark: str, encoding: str, name: str) -> None:
    rows = "".join(f"u{number}\ta ɛ̃\r\n" for number in range(5000))  # more than is looked at for the format
    path = write(tmp_path / name, f"{mark}utterance\tphones\r\n{rows}", encoding)
    assert symbols_by_utterance(load_transcript(path))["u4999"] == ["a", "ɛ̃"]


def test_lines_end_at_line_feeds_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "x", "a\u2028b\x0bc\x85d\n\n \ne\r\n")
    assert list(read_lines(path)) == [(1, "a\u2028b\x0bc\x85d"), (4, "e")]


@pytest.mark.parametrize("form", sorted(TRANSCRIPTS.keys() - {"kaldi-text", "lines"}))  # which could be either
def test_a_format_is_guessed_from_the_content(tmp_path: Path, form: str) -> None:
    for name in ("transcript", "transcript.txt"):
        path = tmp_path / name
        path.write_bytes(TRANSCRIPTS[form][0])
        assert guess_format(path) == form


def test_the_name_goes_before_the_content_and_the_option_before_both(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.TSV", "utterance\tphones\nu1\ta\n")
    assert guess_format(path) == "tsv"
    path = write(tmp_path / "gold.ctm", "a b (u1)\n")
    assert symbols_by_utterance(load_transcript(path, "trn")) == {"u1": ["a", "b"]}

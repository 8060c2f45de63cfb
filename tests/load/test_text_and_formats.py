"""Encodings, missing files, and which format a file is taken for."""

import re
from pathlib import Path

import pytest
from support import symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.formats import format_names, guess_format, load_transcript
from phonxling.load.text import read_lines, read_text


@pytest.mark.parametrize("name", ["no.tsv", "no.csv", "no.ctm", "no.stm", "no.trn", "no.phn", "no", "no.txt"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with pytest.raises(DataError) as caught:
        load_transcript(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "no such file" in str(caught.value)


def test_a_folder_without_tables_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"holds no \*\.tsv file"):
        load_transcript(tmp_path, "tsv")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "gold.tsv"
    path.write_bytes(mark + b"utterance\tphones\nu1\ta\n\xe9\ta\n")
    with pytest.raises(DataError) as caught:
        load_transcript(path)
    assert str(caught.value).startswith(f"{path}:3: not UTF-8 text (byte 0xe9); it may be Latin-1")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_recognised_by_its_mark(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path / "gold.tsv", "\ufeffutterance\tphones\n", encoding)
    with pytest.raises(DataError, match=r"gold\.tsv:1: not UTF-8 text .* it may be UTF-16\. Save it as UTF-8\."):
        read_text(path)


def test_lines_end_at_line_feeds_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "x", "a\u2028b\x0bc\x85d\n\n \ne\r\n")
    assert list(read_lines(path)) == [(1, "a\u2028b\x0bc\x85d"), (4, "e")]


def test_old_macs_end_lines_with_carriage_returns(tmp_path: Path) -> None:
    path = write(tmp_path / "x.trn", "a (u1)\r\rb (u2)\r")
    assert list(read_lines(path)) == [(1, "a (u1)"), (3, "b (u2)")]
    assert symbols_by_utterance(load_transcript(path)) == {"u1": ["a"], "u2": ["b"]}
    assert guess_format(path.rename(tmp_path / "x")) == "trn"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("utterance\tphones\nu1\ta b\n", "tsv"),
        ("utterance\tstart\tend\tphone\nu1\t0\t1\ta\n", "tsv"),
        ("utterance\tstart\tend\tphone\tconfidence\nu1\t0\t1\ta\t1\n", "tsv"),
        ("u1 1 0.0 0.1 a\n", "ctm"),
        (";; a comment\nu1 1 0.0 0.1 a 0.9\n", "ctm"),
        ("u1 1 0.0 0.1 nan\n", "ctm"),
        ("u1 1 anna 0.0 0.1 <o,f0,m> a b c\n", "stm"),
        ("u1 1 anna 0.0 0.1\n", "stm"),
        ("a b c (anna-1)\n", "trn"),
        ("(anna-1)\n", "trn"),
        ("0 160 h#\n160 320 sh\n", "phn"),
    ],
)
def test_a_format_is_guessed_from_the_content(tmp_path: Path, text: str, form: str) -> None:
    path = write(tmp_path / "transcript", text)
    assert guess_format(path) == form
    assert len(load_transcript(path)) == 1
    assert guess_format(write(tmp_path / "transcript.txt", text)) == form


def test_the_name_goes_before_the_content_and_the_option_before_both(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.TSV", "utterance\tphones\nu1\ta\n")
    assert guess_format(path) == "tsv"
    path = write(tmp_path / "gold.ctm", "a b (u1)\n")
    assert symbols_by_utterance(load_transcript(path, "trn")) == {"u1": ["a", "b"]}


@pytest.mark.parametrize("text", ["", "a, b\n", ";; nothing\n"])
def test_a_file_that_tells_nothing_lists_the_formats(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError) as caught:
        load_transcript(write(tmp_path / "x", text))
    assert all(name in str(caught.value) for name in format_names())


def test_an_unknown_format_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        load_transcript(write(tmp_path / "x", "a"), "xml")
    assert str(caught.value).endswith(f"no format is called 'xml'; there are: {', '.join(sorted(format_names()))}")
    assert {"tsv", "csv", "ctm", "stm", "trn", "phn"} <= set(format_names())


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("u.phn", f"0 {'9' * 400} a\n", "must not end (inf)"),
        ("u.lab", f"0 {'9' * 5000} a\n", "must not end (inf)"),
        ("u.jsonl", f'{{"id": "u", "phones": ["a"], "start": [0], "end": [{"9" * 400}]}}\n', "end is too large"),
    ],
)
def test_times_of_hundreds_of_digits_are_refused(tmp_path: Path, name: str, text: str, fault: str) -> None:
    with pytest.raises(DataError, match=re.escape(f"{name}:1: ") + ".*" + re.escape(fault)):
        load_transcript(write(tmp_path / name, text))

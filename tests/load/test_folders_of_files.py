"""Folders, globs and links: several files as one transcript, and nothing passed over in silence."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from support import error_of, symbols_by_utterance, write

import phonxling as px
from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript, transcript_files

TEXTGRID = '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "p" 0 1 1 0 1 "{}"'
EAF = (
    '<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="0"/>'
    '<TIME_SLOT TIME_SLOT_ID="b" TIME_VALUE="9"/></TIME_ORDER><TIER TIER_ID="p"><ALIGNABLE_ANNOTATION'
    ' ANNOTATION_ID="c" TIME_SLOT_REF1="a" TIME_SLOT_REF2="b"><ANNOTATION_VALUE>{}</ANNOTATION_VALUE>'
    "</ALIGNABLE_ANNOTATION></TIER></ANNOTATION_DOCUMENT>"
)
ONE_EACH = {"TextGrid": TEXTGRID, "lab": "0 1 {}\n", "phn": "0 1 {}\n", "eaf": EAF}
MANY_EACH = {
    "tsv": "utterance\tphones\n{0}\t{0}\n",
    "csv": "utterance,phones\n{0},{0}\n",
    "jsonl": '{{"id": "{0}", "phones": "{0}"}}\n',
    "trn": "{0} ({0})\n",
    "ctm": "{0} 1 0 1 {0} 0.5\n",
    "stm": "{0} 1 x 0 1 {0}\n",
    "mlf": '#!MLF!#\n"*/{0}.lab"\n{0}\n.\n',
}


@pytest.mark.parametrize("ending", ONE_EACH)
def test_one_utterance_a_file(tmp_path: Path, ending: str) -> None:
    for name in ("a/u1", "a/u2", "b/u1"):
        write(tmp_path / f"{name}.{ending}", ONE_EACH[ending].format(name.replace("/", "")))
    write(tmp_path / "a/u1.wav", "RIFF")
    expected = {"a_u1": ["au1"], "a_u2": ["au2"], "b_u1": ["bu1"]}
    read = load_transcript(tmp_path)
    assert symbols_by_utterance(read) == expected
    assert read.speakers == (None if ending == "eaf" else ("a", "a", "b"))
    assert read.places[2] == f"{tmp_path}/b/u1.{ending}{', annotation 1' if ending == 'eaf' else ':1'}"
    assert read.start is not None
    for pattern in (f"*/*.{ending}", f"**/u*.{ending}"):
        assert symbols_by_utterance(load_transcript(tmp_path / pattern)) == expected
    assert load_transcript(tmp_path / "a").utterances == ("u1", "u2")
    assert load_transcript(tmp_path / "a").speakers is None
    assert [file.name for file in transcript_files(tmp_path / "a")] == [f"u1.{ending}", f"u2.{ending}"]


@pytest.mark.parametrize("ending", MANY_EACH)
def test_many_utterances_a_file(tmp_path: Path, ending: str) -> None:
    for name in "ba":
        write(tmp_path / f"part-{name}.{ending}", MANY_EACH[ending].format(name))
    read = load_transcript(tmp_path)
    assert (symbols_by_utterance(read), read.confidence is not None) == ({"a": ["a"], "b": ["b"]}, ending == "ctm")
    assert symbols_by_utterance(load_transcript(tmp_path / f"*-?.{ending}")) == {"a": ["a"], "b": ["b"]}
    write(tmp_path / f"part-c.{ending}", MANY_EACH[ending].format("a"))
    with pytest.raises(DataError, match=rf"utterance 'a' stands in both .*part-a\.{ending} and .*part-c\.{ending}"):
        load_transcript(tmp_path)


def test_files_of_two_kinds_do_not_mix(tmp_path: Path) -> None:
    write(tmp_path / "1.tsv", "utterance\tphones\nu1\ta\n")
    kinds = {
        "times": "utterance\tstart\tend\tphone\nu2\t0\t1\ta\n",
        "speakers": "utterance\tphones\tspeaker\nu2\ta\tx\n",
    }
    for what, text in kinds.items():
        write(tmp_path / "2.tsv", text)
        with pytest.raises(DataError, match=rf"2\.tsv has {what} and .*1\.tsv has none; give all or none"):
            load_transcript(tmp_path)


def test_an_empty_file_has_no_times_to_lack(tmp_path: Path) -> None:
    write(tmp_path / "u1.phn", "")
    write(tmp_path / "u2.phn", "0 16000 a\n")
    read = load_transcript(tmp_path)
    assert symbols_by_utterance(read) == {"u1": [], "u2": ["a"]}
    assert read.end.tolist() == [1]


def test_the_problems_of_many_files_are_one_message(tmp_path: Path) -> None:
    for number in range(8):
        write(tmp_path / f"u{number}.phn", "0 1 a\n" if number == 3 else "0 one a\n")
    lines = error_of(DataError, load_transcript, tmp_path).splitlines()
    assert lines[0] == f"{tmp_path}: 7 of 8 files cannot be read:"
    assert lines[1].startswith(f"  {tmp_path}/u0.phn:1: a .phn line is")
    assert lines[2:] == ["  … and 6 more alike: u1.phn:1 u2.phn:1 u4.phn:1 u5.phn:1 u6.phn:1 …"]


def test_links_in_a_circle(tmp_path: Path) -> None:
    write(tmp_path / "data/a/u1.phn", "0 1 a\n")
    (tmp_path / "data/a/back").symlink_to(tmp_path / "data")
    for path in (tmp_path / "data", tmp_path / "data/**/*.phn"):
        with pytest.raises(DataError, match="back: a link to a folder around it; remove the link"):
            load_transcript(path, "phn")
    (tmp_path / "data/a/back").unlink()
    (tmp_path / "data/a/b").symlink_to(write(tmp_path / "other/u1.phn", "0 1 a\n").parent)
    assert load_transcript(tmp_path / "data").utterances == ("a_b_u1", "a_u1")  # other links are followed


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Take away the permission to read; root, who may read all, is nobody meanwhile."""
    path.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        path.chmod(0o755)


def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o55)  # so that the file itself is what is closed
    path = write(tmp_path / "data/anna/u1.phn", "0 1 a\n")
    with locked(path), pytest.raises(DataError, match=r"u1\.phn: cannot be read: you have no permission to read it"):
        load_transcript(path)
    for way in (tmp_path / "data", tmp_path / "data/*/*.phn"):
        with locked(path.parent), pytest.raises(DataError, match=r"anna: cannot be read: you have no permission"):
            load_transcript(way)


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("data/golb.tsv", "did you mean gold.tsv?"),
        ("dato/gold.tsv", "has no folder 'dato'; did you mean data?"),
        ("odd/gö.tsv", "did you mean go\u0308.tsv (there with other spaces, unseen letters, or another Unicode form)?"),
        ("odd/link.tsv", "no such file; it is a link to gone.tsv, which is not there"),
    ],
)
def test_a_missing_path_names_the_nearest(tmp_path: Path, asked: str, hint: str) -> None:
    for name in ("data/gold.tsv", "odd/go\u0308.tsv"):
        write(tmp_path / name, "utterance\tphones\n")
    (tmp_path / "odd/link.tsv").symlink_to("gone.tsv")
    assert error_of(DataError, load_transcript, tmp_path / asked).endswith(hint)


def test_a_url_is_not_fetched() -> None:
    url = "https://host/*.tsv"
    for read in (px.load_corpus, px.load_segments, partial(px.load_posteriorgrams, frame_shift=0.01)):
        arguments = (url, url) if read is px.load_corpus else (url,)
        assert error_of(DataError, read, *arguments).endswith(
            "; it is a URL: download the file first, and give its path"
        )

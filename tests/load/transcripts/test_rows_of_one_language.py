"""`where`: the rows of one language of a table, in each kind of table; and what today's recognisers write in lines."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from support import error_of, symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript
from phonxling.load.tables import phones_of

ROWS = [("ibo", 1, "u1", "a b"), ("yor", 2, "u1", "k a"), ("yor", 3, "u2", "p"), ("ibo", 3, "u2", "")]
FIELDS = ("lang", "fold", "utterance", "phones")
RECORDS = [dict(zip(FIELDS, row, strict=True)) for row in ROWS]


def separated(path: Path, mark: str) -> Path:
    return write(path, "".join(mark.join(map(str, row)) + "\n" for row in (FIELDS, *ROWS)))


def as_parquet(path: Path) -> Path:
    parquet.write_table(pa.Table.from_pylist(RECORDS), path)
    return path


def as_arrow(path: Path) -> Path:
    table = pa.Table.from_pylist(RECORDS)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return path


KINDS: dict[str, Callable[[Path], Path]] = {
    "tsv": lambda path: separated(path, "\t"),
    "csv": lambda path: separated(path, ","),
    "jsonl": lambda path: write(path, "".join(json.dumps(row) + "\n" for row in RECORDS)),
    "json": lambda path: write(path, json.dumps(RECORDS)),
    "parquet": as_parquet,
    "arrow": as_arrow,
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_one_language(kind: str, tmp_path: Path) -> None:
    path = KINDS[kind](tmp_path / f"t.{kind}")
    read = load_transcript(path, where={"lang": ["yor"]})
    assert symbols_by_utterance(read) == {"u1": ["k", "a"], "u2": ["p"]}
    read = load_transcript(path, where={"lang": ["yor", "ibo"], "fold": ["1", "3"], "utterance": ["u1"]})
    assert symbols_by_utterance(read) == {"u1": ["a", "b"]}
    lacking = "no row has lang: yo; lang is ibo ({0}), yor ({0}). Correct where:".format
    assert error_of(DataError, load_transcript, path, where={"lang": ["yo"]}) == f"{path}: {lacking(2)}"
    with pytest.raises(DataError, match=r"where: no (column|field) language"):
        load_transcript(path, where={"language": ["yor"]})
    path.rename(tmp_path / f"a.{kind}")
    KINDS[kind](tmp_path / f"b.{kind}")
    message = error_of(DataError, load_transcript, tmp_path / f"*.{kind}", where={"lang": ["yo"]})
    assert message.endswith(f"*.{kind}: {lacking(4)}")


def test_intervals_and_of_several_tables_one_without_such_rows(tmp_path: Path) -> None:
    head = "lang\tutterance\tstart\tend\tphone\n"
    write(tmp_path / "t/a.tsv", head + "yor\tu1\t0\t1\ta\nibo\tu1\t0\t1\tb\nyor\tu2\t0\t1\tk\n")
    write(tmp_path / "t/b.tsv", head + "ibo\tu3\t0\t1\tb\n")
    read = load_transcript(tmp_path / "t", where={"lang": ["yor"]})
    assert symbols_by_utterance(read) == {"u1": ["a"], "u2": ["k"]}
    assert read.end is not None


@pytest.mark.parametrize(
    ("text", "phones"),
    [
        ("k a", ["k", "a"]),
        ("<yor><pr><notimestamps> /k͡p//aː/", ["k͡p", "aː"]),
        ("<yor><pr><notimestamps>", []),
        ("/k/ /a/", ["k", "a"]),
        ("r/l a", ["r/l", "a"]),
        ("k/a", ["k/a"]),
        ("/", ["/"]),
        ("", []),
    ],
)
def test_slashes_around_phones(text: str, phones: list[str]) -> None:
    assert phones_of(text) == phones

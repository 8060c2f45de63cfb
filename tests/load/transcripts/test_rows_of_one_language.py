"""`where`: the rows of one language of a table, in each kind of table; and what today's recognisers write in lines."""

from pathlib import Path

import pytest
from made_tables import KINDS, save_rows
from support import error_of, symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript
from phonxling.load.tables import phones_of

ROWS = [("ibo", 1, "u1", "a b"), ("yor", 2, "u1", "k a"), ("yor", 3, "u2", "p"), ("ibo", 3, "u2", "")]
RECORDS = [dict(zip(("lang", "fold", "utterance", "phones"), row, strict=True)) for row in ROWS]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_one_language(kind: str, tmp_path: Path) -> None:
    path = save_rows(tmp_path / f"t.{kind}", RECORDS)
    read = load_transcript(path, where={"lang": ["yor"]})
    assert symbols_by_utterance(read) == {"u1": ["k", "a"], "u2": ["p"]}
    read = load_transcript(path, where={"lang": ["yor", "ibo"], "fold": ["1", "3"], "utterance": ["u1"]})
    assert symbols_by_utterance(read) == {"u1": ["a", "b"]}
    lacking = "no row has lang: yo; lang is ibo ({0}), yor ({0}). Correct where:".format
    assert error_of(DataError, load_transcript, path, where={"lang": ["yo"]}) == f"{path}: {lacking(2)}"
    with pytest.raises(DataError, match=r"where: no (column|field) language; .* has: .*\blang\b"):
        load_transcript(path, where={"language": ["yor"]})
    path.rename(tmp_path / f"a.{kind}")
    save_rows(tmp_path / f"b.{kind}", RECORDS)
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
        ("<yor><pr><notimestamps> /k͡p//aː/", ["k͡p", "aː"]),
        ("/k/ /a/", ["k", "a"]),
        ("k/a", ["k/a"]),
        ("", []),
    ],
)
def test_slashes_around_phones(text: str, phones: list[str]) -> None:
    assert phones_of(text) == phones

"""Files of results: written whole or not at all, and read back as they were written."""

import hashlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from phonxling.core.errors import DataError
from phonxling.core.files import write_bytes, write_parts

_ROWS = 1 << 16  # rows that are text at one time


@dataclass(frozen=True, eq=False)
class Lines:
    """A table too long to be held: its lines, the header first, some at a time, made anew whenever they are asked for.

    Their text is that of `table_bytes`.
    """

    parts: Callable[[], Iterator[str]]


Table = pd.DataFrame | Lines


def write_table(path: Path, table: Table) -> str:
    """Write a table as `table_bytes`, whole or not at all, some rows at a time, and return its sha256."""
    found = hashlib.sha256()
    write_parts(path, _hashed(_parts(table), found))
    return found.hexdigest()


def _hashed(parts: Iterator[bytes], found: "hashlib._Hash") -> Iterator[bytes]:
    for part in parts:
        found.update(part)
        yield part


def table_digest(table: Table) -> str:
    """Return the sha256 of the file that `write_table` writes."""
    found = hashlib.sha256()
    for _ in _hashed(_parts(table), found):
        pass
    return found.hexdigest()


def table_bytes(table: Table) -> bytes:
    """Return a table as UTF-8 TSV with a header: missing is empty, infinite is inf, floats keep all their digits."""
    return b"".join(_parts(table))


def _parts(table: Table) -> Iterator[bytes]:
    if isinstance(table, Lines):
        yield from (part.encode() for part in table.parts())
        return
    for first in range(0, max(1, len(table)), _ROWS):
        buffer = io.StringIO()
        rows = table.iloc[first : first + _ROWS]
        rows.to_csv(buffer, sep="\t", index=False, header=not first, na_rep="", lineterminator="\n", quoting=3)
        yield buffer.getvalue().encode()


def read_table(path: Path, text: frozenset[str]) -> pd.DataFrame:
    """Return a table that `write_table` wrote: columns named in `text` as strings, all others as floats.

    DataError when the file is missing or no such table.
    """
    try:
        table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, na_filter=False, quoting=3)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as a table of results: {error}") from error
    numbers = [column for column in table.columns if column not in text]
    try:
        for column in numbers:
            table[column] = [float(text or "nan") for text in table[column]]
    except ValueError as error:
        raise DataError(f"{path}: column '{column}' should hold numbers: {error}") from error
    return table


def write_json(path: Path, value: object, *, lasting: bool = False) -> None:
    """Write JSON atomically, keys in their given order; `lasting` as for `write_bytes`."""
    write_bytes(path, (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode(), lasting=lasting)

"""Files of results: written whole or not at all, and read back as they were written."""

import io
import json
from pathlib import Path

import pandas as pd

from phonxling.core.errors import DataError
from phonxling.core.files import write_bytes


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a table as `table_bytes`, whole or not at all."""
    write_bytes(path, table_bytes(table))


def table_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as UTF-8 TSV with a header: missing is empty, infinite is inf, floats keep all their digits."""
    buffer = io.StringIO()
    table.to_csv(buffer, sep="\t", index=False, na_rep="", lineterminator="\n", quoting=3)
    return buffer.getvalue().encode()


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

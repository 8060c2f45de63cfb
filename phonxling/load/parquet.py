"""Parquet tables, Hugging Face's exports among them; read with pyarrow, of which no more than the columns of use."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.reading import Reading
from phonxling.load.records import Row, load_records, titles_of
from phonxling.load.stored import library
from phonxling.load.text import read_head

LARGEST = 4_000_000_000  # bytes that a table's columns of use may unpack to
_ALWAYS, _TIMES = 1 << 26, 100  # bytes that any file may unpack to, and how many times its own size
_ROWS = 256  # unpacked at a time


def load_parquet(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a Parquet table; see `records` for what a row may hold. Places are numbers of rows."""
    read_head(path)  # says in our words when it cannot be read
    tables = library("pyarrow.parquet", path, "a Parquet table")
    return load_records(str(path), _rows(path, tables, reading), reading.columns)


def parquet_fields(path: Path) -> list[str]:
    """Return the names of a Parquet table's columns; DataError when it is none."""
    read_head(path)
    tables = library("pyarrow.parquet", path, "a Parquet table")
    with _as_data_error(path), tables.ParquetFile(path) as table:
        return [str(name) for name in table.schema_arrow.names]


def _rows(path: Path, tables: ModuleType, reading: Reading) -> Iterator[tuple[int, Row]]:
    with _as_data_error(path), tables.ParquetFile(path) as table:
        fields = table.schema_arrow.names
        texts = [each.path for each in table.schema if each.physical_type == "BYTE_ARRAY" and "." not in each.path]
    wanted = titles_of(fields, reading.columns)
    unread = dict.fromkeys(field for field in fields if field not in wanted)  # named when something is missing
    # Texts stay in the file's dictionary until a row is looked at: a long one that a thousand rows share is kept once.
    with _as_data_error(path), tables.ParquetFile(path, read_dictionary=texts) as table:
        rows = _unpacked(path, table, wanted)
        number = 0
        while True:
            with _as_data_error(path):
                row = next(rows, None)
            if row is None:
                return
            number += 1
            yield number, {**unread, **row}


def _unpacked(path: Path, table: Any, wanted: list[str]) -> Iterator[Row]:  # noqa: ANN401 - pyarrow has no types
    unpacked, most = 0, min(LARGEST, max(_ALWAYS, _TIMES * path.stat().st_size))
    for batch in table.iter_batches(_ROWS, columns=wanted):
        size = sum(map(_size, batch.columns))
        unpacked += size
        if unpacked > most:
            msg = f"{path}: unpacks to more than {most / 1e9:,.2f} GB, the most that a file of its size may"
            raise DataError(f"{msg}; it is damaged, or needs splitting")
        if size < _ALWAYS:  # rows are read ten times as fast with their texts written out
            columns = [getattr(column, "dictionary_decode", lambda column=column: column)() for column in batch.columns]
            batch = batch.from_arrays(columns, batch.schema.names)
        yield from batch.to_pylist() if wanted else [{}]


def _size(column: Any) -> int:  # noqa: ANN401
    """Return the bytes of a column whose texts are written out."""
    if not hasattr(column, "dictionary"):
        return int(column.nbytes)
    compute = importlib.import_module("pyarrow.compute")
    lengths = compute.binary_length(column.dictionary).cast("int64")
    return int(compute.sum(lengths.take(column.indices)).as_py() or 0)


@contextmanager
def _as_data_error(path: Path) -> Iterator[None]:
    """Turn what the library says of a damaged file into our error, and of values that Python has not."""
    try:
        yield
    except DataError:
        raise
    except (OSError, ValueError, ArithmeticError, LookupError, TypeError, NotImplementedError, MemoryError) as error:
        raise DataError(f"{path}: no readable Parquet table: {shown(str(error), 300)}") from error

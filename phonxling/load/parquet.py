"""Parquet tables, Hugging Face's exports among them; read with pyarrow, of which no more than the columns of use."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript
from phonxling.load.matrices.limits import library
from phonxling.load.reading import Reading
from phonxling.load.records import Row, load_records, titles_of
from phonxling.load.text import read_head

LARGEST = 4_000_000_000  # bytes that a table's columns of use may unpack to
_ROWS = 256  # unpacked at a time


def load_parquet(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a Parquet table; see `records` for what a row may hold. Places are numbers of rows.

    Raises
    ------
    DataError
        If pyarrow is not installed.
        If the file is no Parquet table, or damaged, or unpacks to more than 4 GB; and as for `load_records`.
    """
    read_head(path)  # says in our words when it cannot be read
    arrow = library("pyarrow", path, "a Parquet table")
    tables = library("pyarrow.parquet", path, "a Parquet table")
    with _as_data_error(path, arrow):
        return load_records(str(path), _rows(path, tables, reading), reading.columns)


def _rows(path: Path, tables: ModuleType, reading: Reading) -> Iterator[tuple[int, Row]]:
    unpacked, number = 0, 0
    with tables.ParquetFile(path) as table:
        fields = table.schema_arrow.names
        wanted = titles_of(fields, reading.columns)
        unread = dict.fromkeys(field for field in fields if field not in wanted)  # named when something is missing
        _check_size(path, _declared(table.metadata, wanted))
        for batch in table.iter_batches(_ROWS, columns=wanted):
            unpacked += batch.nbytes
            _check_size(path, unpacked)
            for row in batch.to_pylist() if wanted else [{}]:
                number += 1
                yield number, {**unread, **row}


def _declared(metadata: Any, wanted: list[str]) -> int:  # noqa: ANN401 - pyarrow has no types
    groups = (metadata.row_group(place) for place in range(metadata.num_row_groups))
    columns = (group.column(place) for group in groups for place in range(group.num_columns))
    return sum(each.total_uncompressed_size for each in columns if each.path_in_schema.split(".")[0] in wanted)


def _check_size(path: Path, size: int) -> None:
    if size > LARGEST:
        msg = f"{path}: unpacks to {size / 1e9:,.1f} GB, more than the {LARGEST / 1e9:.0f} GB that one table may"
        raise DataError(f"{msg}; the file is damaged, or needs splitting")


@contextmanager
def _as_data_error(path: Path, arrow: ModuleType) -> Iterator[None]:
    try:
        yield
    except (arrow.ArrowException, OSError) as error:
        raise DataError(f"{path}: no readable Parquet table: {error}") from error

"""Tables of Parquet and Arrow, read with pyarrow; and posteriors in rows, as programs of Hugging Face save them.

Of posteriors (JSON lines, Parquet, or a folder of `datasets`) a row is an utterance: its id, and one matrix, as lists,
or as the path of an npy or a safetensors file from the folder of the rows. Rows with lists are read into memory when
the file is opened.
"""

import importlib
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from phonxling.core.errors import DataError, shown
from phonxling.core.posteriorgram import Frames, RawPosteriors, Renamed, Rows
from phonxling.core.sequences import Transcript
from phonxling.load.arrays import open_npy, open_safetensors
from phonxling.load.field_names import ROLES, listed, meanings
from phonxling.load.reading import Reading
from phonxling.load.records import Row, jsonl_rows, load_records
from phonxling.load.stored import library
from phonxling.load.text import read_bytes

ROW_FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".arrow": "arrow"}
_OF_FILES = (".npy", ".safetensors")
_MOST = 4_000_000_000  # bytes of a table whose rows hold matrices
_ROWS = 64  # that are read at a time
_ALWAYS, _TIMES = 1 << 26, 100  # bytes that any table may unpack to, and how many times its own size
_Cell = tuple[str, Frames | Path]


def open_rows(path: Path) -> RawPosteriors:
    """Return the matrices of a file's rows, under the ids that the rows have."""
    cells = dict(_cells(path))
    if not cells:
        raise DataError(f"{path}: holds no row")
    files = {name: value for name, value in cells.items() if isinstance(value, Path)}
    if len(files) not in {0, len(cells)}:
        raise DataError(f"{path}: {len(files)} of {len(cells)} rows name files, the others hold numbers; give one kind")
    kinds = {file.suffix.lower() for file in files.values()}
    if len(kinds) > 1:
        raise DataError(f"{path}: rows name files of several kinds: {' '.join(sorted(kinds))}; give one kind")
    if kinds == {".npy"}:
        return open_npy(path, [*files.items()])
    read: Callable[[str], Rows] = {
        name: value for name, value in cells.items() if not isinstance(value, Path)
    }.__getitem__
    if files:
        read = Renamed({name: _only_tensor(file) for name, file in files.items()})
    return RawPosteriors(
        source=str(path), labels=(), utterances=tuple(cells), read=read, files=(path, *dict.fromkeys(files.values()))
    )


def _only_tensor(path: Path) -> tuple[Callable[[str], Rows], str]:
    opened = open_safetensors(path)
    if len(opened.utterances) != 1:
        raise DataError(f"{path}: holds {len(opened.utterances)} tensors; a file that a row names has one")
    return opened.read, opened.utterances[0]


def _cells(path: Path) -> Iterator[_Cell]:
    """Yield the id of each row and its matrix, or the file of it."""
    seen = set[str]()
    for number, row in _rows(path):
        name = next((name for name in ("utterance", "id") if name in row), meanings(row).get("utterance", [""])[0])
        named = [key for key, value in row.items() if key != name and _is_matrix(value)]
        if name not in row or len(named) != 1:
            wanted = "an id (utterance, id, path …) and one matrix, as lists of numbers or the path of an npy file"
            raise DataError(f"{path}:{number}: a row has {wanted}; this one has: {listed(row)}")
        utterance, value = str(row[name]), row[named[0]]
        if utterance in seen:
            raise DataError(f"{path}:{number}: utterance '{shown(utterance)}' occurs again; ids must differ")
        seen.add(utterance)
        yield utterance, path.parent / value if isinstance(value, str) else _matrix(f"{path}:{number}", value)


def _is_matrix(value: object) -> bool:
    if isinstance(value, str):
        return value.lower().endswith(_OF_FILES)
    return hasattr(value, "shape") or (isinstance(value, list) and bool(value) and isinstance(value[0], list))


def _matrix(where: str, value: Any) -> Frames:  # noqa: ANN401 - lists, or an array
    try:
        array = np.asarray(value, dtype=None if hasattr(value, "dtype") else np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: no matrix of numbers: {shown(str(error), 100)}") from error
    return array


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        return jsonl_rows(path)
    return enumerate(_of_arrow(path), start=1)


def _of_arrow(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a table of Arrow's; lists of lists are arrays."""
    if (size := path.stat().st_size) > _MOST:
        raise DataError(f"{path}: {size / 1e9:,.1f} GB; rows are read into memory, so save the arrays as npz")
    with _as_data_error(path):
        for batch in _batches(path):
            columns = {name: batch.column(name) for name in batch.schema.names}
            columns = {name: getattr(column, "storage", column) for name, column in columns.items()}
            for place in range(batch.num_rows):
                yield {name: _value(column[place]) for name, column in columns.items()}


def load_arrow(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a Parquet table or an Arrow file, of which a folder of `datasets` has some.

    Places are numbers of rows; of the columns, no more are read than are of use.
    """
    known = {reading.columns.get(name, name) for name in ROLES} | {"id", "path", *reading.where}

    def rows() -> Iterator[Row]:
        others = dict.fromkeys(name for name in arrow_fields(path) if name not in known)  # named where one is missing
        with _as_data_error(path):
            for batch in _batches(path, known):
                used = batch.select([name for name in batch.schema.names if name in known])
                yield from ({**others, **row} for row in (used.to_pylist() if used.num_columns else [{}]))

    return load_records(str(path), enumerate(rows(), start=1), reading)


def arrow_fields(path: Path) -> list[str]:
    """Return the names of a Parquet table's, or an Arrow file's, columns."""
    with _as_data_error(path):
        return list(map(str, next(_batches(path, None)).schema.names))


def _batches(path: Path, known: Container[str] | None = ()) -> Iterator[Any]:
    """Yield the batches of rows of a Parquet table, or of an Arrow file, of which there are two kinds.

    Of Parquet no other columns are read than the known ones, if there are some; with None, none, in an empty batch.
    """
    parquet = read_bytes(path, 4) == b"PAR1" or path.suffix.lower() == ".parquet"
    arrow = library("pyarrow", path, "a Parquet table" if parquet else "a table of Arrow's")
    if parquet:
        with importlib.import_module("pyarrow.parquet").ParquetFile(path) as table:
            names, unpacked, most = table.schema_arrow.names, 0, max(_ALWAYS, _TIMES * path.stat().st_size)
            if known is None:
                yield table.schema_arrow.empty_table()
            columns = [name for name in names if name in known] if known else None
            for batch in table.iter_batches(_ROWS, columns=columns):
                unpacked += batch.nbytes
                if unpacked > most:
                    raise DataError(f"{path}: unpacks to more than {most / 1e9:,.2f} GB; it is damaged, or to be split")
                yield batch
        return
    with path.open("rb") as file:
        try:
            reader = arrow.ipc.open_stream(file)
        except arrow.ArrowInvalid:
            file.seek(0)
            reader = arrow.ipc.open_file(file)
        if known is None:
            yield reader.schema.empty_table()
        yield from map(reader.get_batch, range(reader.num_record_batches)) if hasattr(reader, "get_batch") else reader


@contextmanager
def _as_data_error(path: Path) -> Iterator[None]:
    """Turn what the library says of a damaged file into our error, and of values that Python has not."""
    try:
        yield
    except DataError:
        raise
    except (OSError, ValueError, ArithmeticError, LookupError, TypeError, NotImplementedError, MemoryError) as error:
        kind = "Parquet table" if path.suffix.lower() == ".parquet" else "table of Arrow's"
        raise DataError(f"{path}: no readable {kind}: {shown(str(error), 300)}") from error


def _value(cell: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return a cell as Python's own; a list of lists, in a list of its own or not, as an array."""
    values = getattr(cell, "values", None)
    if values is None or not hasattr(values, "flatten") or not hasattr(values.type, "value_type"):
        return cell.as_py()
    numbers, shape = values, [len(values)]
    while hasattr(numbers.type, "value_type"):
        widths = numbers.value_lengths().unique().to_pylist()
        if len(widths) != 1:
            return cell.as_py() if len(values) else np.zeros((0, 0))  # rows of several lengths: no matrix
        numbers, shape = numbers.flatten(), [*shape, widths[0]]
    return numbers.to_numpy(zero_copy_only=False).reshape(shape)

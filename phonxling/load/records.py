"""Records with named fields: of JSON and JSON lines, and of Parquet and Arrow; `tables` says what a row may be.

PRiSM's inference writes {key: {"pred": [{field: text}], "passthrough": {field: value}}}: both are fields of one record,
and the id is the passthrough's `utt_id`. allophant's `predict` writes JSON lines: the first is about the run, and each
other one has its candidates, the best first, and its labels; they become the fields `predicted` and `gold`.
"""

import importlib
import json
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import ROLES, Reading, sides
from phonxling.load.tables import Row, Rows, load_records
from phonxling.load.text import library, lines_of, read_bytes, read_text

_LAYERS = ("phoneme", "phonemes", "phone", "phones")
_WORDS = "write its phones as a TSV (utterance, start, end, phone); words and letters are no phones"
_FOREIGN = {
    "chunks": f"timestamps of words or letters, from a pipeline of Hugging Face: {_WORDS}",
    "segments": f"timestamps of words, from Whisper or WhisperX: {_WORDS}",
    "tiers": "the tiers of a TextGrid as JSON: export it as .TextGrid",
}


def own_record(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the record of an utterance, whose fields are renamed if allophant wrote it; None for one on the run."""
    if "prediction_arguments" in row and "utterance_id" not in row:
        return None
    candidates = row.get("predictions")
    if "utterance_id" not in row or not isinstance(candidates, Mapping):
        return row
    layer = next((candidates[name] for name in _LAYERS if name in candidates), None)
    sides = {"gold": row.get("labels"), "predicted": layer}
    best = {side: values[0] for side, values in sides.items() if isinstance(values, list) and values}
    return {"utterance": row["utterance_id"], "language": row.get("language"), **best}


def jsonl_rows(path: Path) -> Rows:
    """Yield the records of a JSONL file, one object a line, with the numbers of their lines."""
    return _rows_of_lines(path, read_text(path))


def json_rows(path: Path) -> Rows:
    """Yield the records of a JSON file with their numbers; of lines that are objects, those of JSONL."""
    text = read_text(path)
    try:
        value = json.loads(text, object_pairs_hook=_without_doubles)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise DataError(f"{path}:{error.lineno}: no JSON: {shown(error.msg)}") from error
        yield from _rows_of_lines(path, text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: no JSON: {shown(str(error))}") from error
    else:
        yield from enumerate(_records(path, value), start=1)


def json_fields(path: Path, form: str) -> list[str]:
    """Return the names of the first record's fields."""
    rows = jsonl_rows(path) if form == "jsonl" else json_rows(path)
    return next((list(map(str, row)) for _, row in rows), [])


def _rows_of_lines(path: Path, text: str) -> Rows:
    array = "; a file of one array is format: json (--format json)"
    for line, one in lines_of(path, text):
        try:
            row = json.loads(one, object_pairs_hook=_without_doubles)
        except (ValueError, RecursionError) as error:
            hint = array if one.lstrip()[:1] == "[" else ""
            raise DataError(f"{path}:{line}: no JSON object: {shown(str(error))}{hint}") from error
        if not isinstance(row, dict):
            msg = f"{path}:{line}: a line of JSONL is one object {{…}}, not a {type(row).__name__}"
            raise DataError(f"{msg}{array}")
        by_id = row and all(isinstance(value, dict) for value in row.values())
        own = (_by_id(row) if by_id else [record]) if (record := own_record(row)) is not None else []
        yield from ((line, each) for each in own)


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = (key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"a key occurs twice: {next(twice)}")
    return values


def _records(path: Path, value: object) -> Iterator[Row]:
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return iter(value)
    if isinstance(value, dict):
        if foreign := [what for key, what in _FOREIGN.items() if key in value]:
            raise DataError(f"{path}: looks like {foreign[0]}")
        kinds = {type(each) for each in value.values()}
        if value.keys() & {"id", *ROLES} or sides(value):
            return iter([value])
        if kinds == {dict}:
            return _by_id(value)
        if kinds and kinds <= {str, list}:
            return ({"utterance": key, "phones": phones} for key, phones in value.items())
    shapes = "an array of records [{…}, {…}], or ids with their records {id: {…}} or phones {id: phones}"
    raise DataError(f"{path}: JSON of another shape than {shapes}; write it so, or as a TSV (utterance, phones)")


def _by_id(records: Mapping[str, Any]) -> Iterator[Row]:
    for key, record in records.items():
        passed, predicted = record.get("passthrough"), record.get("pred")
        if isinstance(passed, dict) and isinstance(predicted, list) and predicted and isinstance(predicted[0], dict):
            yield {"utterance": passed.get("utt_id", key), **passed, **predicted[0]}
        elif isinstance(passed, dict) and isinstance(predicted, str):
            yield {"utterance": passed.get("utt_id", key), **passed, "pred": predicted}
        else:
            yield {**record, "utterance": record.get("utterance", key)}


# Parquet and Arrow, read with pyarrow: of a folder of `datasets` some are the files.

_ROWS = 64  # that are read at a time
_ALWAYS, _TIMES = 1 << 26, 100  # bytes that any table may unpack to, and how many times its own size


def load_arrow(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a Parquet table or an Arrow file; places are numbers of rows."""
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


def _batches(path: Path, known: Container[str] | None) -> Iterator[Any]:
    """Yield the batches of a table, of Parquet those columns that are known; with None, an empty batch."""
    parquet = read_bytes(path, 4) == b"PAR1" or path.suffix.lower() == ".parquet"
    arrow = library("pyarrow", path, "a Parquet table" if parquet else "a table of Arrow's")
    if parquet:
        with importlib.import_module("pyarrow.parquet").ParquetFile(path) as table:
            names, unpacked, most = table.schema_arrow.names, 0, max(_ALWAYS, _TIMES * path.stat().st_size)
            if known is None:
                yield table.schema_arrow.empty_table()
                return
            for batch in table.iter_batches(_ROWS, columns=[name for name in names if name in known]):
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
            return
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

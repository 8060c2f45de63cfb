"""Records with named fields: of JSON and JSON lines, and of Parquet and Arrow; `tables` says what a row may be."""

# PRiSM's inference writes {key: {"pred": [{field: text}], "passthrough": {field: value}}}: both are fields of one
# record, and the id is the passthrough's `utt_id`. allophant's `predict` writes JSON lines: the first is about the run,
# and each other one has its candidates, the best first, and its labels; they become the fields `predicted` and `gold`.

import importlib
import json
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError, quote
from phonxling.core.sequences import Transcript
from phonxling.load.building import LoaderOptions, Row
from phonxling.load.columns import ROLES, choose_columns, names_fields, recognise_fields
from phonxling.load.tables import Rows, asked_of, load_records
from phonxling.load.text import import_library, name_errors, read_bytes, read_lines, read_text

_LAYERS = ("phoneme", "phonemes", "phone", "phones")
_FOREIGN_KEYS = frozenset(("chunks", "segments", "words", "tiers"))


def _rename_fields(row: Mapping[str, Any]) -> Mapping[str, Any]:
    candidates = row.get("predictions")
    if "utterance_id" not in row or not isinstance(candidates, Mapping):
        return row
    # allophant predicts attributes of phones, too (`voice`, `nasal` …): of its layers one has the phones.
    layer = next((candidates[name] for name in _LAYERS if name in candidates), None)
    sides = {"gold": row.get("labels"), "predicted": layer}
    best = {side: values[0] for side, values in sides.items() if isinstance(values, list) and values}
    return {"utterance": row["utterance_id"], "language": row.get("language"), **best}


def read_json(path: Path) -> Rows:
    """Yield the records of a JSON file with their numbers; of lines that are objects, those of JSONL."""
    text = read_text(path)
    try:
        value = json.loads(text, object_pairs_hook=_refuse_doubles)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":  # which is a second value after the first: JSON lines with another ending
            raise DataError(f"{path}:{error.lineno}: no JSON: {quote(error.msg)}") from error
        yield from read_jsonl(path, text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: no JSON: {quote(str(error))}") from error
    else:
        yield from enumerate(_find_records(path, value), start=1)


def read_jsonl(path: Path, text: str | None = None) -> Rows:
    """Yield the records of a JSONL file, or of its text, one object a line, with the numbers of their lines."""
    array = "; a file of one array is format: json (--format json)"
    for line, one in read_lines(path, text):
        try:
            row = json.loads(one, object_pairs_hook=_refuse_doubles)
        except (ValueError, RecursionError) as error:
            hint = array if one.lstrip()[:1] == "[" else ""
            raise DataError(f"{path}:{line}: no JSON object: {quote(str(error))}{hint}") from error
        if not isinstance(row, dict):
            raise DataError(f"{path}:{line}: a line of JSONL is one object {{…}}, not a {type(row).__name__}{array}")
        if "prediction_arguments" in row and "utterance_id" not in row:  # allophant's first line is about the run
            continue
        by_id = row and all(isinstance(value, dict) for value in row.values())
        yield from ((line, each) for each in (_name_records(row) if by_id else [_rename_fields(row)]))


def _refuse_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # JSON allows a key twice, and Python keeps the last: an utterance would be lost without a word.
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = (key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"a key occurs twice: {next(twice)}")
    return values


def _find_records(path: Path, value: object) -> Iterator[Row]:
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return iter(value)
    held = [*value.values()] if isinstance(value, dict) else []
    arrays = [each for each in held if isinstance(each, list) and each and all(isinstance(one, dict) for one in each)]
    # Words or letters with times, of Whisper or an aligner, would read as phones of one letter and more.
    if isinstance(value, dict) and (_FOREIGN_KEYS & value.keys() or any("word" in one for one in chain(*arrays))):
        remedy = "write its phones as a TSV (utterance, start, end, phone); words and letters are not phones"
        raise DataError(f"{path}: looks like the words of one recording: {remedy}")
    if isinstance(value, dict) and names_fields(value):
        lists = all(isinstance(each, list) for each in held) and recognise_fields(value).get("utterance")
        if lists and len(set(map(len, held))) == 1:  # a table by its columns
            return (dict(zip(value, row, strict=True)) for row in zip(*held, strict=True))
        return iter([value])
    if isinstance(value, dict):
        kinds = {*map(type, held)}
        if len(arrays) == 1 and any(recognise_fields(each).get("utterance") for each in arrays[0]):
            return iter(arrays[0])
        if kinds == {dict}:
            inner = [*held[0].values()] if len(held) == 1 else []  # {"utts": {id: {…}}}
            wrapped = inner and {*map(type, inner)} == {dict} and not names_fields(held[0])
            return _name_records(held[0] if wrapped else value)
        if kinds and kinds <= {str, list}:
            return ({"utterance": key, "phones": phones} for key, phones in value.items())
    shapes = "an array of records [{…}, {…}], or ids with their records {id: {…}} or phones {id: phones}"
    raise DataError(f"{path}: JSON of another shape than {shapes}; write it so, or as a TSV (utterance, phones)")


def _name_records(records: Mapping[str, Any]) -> Iterator[Row]:
    for key, record in records.items():
        passed, predicted = record.get("passthrough"), record.get("pred")
        if isinstance(passed, dict) and isinstance(predicted, list) and predicted and isinstance(predicted[0], dict):
            yield {"utterance": passed.get("utt_id", key), **passed, **predicted[0]}
        elif isinstance(passed, dict) and isinstance(predicted, str):
            yield {"utterance": passed.get("utt_id", key), **passed, "pred": predicted}
        else:
            yield {**record, "utterance": record.get("utterance", key)}


# Parquet (https://parquet.apache.org/docs/file-format/) and Arrow's streams and files
# (https://arrow.apache.org/docs/format/Columnar.html), read with pyarrow: of a folder of `datasets` some are the files.

_ROWS = 64  # that are read at a time
# A damaged or hostile file of a megabyte can unpack to more than the memory; real tables pack to a tenth, not a
# hundredth.
_ALWAYS, _TIMES = 1 << 26, 100  # bytes that any table may unpack to, and how many times its own size


def load_arrow(path: Path, options: LoaderOptions) -> Transcript:
    fields = list_arrow_fields(path)
    named = {"id", *ROLES, *options.columns.values(), *chain(*recognise_fields(fields).values())}
    # Data sets of speech have the sound in a column beside the phones: only columns that may be read are unpacked.
    with _name_errors(path):
        sample = next(_read_batches(path, named), [])
    cells = [[row.get(name) for name in fields] for row in sample]
    try:
        columns = choose_columns(fields, cells, asked_of(options.columns, fields), options.side)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None

    def rows() -> Iterator[Row]:
        with _name_errors(path):
            for batch in _read_batches(path, {*columns.titles.values(), *options.where}):
                yield from batch

    return load_records(str(path), enumerate(rows(), start=1), options, columns)


def list_arrow_fields(path: Path) -> list[str]:
    with _name_errors(path), _open_table(path) as (names, _):
        return names


def _name_errors(path: Path) -> AbstractContextManager[None]:
    kind = "Parquet table" if path.suffix.lower() == ".parquet" else "table of Arrow's"
    return name_errors(f"{path}: no readable {kind}")


def _read_batches(path: Path, known: Container[str]) -> Iterator[list[Row]]:
    unpacked, most = 0, max(_ALWAYS, _TIMES * path.stat().st_size)
    with _open_table(path) as (names, batches):
        for batch in batches([name for name in names if name in known]):
            unpacked += batch.nbytes
            if unpacked > most:
                raise DataError(f"{path}: unpacks to more than {most / 1e9:,.2f} GB; it is damaged, or to be split")
            yield batch.to_pylist()


@contextmanager
def _open_table(path: Path) -> Iterator[tuple[list[str], Callable[[list[str]], Iterator[Any]]]]:
    # Gives the names of the columns, and a function that reads some of them in batches.
    parquet = read_bytes(path, 4) == b"PAR1" or path.suffix.lower() == ".parquet"
    arrow = import_library("pyarrow", path, "a Parquet table" if parquet else "a table of Arrow's")
    if parquet:
        with importlib.import_module("pyarrow.parquet").ParquetFile(path) as table:
            yield list(map(str, table.schema_arrow.names)), lambda names: table.iter_batches(_ROWS, columns=names)
        return
    with path.open("rb") as file:
        # `datasets` writes streams and others files, both called .arrow: the first that fits is it.
        try:
            reader = arrow.ipc.open_stream(file)
        except arrow.ArrowInvalid:
            file.seek(0)
            reader = arrow.ipc.open_file(file)
        every = map(reader.get_batch, range(reader.num_record_batches)) if hasattr(reader, "get_batch") else reader
        yield list(map(str, reader.schema.names)), lambda names: (batch.select(names) for batch in every)

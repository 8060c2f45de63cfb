"""Records with named fields: of JSON and JSON lines, and of Parquet and Arrow; `tables` says what a row may be.

PRiSM's inference writes {key: {"pred": [{field: text}], "passthrough": {field: value}}}: both are fields of one record,
and the id is the passthrough's `utt_id`. allophant's `predict` writes JSON lines: the first is about the run, and each
other one has its candidates, the best first, and its labels; they become the fields `predicted` and `gold`.
"""

import importlib
import json
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError, quote
from phonxling.core.sequences import Transcript
from phonxling.load.arrays import name_errors
from phonxling.load.building import LoaderOptions, Row
from phonxling.load.columns import ROLES, choose_columns, names_fields, recognise_fields
from phonxling.load.tables import Rows, asked_of, load_records
from phonxling.load.text import import_library, number_lines, read_bytes, read_text

_LAYERS = ("phoneme", "phonemes", "phone", "phones")
_WORDS = "write its phones as a TSV (utterance, start, end, phone); words and letters are not phones"
_OF_WORDS = f"the words of one recording, without their phones: {_WORDS}"
_FOREIGN_KEYS = {
    "chunks": f"timestamps of words or letters, from a pipeline of Hugging Face: {_WORDS}",
    "segments": f"timestamps of words, from Whisper or WhisperX: {_WORDS}",
    "tiers": "the tiers of a TextGrid as JSON: export it as .TextGrid",
}


def normalise_record(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the record of an utterance, whose fields are renamed if allophant wrote it; None for one on the run."""
    if "prediction_arguments" in row and "utterance_id" not in row:
        return None
    candidates = row.get("predictions")
    if "utterance_id" not in row or not isinstance(candidates, Mapping):
        return row
    # allophant predicts attributes of phones, too (`voice`, `nasal` …): of its layers one has the phones.
    layer = next((candidates[name] for name in _LAYERS if name in candidates), None)
    sides = {"gold": row.get("labels"), "predicted": layer}
    best = {side: values[0] for side, values in sides.items() if isinstance(values, list) and values}
    return {"utterance": row["utterance_id"], "language": row.get("language"), **best}


def read_jsonl(path: Path) -> Rows:
    """Yield the records of a JSONL file, one object a line, with the numbers of their lines."""
    return _read_objects(path, read_text(path))


def read_json(path: Path) -> Rows:
    """Yield the records of a JSON file with their numbers; of lines that are objects, those of JSONL."""
    text = read_text(path)
    try:
        value = json.loads(text, object_pairs_hook=_refuse_doubles)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":  # which is a second value after the first: JSON lines with another ending
            raise DataError(f"{path}:{error.lineno}: no JSON: {quote(error.msg)}") from error
        yield from _read_objects(path, text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: no JSON: {quote(str(error))}") from error
    else:
        yield from enumerate(_find_records(path, value), start=1)


def _read_objects(path: Path, text: str) -> Rows:
    array = "; a file of one array is format: json (--format json)"
    for line, one in number_lines(path, text):
        try:
            row = json.loads(one, object_pairs_hook=_refuse_doubles)
        except (ValueError, RecursionError) as error:
            hint = array if one.lstrip()[:1] == "[" else ""
            raise DataError(f"{path}:{line}: no JSON object: {quote(str(error))}{hint}") from error
        if not isinstance(row, dict):
            what = f"a line of JSONL is one object {{…}}, not a {type(row).__name__}"
            raise DataError(f"{path}:{line}: {what}{array}")
        if (record := normalise_record(row)) is not None:
            by_id = row and all(isinstance(value, dict) for value in row.values())
            yield from ((line, each) for each in (_name_records(path, row) if by_id else [record]))


def _refuse_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # JSON allows a key twice, and Python keeps the last: an utterance would be lost without a word.
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = (key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"a key occurs twice: {next(twice)}")
    return values


def _find_records(path: Path, value: object) -> Iterator[Row]:
    if (entries := _find_entries(value)) and (phones := _find_nested(path, entries)):
        return iter([{"phones": phones}])
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return iter(value)
    if isinstance(value, dict):
        foreign = [what for key, what in _FOREIGN_KEYS.items() if key in value]
        # Words with times and no phones are common, and would read as phones of one letter and more.
        if foreign or (entries and all("word" in entry for entry in entries)):
            raise DataError(f"{path}: looks like {(*foreign, _OF_WORDS)[0]}")
        kinds = {type(each) for each in value.values()}
        if names_fields(value):
            lists = all(isinstance(each, list) for each in value.values()) and recognise_fields(value).get("utterance")
            if lists and len(set(map(len, value.values()))) == 1:  # a table by its columns
                return (dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True))
            return iter([value])
        if entries and any(recognise_fields(each).get("utterance") for each in entries):
            return iter(entries)
        if kinds == {dict}:
            return _name_records(path, value)
        if kinds and kinds <= {str, list} and not entries:
            return ({"utterance": key, "phones": phones} for key, phones in value.items())
    shapes = "an array of records [{…}, {…}], or ids with their records {id: {…}} or phones {id: phones}"
    raise DataError(f"{path}: JSON of another shape than {shapes}; write it so, or as a TSV (utterance, phones)")


# JSON of one recording, as aligners and decoders write it: phones within words (or within words within segments).


def _find_entries(value: object) -> list[dict[str, Any]]:
    """Return the records of an array, or of the only array of records that an object holds."""
    held = [value] if isinstance(value, list) else [*value.values()] if isinstance(value, dict) else []
    arrays = [each for each in held if isinstance(each, list) and each and all(isinstance(one, dict) for one in each)]
    return arrays[0] if len(arrays) == 1 else []


def _find_nested(path: Path, entries: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the phones within entries without ids, [] where there are none; DataError where some entries lack them."""
    kinds = [recognise_fields(entry) for entry in entries]
    of_words = all("start" in each or "word" in entry for each, entry in zip(kinds, entries, strict=True))
    if not of_words or any("utterance" in each for each in kinds):
        return []
    found = [_find_phones(path, entry) for entry in entries]
    lacking = [number for number, phones in enumerate(found, 1) if not phones]
    if 0 < len(lacking) < len(found):
        msg = f"{path}: {len(lacking)} of {len(found)} words have no phones, the first is number {lacking[0]}"
        raise DataError(f"{msg}; add their phones, or take these words out")
    return [phone for phones in found for phone in phones]


def _find_phones(path: Path, entry: Mapping[str, Any]) -> list[Any]:
    """Return the phones of one word: of a list of texts with lists of times beside it, or of a list of records."""
    lists = {name: each for name, each in entry.items() if isinstance(each, list)}
    kinds = recognise_fields(lists)
    phones = lists[kinds["phones"][0]] if "phones" in kinds else []
    if phones and all(isinstance(each, str) for each in phones):
        times = [lists[kinds[kind][0]] for kind in ("start", "end") if kind in kinds]
        if len(times) < 2:
            return phones
        if {*map(len, times)} != {len(phones)}:
            starts, ends = map(len, times)
            raise DataError(f"{path}: a word has {len(phones)} phones, but {starts} starts, {ends} ends")
        return [dict(zip(("phone", "start", "end"), each, strict=True)) for each in zip(phones, *times, strict=True)]
    if phones and all(isinstance(each, dict) for each in phones):
        return [*_add_times(entry, phones)]
    nested = [name for name, each in lists.items() if each and all(isinstance(one, dict) for one in each)]
    return _find_nested(path, lists[nested[0]]) if len(nested) == 1 else []


def _add_times(entry: Mapping[str, Any], phones: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    """Yield a word's phones with their times, which are given, or durations from the start of the word on."""
    starts = recognise_fields(entry).get("start", [])
    at = entry[starts[0]] if starts else None
    for each in phones:
        kinds = recognise_fields(each)
        label = each[kinds["phones"][0]] if "phones" in kinds else None
        times = [each[kinds[kind][0]] for kind in ("start", "end") if kind in kinds]
        # Gentle gives durations alone (https://github.com/strob/gentle), which add up from the start of the word.
        if len(times) < 2 and isinstance(at, int | float) and isinstance(each.get("duration"), int | float):
            times = [at, at + each["duration"]]
        at = times[1] if len(times) == 2 else None
        yield {"phone": label, "start": times[0], "end": times[1]} if len(times) == 2 else label


def _name_records(path: Path, records: Mapping[str, Any]) -> Iterator[Row]:
    for key, record in records.items():
        passed, predicted = record.get("passthrough"), record.get("pred")
        if isinstance(passed, dict) and isinstance(predicted, list) and predicted and isinstance(predicted[0], dict):
            yield {"utterance": passed.get("utt_id", key), **passed, **predicted[0]}
        elif isinstance(passed, dict) and isinstance(predicted, str):
            yield {"utterance": passed.get("utt_id", key), **passed, "pred": predicted}
        elif phones := _find_nested(path, _find_entries(record)):
            yield {"utterance": key, "phones": phones}
        else:
            yield {**record, "utterance": record.get("utterance", key)}


# Parquet (https://parquet.apache.org/docs/file-format/) and Arrow's streams and files
# (https://arrow.apache.org/docs/format/Columnar.html), read with pyarrow: of a folder of `datasets` some are the files.

_ROWS = 64  # that are read at a time
# A damaged or hostile file of a megabyte can unpack to more than the memory; real tables pack to a tenth, not a
# hundredth.
_ALWAYS, _TIMES = 1 << 26, 100  # bytes that any table may unpack to, and how many times its own size


def load_arrow(path: Path, options: LoaderOptions) -> Transcript:
    """Return the transcript of a Parquet table or an Arrow file; places are numbers of rows."""
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
    """Return the names of a Parquet table's, or an Arrow file's, columns."""
    with _name_errors(path), _open_table(path) as (names, _):
        return names


def _name_errors(path: Path) -> AbstractContextManager[None]:
    """Return what makes errors of a damaged file ours, and those of values that Python has not."""
    kind = "Parquet table" if path.suffix.lower() == ".parquet" else "table of Arrow's"
    return name_errors(f"{path}: no readable {kind}")


def _read_batches(path: Path, known: Container[str]) -> Iterator[list[Row]]:
    """Yield the rows of a table with those fields that are known, some at a time."""
    unpacked, most = 0, max(_ALWAYS, _TIMES * path.stat().st_size)
    with _open_table(path) as (names, batches):
        for batch in batches([name for name in names if name in known]):
            unpacked += batch.nbytes
            if unpacked > most:
                raise DataError(f"{path}: unpacks to more than {most / 1e9:,.2f} GB; it is damaged, or to be split")
            yield batch.to_pylist()


@contextmanager
def _open_table(path: Path) -> Iterator[tuple[list[str], Callable[[list[str]], Iterator[Any]]]]:
    """Open a table: the names of its columns, and its batches with some of them."""
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

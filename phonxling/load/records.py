"""Rows with named fields whose values may be lists: of JSON, JSON lines, Parquet, and reports with both sides.

A row is an utterance: `phones` (a text or a list), beside it optionally `start`, `end` and `confidence` (lists of the
same length), or `times` (a list of [start, end], where `columns` names it); or `phones` is a list of intervals
{phone, start, end, confidence}, or such a record of lists. Or a row is one interval: `phone`, `start`, `end`,
optionally `confidence`; an utterance without phones has one row, in which these are null. The id is `utterance`, or
else `id`. Times are seconds; where phones are one text, numbers `start` and `end` are the utterance's own,
and not read.

PRiSM's inference writes {key: {"pred": [{field: text}], "passthrough": {field: value}}}: both are fields of one record,
and the id is the passthrough's `utt_id`.
"""

import importlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import Line, TranscriptBuilder, wrong_kind
from phonxling.load.field_names import ROLES, advice, listed, sides
from phonxling.load.reading import Reading, rows_where
from phonxling.load.recognisers import FIELDS, own_record, phones_of
from phonxling.load.stored import library
from phonxling.load.text import check_length, lines_of, read_bytes, read_text

_SPAN = re.compile(r"(\d+(?:\.\d*)?)-(\d+(?:\.\d*)?)", re.ASCII)
_MISSING = (None, "")
Row = Mapping[str, Any]  # JSON of any shape


def spans_of(where: str, phones: Sequence[str], times: object) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield each phone with its start and end, of times in one cell: 0.156-0.240 0.240-0.390, or [start, end] each."""
    given = times.split() if isinstance(times, str) else times
    if not isinstance(given, list | tuple):
        raise DataError(f"{where}: times must be a text such as 0.1-0.2 0.2-0.35, or a list of [start, end]")
    if len(given) != len(phones):
        raise DataError(f"{where}: {len(phones)} phones, but {len(given)} times; each phone needs its start-end")
    for phone, span in zip(phones, given, strict=True):
        yield phone, _span(where, span)


def _span(where: str, span: object) -> tuple[float, float]:
    if isinstance(span, str) and (match := _SPAN.fullmatch(span)):
        return float(match[1]), float(match[2])
    if isinstance(span, list | tuple) and len(span) == 2 and all(type(part) in {int, float} for part in span):
        with suppress(OverflowError):
            return float(span[0]), float(span[1])
    raise DataError(f"{where}: not the times of a phone: '{shown(str(span), 40)}'; write start-end in seconds: 0.1-0.2")


def load_records(source: str, rows: Iterator[tuple[Line, Row]], reading: Reading) -> Transcript:
    """Return the transcript of rows, each with its number; `columns` renames fields, within intervals too."""
    reader = RecordReader(TranscriptBuilder(source), reading.columns, side=reading.side)

    def field(row: Row, name: str) -> str:
        if name not in row:
            raise DataError(f"{source}: where: no field {shown(name)}; the row has: {listed(map(str, row))}")
        return str(row[name])

    for number, row in rows_where(source, rows, reading.where, field) if reading.where else rows:
        reader.add(number, row)
    return reader.builder.finish()


class RecordReader:
    """Adds rows to a builder; `columns` renames fields, `remedy` says what to do where a row lacks one.

    Of a `side`, phones may also stand where PRiSM and PhoneticXeus write them.
    """

    def __init__(
        self,
        builder: TranscriptBuilder,
        columns: Mapping[str, str],
        remedy: Callable[[Sequence[str]], str] = advice,
        side: str = "",
    ) -> None:
        self.builder, self._asked, self._remedy = builder, set(columns), remedy
        self.titles = {name: columns.get(name, name) for name in ROLES}
        self._own = () if self._asked & {"phones", "phone"} else FIELDS.get(side, ())
        self._needed = self._asked & {"utterance", "phones", "speaker", "times"}

    def add(self, number: Line, row: Row) -> None:
        """Add one row: an utterance, or an interval."""
        for name in self._needed:
            self._require(number, name, row)
        title = self.titles["utterance"]
        if title not in row and "utterance" not in self._asked and "id" in row:
            title = "id"
        self._require(number, "utterance", row, title)
        value = row[title]
        whole = isinstance(value, int) and not isinstance(value, bool)
        utterance = str(value) if whole else self._text(number, title, value)
        speaker = self._text(number, "speaker", self._of(row, "speaker") or "")
        if self._own:
            own = () if row.keys() & {"phones", "phone"} else self._own
            self.titles["phones"] = next((name for name in own if name in row), "phones")
        if self.titles["phones"] in row:
            self._add_utterance(number, utterance, speaker, row)
        else:
            self._require(number, "phones", row, self.titles["phone"])
            self._add_interval(number, utterance, speaker, row)

    def _add_utterance(self, number: Line, utterance: str, speaker: str, row: Row) -> None:
        phones = self._of(row, "phones")
        one_text = isinstance(phones, str)
        if one_text:
            phones = phones_of(self._text(number, "phones", phones), self.titles["phones"])
        if isinstance(phones, Mapping):  # a record of lists, as Hugging Face keeps sequences of records
            row, phones = {**row, **phones}, self._listed(number, phones, "phone")
        if not isinstance(phones, list | tuple):
            raise self._wrong(number, "phones", phones, "a text or a list; an utterance without phones is an empty one")
        intervals = self._intervals(number, phones, row, one_text=one_text)
        if not intervals:
            self.builder.add_utterance(utterance, () if intervals is not None else phones, number, speaker)
        for interval in intervals or ():
            self._add_interval(number, utterance, speaker, interval)

    def _intervals(self, number: Line, phones: Sequence[Any], row: Row, *, one_text: bool) -> Sequence[Row] | None:
        """Return an utterance's intervals as rows; None when its phones have no times."""
        if "times" in self._asked:
            names = [self.titles[name] for name in ("phone", "start", "end")]
            spans = spans_of(self.builder.where(number), phones, self._of(row, "times"))
            return [dict(zip(names, (phone, *span), strict=True)) for phone, span in spans]
        if phones and all(isinstance(each, Mapping) for each in phones):
            return phones
        ends = [self._of(row, name) for name in ("start", "end") if self.titles[name] in row]
        if ends and not (one_text and all(isinstance(end, int | float) for end in ends)):
            return self._parallel(number, phones, row)
        if not one_text and isinstance(self._of(row, "confidence"), list | tuple):
            titles = [self.titles[name] for name in ("confidence", "start", "end")]
            msg = "'{}' needs '{}' and '{}' beside it; without times, leave it out".format(*titles)
            raise self.builder.fault(number, msg)
        return None

    def _parallel(self, number: Line, phones: Sequence[Any], row: Row) -> list[Row]:
        lists = {self.titles["phone"]: phones}
        for name in ("start", "end", "confidence"):
            if self.titles[name] in row or name != "confidence":
                lists[self.titles[name]] = self._listed(number, row, name)
        if len({len(values) for values in lists.values()}) > 1:
            sizes = ", ".join(f"{title} {len(values)}" for title, values in lists.items())
            raise self.builder.fault(number, f"lists of one utterance differ in length: {sizes}")
        return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]

    def _add_interval(self, number: Line, utterance: str, speaker: str, row: Row) -> None:
        for name in ("phone", "start", "end", *({"confidence"} & self._asked)):
            self._require(number, name, row)
        if all(self._of(row, name) in _MISSING for name in ("phone", "start", "end", "confidence")):
            self.builder.add_empty(utterance, number, speaker, scored=self.titles["confidence"] in row)
            return
        phone = self._text(number, "phone", self._of(row, "phone")).strip()
        times = self._number(number, row, "start"), self._number(number, row, "end")
        score = self._number(number, row, "confidence") if self._of(row, "confidence") is not None else None
        if score is not None and not 0 <= score <= 1:
            raise self.builder.fault(number, f"the confidence {score:g} lies outside 0 … 1")
        self.builder.add_interval(utterance, phone, number, times, confidence=score, speaker=speaker)

    def _of(self, row: Row, name: str) -> Any:  # noqa: ANN401 - JSON of any shape
        return row.get(self.titles[name])

    def _text(self, number: Line, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self._wrong(number, name, value, "a text")
        check_length(self.builder.source, number, value)
        return value

    def _number(self, number: Line, row: Row, name: str) -> float:
        value, title = self._of(row, name), self.titles[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(number, title, value, "a number")
        try:
            return float(value)
        except OverflowError:
            raise self.builder.fault(number, f"{title} is too large to be a time") from None

    def _listed(self, number: Line, row: Row, name: str) -> list[Any]:
        self._require(number, name, row)
        value = self._of(row, name)
        if not isinstance(value, list | tuple):
            raise self._wrong(number, self.titles[name], value, "a list, as `phones` is one")
        return list(value)

    def _wrong(self, number: Line, name: str, value: object, needed: str) -> DataError:
        return wrong_kind(self.builder.where(number), name, value, needed)

    def _require(self, number: Line, name: str, row: Row, title: str = "") -> None:
        """Raise DataError when a row lacks a field, or, where `title` is given, what may stand for it."""
        if (title or self.titles[name]) not in row:
            fields = [str(field) for field in row]
            msg = f"no field {self.titles[name]}; the row has: {listed(fields)}. {self._remedy(fields)}"
            raise self.builder.fault(number, msg)


# JSON and JSON lines: records of utterances, one a line, in an array, or by their ids.

_WORDS = "write its phones as a TSV (utterance, start, end, phone); words and letters are no phones"
_FOREIGN = {
    "chunks": f"timestamps of words or letters, from a pipeline of Hugging Face: {_WORDS}",
    "segments": f"timestamps of words, from Whisper or WhisperX: {_WORDS}",
    "tiers": "the tiers of a TextGrid as JSON: export it as .TextGrid",
}


def jsonl_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield the records of a JSONL file, one object a line, with the numbers of their lines."""
    return _rows_of_lines(path, read_text(path))


def json_rows(path: Path) -> Iterator[tuple[int, Row]]:
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


def _rows_of_lines(path: Path, text: str) -> Iterator[tuple[int, Row]]:
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


# Parquet tables, Hugging Face's exports among them; read with pyarrow, of which no more than the columns of use.

LARGEST = 4_000_000_000  # bytes that a table's columns of use may unpack to
_ALWAYS, _TIMES = 1 << 26, 100  # bytes that any file may unpack to, and how many times its own size
_ROWS = 256  # unpacked at a time


def load_parquet(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a Parquet table; places are numbers of rows."""
    rows = _parquet_rows(path, _pyarrow(path), {*reading.where}, reading.columns)
    return load_records(str(path), rows, reading)


def parquet_fields(path: Path) -> list[str]:
    """Return the names of a Parquet table's columns; DataError when it is none."""
    tables = _pyarrow(path)
    with as_data_error(path), tables.ParquetFile(path) as table:
        return [str(name) for name in table.schema_arrow.names]


def _pyarrow(path: Path) -> ModuleType:
    read_bytes(path, 1)  # says in our words when it cannot be read
    return library("pyarrow.parquet", path, "a Parquet table")


def _parquet_rows(
    path: Path, tables: ModuleType, asked: set[str], columns: Mapping[str, str]
) -> Iterator[tuple[int, Row]]:
    with as_data_error(path), tables.ParquetFile(path) as table:
        fields = table.schema_arrow.names
        texts = [each.path for each in table.schema if each.physical_type == "BYTE_ARRAY" and "." not in each.path]
    known = {columns.get(name, name) for name in ROLES} | {"id", *asked}
    wanted = [field for field in fields if field in known]
    unread = dict.fromkeys(field for field in fields if field not in known)  # named when something is missing
    # Texts stay in the file's dictionary until a row is looked at: a long one that a thousand rows share is kept once.
    with as_data_error(path), tables.ParquetFile(path, read_dictionary=texts) as table:
        rows = enumerate(_unpacked(path, table, wanted), start=1)
        while True:
            with as_data_error(path):
                number, row = next(rows, (0, None))
            if row is None:
                return
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
def as_data_error(path: Path, what: str = "Parquet table") -> Iterator[None]:
    """Turn what the library says of a damaged file into our error, and of values that Python has not."""
    try:
        yield
    except DataError:
        raise
    except (OSError, ValueError, ArithmeticError, LookupError, TypeError, NotImplementedError, MemoryError) as error:
        raise DataError(f"{path}: no readable {what}: {shown(str(error), 300)}") from error

"""Rows with named fields whose values may be lists: of JSON, JSON lines, Parquet, and reports with both sides.

A row is an utterance: `phones` (a text or a list), beside it optionally `start`, `end` and `confidence` (lists of the
same length), or `times` (a list of [start, end], where `columns` names it); or `phones` is a list of intervals
{phone, start, end, confidence}, or such a record of lists. Or a row is one interval: `phone`, `start`, `end`,
optionally `confidence`; an utterance without phones has one row, in which these are null. The id is `utterance`, or
else `id`. Times are seconds; where phones are one text, numbers `start` and `end` are the utterance's own,
and not read.

JSON and JSON lines: records of utterances, one a line, in an array, or by their ids.

PRiSM's inference writes {key: {"pred": [{field: text}], "passthrough": {field: value}}}: both are fields of one record,
and the id is the passthrough's `utt_id`.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import Line, TranscriptBuilder, wrong_kind
from phonxling.load.field_names import ROLES, advice, listed, sides
from phonxling.load.reading import Reading
from phonxling.load.text import check_length, lines_of, read_text

# Times of all phones of an utterance in one cell: `0.156-0.240 0.240-0.390`, or a list of [start, end].

_SPAN = re.compile(r"(\d+(?:\.\d*)?)-(\d+(?:\.\d*)?)", re.ASCII)


def spans_of(where: str, phones: Sequence[str], times: object) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield each phone with its start and end in seconds."""
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


_MISSING = (None, "")
Row = Mapping[str, Any]  # JSON of any shape


def load_records(source: str, rows: Iterable[tuple[Line, Row]], columns: Mapping[str, str]) -> Transcript:
    """Return the transcript of rows, each with its number; `columns` renames fields, within intervals too."""
    reader = RecordReader(TranscriptBuilder(source), columns)
    for number, row in rows:
        reader.add(number, row)
    return reader.builder.finish()


def titles_of(fields: Sequence[str], columns: Mapping[str, str]) -> list[str]:
    """Return which of a file's fields are of use."""
    wanted = {columns.get(name, name) for name in ROLES} | {"id"}
    return [field for field in fields if field in wanted]


class RecordReader:
    """Adds rows to a builder; `columns` renames fields, `remedy` says what to do where a row lacks one."""

    def __init__(
        self, builder: TranscriptBuilder, columns: Mapping[str, str], remedy: Callable[[Sequence[str]], str] = advice
    ) -> None:
        self.builder, self._asked, self._remedy = builder, set(columns), remedy
        self.titles = {name: columns.get(name, name) for name in ROLES}
        self._needed = self._asked & {"utterance", "phones", "speaker", "times"}

    def add(self, number: Line, row: Row) -> None:
        """Add one row: an utterance, or an interval."""
        for name in self._needed:
            if self.titles[name] not in row:
                raise self._lacking(number, name, row)
        utterance = self._utterance(number, row)
        speaker = self._text(number, "speaker", self._of(row, "speaker") or "")
        if self.titles["phones"] in row:
            self._add_utterance(number, utterance, speaker, row)
        elif self.titles["phone"] in row:
            self._add_interval(number, utterance, speaker, row)
        else:
            raise self._lacking(number, "phones", row)

    def _add_utterance(self, number: Line, utterance: str, speaker: str, row: Row) -> None:
        phones = self._of(row, "phones")
        one_text = isinstance(phones, str)
        if one_text:
            phones = self._text(number, "phones", phones).split()
        if isinstance(phones, Mapping):  # a record of lists, as Hugging Face keeps sequences of records
            row, phones = {**row, **phones}, self._listed(number, phones, "phone")
        if not isinstance(phones, list | tuple):
            raise self._wrong(number, "phones", phones, "a text or a list; an utterance without phones is an empty one")
        ends = [self._of(row, name) for name in ("start", "end") if self.titles[name] in row]
        if "times" in self._asked:
            intervals: list[Row] = self._spanned(number, phones, row)
        elif phones and all(isinstance(each, Mapping) for each in phones):
            intervals = list(phones)
        elif ends and not (one_text and all(isinstance(end, int | float) for end in ends)):
            intervals = self._parallel(number, phones, row)
        else:
            if not one_text and isinstance(self._of(row, "confidence"), list | tuple):
                titles = [self.titles[name] for name in ("confidence", "start", "end")]
                msg = "'{}' needs '{}' and '{}' beside it; without times, leave it out".format(*titles)
                raise DataError(f"{self._where(number)}: {msg}")
            self.builder.add_utterance(utterance, phones, number, speaker)
            return
        if not intervals:
            self.builder.add_utterance(utterance, (), number, speaker)
        for interval in intervals:
            self._add_interval(number, utterance, speaker, interval)

    def _parallel(self, number: Line, phones: Sequence[Any], row: Row) -> list[Row]:
        lists = {self.titles["phone"]: phones}
        for name in ("start", "end", "confidence"):
            if self.titles[name] in row or name != "confidence":
                lists[self.titles[name]] = self._listed(number, row, name)
        if len({len(values) for values in lists.values()}) > 1:
            sizes = ", ".join(f"{title} {len(values)}" for title, values in lists.items())
            raise DataError(f"{self._where(number)}: lists of one utterance differ in length: {sizes}")
        return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]

    def _spanned(self, number: Line, phones: Sequence[Any], row: Row) -> list[Row]:
        titles = [self.titles[name] for name in ("phone", "start", "end")]
        spans = spans_of(self._where(number), phones, self._of(row, "times"))
        return [dict(zip(titles, (phone, *span), strict=True)) for phone, span in spans]

    def _add_interval(self, number: Line, utterance: str, speaker: str, row: Row) -> None:
        for name in ("phone", "start", "end", *({"confidence"} & self._asked)):
            if self.titles[name] not in row:
                raise self._lacking(number, name, row)
        if all(self._of(row, name) in _MISSING for name in ("phone", "start", "end", "confidence")):
            self.builder.add_empty(utterance, number, speaker, scored=self.titles["confidence"] in row)
            return
        phone = self._text(number, "phone", self._of(row, "phone")).strip()
        times = self._number(number, row, "start"), self._number(number, row, "end")
        score = self._number(number, row, "confidence") if self._of(row, "confidence") is not None else None
        if score is not None and not 0 <= score <= 1:
            raise DataError(f"{self._where(number)}: the confidence {score:g} lies outside 0 … 1")
        self.builder.add_interval(utterance, phone, number, times, confidence=score, speaker=speaker)

    def _utterance(self, number: Line, row: Row) -> str:
        title = self.titles["utterance"]
        if title not in row and "utterance" not in self._asked:
            title = "id"
        if title not in row:
            raise self._lacking(number, "utterance", row)
        value = row[title]
        return (
            str(value) if isinstance(value, int) and not isinstance(value, bool) else self._text(number, title, value)
        )

    def _of(self, row: Row, name: str) -> Any:  # noqa: ANN401 - JSON of any shape
        return row.get(self.titles[name])

    def _text(self, number: Line, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self._wrong(number, name, value, "a text")
        check_length(self.builder.source, number, value)
        return value

    def _number(self, number: Line, row: Row, name: str) -> float:
        value = self._of(row, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(number, self.titles[name], value, "a number")
        try:
            return float(value)
        except OverflowError:
            raise DataError(f"{self._where(number)}: {self.titles[name]} is too large to be a time") from None

    def _listed(self, number: Line, row: Row, name: str) -> list[Any]:
        if self.titles[name] not in row:
            raise self._lacking(number, name, row)
        value = self._of(row, name)
        if not isinstance(value, list | tuple):
            raise self._wrong(number, self.titles[name], value, "a list, as `phones` is one")
        return list(value)

    def _where(self, number: Line) -> str:
        return self.builder.where(number)

    def _wrong(self, number: Line, name: str, value: object, needed: str) -> DataError:
        return wrong_kind(self._where(number), name, value, needed)

    def _lacking(self, number: Line, name: str, row: Row) -> DataError:
        fields = [str(field) for field in row]
        msg = f"{self._where(number)}: no field {self.titles[name]}; the row has: {listed(fields)}"
        return DataError(f"{msg}. {self._remedy(fields)}")


# JSON and JSON lines: records of utterances, one a line, in an array, or by their ids.

_WORDS = "write its phones as a TSV (utterance, start, end, phone); words and letters are no phones"
_FOREIGN = {
    "chunks": f"timestamps of words or letters, from a pipeline of Hugging Face: {_WORDS}",
    "segments": f"timestamps of words, from Whisper or WhisperX: {_WORDS}",
    "tiers": "the tiers of a TextGrid as JSON: export it as .TextGrid",
}


def load_jsonl(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a JSONL file; one object a line."""
    return load_records(str(path), jsonl_rows(path), reading.columns)


def load_json(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a JSON file: an array of records, or a mapping from ids to records, texts or lists."""
    return load_records(str(path), json_rows(path), reading.columns)


def jsonl_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield the records of a JSONL file with the numbers of their lines."""
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
    for line, one in lines_of(path, text):
        try:
            row = json.loads(one, object_pairs_hook=_without_doubles)
        except (ValueError, RecursionError) as error:
            hint = "; a file of one array is format: json (--format json)" if one.lstrip()[:1] == "[" else ""
            raise DataError(f"{path}:{line}: no JSON object: {shown(str(error))}{hint}") from error
        if not isinstance(row, dict):
            msg = f"{path}:{line}: a line of JSONL is one object {{…}}, not a {type(row).__name__}"
            raise DataError(f"{msg}; a file of one array is format: json (--format json)")
        by_id = row and all(isinstance(value, dict) for value in row.values())
        yield from ((line, each) for each in (_by_id(row) if by_id else [row]))


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = (key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"a key occurs twice: {next(twice)}")
    return values


def _records(path: Path, value: object) -> Iterator[Row]:
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return iter(value)
    if isinstance(value, dict) and not value.keys() & _FOREIGN.keys():
        kinds = {type(each) for each in value.values()}
        if value.keys() & {"id", *ROLES} or sides(value):
            return iter([value])
        if kinds == {dict}:
            return _by_id(value)
        if kinds and kinds <= {str, list}:
            return ({"utterance": key, "phones": phones} for key, phones in value.items())
    foreign = [_FOREIGN[key] for key in _FOREIGN if isinstance(value, dict) and key in value]
    if foreign:
        raise DataError(f"{path}: looks like {foreign[0]}")
    shapes = "an array of records [{…}, {…}], or ids with their records {id: {…}} or phones {id: phones}"
    raise DataError(f"{path}: JSON of another shape than {shapes}; write it so, or as a TSV (utterance, phones)")


def _by_id(records: Mapping[str, Any]) -> Iterator[Row]:
    for key, record in records.items():
        passed, predicted = record.get("passthrough"), record.get("pred")
        if isinstance(passed, dict) and isinstance(predicted, list) and predicted and isinstance(predicted[0], dict):
            yield {"utterance": passed.get("utt_id", key), **passed, **predicted[0]}
        else:
            yield {**record, "utterance": record.get("utterance", key)}

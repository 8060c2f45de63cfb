"""Rows with named fields: of tables, JSON, data in memory, and reports with both sides; and the rows of JSON.

A row is an utterance: `phones` (a text or a list), beside it optionally `start`, `end` and `confidence` (lists of the
same length), or `times` (a list of [start, end], where `columns` names it); or `phones` is a list of intervals
{phone, start, end, confidence}, or such a record of lists. Or a row is one interval: `phone`, `start`, `end`,
optionally `confidence`; an utterance without phones has one row, in which these are null. The id is `utterance`, or
else `id`. Times are seconds; where phones are one text, numbers `start` and `end` are the utterance's own,
and not read.

PRiSM's inference writes {key: {"pred": [{field: text}], "passthrough": {field: value}}}: both are fields of one record,
and the id is the passthrough's `utt_id`.

Phones as recognisers write them: between slashes, and in records of their own.

POWSM writes `<yor><pr><notimestamps> /k//a/`, PhoneticXeus `k/a` in its field `predicted_transcript`. allophant's
`predict` writes JSON lines: the first is about the run, and each other one has its candidates, the best first, and its
labels; they become the fields `predicted` and `gold`.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import (
    ROLES,
    Interval,
    Line,
    Reading,
    TranscriptBuilder,
    advice,
    id_field,
    listed,
    rows_where,
    sides,
    wrong_kind,
)
from phonxling.load.text import check_length, is_number, lines_of, read_text

RECORDING = re.compile(r"\S+\.(?:wav|flac|mp3|ogg|opus|m4a)", re.IGNORECASE)
TASK = "<pr>"
FIELDS = {  # where PRiSM and PhoneticXeus have the phones of a side, the plainest first
    "gold": ("transcription", "target"),
    "predicted": ("predicted_transcript", "processed_transcript", "prediction", "pred"),
}
_SLASHED = "predicted_transcript"
_TAGS = re.compile(r"\s*(?:<[^<>\s]*>\s*)*")
_ENCLOSED = re.compile(r"/.+/|", re.DOTALL)
_LAYERS = ("phoneme", "phonemes", "phone", "phones")


def phones_of(text: str, field: str = "") -> list[str]:
    """Return the phones of a text, which spaces separate, or slashes where these enclose all of them.

    >>> phones_of("k a"), phones_of("<yor><pr><notimestamps> /k//a/"), phones_of("k/a", "predicted_transcript")
    (['k', 'a'], ['k', 'a'], ['k', 'a'])
    """
    if "/" not in text and TASK not in text:
        return text.split()
    bare = text[_TAGS.match(text).end() :].strip() if TASK in text else text.strip()  # type: ignore[union-attr]
    if field == _SLASHED or _ENCLOSED.fullmatch(bare):
        return [phone for phone in re.split(r"[/\s]+", bare) if phone]
    return text.split()


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


_SPAN = re.compile(r"(\d+(?:\.\d*)?)-(\d+(?:\.\d*)?)", re.ASCII)
_MISSING = (None, "")
Row = Mapping[str, Any]  # JSON of any shape
Rows = Iterator[tuple[int, Row]]


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

    def field(row: Row, name: str) -> str:
        if name not in row:
            raise DataError(f"{source}: where: no field {shown(name)}; the row has: {listed(map(str, row))}")
        return str(row[name])

    chosen = rows_where(source, rows, reading.where, field) if reading.where else rows
    return RecordReader(TranscriptBuilder(source), reading.columns, side=reading.side).read(chosen)


class RecordReader:
    """Reads rows into a builder; of a `side`, phones may also stand where PRiSM and PhoneticXeus write them."""

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

    def read(self, rows: Iterable[tuple[Line, Row]]) -> Transcript:
        """Return the transcript of rows: an utterance each, or intervals, those of an utterance together."""
        known: dict[tuple[object, ...], tuple[str, bool]] = {}  # by a row's fields, that of the id, and if it is whole
        run: list[tuple[Line, Row]] = []
        owner, of_speaker = ("", ""), self.titles["speaker"]
        for number, row in rows:
            if (fields := tuple(row)) not in known:
                known[fields] = self._checked(number, row)
            title, whole = known[fields]
            utterance, speaker = row[title], row.get(of_speaker) or ""
            if type(utterance) is not str or type(speaker) is not str:
                utterance, speaker = self._name(number, title, utterance), self._name(number, "speaker", speaker)
            if run and (whole or owner != (utterance, speaker)):
                self._add_intervals(*owner, run)
                run = []
            if whole:
                self._add_utterance(number, utterance, speaker, row)
                continue
            if owner[0] == utterance and owner[1] != speaker:
                speakers = f"'{owner[1]}' and '{shown(speaker)}'"
                raise self.builder.fault(number, f"utterance '{utterance}' has the speakers {speakers}")
            owner = utterance, speaker
            run.append((number, row))
        if run:
            self._add_intervals(*owner, run)
        return self.builder.finish()

    def _checked(self, number: Line, row: Row) -> tuple[str, bool]:
        """Return a row's field of the id, and whether it is a whole utterance; DataError when it lacks a field."""
        for name in ("utterance", "phones", "speaker", "times"):
            if name in self._asked:
                self._require(number, name, row)
        title = self.titles["utterance"]
        if title not in row and "utterance" not in self._asked and (name := id_field(row)) in row:
            title = name
        self._require(number, "utterance", row, title)
        if self._own and not row.keys() & {"phones", "phone"}:
            self.titles["phones"] = next((name for name in self._own if name in row), "phones")
        if self.titles["phones"] in row:
            return title, True
        self._require(number, "phones", row, self.titles["phone"])
        for name in ("start", "end", *({"confidence"} & self._asked)):
            self._require(number, name, row)
        return title, False

    def _add_utterance(self, number: Line, utterance: str, speaker: str, row: Row) -> None:
        phones = self._of(row, "phones")
        one_text = isinstance(phones, str)
        if one_text:
            check_length(self.builder.source, number, phones)
            phones = phones_of(phones, self.titles["phones"])
        if isinstance(phones, Mapping):  # a record of lists, as Hugging Face keeps sequences of records
            row, phones = {**row, **phones}, self._listed(number, phones, "phone")
        if not isinstance(phones, list | tuple):
            raise self._wrong(number, "phones", phones, "a text or a list; an utterance without phones is an empty one")
        intervals = self._intervals(number, phones, row, one_text=one_text)
        if not intervals:
            self.builder.add_utterance(utterance, () if intervals is not None else phones, number, speaker)
        else:
            self._add_intervals(utterance, speaker, [(number, interval) for interval in intervals])

    def _intervals(self, number: Line, phones: Sequence[Any], row: Row, *, one_text: bool) -> Sequence[Row] | None:
        """Return an utterance's intervals as rows; None when its phones have no times."""
        if "times" in self._asked:
            names = [self.titles[name] for name in ("phone", "start", "end")]
            spans = spans_of(self.builder.where(number), phones, self._of(row, "times"))
            return [dict(zip(names, (phone, *span), strict=True)) for phone, span in spans]
        if phones and all(isinstance(each, Mapping) for each in phones):
            for each in phones:
                for name in ("phone", "start", "end", *({"confidence"} & self._asked)):
                    self._require(number, name, each)
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

    def _add_intervals(self, utterance: str, speaker: str, rows: Sequence[tuple[Line, Row]]) -> None:
        """Add the intervals of one utterance; its only row may be empty, which is an utterance without phones."""
        titles = [self.titles[name] for name in ("phone", "start", "end", "confidence")]
        intervals: list[Interval] = []
        scores: list[float] = []
        for number, row in rows:
            cells: list[Any] = [*map(row.get, titles)]
            phone, start, end, score = cells
            if len(rows) == 1 and all(cell in _MISSING for cell in cells):
                self.builder.add_empty(utterance, number, speaker, scored=titles[3] in row)
                return
            try:
                intervals.append((number, phone.strip(), (float(start), float(end))))
                if score is not None:
                    scores.append(float(score))
            except (TypeError, ValueError, OverflowError, AttributeError):
                raise self._misfit(number, cells) from None
            if type(start) is bool or type(end) is bool or type(score) is bool:
                raise self._misfit(number, cells)
            if score is not None and not 0 <= scores[-1] <= 1:
                raise self.builder.fault(number, f"the confidence {scores[-1]:g} lies outside 0 … 1")
        self.builder.add_timed(utterance, intervals, speaker, scores)

    def _of(self, row: Row, name: str) -> Any:  # noqa: ANN401 - JSON of any shape
        return row.get(self.titles[name])

    def _name(self, number: Line, title: str, value: object) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            raise self._wrong(number, title, value, "a text or a whole number")
        return value

    def _misfit(self, number: Line, cells: Sequence[Any]) -> DataError:
        """Return the error about an interval of which a cell (phone, start, end, confidence) is of another kind."""
        if all(cell in _MISSING for cell in cells):
            return self.builder.fault(number, "a row without a phone, though the utterance has others; leave it out")
        if not isinstance(cells[0], str):
            return self._wrong(number, "phone", cells[0], "a text")
        title, value = "", None
        for name, value in zip(("start", "end", "confidence"), cells[1:], strict=True):
            title = self.titles[name]
            if isinstance(value, str) and not is_number(value):
                comma = "; write a point for the decimal comma" if is_number(value.replace(",", ".")) else ""
                return self.builder.fault(number, f"{title} is no number: '{shown(value)}'{comma}")
            if isinstance(value, int) and not isinstance(value, bool) and abs(value) > sys.float_info.max:
                break
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                return self._wrong(number, title, value, "a number")
        return self.builder.fault(number, f"{title} is too large to be a time")

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

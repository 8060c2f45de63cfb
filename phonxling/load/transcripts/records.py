"""Rows with named fields whose values may be lists: of JSON, JSON lines, Parquet, and reports with both sides.

A row is an utterance: `phones` (a text or a list), beside it optionally `start`, `end` and `confidence` (lists of the
same length), or `times` (a list of [start, end], where `columns` names it); or `phones` is a list of intervals
{phone, start, end, confidence}, or such a record of lists. Or a row is one interval: `phone`, `start`, `end`,
optionally `confidence`; an utterance without phones has one row, in which these are null. The id is `utterance`, or
else `id`. Times are seconds; where phones are one text, numbers `start` and `end` are the utterance's own,
and not read.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript
from phonxling.load.field_names import ROLES, advice, listed
from phonxling.load.text import check_length
from phonxling.load.transcripts.build import Line, TranscriptBuilder, wrong_kind
from phonxling.load.transcripts.rows.spans import spans_of

_MISSING = (None, "")
Row = Mapping[str, Any]  # JSON of any shape


def load_records(source: str, rows: Iterable[tuple[Line, Row]], columns: Mapping[str, str]) -> Transcript:
    """Return the transcript of rows, each with its number; `columns` renames fields, within intervals too.

    Raises
    ------
    DataError
        If a field is missing or of another kind than it can be, or lists of one utterance differ in length.
        If an id occurs twice, or rows of one utterance do not stand together.
    """
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

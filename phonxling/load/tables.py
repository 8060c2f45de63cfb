"""Rows with named fields, of tables, records, data in memory and reports with both sides; and TSV and CSV.

A row is an utterance: `phones` (a text or a list), beside it optionally `start`, `end` and `confidence` (lists of the
same length), or `times` (a list of [start, end], where `columns` names it); or `phones` is a list of intervals
{phone, start, end, confidence}, or such a record of lists. Or a row is one interval: `phone`, `start`, `end`,
optionally `confidence`; an utterance without phones has one row, in which these are null. The id is `utterance`, or
else `id`. Times are seconds; where phones are one text, numbers `start` and `end` are the utterance's own,
and not read. Phones may stand between slashes, as recognisers write them: POWSM `<yor><pr><notimestamps> /k//a/`,
PhoneticXeus `k/a` in its field `predicted_transcript`.

In TSV and CSV, an utterance without phones has one row among intervals, whose start, end and phone are empty. `times`,
where `columns` names it, is a cell of `start-end` for each phone of an utterance. Nothing is interpreted: "NA", "nan"
and a quote at the start of a TSV cell are text, for all of them occur as phones.
"""

import csv
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import (
    HEADER_LETTERS,
    ROLES,
    Interval,
    Line,
    Reading,
    TranscriptBuilder,
    advice,
    id_field,
    listed,
    meanings,
    rows_where,
    wrong_kind,
)
from phonxling.load.text import check_length, is_number, read_lines, read_text

RECORDING = re.compile(r"\S+\.(?:wav|flac|mp3|ogg|opus|m4a)", re.IGNORECASE)
TASK = "<pr>"
FIELDS = {  # where PRiSM and PhoneticXeus have the phones of a side, the plainest first
    "gold": ("transcription", "target"),
    "predicted": ("predicted_transcript", "processed_transcript", "prediction", "pred"),
}
_SLASHED = "predicted_transcript"
_TAGS = re.compile(r"\s*(?:<[^<>\s]*>\s*)*")
_ENCLOSED = re.compile(r"/.+/|", re.DOTALL)


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


# Tables of text.

_MARKS = {"tsv": "\t", "csv": ","}
_OTHERS = {
    "\t": ("tab-separated", "tsv"),
    ",": ("comma-separated", "csv"),
    ";": ("semicolon-separated", "csv"),
}
_LONGEST = 6  # letters of what may be a phone
_AT_ONCE = 4096  # rows in which ids are looked for
_COMMENT = "the line begins with #, and tables have no comments, because # may be a phone or an id; remove the line"
_Row = tuple[int, list[str]]


def cells_of(path: Path, form: str = "") -> Iterator[_Row]:
    """Return (line, cells) of a TSV, or of a CSV, which a path's ending tells where no format is said."""
    comma = form == "csv" if form else path.suffix.lower() == ".csv"
    return csv_rows(path) if comma else ((line, text.split("\t")) for line, text in read_lines(path))


def header_of(path: Path, form: str = "tsv") -> list[str]:
    return next((row for _, row in cells_of(path, form)), [])


def csv_rows(path: Path) -> Iterator[_Row]:
    """Yield (line, cells) of a CSV without empty lines; DataError when a quote is wrong, or a line or cell too long."""

    def short_lines() -> Iterator[str]:
        for number, line in enumerate(io.StringIO(read_text(path), newline=""), start=1):
            check_length(path, number, line)
            yield line

    lines = short_lines()
    first = next(lines, "")
    mark = ";" if ";" in first and "," not in first and first.count('"') % 2 == 0 else ","
    reader = csv.reader(chain([first], lines), strict=True, delimiter=mark)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        long = f"a cell of more than {csv.field_size_limit():,} letters, or a quote that is not closed"
        fault = f"{long}; write long ones as TSV" if "larger than field limit" in str(error) else str(error)
        raise DataError(f"{path}:{reader.line_num}: not CSV: {fault}") from error


def load_table(path: Path, reading: Reading, form: str = "tsv") -> Transcript:
    """Return the transcript of a TSV, or a CSV; `columns` renames: {"utterance": "sample"} reads ids from "sample"."""
    rows = cells_of(path, form)
    header = next((row for _, row in rows), [])
    at = _positions(path, header, reading.columns, form)
    for name in reading.where:
        if name not in header:
            raise DataError(f"{path}:1: where: no column {shown(name)}; the file has: {listed(header)}")
    if reading.where:

        def cell(row: list[str], name: str) -> str | None:
            return row[header.index(name)] if len(row) == len(header) else None

        rows = rows_where(str(path), rows, reading.where, cell)
    whole = "phone" not in at
    if whole:
        first = list(islice(rows, _AT_ONCE))
        _refuse_swapped(path, header, at, [row for _, row in first])
        rows = chain(first, rows)
    roles = ("phones", "times") if whole else ("start", "end", "phone", "confidence")
    used = [name for name in ("utterance", "speaker", *roles) if name in at]
    columns = {name: title for name, title in reading.columns.items() if name in used}
    reader = RecordReader(TranscriptBuilder(str(path)), columns)
    places = {reader.titles[name]: at[name] for name in used}

    def records() -> Iterator[tuple[int, Row]]:
        for line, row in rows:
            if len(row) != len(header) or (whole and row[0].startswith("# ")):
                others = [len(row), *(len(other) for _, other in rows)]
                fault = _COMMENT if row[0].startswith("#") else _ragged(others, len(header))
                raise reader.builder.fault(line, fault)
            yield line, {title: row[place] for title, place in places.items()}

    return without_lists(reader.read(records()))


def _refuse_swapped(path: Path, header: list[str], at: Mapping[str, int], rows: Sequence[list[str]]) -> None:
    """Raise DataError where ids are phones with spaces between them, few of them different, and phones single ids."""
    cells = [[row[at[name]].split() for row in rows if len(row) == len(header)] for name in ("utterance", "phones")]
    spoken = [symbol for cell in cells[0] for symbol in cell]
    one = [cell[0] for cell in cells[1] if len(cell) == 1]
    if 2 * len(set(spoken)) < len(spoken) > 2 * len(rows) and len({*one}) == len(rows):
        ids, phones = (header[at[name]] for name in ("phones", "utterance"))
        told = f"the column {ids} holds what looks like ids ({shown(one[0])}), and {phones} holds phones"
        raise DataError(f"{path}:1: {told} ({shown(' '.join(cells[0][0]))}): swapped? Exchange their names")


def without_lists(read: Transcript) -> Transcript:
    """Return a transcript; DataError when its cells are lists as Python prints them, whose quotes would be phones."""
    for symbol, place in zip(read.symbols, read.places, strict=True):
        if symbol.startswith(("['", '["')) and symbol.endswith(("',", '",', "']", '"]')):
            joined = 'before the table is saved: table["phones"] = table["phones"].str.join(" ")'
            raise DataError(f"{place}: a list of Python, not phones with spaces between them; in pandas, {joined}")
    return read


def _ragged(cells: Sequence[int], wanted: int) -> str:
    others = sum(number != wanted for number in cells) - 1
    more = f" (and {others} more such row{'s' * (others > 1)})" if others else ""
    hint = "the columns have separators of their own, phones have spaces between them"
    if set(cells) == {wanted + 1}:
        hint = "if the first cell of each row is its number or name, as R writes it, write without (row.names = FALSE)"
    return f"{cells[0]} cell{'s' * (cells[0] != 1)}, but the header has {wanted}{more}; {hint}"


# The first line of a table: which column is which, and what the file looks like when the columns are not there.


def _positions(path: Path, header: list[str], columns: Mapping[str, str], form: str) -> dict[str, int]:
    """Return the places of the columns by what they mean; `columns` renames; `id` or `path` does for `utterance`."""
    titles = {name: columns.get(name, name) for name in ROLES if name != "times" or name in columns}
    if "utterance" not in columns and "utterance" not in header:
        titles["utterance"] = id_field(header)
    places = {name: header.index(title) for name, title in titles.items() if title in header}
    needed = ("utterance", "start", "end", "phone") if "phone" in places else ("utterance", "phones")
    missing = [columns.get(name, name) for name in {*needed, *columns} if name not in places]
    twice = len(set(header)) != len(header)
    if (missing or twice) and (what := _odd(header, form)):
        raise DataError(f"{path}{':1' if header else ''}: {what}")
    if twice:
        raise DataError(f"{path}:1: a column name occurs twice: {shown(', '.join(header), HEADER_LETTERS)}")
    if missing:
        msg = f"{path}:1: no column {', '.join(sorted(missing))}; the file has: {listed(header)}"
        line = _visible(("utterance", "phones"), form)
        unnamed = "" if meanings(header) else f". If this is the first utterance, write a header above it: {line}"
        raise DataError(f"{msg}. {advice(header)}{unnamed}")
    return places


def _visible(cells: Sequence[str], form: str) -> str:
    return _MARKS[form].join(cells).replace("\t", "<tab>")


def _odd(header: Sequence[str], form: str) -> str:
    """Return what is wrong with a first line that lacks columns, "" if it seems to be a header."""
    mark = _MARKS[form]
    needed, line = _OTHERS[mark][0], shown(_visible(header, form), 100)
    if not header:
        return "the file is empty"
    if header[0].startswith("#"):
        return _COMMENT
    if len(header) == 1 and (other := next((name for name in _OTHERS if name in header[0] and name != mark), "")):
        called, right = _OTHERS[other]
        return f"looks {called}, not {needed}; give format: {right} (--format {right}), or rename the file to .{right}"
    if len(header) == 1 and "|" in header[0]:
        return f"columns between |, not {needed}; write {'tabs' if form == 'tsv' else 'commas'} instead"
    if len(header) == 1 and len(header[0].split()) > 1:
        kaldi = "If a line is an id and its phones, with spaces between them, give format: kaldi-text"
        return f"the first line, '{line}', is one column: columns are {needed}. {kaldi} (--format kaldi-text)"
    if header[0].startswith("sep="):
        return "the first line, sep=…, is a mark for Excel; remove it"
    if any(name != name.strip() for name in header):
        return f"names of columns with spaces around them: '{line}'; remove the spaces beside the separators"
    if form == "tsv" and all(len(name) > 1 and name[0] == name[-1] == '"' for name in header):
        quoted = "names of columns in quotes, which are part of the names in a TSV"
        return f"{quoted}; write it without (in R: quote = FALSE)"
    symbols = [cell.split() for cell in header]
    several = any(len(each) > 1 and max(map(len, each)) <= _LONGEST for each in symbols)
    if not (several or any(map(is_number, header))):
        return ""
    return f"no header: the first line is '{line}'. Write this line above it: {_visible(_names_for(header), form)}"


def _names_for(cells: Sequence[str]) -> list[str]:
    numbers = [place for place, cell in enumerate(cells) if is_number(cell)]
    texts = [place for place in range(len(cells)) if place not in numbers] or [0]
    phones = max(texts, key=lambda place: (len(cells[place].split()), place))
    roles = {phones: "phones" if len(numbers) < 2 else "phone"}
    if len(numbers) > 1:
        roles |= {numbers[0]: "start", numbers[1]: "end"}
    first = next((place for place in range(len(cells)) if place not in roles), None)
    if first is not None:
        roles[first] = "utterance"
    return [roles.get(place, f"column{place + 1}") for place in range(len(cells))]

"""Rows with named fields, of tables, records, data in memory and reports with both sides; and TSV and CSV."""

# A row is an utterance: `phones` (a text or a list), beside it optionally `start`, `end` and `confidence` (lists of the
# same length), or `times` (a list of [start, end], where `columns` names it); or `phones` is a list of intervals
# {phone, start, end, confidence}, or such a record of lists. Or a row is one interval: `phone`, `start`, `end`,
# optionally `confidence`; an utterance without phones has one row, in which these are null. The id is `utterance`, or
# else `id`. Times are seconds; where phones are one text, numbers `start` and `end` are the utterance's own, and not
# read. Phones may stand between slashes, as recognisers write them: POWSM `<yor><pr><notimestamps> /k//a/`,
# PhoneticXeus `k/a` in its field `predicted_transcript`.
#
# In TSV and CSV, an utterance without phones has one row among intervals, whose start, end and phone are empty.
# `times`, where `columns` names it, is a cell of `start-end` for each phone of an utterance. Nothing is interpreted:
# "NA", "nan" and a quote at the start of a TSV cell are text, for all of them occur as phones.

import csv
import io
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError, quote
from phonxling.core.sequences import Transcript
from phonxling.load.building import (
    BLANKS,
    Interval,
    Line,
    LoaderOptions,
    Row,
    TranscriptBuilder,
    rows_where,
    wrong_kind,
)
from phonxling.load.columns import (
    NO_HEADER,
    ROLES,
    Columns,
    choose_columns,
    choose_table_columns,
    is_header,
    list_columns,
    recognise_fields,
)
from phonxling.load.text import check_length, is_number, read_lines, read_text

TASK = "<pr>"  # what POWSM writes before phones, as against words
_SLASHED_COLUMN = "predicted_transcript"
_TAGS = re.compile(r"\s*(?:<[^<>\s]*>\s*)*")
_SLASH_ENCLOSED = re.compile(r"/.+/|", re.DOTALL)


def phones_of(text: str, field: str = "") -> list[str]:
    """Return the phones of a text, which spaces separate, or slashes where these enclose all of them.

    >>> phones_of("k a"), phones_of("<yor><pr><notimestamps> /k//a/"), phones_of("k/a", "predicted_transcript")
    (['k', 'a'], ['k', 'a'], ['k', 'a'])
    """
    if "/" not in text and TASK not in text:
        return text.split()
    bare = text[_TAGS.match(text).end() :].strip() if TASK in text else text.strip()  # type: ignore[union-attr]
    if field == _SLASHED_COLUMN or _SLASH_ENCLOSED.fullmatch(bare):
        return [phone for phone in re.split(r"[/\s]+", bare) if phone]
    return text.split()


_SPAN = re.compile(r"(\d+(?:\.\d*)?)-(\d+(?:\.\d*)?)", re.ASCII)
_MISSING = (None, "")
_NONE: Mapping[str, str] = {}
SAMPLE = 200  # rows by which columns are chosen
_OF_INTERVALS = ("phone", "start", "end", "confidence")
Rows = Iterator[tuple[int, Row]]


def spans_of(where: str, phones: Sequence[str], times: object) -> tuple[list[float], list[float]]:
    """Return starts and ends of phones, of times in one cell: 0.156-0.240 0.240-0.390, or [start, end] each."""
    given = times.split() if isinstance(times, str) else times
    if not isinstance(given, list | tuple):
        raise DataError(f"{where}: times must be a text such as 0.1-0.2 0.2-0.35, or a list of [start, end]")
    if len(given) != len(phones):
        raise DataError(f"{where}: {len(phones)} phones, but {len(given)} times; each phone needs its start-end")
    starts, ends = list[float](), list[float]()
    for span in given:
        parts = match.groups() if isinstance(span, str) and (match := _SPAN.fullmatch(span)) else span
        try:
            start, end = map(float, () if isinstance(parts, str) else parts)
        except (TypeError, ValueError, OverflowError):
            what = f"not the times of a phone: '{quote(str(span), 40)}'"
            raise DataError(f"{where}: {what}; write start-end in seconds: 0.1-0.2") from None
        starts.append(start)
        ends.append(end)
    return starts, ends


def load_records(
    source: str, rows: Iterable[tuple[Line, Row]], options: LoaderOptions, chosen: Columns | None = None
) -> Transcript:
    """Return the transcript of rows, each with its number; of columns that were `chosen`, rows need no others."""
    columns = {**options.columns, **(chosen.titles if chosen else {})}
    # Of the others' names, which rows do not have.
    if chosen and (lacking := [name for name in options.where if name not in chosen.fields]):
        raise DataError(f"{source}: where: no column {quote(lacking[0])}; the table has: {list_columns(chosen.fields)}")
    reader = RecordReader(TranscriptBuilder(source), columns, options.side, options.utterance)
    reader.builder.notes.update(dict.fromkeys(chosen.notes if chosen else ()))
    return reader.read(rows_where(source, rows, options.where) if options.where else rows)


def asked_of(columns: Mapping[str, str], fields: Sequence[str]) -> dict[str, str]:
    """Return what `columns` says of rows with these fields, without the names that stand within lists of intervals."""
    return {name: title for name, title in columns.items() if title in fields or name not in _OF_INTERVALS}


_OF_KINDS = {"start": "start", "end": "end", "phone": "phones"}
_kinds_of = lru_cache(recognise_fields)


class RecordReader:
    """Reads rows into a builder; rows without an id are the utterance `alone`, where they can be one."""

    def __init__(
        self, builder: TranscriptBuilder, columns: Mapping[str, str] = _NONE, side: str = "", alone: str = ""
    ) -> None:
        self.builder, self._asked, self.side, self._alone = builder, columns, side, alone
        self.titles = {name: columns.get(name, name) for name in ROLES}
        self._before: tuple[str, Line | None] = ("", None)  # the last interval's utterance; its line, where it is empty

    def read(self, rows: Iterable[tuple[Line, Row]]) -> Transcript:
        left = iter(rows)
        sample = [*islice(left, SAMPLE)]
        # Records of one file may have other fields each (JSONL), so that columns are chosen once for each set of them.
        known: dict[tuple[object, ...], dict[str, str]] = {}
        for number, row in chain(sample, left):
            if (fields := tuple(row)) not in known:
                known[fields] = self._find_titles(number, fields, [each for _, each in sample])
            titles = self.titles = known[fields]
            utterance = self._as_name(number, "utterance", row.get(titles["utterance"], self._alone))
            speaker = self._as_name(number, "speaker", row.get(titles["speaker"]))
            if not utterance:  # all such rows are named in one message
                self.builder.nameless.append(number)
            elif titles["phones"] in row:
                self._add_utterance(number, utterance, speaker, row)
            else:
                self._add_interval(number, utterance, speaker, row)
        return self.builder.finish()

    def _as_name(self, number: Line, role: str, name: object) -> str:
        if name is None:
            return ""
        if type(name) is bool or not isinstance(name, str | int):
            needed = "a text or a whole number" + " (of a MultiIndex: reset_index() first)" * isinstance(name, tuple)
            raise wrong_kind(self.builder.where(number), self.titles[role], name, needed)
        return str(name).strip(BLANKS)

    def _find_titles(self, number: Line, fields: tuple[object, ...], sample: Sequence[Row]) -> dict[str, str]:
        rows = [tuple(row.values()) for row in sample if tuple(row) == fields]
        try:
            columns = self.choose([*map(str, fields)], rows, alone=bool(self._alone) and len(rows) == len(sample))
        except DataError as error:
            raise self.builder.fault(number, str(error)) from None
        self.builder.notes.update(dict.fromkeys(columns.notes))
        titles = {name: columns.titles.get(name, self._asked.get(name, name)) for name in ROLES}
        if "phone" in columns.titles:  # of any table, a column may be called so
            return titles | {"times": "", "phones": columns.titles.get("phones", "")}
        return titles | ({} if "times" in columns.titles else {"times": ""})

    def choose(
        self, fields: Sequence[str], rows: Sequence[Sequence[Any]], *, alone: bool = False, needs_ids: bool = True
    ) -> Columns:
        return choose_columns(fields, rows, asked_of(self._asked, fields), self.side, alone=alone, needs_ids=needs_ids)

    def _add_utterance(self, number: Line, utterance: str, speaker: str, row: Row) -> None:
        phones: Any = row.get(self.titles["phones"])
        one_text = isinstance(phones, str)
        if one_text:
            check_length(self.builder.source, number, phones)
            phones = phones_of(phones, self.titles["phones"])
        if not isinstance(phones, list | tuple):
            if not isinstance(phones, Mapping):
                needed = "a text or a list; an utterance without phones is an empty one"
                raise wrong_kind(self.builder.where(number), "phones", phones, needed)
            # a record of lists, as Hugging Face keeps sequences of records
            row, phones = {**row, **phones}, self._get_list(number, phones, "phone")
        if rows := self._split_intervals(number, phones, row, one_text=one_text):
            titles = [self.titles[name] for name in _OF_INTERVALS]
            read = [self._read_interval(number, [each.get(title) for title in titles]) for each in rows]
            intervals, scores = zip(*read, strict=True)
            self.builder.add_timed(utterance, intervals, speaker, [score for score in scores if score is not None])
        else:
            self.builder.add_utterance(utterance, phones, number, speaker)

    def _split_intervals(self, number: Line, phones: Sequence[Any], row: Row, *, one_text: bool) -> Sequence[Row]:
        # None where phones have no times.
        if phones and not isinstance(phones[0], str) and all(isinstance(each, Mapping) for each in phones):
            named = [self._rename_fields(each) for each in phones]
            for each in named:
                for name in ("start", "end", "phone", *({"confidence"} & self._asked.keys())):
                    self._require(number, name, each)
            return named
        start, end = times = self.titles["start"], self.titles["end"]
        lists = {self.titles["phone"]: phones}
        if self.titles["times"]:
            spans = spans_of(self.builder.where(number), phones, row.get(self.titles["times"]))
            lists |= zip(times, spans, strict=True)
        elif (start in row or end in row) and (
            not one_text or any(isinstance(row.get(title), list | tuple) for title in times)
        ):
            for name in ("start", "end", *({"confidence"} if self.titles["confidence"] in row else ())):
                lists[self.titles[name]] = self._get_list(number, row, name)
        elif not one_text and isinstance(row.get(self.titles["confidence"]), list | tuple):
            needed = f"'{self.titles['confidence']}' needs '{times[0]}' and '{times[1]}' beside it"
            raise self.builder.fault(number, f"{needed}; without times, leave it out")
        else:
            return []
        if len({*map(len, lists.values())}) > 1:
            sizes = ", ".join(f"{title} {len(values)}" for title, values in lists.items())
            raise self.builder.fault(number, f"lists of one utterance differ in length: {sizes}")
        return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]

    def _rename_fields(self, interval: Row) -> Row:
        # Where an interval's own names say the same as those that are looked for.
        if self.titles["phone"] in interval and self.titles["start"] in interval:
            return interval
        kinds = _kinds_of(tuple(interval))
        called = {self.titles[role]: kinds.get(kind, []) for role, kind in _OF_KINDS.items()}
        renamed = {title: names[0] for title, names in called.items() if title not in interval and len(names) == 1}
        if renamed:
            note = f"fields of phones are recognised by their names: {list_columns(renamed.values())}"
            self.builder.notes[note] = None
        return {**interval, **{title: interval[name] for title, name in renamed.items()}}

    def _add_interval(self, number: Line, utterance: str, speaker: str, row: Row) -> None:
        """Add an interval to its utterance, whose only row may be empty: it has no phones."""
        cells = [row.get(self.titles[name]) for name in _OF_INTERVALS]
        # An utterance in which nothing was recognised must not vanish from a table of intervals: it has one empty row.
        empty = cells[0] in _MISSING and all(cell in _MISSING for cell in cells)
        before, line = self._before
        if before == utterance and (empty or line is not None):
            what = "a row without a phone, though the utterance has others; leave it out, or write <eps>"
            raise self.builder.fault(number if line is None else line, f"{what} if the other side has a phone there")
        self._before = utterance, number if empty else None
        if empty:
            self.builder.add_utterance(utterance, (), number, speaker)
            return
        timed = any(self.titles[name] in row for name in ("start", "end"))
        (_, phone, times), score = self._read_interval(number, cells if timed else [cells[0], 0.0, 0.0, cells[3]])
        held = times if timed else None
        self.builder.add_interval(utterance, phone, number, held, confidence=score, speaker=speaker)

    def _read_interval(self, number: Line, cells: Sequence[Any]) -> tuple[Interval, float | None]:
        phone, start, end, score = cells
        try:
            interval = number, phone.strip(), (float(start), float(end))
            confidence = None if score in _MISSING else float(score)
        except (TypeError, ValueError, OverflowError, AttributeError):
            raise self._explain_misfit(number, cells) from None
        # float(True) is 1.0, and a time of true is a fault, not a second.
        if type(start) is bool or type(end) is bool or type(score) is bool:
            raise self._explain_misfit(number, cells)
        if confidence is not None and not 0 <= confidence <= 1:
            raise self.builder.fault(number, f"the confidence {confidence:g} lies outside 0 … 1")
        return interval, confidence

    def _explain_misfit(self, number: Line, cells: Sequence[Any]) -> DataError:
        if not isinstance(cells[0], str):
            return wrong_kind(self.builder.where(number), "phone", cells[0], "a text")
        for name, value in zip(("start", "end", "confidence"), cells[1:], strict=True):
            title = self.titles[name]
            if isinstance(value, str) and not is_number(value):
                comma = "; write a point for the decimal comma" if is_number(value.replace(",", ".")) else ""
                return self.builder.fault(number, f"{title} is not a number: '{quote(value)}'{comma}")
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                return wrong_kind(self.builder.where(number), title, value, "a number")
            if isinstance(value, int) and abs(value) > sys.float_info.max:
                break
        return self.builder.fault(number, f"{title} is too large to be a time")

    def _get_list(self, number: Line, row: Row, name: str) -> list[Any]:
        self._require(number, name, row)
        value = row.get(self.titles[name])
        if not isinstance(value, list | tuple):
            raise wrong_kind(self.builder.where(number), self.titles[name], value, "a list, as `phones` is one")
        return list(value)

    def _require(self, number: Line, name: str, row: Row) -> None:
        if self.titles[name] not in row:
            has = list_columns(map(str, row))
            raise self.builder.fault(number, f"no field {self.titles[name]}; the row has: {has}")


# Tables of text. They are read here and not by pandas, whose `read_csv` makes NaN of the phones `NA`, `nan` and "", and
# joins all X-SAMPA rows from one that begins with a quote to the next.

AT_ONCE = 4096  # rows in which ids are looked for
_COMMENT = "the line begins with #, and tables have no comments, because # may be a phone or an id; remove the line"
_Line = tuple[int, str]
_Row = tuple[int, list[str]]


def cells_of(path: Path, form: str = "") -> Iterator[_Row]:
    """Return (line, cells) of a TSV, or of a CSV, by a path's ending where no format is given."""
    lines = read_lines(path)
    first = [*islice(lines, 1)]
    return csv_rows(path) if _is_csv(path, form, first) else _split_lines(chain(first, lines))


def _is_csv(path: Path, form: str, lines: Sequence[_Line]) -> bool:
    # Where the first line has the other's separators alone, the file is the other: endings are given by hand.
    text = "".join(line for _, line in lines[:1])
    tab, mark = "\t" in text, "," in text or ";" in text
    return mark if tab != mark else form == "csv" or (not form and path.suffix.lower() == ".csv")


def _split_lines(lines: Iterable[_Line]) -> Iterator[_Row]:
    return ((line, text.split("\t")) for line, text in lines)


def header_of(path: Path, form: str = "tsv") -> list[str]:
    rows = [row for _, row in islice(cells_of(path, form), AT_ONCE)]
    return [name.strip() for name in rows[0]] if rows and is_header(rows[0], rows[1:]) else []


def csv_rows(path: Path) -> Iterator[_Row]:
    """Yield (line, cells) of a CSV without empty lines; DataError when a quote is wrong, or a line or cell too long."""

    def short_lines() -> Iterator[str]:
        for number, line in enumerate(io.StringIO(read_text(path), newline=""), start=1):
            check_length(path, number, line)
            yield line

    lines = short_lines()
    first = next(lines, "")
    # Where the decimal mark is a comma, spreadsheets write semicolons (https://www.rfc-editor.org/rfc/rfc4180 has
    # commas alone). A quoted header may hold either, so that an open quote says nothing.
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


def load_table(path: Path, options: LoaderOptions, form: str = "tsv") -> Transcript:
    lines = read_lines(path)
    head = [*islice(lines, AT_ONCE)]
    as_csv = _is_csv(path, form, head)
    rows = csv_rows(path) if as_csv else _split_lines(chain(head, lines))
    first = [*islice(rows, AT_ONCE)]
    columns = _choose_columns(path, [row for _, row in first], options)
    header, titled = [*columns.fields], int(not columns.headless)
    if {"utterance", "phones"} <= columns.titles.keys():
        _refuse_swapped(path, columns, [row for _, row in first[titled:]])
        if not as_csv and columns.titles.keys() <= {"utterance", "phones", "speaker"} and not options.where:
            return _refuse_second_header(_read_utterances(path, columns, chain(head[titled:], lines)), columns)
    places = {name: header.index(name) for name in (*columns.titles.values(), *options.where) if name in header}
    checked = _check_rows(path, columns, chain(first[titled:], rows))
    records = ((line, {title: row[place] for title, place in places.items()}) for line, row in checked)
    return _refuse_second_header(load_records(str(path), records, options, columns), columns)


def _check_rows(path: Path, columns: Columns, rows: Iterator[_Row]) -> Iterator[_Row]:
    wide = len(columns.fields)
    for line, row in rows:
        # "# " at the start of a row of whole utterances is a comment; in rows of intervals # may be the id or phone.
        if len(row) != wide or ("phones" in columns.titles and row[0].startswith("# ")):
            if row[0].startswith("#"):
                raise DataError(f"{path}:{line}: {_COMMENT}")
            cells = [len(row), *(len(other) for _, other in rows)]
            others = sum(number != wide for number in cells) - 1
            more = f" (and {others} more such row{'s' * (others > 1)})" if others else ""
            hint = "the columns have separators of their own, phones have spaces between them"
            # R's write.table names rows by default, and gives these names no title.
            if len(row) > wide and not any(row[wide:]):
                hint = "its last cells are empty: take the separators at the end of the line away"
            elif {*cells} == {wide + 1}:
                named = "if the first cell of each row is its number or name, as R writes it"
                hint = f"{named}, write without (row.names = FALSE)"
            number = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            raise DataError(f"{path}:{line}: {number}, but the header has {wide}{more}; {hint}")
        yield line, row


def _read_utterances(path: Path, columns: Columns, lines: Iterator[_Line]) -> Transcript:
    """Return the transcript of a TSV whose rows are whole utterances without times."""
    builder, wide = TranscriptBuilder(str(path)), len(columns.fields)
    builder.notes.update(dict.fromkeys(columns.notes))
    split = partial(phones_of, field=columns.titles["phones"])
    at = [columns.fields.index(columns.titles[role]) for role in ROLES if role in columns.titles]
    # Fewer at a time than the garbage collector waits for (700), or it would look through all that is imported.
    while batch := [*islice(lines, 500)]:
        numbers, texts = zip(*batch, strict=True)
        if {text.count("\t") for text in texts} != {wide - 1} or any(text.startswith("# ") for text in texts):
            deque(_check_rows(path, columns, _split_lines(chain(batch, lines))), maxlen=0)  # which names the row
        cells = "\t".join(texts).split("\t")  # one list for all: a list a row would keep the garbage collector busy
        builder.add_texts(numbers, *(cells[place::wide] for place in at), split=split)
    return builder.finish()


def _refuse_swapped(path: Path, columns: Columns, rows: Sequence[list[str]]) -> None:
    # Ids are phones with spaces between them, few of them different, and phones are single ids.
    ids, phones = columns.titles["utterance"], columns.titles["phones"]
    at = columns.fields.index(ids), columns.fields.index(phones)
    if any(len(row) != len(columns.fields) or len(row[at[1]].split()) != 1 for row in rows):
        return
    one = [row[at[1]].strip() for row in rows]
    spoken = [symbol for row in rows for symbol in row[at[0]].split()]
    # Phones recur, ids do not: more than two symbols a row, half of them repeated, and single ids that all differ.
    if 2 * len(set(spoken)) < len(spoken) > 2 * len(rows) and len({*one}) == len(rows):
        what = f"the column {phones} holds what looks like ids ({quote(one[0])}), and {ids} holds phones"
        raise DataError(f"{path}:1: {what} ({quote(rows[0][at[0]].strip())}): swapped? Exchange their names")


def _refuse_second_header(read: Transcript, columns: Columns) -> Transcript:
    if not columns.headless and columns.titles.get("utterance", "") in read.utterances:
        place = dict(zip(read.symbols, read.places, strict=True)).get(columns.titles.get("phones", ""), read.source)
        what = "the header stands here again, as where tables were put one after the other; remove the line"
        raise DataError(f"{place}: {what}")
    return read


def refuse_lists(read: Transcript) -> Transcript:
    """Return a transcript; DataError when its cells are lists as Python prints them, whose quotes would be phones."""
    for symbol, place in zip(read.symbols, read.places, strict=True):
        if symbol.startswith(("['", '["')) and symbol.endswith(("',", '",', "']", '"]')):
            joined = 'before the table is saved: table["phones"] = table["phones"].str.join(" ")'
            raise DataError(f"{place}: a list of Python, not phones with spaces between them; in pandas, {joined}")
    return read


# The first line of a table: what the file looks like when columns are not there.

_QUOTED = re.compile(r'\s*"[^"\s](?:[^"]*[^"\s])?"\s*')  # " a " are three phones
_QUOTES_OF_CELLS = "cells are in quotes, which are part of them in a TSV; write it without (in R: quote = FALSE)"


def _choose_columns(path: Path, rows: Sequence[list[str]], options: LoaderOptions) -> Columns:
    if not rows:
        raise DataError(f"{path}: the file is empty")
    header = [name.strip() for name in rows[0]]
    if all(len(name) > 1 and name[0] == name[-1] == '"' for name in header):
        raise DataError(f"{path}:1: {_QUOTES_OF_CELLS}")
    if header[0].startswith("sep="):
        raise DataError(f"{path}:1: the first line, sep=…, is a mark for Excel; remove it")
    # Programs quote a whole column or none; of X-SAMPA some cells begin with a quote. A single phone may be quoted.
    for cells in zip(*rows[1:], strict=False):
        if all(map(_QUOTED.fullmatch, cells)) and any(" " in cell.strip() for cell in cells):
            raise DataError(f"{path}:2: {_QUOTES_OF_CELLS}")
    try:
        return choose_table_columns(rows, options.columns, options.side, alone=bool(options.utterance))
    except DataError as error:
        fault = _explain_header(header) or str(error)
        if fault == NO_HEADER:
            sides = ("gold", "predicted") if sum(len(cell.split()) > 1 for cell in header) > 1 else ("phones",)
            names = ("utterance", *(("start", "end", "phone") if sum(map(is_number, header)) > 1 else sides))
            such = f"If it names the columns, call them {', '.join(names)}; if not, write such a line above it"
            fault = f"{fault}: the first line is '{list_columns(header)}'. {such}"
        raise DataError(f"{path}:1: {fault}") from None


def _explain_header(header: Sequence[str]) -> str:
    first = header[0]
    if first.startswith("#"):
        return _COMMENT
    if len(header) == 1 and "|" in first:
        return "columns between |; write tabs instead"
    if len(header) == 1 and len(first.split()) > 1:
        kaldi = "If a line is an id and its phones, with spaces between them, give format: kaldi-text"
        return f"the first line, '{quote(first, 100)}', is one column. {kaldi} (--format kaldi-text)"
    return ""

"""TSV and CSV: an utterance a row (`utterance`, `phones`), or an interval a row (`utterance`, `start`, `end`, `phone`).

Among intervals, an utterance without phones has one row, whose start, end and phone are empty. `times`, where
`columns` names it, is a cell of `start-end` for each phone of an utterance.

Nothing is interpreted: "NA", "nan" and a quote at the start of a TSV cell are text, for all of them occur as phones.
"""

import csv
import importlib
import io
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import (
    HEADER_LETTERS,
    ROLES,
    Reading,
    TranscriptBuilder,
    advice,
    id_field,
    listed,
    meanings,
    rows_where,
)
from phonxling.load.records import RecordReader, Row, load_records
from phonxling.load.text import check_length, is_number, library, read_bytes, read_lines, read_text

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

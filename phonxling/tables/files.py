"""Files of results: written whole or not at all, and read back as they were written.

Every table of results and each of its columns, as `tables.tsv` declares them.

A line without a column is the table's own: its type is the folder of the table, its unit what a row stands for. Its
marks say that the page has it (`page`), and that complete results may lack it (`optional`). A column is part of the
`key` by which each row stands once, holds a gold `phone` of the corpus, or is `optional`: a table may lack it.
"""

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias

from phonxling.core.errors import DataError, shown
from phonxling.core.files import open_regular, write_bytes, write_parts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class DeclaredTable:
    """A table of results; a section is one of the configuration, without which there is no such table."""

    table: str
    folder: str
    row: str
    meaning: str
    marks: str
    section: str

    @property
    def on_page(self) -> bool:
        return "page" in self.marks.split()

    @property
    def is_optional(self) -> bool:
        """Whether complete results may lack it, whatever their configuration is."""
        return "optional" in self.marks.split()

    @property
    def name(self) -> str:
        """The name of its file, without the ending."""
        return self.table.rpartition("/")[-1]


class Column(NamedTuple):
    """A column of a table; a name such as `entropy_<estimator>` stands for every name of that form."""

    table: str
    column: str
    type: str  # text, whole or number
    unit: str
    meaning: str
    marks: str = ""


def declared_table(file: str) -> DeclaredTable | None:
    """Return the table that a file holds, by its path below a folder of results; None where there is none."""
    corpus, _, name = file.removesuffix(".tsv").rpartition("/")
    tables = (table for table in declared_tables() if (table.folder == "corpus") == bool(corpus))
    return next((table for table in tables if table.name == name), None)


def files_in(folder: str) -> tuple[str, ...]:
    """Return the files of the tables that stand in a folder: `results`, `corpus` or `comparison`."""
    return tuple(f"{table.name}.tsv" for table in declared_tables() if table.folder == folder)


def column_names(table: str) -> list[str]:
    """Return the names of a table's columns, in their order."""
    return [one.column for one in declared_columns() if one.table == table]


def marked(table: DeclaredTable, mark: str) -> list[str]:
    """Return the names of a table's columns that bear a mark."""
    return [one.column for one in declared_columns() if one.table == table.table and mark in one.marks.split()]


def columns_of(table: DeclaredTable, names: Iterable[str]) -> Mapping[str, Column]:
    """Return the declared columns among names of columns, each by its name."""
    declared = {column.column: column for column in declared_columns() if column.table == table.table}
    forms = {re.sub("<.*>", "[a-z-]+", name): column for name, column in declared.items() if "<" in name}
    found = {}
    for name in names:
        of_form = (column for form, column in forms.items() if re.fullmatch(form, name))
        if column := declared.get(name) or next(of_form, None):
            found[name] = column
    return found


class Colour(NamedTuple):
    """A colour of figures and of the page, light and in the dark, where the page has it, and what it means."""

    light: str
    dark: str
    use: str


class FigureText(NamedTuple):
    """What a figure is called, of one corpus, and how to read it, in figures and on the page."""

    title: str
    reading: str


@cache
def declared_figures() -> Mapping[tuple[str, str], FigureText]:
    """Return the texts of figures, by what they are of and their names."""
    return {(of, name): FigureText(*texts) for of, name, *texts in _lines("figures.tsv")}


@cache
def palette() -> Mapping[str, Colour]:
    """Return the colours by their meaning: one each."""
    return {meaning: Colour(*cells) for meaning, *cells in _lines("palette.tsv")}


@cache
def declared_tables() -> tuple[DeclaredTable, ...]:
    """Return every table of results, in the order of the declaration."""
    return tuple(DeclaredTable(table, *cells) for table, column, *cells in _lines("tables.tsv") if not column)


@cache
def declared_columns() -> tuple[Column, ...]:
    """Return every column of every table, in the order of the declaration, where a line may name several tables."""
    rows = _lines("tables.tsv")
    return tuple(Column(table, *cells) for tables, *cells in rows if cells[0] for table in tables.split())


def _lines(file: str) -> list[list[str]]:
    text = (files("phonxling.tables") / file).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]


_ROWS = 1 << 16  # rows that are text at one time
_FEW = 10_000  # rows of a table that is remembered
NUMBERS = ("summary.tsv", "details.tsv")  # one set of rows in two tables of the same columns
_NOT_FINITE = frozenset({"", "inf", "-inf"})
_REMEDY = "was the table changed? Restore it, or run the experiment again"
_BREAKS = r"[\t\r\n]+"  # what would end a cell or a row


@dataclass(frozen=True, eq=False)
class Lines:
    """A table too long to be held: its lines, the header first, some at a time."""

    parts: Callable[[], Iterator[str]]


Table: TypeAlias = "pd.DataFrame | Lines"
_READ: "ContextVar[dict[Path, pd.DataFrame] | None]" = ContextVar("tables that have been read", default=None)


def table_of(name: str, rows: Iterable[Mapping[str, object] | Sequence[object]]) -> "pd.DataFrame":
    """Return rows as the table that is declared under a name, its columns in the declared order."""
    import pandas as pd  # takes half a second

    rows, names = list(rows), column_names(name)
    unknown = {column for row in rows if isinstance(row, Mapping) for column in row} - set(names)
    if unknown:
        raise DataError(f"{name}: column '{min(unknown)}' is not declared in phonxling/tables/tables.tsv")
    return pd.DataFrame(rows, columns=names)


def write_table(folder: Path, file: str, table: Table) -> str:
    """Write a table below a folder of results, whole or not at all, some rows at a time, and return its sha256."""
    names = next(table.parts()).splitlines()[0].split("\t") if isinstance(table, Lines) else list(table.columns)
    _declared(folder / file, file, names)
    sha256 = hashlib.sha256()

    def hashed() -> Iterator[bytes]:
        for part in _parts(table):
            sha256.update(part)
            yield part

    write_parts(folder / file, hashed())
    return sha256.hexdigest()


def table_digest(table: Table) -> str:
    """Return the sha256 of the file that `write_table` writes."""
    sha256 = hashlib.sha256()
    for part in _parts(table):
        sha256.update(part)
    return sha256.hexdigest()


def _declared(path: Path, file: str, names: list[str]) -> Mapping[str, Column]:
    """Return the declared columns of a table by name; DataError when the table or a column is not declared."""
    table = declared_table(file)
    if table is None:
        raise DataError(f"{path}: this version of phonxling writes no such table")
    columns = columns_of(table, names)
    if unknown := [name for name in names if name not in columns]:
        raise DataError(f"{path}: column '{unknown[0]}' is not declared in phonxling/tables/tables.tsv")
    return columns


def table_bytes(table: Table) -> bytes:
    """Return a table as UTF-8 TSV with a header: missing is empty, infinite is inf, floats keep all their digits."""
    return b"".join(_parts(table))


def _parts(table: Table) -> Iterator[bytes]:
    if isinstance(table, Lines):
        yield from (part.encode() for part in table.parts())
        return
    for first in range(0, max(1, len(table)), _ROWS):
        rows = table.iloc[first : first + _ROWS]
        try:
            yield _text(rows, header=not first).encode()
        except csv.Error:  # a space stands for tabs and line ends in texts
            texts = dict.fromkeys(rows.select_dtypes(["object", "string"]), _BREAKS)
            yield _text(rows.replace(texts, " ", regex=True), header=not first).encode()


def _text(rows: "pd.DataFrame", *, header: bool) -> str:
    """Return rows as text; csv.Error where a cell holds a tab or a line end."""
    buffer = io.StringIO()
    rows.to_csv(buffer, sep="\t", index=False, header=header, na_rep="", lineterminator="\n", quoting=csv.QUOTE_NONE)
    if "\r" in buffer.getvalue():
        raise csv.Error("a cell holds a carriage return")  # not every version of Python says so
    return buffer.getvalue()


@contextmanager
def read_once() -> Iterator[None]:
    """Let `read_table` remember small tables meanwhile: for those that nobody else may write to."""
    token = _READ.set({})
    try:
        yield
    finally:
        _READ.reset(token)


def read_table(folder: Path, file: str) -> "pd.DataFrame":
    """Return a table below a folder of results: columns of text as strings, all others as floats."""
    import pandas as pd

    known, path = _READ.get(), folder / file
    one = path.parent.resolve() / path.name  # other/../results/summary.tsv is the same file
    if known is not None and one in known:
        return known[one].copy()
    options: dict[str, Any] = {"sep": "\t", "dtype": str, "keep_default_na": False, "na_filter": False, "quoting": 3}
    with _opened(path) as lines, pd.read_csv(lines, chunksize=_ROWS, **options) as parts:
        table = pd.concat([_with_numbers(part, path, file) for part in parts], ignore_index=True)
    _check_cells(path, *table.shape)
    _check_keys(table, path, file)
    if known is not None and len(table) <= _FEW:
        known[one] = table
        return table.copy()
    return table


def _check_cells(path: Path, rows: int, columns: int) -> None:
    """Raise DataError for a row with fewer cells than the header, which pandas fills in silence."""
    with _opened(path) as lines:
        tabs = sum(block.count(b"\t") for block in iter(partial(lines.read, 1 << 20), b""))
        if tabs != (rows + 1) * (columns - 1):
            lines.seek(0)
            cells = ((number, line.count(b"\t") + 1) for number, line in enumerate(lines, 1) if line.strip(b"\r\n"))
            number, here = next((number, here) for number, here in cells if here != columns)
            raise DataError(f"{path}:{number}: has {here} cells, and the header {columns}; {_REMEDY}")


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a stored table; DataError when it cannot be read, or is a link, which may lead to a file of another kind."""
    if path.is_symlink():
        raise DataError(f"{path}: is a link; put the table itself there, or run the experiment again")
    try:
        with open_regular(path) as lines:
            yield lines
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as a table of results: {error}") from error


def stored_bytes(path: Path) -> bytes:
    """Return the bytes of a stored table; errors as for `read_table`."""
    with _opened(path) as lines:
        return lines.read()


def header_of(path: Path) -> list[str]:
    """Return the names of the columns of a stored table; DataError when it cannot be read."""
    with _opened(path) as lines:
        return next(lines, b"").decode().rstrip("\n").split("\t")


def read_utterance(folder: Path, file: str, utterance: str) -> "pd.DataFrame":
    """Return the rows of one utterance, which stand together, as `read_table` has them; errors as there."""
    import pandas as pd

    path, name = folder / file, f"{utterance}\t".encode()
    with _opened(path) as lines:
        own = takewhile(lambda row: row.startswith(name), dropwhile(lambda row: not row.startswith(name), lines))
        cells = [row.decode().rstrip("\n").split("\t") for row in own]
        return _with_numbers(pd.DataFrame(cells, columns=header_of(path), dtype=str), path, file)


def read_rows(folder: Path, file: str) -> list[dict[str, Any]]:
    """Return the rows of a table as `read_table` has them, without pandas; errors as for `read_table`."""
    path = folder / file
    with _opened(path) as lines:
        names, *rows = (line.split("\t") for line in lines.read().decode().split("\n") if line)
    _check_cells(path, len(rows), len(names))
    columns = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())
    numeric = _numeric(path, file, list(columns))
    numbers = {column.column: _numbers(path, column, columns[column.column]) for column in numeric}
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*{**columns, **numbers}.values(), strict=True)]


def _with_numbers(rows: "pd.DataFrame", path: Path, file: str) -> "pd.DataFrame":
    first = int(rows.index[0]) if len(rows) else 0
    for column in _numeric(path, file, list(rows.columns)):  # a list is read in a fifth of the time
        rows[column.column] = _numbers(path, column, rows[column.column].tolist(), first)
    return rows


def _numeric(path: Path, file: str, names: list[str]) -> list[Column]:
    """Return the columns of numbers; DataError when a column is missing that the table must have."""
    columns = _declared(path, file, names)
    needed = (column for column in declared_columns() if column.table == next(iter(columns.values())).table)
    for column in needed if columns else ():
        if column.column not in columns and "<" not in column.column and "optional" not in column.marks:
            raise DataError(f"{path}: column '{column.column}' is missing; {_REMEDY}")
    return [column._replace(column=name) for name, column in columns.items() if column.type != "text"]


def _numbers(path: Path, column: Column, texts: Sequence[str], first: int = 0) -> list[float]:
    """Return numbers, those that are missing as NaN; DataError for the first that is none, or too large."""
    numbers = [_number(text) for text in texts]
    whole = column.type == "whole"
    for place, number in enumerate(numbers):
        if (number - number != 0 and texts[place] not in _NOT_FINITE) or (
            whole and number == number and number % 1 != 0
        ):
            kind = "whole number" if whole else "number"
            told = f"column '{column.column}' should hold a {kind}, not {shown(texts[place])}"
            raise DataError(f"{path}:{first + place + 2}: {told}; {_REMEDY}")
    return numbers


def _number(text: str) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


def _check_keys(table: "pd.DataFrame", path: Path, file: str) -> None:
    """Raise DataError when two rows are of the same things, by the columns that make a row's key."""
    declared = declared_table(file)
    keys = [] if declared is None else marked(declared, "key")
    if keys and (twice := table.duplicated(keys)).any():
        place = int(twice.to_numpy().argmax())
        named = ", ".join(f"{key} {shown(str(table[key].iloc[place]))}" for key in keys)
        raise DataError(f"{path}:{place + 2}: a second row of {named}; {_REMEDY}")


def check_tables(folder: Path, corpora: Iterable[str], changed: Collection[str] = ()) -> None:
    """Raise DataError as `read_table` does, or for phones that their corpus lacks in symbols.tsv, or unknown corpora.

    The tables of the page are read, which are short; of the others those that were `changed`.
    """
    from phonxling.core.inventory import GAP  # brings NumPy

    audit, known, places = read_table(folder, "symbols.tsv"), [*corpora], dict[str, DeclaredTable]()
    for corpus, kind in [("", "results"), *((f"{corpus}/", "corpus") for corpus in known)]:
        places |= {f"{corpus}{table.name}.tsv": table for table in declared_tables() if table.folder == kind}
    for file, table in places.items():
        if not (table.on_page or file in changed) or not (folder / file).exists():
            continue
        stored, corpus = read_table(folder, file), file.partition("/")[0]
        if "corpus" in stored:
            _refuse_others(folder / file, stored["corpus"], stored["corpus"].isin(known), "corpus of these results")
        phones = {GAP, "", *" ".join(audit.loc[audit["corpus"] == corpus, "symbol"]).split(" ")}
        for column in marked(table, "phone"):
            unheard = stored["tokens"].eq(0) if "tokens" in stored else False  # of the declared inventory alone
            known_phone = stored[column].isin(phones) | unheard
            _refuse_others(folder / file, stored[column], known_phone, f"phone of {corpus} in symbols.tsv")


def _refuse_others(path: Path, column: "pd.Series[Any]", known: "pd.Series[bool]", what: str) -> None:
    if not known.all():
        odd = int(known.to_numpy().argmin())
        told = f"column '{column.name}' has {shown(str(column.iloc[odd]))}, which is no {what}"
        raise DataError(f"{path}:{odd + 2}: {told}; {_REMEDY}")


def write_json(path: Path, value: object) -> None:
    """Write JSON atomically, keys in their given order."""
    write_bytes(path, (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


def read_numbers(folder: Path) -> "pd.DataFrame":
    """Return every number of a folder of results, those of the summary first; errors as for `read_table`."""
    import pandas as pd

    return pd.concat([read_table(folder, file) for file in NUMBERS], ignore_index=True)

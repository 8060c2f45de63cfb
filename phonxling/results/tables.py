"""Tables of results: one file a kind for all corpora, written whole or not at all, and read back as they were written.

`tables.tsv` declares every table and each of its columns. A line without a column is the table's own: its type is the
kind of results that have it, its unit what a row stands for, its marks whether the page has it (`page`), its section
the setting without which there is none. Columns marked `key` together name a row once. A table of results has `corpus`
first; the rows of a corpus stand together. Analyses make the rows of one corpus, without that column.
"""

import csv
import hashlib
import io
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias, cast

from phonxling.core.errors import DataError, quote
from phonxling.core.files import State, digest, open_regular, state_of, write_bytes, write_parts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class DeclaredTable:
    """A table of results or of a comparison; without its section in the configuration there is no such table."""

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
    def name(self) -> str:
        """The name of its file, without the ending."""
        return self.table.rpartition("/")[-1]


class Column(NamedTuple):
    """A column of a table; its meaning is what a label says."""

    table: str
    column: str
    type: str  # text, whole or number
    unit: str
    meaning: str
    marks: str = ""


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
    text = (files("phonxling.results") / file).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]


@cache
def columns_of(name: str) -> tuple[Column, ...]:
    """Return the columns of a table, `corpus` first where it has that; DataError for a table that there is not."""
    if name not in {table.table for table in declared_tables()}:
        raise DataError(f"{name}: this version of phonxling writes no such table")
    return tuple(column for column in declared_columns() if column.table == name)


def column_names(name: str) -> list[str]:
    """Return the names of a table's columns, in their order."""
    return [column.column for column in columns_of(name)]


def file_of(name: str) -> str:
    """Return the file of a table in its folder."""
    return f"{name.rpartition('/')[-1]}.tsv"


def is_table(file: str) -> bool:
    """Return whether a file below a folder of results is a table of it."""
    return file in {file_of(table.table) for table in declared_tables()}


def tables_of(kind: str) -> tuple[str, ...]:
    """Return the names of the tables of `results`, or of a `comparison`."""
    return tuple(table.table for table in declared_tables() if table.folder == kind)


_ROWS = 1 << 16  # rows that are text at one time
_SMALL_TABLE = 200_000  # rows of a table that is remembered
_NOT_FINITE = frozenset({"", "inf", "-inf"})
_REMEDY = "was the table changed? Restore it, or run the experiment again"
_CONTROLS = bytes({*range(32), 127} - {*b"\t\n"})  # no table that we write holds one
_BREAKS = r"[\t\r\n]+"  # what would end a cell or a row
_CORPUS = "corpus"


@dataclass(frozen=True, eq=False)
class StreamedTable:
    """The rows of one corpus in a table too long to be held: lines of text, some at a time, without the corpus."""

    parts: Callable[[], Iterator[str]]


@dataclass(frozen=True, eq=False)
class ByCorpus:
    """A table of results, the rows of one corpus after those of the other."""

    parts: tuple[tuple[str, "pd.DataFrame | StreamedTable"], ...]


Table: TypeAlias = "pd.DataFrame | StreamedTable"  # of one corpus
WholeTable: TypeAlias = "pd.DataFrame | ByCorpus"
_READ: "ContextVar[dict[tuple[Path, str], pd.DataFrame] | None]" = ContextVar("tables read", default=None)


def table_of(
    name: str, rows: Iterable[Mapping[Any, object] | Sequence[object]], *, corpora: bool = False
) -> "pd.DataFrame":
    """Return rows as the declared table of a name: of one corpus without the column `corpus`, of all with it."""
    import pandas as pd  # takes half a second

    rows, names = list(rows), column_names(name)
    names = names if corpora else [column for column in names if column != _CORPUS]
    if unknown := {str(column) for row in rows if isinstance(row, Mapping) for column in row} - {*names}:
        raise DataError(f"{name}: column '{min(unknown)}' is not declared in phonxling/results/tables.tsv")
    return pd.DataFrame(rows, columns=names)


def write_table(folder: Path, name: str, table: WholeTable) -> str:
    """Write a table into a folder of results, whole or not at all, some rows at a time, and return its sha256.

    UTF-8 TSV with a header: missing is empty, infinite is inf, floats keep all their digits.
    """
    write_parts(folder / file_of(name), _parts(name, table))
    return digest(folder / file_of(name))


def table_digest(name: str, table: WholeTable) -> str:
    """Return the sha256 of the file that `write_table` writes."""
    sha256 = hashlib.sha256()
    for part in _parts(name, table):
        sha256.update(part)
    return sha256.hexdigest()


def _parts(name: str, table: WholeTable) -> Iterator[bytes]:
    names = column_names(name)
    yield ("\t".join(names) + "\n").encode()
    if not isinstance(table, ByCorpus):
        yield from _rows_of(name, names, table)
        return
    for corpus, own in table.parts:
        if not isinstance(own, StreamedTable):
            yield from _rows_of(name, names, own.assign(**{_CORPUS: corpus}))
            continue
        for part in own.parts():
            yield (f"{corpus}\t" + part.removesuffix("\n").replace("\n", f"\n{corpus}\t") + "\n").encode()


def _rows_of(name: str, names: list[str], table: "pd.DataFrame") -> Iterator[bytes]:
    if unknown := [column for column in table if column not in names]:
        raise DataError(f"{name}: column '{unknown[0]}' is not declared in phonxling/results/tables.tsv")
    for first in range(0, len(table), _ROWS):
        rows = table.iloc[first : first + _ROWS].reindex(columns=names)
        try:
            yield _text(rows).encode()
        except csv.Error:  # a space stands for tabs and line ends in texts
            texts = dict.fromkeys(rows.select_dtypes(["object", "string"]), _BREAKS)
            yield _text(rows.replace(texts, " ", regex=True)).encode()


def _text(rows: "pd.DataFrame") -> str:
    """Return rows as text; csv.Error where a cell holds a tab or a line end."""
    # Without quotes, a cell is what stands between two tabs: any program that splits lines reads these tables.
    buffer = io.StringIO()
    rows.to_csv(buffer, sep="\t", index=False, header=False, na_rep="", lineterminator="\n", quoting=csv.QUOTE_NONE)
    if "\r" in buffer.getvalue():
        raise csv.Error("a cell holds a carriage return")  # not every version of Python says so
    return buffer.getvalue()


@contextmanager
def read_once() -> Iterator[None]:
    """Let `read_table` remember all but long tables meanwhile: for those that nobody else may write to."""
    token = _READ.set({})
    try:
        yield
    finally:
        _READ.reset(token)


def has_table(folder: Path, name: str) -> bool:
    """Return whether a folder of results has a table: one without rows is not written."""
    return (folder / file_of(name)).exists()


def read_table(folder: Path, name: str, corpus: str = "") -> "pd.DataFrame":
    """Return a table of a folder of results: columns of text as strings, all others as floats.

    With a corpus, its rows alone, without the column `corpus`. DataError where the file is not as it was written.
    """
    known = _READ.get()
    if corpus and known is None:
        return _join_parts(name, table_parts(folder, name, corpus)).drop(columns=_CORPUS)
    one = folder.resolve() / file_of(name), name  # other/../results/summary.tsv is the same file
    if known is None or (table := known.get(one)) is None:
        table = _join_parts(name, table_parts(folder, name))
        # No two rows are of the same things, by the columns that make a row's key.
        keys = [column.column for column in columns_of(name) if "key" in column.marks.split()]
        if keys != [_CORPUS] and (twice := table.duplicated(keys)).any():
            place = int(twice.to_numpy().argmax())
            named = ", ".join(f"{key} {quote(str(table[key].iloc[place]))}" for key in keys)
            raise DataError(f"{folder / file_of(name)}:{place + 2}: a second row of {named}; {_REMEDY}")
        if known is not None and len(table) <= _SMALL_TABLE:
            known[one] = table
    if corpus:
        return table[table[_CORPUS] == corpus].drop(columns=_CORPUS).reset_index(drop=True)
    return table.copy()


def _join_parts(name: str, parts: "Iterable[pd.DataFrame]") -> "pd.DataFrame":
    import pandas as pd

    kinds = {one.column: pd.Series(dtype=str if one.type == "text" else float) for one in columns_of(name)}
    return pd.concat([pd.DataFrame(kinds), *parts], ignore_index=True)


def typed_table(folder: Path, name: str, corpus: str = "") -> "pd.DataFrame":
    """Return a stored table as `read_table` does, with whole numbers as int64 where none is missing."""
    table = read_table(folder, name, corpus)
    whole = [one.column for one in columns_of(name) if one.type == "whole" and one.column in table]
    return table.astype({column: "int64" for column in whole if table[column].notna().all()})


def table_if_any(folder: Path, name: str, corpus: str = "") -> "pd.DataFrame":
    """Return a table as `read_table` does; an empty one where there is no file."""
    if has_table(folder, name):
        return read_table(folder, name, corpus)
    return _join_parts(name, []).drop(columns=[_CORPUS] if corpus else [])


def read_rows(folder: Path, name: str, corpus: str = "") -> list[dict[str, Any]]:
    """Return the rows of a table as `table_if_any` has them."""
    return cast("list[dict[str, Any]]", table_if_any(folder, name, corpus).to_dict("records"))


def read_utterance(folder: Path, corpus: str, utterance: str) -> "pd.DataFrame":
    """Return the aligned pairs of one utterance; errors as for `read_table`."""
    parts = table_parts(folder, "alignments", corpus, utterance=utterance)
    return _join_parts("alignments", parts).drop(columns=_CORPUS)


def table_parts(
    folder: Path, name: str, corpus: str = "", columns: Sequence[str] = (), *, utterance: str = ""
) -> "Iterator[pd.DataFrame]":
    """Yield the rows of a corpus, or of one of its utterances, or all, some at a time; all columns, or these.

    Texts are strings, numbers floats.
    """
    import pandas as pd

    path = folder / file_of(name)
    with _open_stored(path) as lines:
        names = _read_header(lines, path, name)
        declared = [one for one in columns_of(name) if not columns or one.column in columns]
        # Without quotes, as tables are written: a quotation mark is a letter of a cell.
        options: dict[str, Any] = {"sep": "\t", "dtype": str, "na_filter": False, "quoting": csv.QUOTE_NONE}
        options |= {"names": names, "usecols": [one.column for one in declared]}
        own = _own_lines(lines, path, corpus, utterance)
        while rows := [*islice(own, _ROWS)]:
            for place, line in rows:
                # pandas takes some for the end of a row, or a terminal for a command.
                if line.translate(None, _CONTROLS) != line:
                    raise DataError(f"{path}:{place}: holds a control character; {_REMEDY}")
                if (cells := line.count(b"\t") + 1) != len(names):
                    raise DataError(f"{path}:{place}: has {cells} cells, and the header {len(names)}; {_REMEDY}")
            part = pd.read_csv(io.BytesIO(b"".join(line for _, line in rows)), **options)
            for one in declared:
                if one.type != "text":
                    part[one.column] = _numbers(path, one, part[one.column].tolist(), [place for place, _ in rows])
            yield part[[*(columns or names)]]


def _own_lines(lines: BinaryIO, path: Path, corpus: str, utterance: str = "") -> Iterator[tuple[int, bytes]]:
    """Yield the rows of a corpus, or of one of its utterances, each with the number of its line."""
    if not corpus:
        yield from enumerate(lines, 2)
        return
    start = f"{corpus}\t{utterance}\t".encode() if utterance else b""
    # With the state of the file, so that a table that was written anew is searched anew.
    for offset, first, number in _runs(path, state_of(path)).get(corpus.encode(), ()):
        lines.seek(offset)
        yield from ((place, line) for place, line in enumerate(islice(lines, number), first) if line.startswith(start))


@lru_cache(maxsize=8)
def _runs(path: Path, _: State | None) -> Mapping[bytes, list[tuple[int, int, int]]]:
    """Return where rows of each corpus stand together: offset, first line, how many; of one state of a file.

    A table of a million utterances is searched once, not once a corpus.
    """
    runs: dict[bytes, list[tuple[int, int, int]]] = {}
    with _open_stored(path) as lines:
        offset = len(next(lines, b""))
        for corpus, own in groupby(enumerate(lines, 2), lambda row: row[1].partition(b"\t")[0]):
            rows = [(place, len(line)) for place, line in own]
            runs.setdefault(corpus, []).append((offset, rows[0][0], len(rows)))
            offset += sum(size for _, size in rows)
    return runs


def _read_header(lines: BinaryIO, path: Path, name: str) -> list[str]:
    """Return the columns of a stored table; DataError unless they are those declared, in their order."""
    # The order counts, too: programs of users read columns by their place.
    names, declared = next(lines, b"").decode().rstrip("\n").split("\t"), column_names(name)
    if lacking := [column for column in declared if column not in names]:
        raise DataError(f"{path}: column '{lacking[0]}' is missing; {_REMEDY}")
    if names != declared:
        raise DataError(f"{path}: its columns are others than {', '.join(declared)}; {_REMEDY}")
    return names


@contextmanager
def _open_stored(path: Path) -> Iterator[BinaryIO]:
    """Open a stored table; DataError when it cannot be read, or is a link, which may lead to a file of another kind."""
    if path.is_symlink():
        raise DataError(f"{path}: is a link; put the table itself there, or run the experiment again")
    try:
        with open_regular(path) as lines:
            yield lines
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as a table of results: {error}") from error


def _numbers(path: Path, column: Column, texts: Sequence[str], places: Sequence[int]) -> list[float]:
    """Return numbers, those that are missing as NaN; DataError for the first that is none, or not whole."""
    numbers, whole = list[float](), column.type == "whole"
    for place, text in zip(places, texts, strict=True):
        try:
            number = float(text or "nan")
        except ValueError:
            number = math.nan
        # A number less itself is 0, but for NaN and the infinities, which must stand there by these names.
        wrong = number - number != 0 and text not in _NOT_FINITE
        if wrong or (whole and number == number and number % 1 != 0):
            fault = f"column '{column.column}' should hold a {'whole ' * whole}number, not {quote(text)}"
            raise DataError(f"{path}:{place}: {fault}; {_REMEDY}")
        numbers.append(number)
    return numbers


def check_tables(folder: Path, corpora: Iterable[str], changed: Collection[str] = ()) -> None:
    """Raise DataError as `read_table` does for the page's tables and files that `changed`, or for other corpora."""
    known = [*corpora]
    for table in declared_tables():
        asked = table.on_page or file_of(table.table) in changed
        if not asked or table.folder != "results" or not has_table(folder, table.table):
            continue
        stored = read_table(folder, table.table)
        if _CORPUS in stored and not (own := stored[_CORPUS].isin(known)).all():
            odd = int(own.to_numpy().argmin())
            fault = f"column 'corpus' has {quote(str(stored[_CORPUS].iloc[odd]))}, not a corpus of these results"
            raise DataError(f"{folder / file_of(table.table)}:{odd + 2}: {fault}; {_REMEDY}")


def write_json(path: Path, value: object) -> None:
    """Write JSON atomically, keys in their given order."""
    write_bytes(path, (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())

"""Every table of results and each of its columns, as `tables.tsv` declares them.

A line without a column is the table's own: its type is the folder of the table, its unit what a row stands for, and the
mark `page` says that the page has it. A column is part of the `key` by which each row stands once, holds a gold `phone`
of the corpus, or is `optional`: a table may lack it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple


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
        return self.marks == "page"

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
    return [column.column for column in declared_columns() if column.table == table]


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


@cache
def declared_tables() -> tuple[DeclaredTable, ...]:
    """Return every table of results, in the order of the declaration."""
    return tuple(DeclaredTable(table, *cells) for table, column, *cells in _lines() if not column)


@cache
def declared_columns() -> tuple[Column, ...]:
    """Return every column of every table, in the order of the declaration, where a line may name several tables."""
    return tuple(Column(table, *cells) for tables, *cells in _lines() if cells[0] for table in tables.split())


def _lines() -> list[list[str]]:
    text = files("phonxling.tables").joinpath("tables.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]

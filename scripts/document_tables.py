"""Writes docs/tables.md from the declared columns (--write), or says whether it is up to date.

Usage: python scripts/document_tables.py [--write]
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from phonxling.tables.columns import DeclaredTable, declared_columns, declared_tables

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tables.md"
_FOLDERS = {
    "results": "## Of an experiment",
    "corpus": "## Of each corpus",
    "comparison": "## Of a comparison",
}
_HEAD = """\
# Tables and their columns

Every table that a run or a comparison writes: UTF-8 TSV with a header, one row a fact. A missing value is empty, an
infinite one `inf`. [measures.md](measures.md) says how the numbers are made. This page is written from
`phonxling/tables/tables.tsv` and `columns.tsv`, by which the program itself reads tables
(`python scripts/document_tables.py --write`).
"""


def tables_page() -> str:
    """Return docs/tables.md."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield _HEAD
    for folder, heading in _FOLDERS.items():
        yield f"{heading}\n"
        for table in declared_tables():
            if table.folder == folder:
                yield from _section(table)


def _section(table: DeclaredTable) -> Iterator[str]:
    yield f"### {table.name}.tsv\n" if table.folder != "comparison" else f"### {table.name}.tsv of a comparison\n"
    yield f"{table.meaning} A row is {table.row}.\n"
    yield "| column | type | unit | what it is |\n|---|---|---|---|"
    for column in declared_columns():
        if column.table == table.table:
            meaning = column.meaning.replace("|", "\\|")
            yield f"| `{column.column}` | {column.type} | {column.unit} | {meaning} |"
    yield ""


def main(arguments: list[str]) -> int:
    """Write the page, or compare it; 1 when it is out of date."""
    if "--write" in arguments:
        PAGE.write_text(tables_page(), encoding="utf-8")
    if PAGE.read_text(encoding="utf-8") == tables_page():
        return 0
    print("docs/tables.md is out of date: python scripts/document_tables.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

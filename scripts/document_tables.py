"""Writes what the documentation has from declarations (--write), or says whether it is up to date.

docs/tables.md comes from the declared columns; in docs/measures/ the tables between `<!-- measures: names -->` and
`<!-- end -->` come from the declared measures.

Usage: python scripts/document_tables.py [--write]
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from phonxling.analyses.measures import measures
from phonxling.tables.columns import DeclaredTable, declared_columns, declared_tables

DOCS = Path(__file__).resolve().parent.parent / "docs"
_MEASURES = re.compile(r"<!-- measures: (.*?) -->\n.*?<!-- end -->\n", re.DOTALL)
_FOLDERS = {
    "results": "## Of an experiment",
    "corpus": "## Of each corpus",
    "comparison": "## Of a comparison",
    "plan": "## Of a plan",
}
_HEAD = """\
# Tables and their columns

Every table that a run or a comparison writes: UTF-8 TSV with a header, one row a fact. A missing value is empty, an
infinite one `inf`. [measures.md](measures.md) says how the numbers are made. This page is written from
`phonxling/tables/tables.tsv`, by which the program itself reads tables
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
    yield "## Measures of summary.tsv and details.tsv\n"
    yield from _rows(list(dict.fromkeys(one.name for one in measures())))
    yield ""


def _section(table: DeclaredTable) -> Iterator[str]:
    yield f"### {table.name}.tsv\n" if table.folder != "comparison" else f"### {table.name}.tsv of a comparison\n"
    only = f" Only with the section `{table.section}`." if table.section else ""
    yield f"{table.meaning} A row is {table.row}.{only}\n"
    yield "| column | type | unit | what it is |\n|---|---|---|---|"
    for column in declared_columns():
        if column.table == table.table:
            meaning = column.meaning.replace("|", "\\|")
            yield f"| `{column.column}` | {column.type} | {column.unit} | {meaning} |"
    yield ""


def with_measures(text: str) -> str:
    """Return a page of the documentation with its tables of measures as they are declared."""
    return _MEASURES.sub(lambda block: "\n".join(_block(block[1])), text)


def _block(names: str) -> Iterator[str]:
    """Yield a table of measures by name, in the order of the names."""
    yield f"<!-- measures: {names} -->"
    yield from _rows(names.split())
    yield "<!-- end -->\n"


def _rows(names: list[str]) -> Iterator[str]:
    """Yield a table of measures, in the order of the names."""
    yield "| measure | unit | what it is | formula | how it is read |\n|---|---|---|---|---|"
    declared = sorted((one for one in measures() if one.name in names), key=lambda one: names.index(one.name))
    often = Counter(one.name for one in declared)
    for one in declared:
        shown = one.variant.replace(" best", " …") if one.of else one.variant
        variant = f" `{shown}`" if shown and often[one.name] > 1 else ""
        cells = (one.unit, one.title, one.formula, one.reading)
        yield f"| `{one.name}`{variant} | " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def pages() -> dict[Path, str]:
    """Return the pages that come from declarations, as they should be."""
    families = (DOCS / "measures").glob("*.md")
    return {DOCS / "tables.md": tables_page()} | {
        page: with_measures(page.read_text(encoding="utf-8")) for page in families
    }


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them; 1 when one is out of date."""
    old = [path for path, text in pages().items() if path.read_text(encoding="utf-8") != text]
    if "--write" in arguments:
        for path, text in pages().items():
            path.write_text(text, encoding="utf-8")
        return 0
    for path in old:
        print(f"{path.relative_to(DOCS.parent)} is out of date: python scripts/document_tables.py --write")
    return int(bool(old))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What is where in a folder of results (README.txt), and what every measure and column means (codebook.tsv)."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from phonxling.analyses.measures import measures
from phonxling.core.files import write_bytes
from phonxling.tables.files import declared_columns, declared_tables, file_of, has_table

README, CODEBOOK = "README.txt", "codebook.tsv"
_COLUMNS = ("table", "name", "variant", "unit", "label", "meaning")
_LINES = {  # tables that are named together, in the order in which one reads them
    "Numbers": ("summary", "languages", "language_groups"),
    "Utterances and speakers": ("utterances", "speakers", "groups", "alignments"),
    "Phones": ("phones", "confusions", "errors", "features", "classes", "tones", "contexts", "contrasts"),
    "Beside the reference": ("expected",),
    "Posteriors": ("association", "calibration", "map", "sounds"),
    "Symbols as they were read": ("symbols",),
}


def write_guide(folder: Path, name: str, version: str) -> list[Path]:
    """Write README.txt and codebook.tsv beside the tables of a folder of results; return both."""
    contents = {README: "\n".join(_readme(folder, name, version)) + "\n", CODEBOOK: codebook()}
    for file, text in contents.items():
        write_bytes(folder / file, text.encode())
    return [folder / file for file in contents]


def _readme(folder: Path, name: str, version: str) -> Iterator[str]:
    yield f"Results of “{name}”, by phonxling {version}. Begin with report.html."
    for what, tables in _LINES.items():
        if here := [file_of(table) for table in tables if has_table(folder, table)]:
            yield f"{what}: {', '.join(here)}"
    yield "What measures and columns mean: codebook.tsv"
    yield "For a paper: figures/, and paper/ with tables, captions and methods"
    yield "How it was made: manifest.json, run.json. Kept work that may go: .phonxling/"


def codebook() -> str:
    """Return a TSV that explains each measure, and each column of each table, in words that a label could use."""
    text = io.StringIO()
    rows = csv.writer(text, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    rows.writerow(_COLUMNS)
    for one in measures():
        title = f"{one.title[0].upper()}{one.title[1:]}"
        rows.writerow(["summary", one.name, one.variant, one.unit, title, f"{one.formula}. {one.reading}"])
    rows_of = {table.table: f"A row is {table.row}." for table in declared_tables()}
    for column in declared_columns():
        rows.writerow([column.table, column.column, "", column.unit, column.meaning, rows_of[column.table]])
    return text.getvalue()

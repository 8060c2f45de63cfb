"""tables/: what a paper takes from a folder of results, from its stored tables."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.core.files import write_bytes
from phonxling.report.findings.stored import stored_numbers
from phonxling.report.paper.corpus_tables import tables_of_corpus
from phonxling.report.paper.methods import methods
from phonxling.report.paper.numbers import numbers_file
from phonxling.report.paper.references import bibliography, cited
from phonxling.report.paper.tables import tables_of_corpora
from phonxling.report.typesetting import PaperTable, latex, markdown
from phonxling.store.journal import note
from phonxling.tables.files import read_table
from phonxling.tables.numbers import read_numbers


def write_paper_files(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """Write the files for papers below a folder of results, and return them; DataError when a table cannot be read."""
    corpora = manifest["configuration"]["corpora"]
    summary, numbers = read_table(folder, "summary.tsv"), read_numbers(folder)
    signatures = {corpus: _signature(summary[summary["corpus"] == corpus]) for corpus in corpora}
    tables = [*tables_of_corpora(numbers, signatures)]
    tables += [named for corpus, line in signatures.items() for named in tables_of_corpus(folder, corpus, line)]
    text = " ".join(methods(manifest, numbers, signatures))
    texts = {
        "numbers.tex": numbers_file(summary, stored_numbers(folder, corpora)),
        "methods.tex": cited(text) + "\n",
        "methods.md": text + "\n",
        "references.bib": bibliography(text, manifest["phonxling"]),
    }
    return write_texts(folder, {**dict(typeset(tables)), **texts})


def typeset(tables: list[tuple[str, PaperTable]]) -> Iterator[tuple[str, str]]:
    """Yield each table in LaTeX and in Markdown, by the name of its file."""
    for name, table in tables:
        yield f"{name}.tex", latex(table)
        yield f"{name}.md", markdown(table)


def write_texts(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts to tables/ below a folder, and return the files."""
    note(folder, [f"tables/{name}" for name in texts])
    for name, text in texts.items():
        write_bytes(folder / "tables" / name, text.encode())
    return [folder / "tables" / name for name in texts]


def _signature(rows: pd.DataFrame) -> str:
    """Return the signature of a corpus' weighted rate, or its first where it has no such rate."""
    weighted = rows.loc[rows["measure"] == "wper", "signature"]
    return next(iter([*weighted, *rows["signature"]]), "")

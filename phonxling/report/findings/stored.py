"""The numbers that sentences are made of, read from the tables of a folder of results."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from phonxling.core.inventory import GAP
from phonxling.load.resources.languages import corpus_titles
from phonxling.report.findings.numbers import Confusion, Numbers, Residual, numbers_of
from phonxling.tables.files import read_rows
from phonxling.tables.numbers import NUMBERS

_Rows = Iterable[Mapping[str, Any]]


def stored_numbers(folder: Path, corpora: Mapping[str, Mapping[str, Any]]) -> dict[str, Numbers]:
    """Return the numbers of each corpus of a configuration by its name, those of the results alone with values.

    DataError when a table is missing or cannot be read.
    """
    reference = next((name for name, about in corpora.items() if about["role"] == "reference"), "")
    stored, titles = numbers_alone(folder), corpus_titles(corpora)
    return {
        name: replace(_with_cells(folder, stored.get(name, Numbers(name=name))), reference=reference, titles=titles)
        for name in corpora
    }


def told_titles(corpora: Mapping[str, Mapping[str, Any]], numbers: Mapping[str, Numbers]) -> dict[str, str]:
    """Return what corpora are called where nothing else is said of them, as above figures: also if at chance."""
    titles = corpus_titles(corpora)
    deaf = {name for name, one in numbers.items() if one.deaf}
    return {name: f"{title} (not above chance)" if name in deaf else title for name, title in titles.items()}


def numbers_alone(folder: Path) -> dict[str, Numbers]:
    """Return the numbers of each corpus by its name, without the cells that sentences name; errors as above."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for file in NUMBERS:
        for row in read_rows(folder, file):
            rows.setdefault(row["corpus"], []).append(row)
    return {name: Numbers(by_name=numbers_of(own), name=name) for name, own in rows.items()}


def _with_cells(folder: Path, numbers: Numbers) -> Numbers:
    phones, confusions, expected = (
        rows_if_any(folder, f"{numbers.name}/{table}.tsv") for table in ("phones", "confusions", "expected")
    )
    tokens = {row["phone"]: row["tokens"] for row in phones if row["side"] == "gold"}
    return replace(
        numbers,
        confusions=tuple(_confusions(confusions, tokens)),
        residuals=tuple(Residual(*(row[name] for name in ("gold", "predicted", "residual", "q"))) for row in expected),
        phone_tokens=tuple(tokens.values()),
    )


def rows_if_any(folder: Path, file: str) -> _Rows:
    """Return the rows of a table, none where there is no such table."""
    return read_rows(folder, file) if (folder / file).exists() else ()


def _confusions(rows: _Rows, tokens: Mapping[str, float]) -> Iterator[Confusion]:
    for row in rows:
        if GAP not in {row["gold"], row["predicted"]}:
            yield Confusion(row["gold"], row["predicted"], row["count"], tokens[row["gold"]])

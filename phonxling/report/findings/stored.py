"""The numbers that sentences are made of, read from the tables of a folder of results."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from phonxling.core.inventory import GAP
from phonxling.report.findings.numbers import Confusion, Numbers, Residual, numbers_of
from phonxling.tables.files import read_table
from phonxling.tables.numbers import read_numbers


def stored_numbers(folder: Path, reference: str = "") -> dict[str, Numbers]:
    """Return the numbers of each corpus by its name, with the name of the reference, if there is one.

    DataError when a table is missing or cannot be read.
    """
    corpora = read_numbers(folder).groupby("corpus", sort=False)
    return {str(name): _of_corpus(folder, str(name), reference, rows) for name, rows in corpora}


def table_or_empty(folder: Path, file: str) -> pd.DataFrame:
    """Return a table below a folder of results, an empty one when there is none."""
    return read_table(folder, file) if (folder / file).exists() else pd.DataFrame()


def _of_corpus(folder: Path, name: str, reference: str, rows: pd.DataFrame) -> Numbers:
    phones, confusions, expected = (
        table_or_empty(folder, f"{name}/{table}.tsv") for table in ("phones", "confusions", "expected")
    )
    tokens = _gold_tokens(phones)
    return Numbers(
        by_name=numbers_of({str(key): value for key, value in row.items()} for row in rows.to_dict("records")),
        name=name,
        reference=reference,
        confusions=tuple(_confusions(confusions, tokens)),
        residuals=tuple(_residuals(expected)),
        phone_tokens=tuple(tokens.values()),
    )


def _gold_tokens(phones: pd.DataFrame) -> dict[str, float]:
    gold = phones[phones["side"] == "gold"] if len(phones) else phones
    return dict(zip(gold["phone"], gold["tokens"], strict=True)) if len(gold) else {}


def _confusions(confusions: pd.DataFrame, tokens: dict[str, float]) -> Iterator[Confusion]:
    if not len(confusions):
        return
    pairs = confusions[(confusions["gold"] != GAP) & (confusions["predicted"] != GAP)]
    for gold, predicted, count in zip(pairs["gold"], pairs["predicted"], pairs["count"], strict=True):
        yield Confusion(gold, predicted, count, tokens[gold])


def _residuals(expected: pd.DataFrame) -> Iterator[Residual]:
    if len(expected):
        for cells in zip(*(expected[name] for name in ("gold", "predicted", "residual", "q")), strict=True):
            yield Residual(*cells)

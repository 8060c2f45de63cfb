"""What a paper takes from a comparison: the differences in a table, and by name for LaTeX."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from phonxling.analyses.measures import Measure
from phonxling.report.paper.numbers import defined, definitions, with_limits
from phonxling.report.rounding import probability, rounded
from phonxling.report.typesetting import PaperTable
from phonxling.resample.p_values import SIGNIFICANT
from phonxling.tables.numbers import NOT_ALIKE


def differences(comparison: pd.DataFrame, shown: Sequence[Measure]) -> PaperTable:
    """Return pairs in rows and measures in columns, each difference with its interval, * where q is small."""
    rows = _by_bootstrap(comparison)
    cells = {
        (row["item"], row["other"], row["measure"]): rounded(
            row["difference"], row["difference_low"], row["difference_high"]
        )
        + ("*" if row["q"] < SIGNIFICANT else "")
        for row in rows.to_dict("records")
    }
    pairs = dict.fromkeys(zip(rows["item"], rows["other"], strict=True))
    body = [[" − ".join(pair), *(cells.get((*pair, one.name), "") for one in shown)] for pair in pairs]
    return PaperTable(["pair", *(one.short for one in shown)], body, [*_notes(rows)])


def difference_numbers(comparison: pd.DataFrame) -> str:
    r"""Return the definitions for LaTeX: \phonxling{yoruba - english}{wper} is a difference, {wper q} its q."""
    return definitions(line for row in _by_bootstrap(comparison).to_dict("records") for line in _defined(row))


def _defined(row: Mapping[Any, Any]) -> Iterator[str]:
    pair, name = f"{row['item']} - {row['other']}", str(row["measure"])
    difference, low, high, p, q = (
        float(row[key]) for key in ("difference", "difference_low", "difference_high", "p", "q")
    )
    if text := with_limits(difference, low, high):
        yield defined(pair, name, text, f"difference, {row['unit']}")
        yield defined(pair, f"{name} value", text.split("~")[0])
    yield from (defined(pair, f"{name} {key}", probability(one)) for key, one in (("p", p), ("q", q)) if one == one)


def _notes(rows: pd.DataFrame) -> Iterator[str]:
    if len(rows):
        first = rows.iloc[0]
        yield f"In brackets: {100 * first['level']:g} % confidence intervals; {' and '.join(rows['test'].unique())}."
        yield f"* q < {SIGNIFICANT} ({first['correction']}, over {first['comparisons']:.0f} comparisons)."
    reasons = [text.partition(NOT_ALIKE)[2] for text in rows["note"].unique() if NOT_ALIKE in text]
    yield from (f"Careful: {NOT_ALIKE}{reason}." for reason in reasons)


def _by_bootstrap(comparison: pd.DataFrame) -> pd.DataFrame:
    return comparison[comparison["test"].str.endswith("bootstrap")]

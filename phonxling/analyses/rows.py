"""The rows of summary.tsv: every headline number with its interval, its unit, what it rests on, and its signature."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate

COLUMNS = ["corpus", "measure", "variant", "value", "low", "high", "level", "unit", "n", "note", "signature"]


@dataclass(frozen=True, slots=True)
class Row:
    """One number. `n` is how many things it rests on: gold tokens, utterances, or tokens with frames."""

    measure: str
    estimate: Estimate
    unit: str
    n: float
    variant: str = ""
    note: str = ""


@dataclass(frozen=True)
class Section:
    """Rows of one corpus under one signature."""

    corpus: str
    signature: str
    rows: list[Row] = field(default_factory=list)


def plain(measure: str, value: float, unit: str, n: float, variant: str = "", note: str = "") -> Row:
    """Return a number without an interval."""
    return Row(measure, Estimate(value), unit, n, variant, note)


def summary_table(sections: Iterable[Section]) -> pd.DataFrame:
    """Return summary.tsv; a number that is not defined is missing, and its note says why.

    Raises
    ------
    DataError
        If a number is missing without a reason: that is a mistake of this program.
    """
    lines = [line for section in sections for line in _lines(section)]
    return pd.DataFrame(lines, columns=COLUMNS)


def _lines(section: Section) -> Iterator[tuple[object, ...]]:
    for row in section.rows:
        found = row.estimate
        note = "; ".join(text for text in (row.note, found.note) if text)
        if math.isnan(found.value) and not note:
            raise DataError(f"{section.corpus}: {row.measure} {row.variant} is missing without a reason")
        bounds = (found.low, found.high, found.level)
        yield (section.corpus, row.measure, row.variant, found.value, *bounds, row.unit, row.n, note, section.signature)


def interval_of(values: NDArray[np.float64], level: float) -> Estimate:
    """Return the mean of replicates with the interval that holds the given share of them."""
    if len(values) < 2:
        return Estimate(float(values.mean()) if len(values) else math.nan)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(values.mean()), float(low), float(high), level)

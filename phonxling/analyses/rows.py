"""The rows of summary.tsv: every number with its interval, its unit, what it rests on, and its signature."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from phonxling.analyses.measures import measure
from phonxling.core.arrays import Floats
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, joined
from phonxling.tables.files import table_of


@dataclass(frozen=True, slots=True)
class Row:
    """One number. `n` is how many things it rests on: gold tokens, utterances, or tokens with frames."""

    measure: str
    estimate: Estimate
    n: float
    variant: str = ""
    note: str = ""


@dataclass(frozen=True)
class Section:
    """Rows of one corpus under one signature."""

    corpus: str
    signature: str
    rows: list[Row] = field(default_factory=list)


def row_of(name: str, value: Estimate | float, n: float, variant: str = "", *notes: str) -> Row:
    """Return one number of a declared measure with what is to be noted of it; NaN needs a reason among the notes."""
    number = value if isinstance(value, Estimate) else Estimate(float(value))
    return Row(name, number, float(n), variant, joined(notes))


def summary_table(sections: Iterable[Section]) -> pd.DataFrame:
    """Return summary.tsv; a number that is not defined is missing, and its note says why.

    Raises
    ------
    DataError
        If a number is missing without a reason: that is a mistake of this program.
    """
    return table_of("summary", (line for section in sections for line in _lines(section)))


def _lines(section: Section) -> Iterator[tuple[object, ...]]:
    for one in section.rows:
        number, unit = one.estimate, measure(one.measure).unit
        note = joined([one.note, number.note])
        if math.isnan(number.value) and not note:
            raise DataError(f"{section.corpus}: {one.measure} {one.variant} is missing without a reason")
        bounds = (number.low, number.high, number.level)
        yield (section.corpus, one.measure, one.variant, number.value, *bounds, unit, one.n, note, section.signature)


def interval_of(values: Floats, level: float) -> Estimate:
    """Return the mean of replicates [R] with the interval that holds the given share of them."""
    if len(values) < 2:
        return Estimate(float(values.mean()) if len(values) else math.nan)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(values.mean()), float(low), float(high), level)

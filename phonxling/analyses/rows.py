"""The rows of summary.tsv and details.tsv: each number with its interval, unit, what it rests on, and its signature."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from phonxling.analyses.measures import nearest, summarised
from phonxling.core.arrays import Floats
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, joined
from phonxling.tables.files import NUMBERS, table_of

if TYPE_CHECKING:
    import pandas as pd

_QUOTES = str.maketrans({"'": "’", '"': "”"})  # of speakers or symbols in a note; R would take them for those of a cell


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
    """Rows of one corpus under one signature, and another for those that the recogniser's inventory moves."""

    corpus: str
    signature: str
    rows: list[Row] = field(default_factory=list)
    with_inventory: str = ""


def row_of(name: str, value: Estimate | float, n: float, variant: str = "", *notes: str) -> Row:
    """Return one number of a declared measure with what is to be noted of it; NaN needs a reason among the notes."""
    number = value if isinstance(value, Estimate) else Estimate(float(value))
    return Row(name, number, float(n), variant, joined(notes))


def number_tables(sections: Iterable[Section]) -> "dict[str, pd.DataFrame]":
    """Return summary.tsv and details.tsv by name; errors as for `number_rows`."""
    return {name: table_of(name.removesuffix(".tsv"), rows) for name, rows in number_rows(sections).items()}


def number_rows(sections: Iterable[Section]) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of summary.tsv and details.tsv; a number that is not defined is missing."""
    lines: dict[str, list[tuple[object, ...]]] = {name: [] for name in NUMBERS}
    for section in sections:
        for row in section.rows:
            number, declared = row.estimate, nearest(row.measure, row.variant)
            note = joined([row.note, row.estimate.note])
            if math.isnan(number.value) and not note:
                raise DataError(f"{section.corpus}: {row.measure} {row.variant} is missing without a reason")
            values = (number.value, number.low, number.high, number.level, declared.unit, row.n)
            signature = (section.with_inventory if declared.of_inventory else "") or section.signature
            about = (section.corpus, row.measure, row.variant)
            line = (*about, *values, note.translate(_QUOTES), signature)
            lines[NUMBERS[(row.measure, row.variant) not in summarised()]].append(line)
    return lines


def interval_of(values: Floats, level: float) -> Estimate:
    """Return the mean of replicates [R] with the interval that holds the given share of them."""
    if len(values) < 2:
        return Estimate(float(values.mean()) if len(values) else math.nan)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(values.mean()), float(low), float(high), level)

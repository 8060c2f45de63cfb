"""p-values: of one value among draws of chance, and of many tests, corrected over those that there are.

References
----------
Davison & Hinkley (1997), chapter 4. Benjamini & Hochberg (1995). Benjamini & Yekutieli (2001), which holds however the
tests depend. Holm (1979).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from phonxling.core.arrays import Floats

Correction = Literal["benjamini-hochberg", "benjamini-yekutieli", "holm"]


def p_of_draws(at_least: ArrayLike, draws: int) -> Floats:
    """Return (draws at least as high + 1) / (draws + 1): the value itself is one draw more, so that p is never 0."""
    return np.asarray((np.asarray(at_least) + 1) / (draws + 1), dtype=np.float64)


def p_value(value: float, drawn: Floats) -> float:
    """Return the p-value of a value among draws [R] of chance, of which high ones speak against it; NaN for NaN."""
    return float("nan") if np.isnan(value) else float(p_of_draws(np.count_nonzero(drawn >= value), len(drawn)))


def least_p(draws: int) -> str:
    return f"least possible: {1 / (draws + 1):.2g}"


def adjusted(p: ArrayLike, correction: Correction = "benjamini-hochberg") -> Floats:
    """Return p-values of any shape corrected over the family of those that are not NaN; NaN elsewhere."""
    p_values = np.asarray(p, dtype=np.float64)
    corrected, tested = np.full(p_values.shape, np.nan), np.isfinite(p_values)
    known, stepped = p_values[tested], np.empty(int(tested.sum()))
    number = len(known)
    if correction == "holm":
        order = np.argsort(known, kind="stable")
        stepped[order] = np.minimum(np.maximum.accumulate(known[order] * np.arange(number, 0, -1)), 1.0)
    else:
        order, ranks = np.argsort(known)[::-1], np.arange(number, 0, -1)
        yekutieli = correction == "benjamini-yekutieli"
        factor = float((1 / np.arange(1, number + 1)).sum()) if yekutieli else 1.0
        stepped[order] = np.minimum(np.minimum.accumulate(known[order] * (number / ranks) * factor), 1.0)
    corrected[tested] = stepped
    return corrected


def with_q(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with their p, of those that have one, corrected over the family of them all as q."""
    q = adjusted([row.get("p", np.nan) for row in rows]).tolist()
    return [{**row, "q": one} for row, one in zip(rows, q, strict=True)]

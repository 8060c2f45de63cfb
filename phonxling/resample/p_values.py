"""p-values: of one value among draws of chance, and of many tests, corrected over those that there are.

Approximate randomisation
-------------------------
When two systems are alike, swapping their outputs for a cluster of utterances changes nothing but chance. Each random
trial swaps every cluster with probability ½; p = (c + 1) / (n + 1), c of n trials at least as large, of either sign.

References
----------
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Riezler & Maxwell (2005), On some pitfalls in
automatic evaluation and significance testing for MT.
Davison & Hinkley (1997), chapter 4. Benjamini & Hochberg (1995). Benjamini & Yekutieli (2001), which holds however the
tests depend. Holm (1979).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from phonxling.core.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SWAPS = 9_999
FEWER_SWAPS = 999  # of measures that are computed anew for each
_ROUNDING = 1e-9  # of Σ |d|: sums that differ by rounding alone are equal
_PART = 4_000_000  # signs drawn at one time
_TOGETHER = 64  # swaps whose counts are held at one time
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


def approximate_randomisation(differences: ArrayLike, seed: int, swaps: int = SWAPS) -> Floats:
    """Return the two-sided p-value of Σ_c d_c for each measure, [K], in (0, 1]."""
    given = np.asarray(differences, dtype=np.float64)
    least = np.abs(given.sum(axis=0)) - _ROUNDING * np.abs(given).sum(axis=0)
    generator, count = np.random.default_rng(seed), np.zeros(given.shape[1], np.int64)
    rows = max(1, _PART // max(1, len(given)))
    for first in range(0, swaps, rows):
        signs = generator.integers(0, 2, (min(rows, swaps - first), len(given)), dtype=np.int8)
        count += (np.abs((2.0 * signs - 1.0) @ given) >= least).sum(axis=0)
    return p_of_draws(count, swaps)


def randomised_measure(
    first: "csr_array", second: "csr_array", measure: Callable[[Floats], Floats], seed: int, swaps: int = FEWER_SWAPS
) -> Floats:
    """Return the two-sided p-value of measure(Σ first) − measure(Σ second), for measures that are no sums, [K]."""
    both, apart = (first + second).sum(axis=0), first - second

    def differences(signs: Floats) -> Floats:
        moved = np.asarray(signs @ apart)
        return np.abs(measure(((both + moved) / 2).T) - measure(((both - moved) / 2).T))

    number, generator = first.shape[0], np.random.default_rng(seed)
    observed = differences(np.ones((1, number)))
    least, at_least, defined = observed - _ROUNDING * np.maximum(1.0, observed), 0, np.isfinite(observed[:, 0])
    for begin in range(0, swaps, _TOGETHER):
        signs = [generator.choice(np.array([-1.0, 1.0]), number) for _ in range(begin, min(begin + _TOGETHER, swaps))]
        drawn = differences(np.array(signs))
        at_least = at_least + (drawn >= least).sum(axis=1)
        defined &= np.isfinite(drawn).all(axis=1)
    return np.where(defined, p_of_draws(at_least, swaps), np.nan)

"""p-values of a value among draws of chance, and of many tests, corrected over those that there are; power of t tests.

References
----------
Davison & Hinkley (1997), chapter 4. Benjamini & Hochberg (1995).
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Riezler & Maxwell (2005), On some pitfalls in
automatic evaluation and significance testing for MT.
O'Hagan, Stevens & Campbell (2005), Assurance in clinical trial design. Julious & Owen (2006), Pharmaceutical Statistics
5.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from phonxling.core.arrays import Floats
from phonxling.stats.student import EstimateSpread, t_margin

if TYPE_CHECKING:
    from scipy.sparse import csr_array


SWAPS = 9_999
FEWER_SWAPS = 999  # of measures that are computed anew for each
_ROUNDING = 1e-9  # of Σ |d|: sums that differ by rounding alone are equal
_PART = 4_000_000  # signs drawn at one time
_BATCH_SIZE = 64  # swaps whose counts are held at one time


def adjust_p_values(p: ArrayLike) -> Floats:
    """Return p-values of any shape corrected over those that are not NaN (Benjamini & Hochberg); NaN elsewhere."""
    p_values = np.asarray(p, dtype=np.float64)
    corrected, tested = np.full(p_values.shape, np.nan), np.isfinite(p_values)
    known, stepped = p_values[tested], np.empty(int(tested.sum()))
    order, ranks = np.argsort(known)[::-1], np.arange(len(known), 0, -1)
    # From the largest p down: p · tests / rank, and never above that of a larger p, so that q keeps the order of p.
    stepped[order] = np.minimum(np.minimum.accumulate(known[order] * (len(known) / ranks)), 1.0)
    corrected[tested] = stepped
    return corrected


def with_q(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with their p, of those that have one, corrected over the family of them all as q."""
    q = adjust_p_values([row.get("p", np.nan) for row in rows]).tolist()
    return [{**row, "q": one} for row, one in zip(rows, q, strict=True)]


def approximate_randomisation(differences: ArrayLike, seed: int, swaps: int = SWAPS) -> Floats:
    """Return the two-sided p-value of Σ_c d_c for each measure, [K], in (0, 1]."""
    # When two systems are alike, swapping their outputs for a cluster of utterances changes nothing but chance. Each
    # random trial swaps every cluster with probability ½; p = (c + 1) / (n + 1), c of n trials at least as large, of
    # either sign: what was observed is one trial more, so that p is never 0.
    given = np.asarray(differences, dtype=np.float64)
    # A swap that gives the observed sum again counts as at least as large, whatever rounding does to it.
    least = np.abs(given.sum(axis=0)) - _ROUNDING * np.abs(given).sum(axis=0)
    generator, count = np.random.default_rng(seed), np.zeros(given.shape[1], np.int64)
    # Clusters are swapped for all measures alike, so that p-values of several measures rest on the same trials.
    rows = max(1, _PART // max(1, len(given)))
    for first in range(0, swaps, rows):
        signs = generator.integers(0, 2, (min(rows, swaps - first), len(given)), dtype=np.int8)
        count += (np.abs((2.0 * signs - 1.0) @ given) >= least).sum(axis=0)
    return np.asarray((count + 1) / (swaps + 1))


def randomised_measure(
    first: "csr_array", second: "csr_array", measure: Callable[[Floats], Floats], seed: int, swaps: int = FEWER_SWAPS
) -> Floats:
    """Return the two-sided p-value of measure(Σ first) − measure(Σ second), for measures that are no sums, [K]."""
    # Swapping a cluster changes the sign of its difference: Σ first = (both + moved)/2, Σ second = (both − moved)/2.
    both, apart = (first + second).sum(axis=0), first - second

    def differences(signs: Floats) -> Floats:
        moved = np.asarray(signs @ apart)
        return np.abs(measure(((both + moved) / 2).T) - measure(((both - moved) / 2).T))

    number, generator = first.shape[0], np.random.default_rng(seed)
    observed = differences(np.ones((1, number)))
    least, at_least, defined = observed - _ROUNDING * np.maximum(1.0, observed), 0, np.isfinite(observed[:, 0])
    for begin in range(0, swaps, _BATCH_SIZE):
        signs = [generator.choice(np.array([-1.0, 1.0]), number) for _ in range(begin, min(begin + _BATCH_SIZE, swaps))]
        drawn = differences(np.array(signs))
        at_least = at_least + (drawn >= least).sum(axis=1)
        # A trial without a value is neither below nor above: p would be of fewer trials than it says.
        defined &= np.isfinite(drawn).all(axis=1)
    return np.where(defined, (at_least + 1) / (swaps + 1), np.nan)


_SURE = 35.0  # standard errors, which are always found; nctdtr is NaN from some more on
_POWER = 0.8  # with which a comparison finds the least difference
_PLACES = 64  # of a distribution, each the median of as much of it
_LARGEST_RATIO = 1e6  # standard errors above which nothing is named


def open_ratios(freedom: float) -> Floats:
    """Return what a variance may be, over its estimate on so many degrees of freedom: 64 quantiles of ν / χ²_ν."""
    # Data do not tell e, only an estimate of e² on ν degrees of freedom, which leaves e² · ν / χ²_ν open; the assurance
    # is the mean of power over that. One that plugs the estimate in promises more than it keeps, because power is lost
    # faster than it is gained.
    if math.isinf(freedom):
        return np.ones(1)
    return np.asarray(freedom / scipy.special.chdtri(freedom, (np.arange(_PLACES) + 0.5) / _PLACES))


def assurance(difference: float, errors: Floats, freedom: float, level: float) -> float:
    """Return the probability that a difference is found, the mean over standard errors that are equally likely, [K]."""
    # A difference of δ, a standard error of e, f degrees of freedom: power = P(|T| > t), T noncentral t with f and δ /
    # e, t the quantile of (1 + level) / 2. Both tails count, so that power at δ = 0 is 1 − level; of one standard
    # error, R's `power.t.test(strict = TRUE)` is the same.
    margin = t_margin(freedom, level)
    with np.errstate(divide="ignore"):
        shifts = np.minimum(difference / errors, _SURE)
    own, other = scipy.special.nctdtr(freedom, np.stack([shifts, -shifts]), margin)
    other = np.nan_to_num(other, nan=1.0)  # which SciPy cannot say far in the other tail, where nothing is found
    return float(np.mean(2 - own - other))


def least_difference(power: float, errors: Floats, freedom: float, level: float) -> float:
    """Return the least difference that is found with an assurance above 1 − level; NaN where none is."""
    high = float(errors.max())
    # Power rises with the difference: double until it is enough, then find the root in between.
    while assurance(high, errors, freedom, level) < power:
        high *= 2
        if high > _LARGEST_RATIO * errors.max():  # of very many tests on very few degrees of freedom
            return math.nan
    return float(scipy.optimize.brentq(lambda one: assurance(one, errors, freedom, level) - power, 0.0, high))


@lru_cache(maxsize=4096)
def _errors_found(freedom: float, level: float) -> float:
    """Return the least difference in standard errors that are estimated on so many degrees of freedom."""
    return least_difference(_POWER, np.sqrt(open_ratios(freedom)), freedom, level)


def detectable_difference(apart: EstimateSpread, level: float, tests: int = 1) -> Floats:
    """Return the least difference that is found in 80 % of studies at (1 − level) / tests, [K]; NaN without a test.

    `tests` is how many are corrected together: what is found at that level is found whatever the others show.
    """
    error, each = np.where(apart.few, np.nan, np.sqrt(apart.variance)), 1 - (1 - level) / max(tests, 1)
    pairs = zip(error.tolist(), apart.freedom.tolist(), strict=True)
    # Degrees of freedom with three digits, so that those of many cells share one search.
    found = [e if math.isnan(e) else e * _errors_found(float(f"{freedom:.3g}"), each) for e, freedom in pairs]
    return np.array(found, dtype=np.float64)


def family_of(p: Sequence[float], apart: Sequence[EstimateSpread], level: float) -> tuple[Floats, Floats]:
    """Return q of tests of single differences, NaN where there is none, and the least difference each would have found.

    They are corrected together (Benjamini & Hochberg).
    """
    tested = np.isfinite(p)
    # The family is the tests that were made: 0.05 / m is what Benjamini–Hochberg asks of the smallest p.
    least = [detectable_difference(one, level, int(tested.sum()))[0] for one in apart]
    return adjust_p_values(p), np.where(tested, least, np.nan)

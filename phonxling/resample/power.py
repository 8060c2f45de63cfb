"""The power of a t test, and the least difference that a comparison would find in 80 %.

A difference of δ, a standard error of e, f degrees of freedom: power = P(|T| > t), T noncentral t with f and δ / e, t
the quantile of (1 + level) / 2. Both tails count, so that power at δ = 0 is 1 − level. Data do not tell e, only an
estimate of e² on ν degrees of freedom, which leaves e² · ν / χ²_ν open; the assurance is the mean of power over that.
One that plugs the estimate in promises more than it keeps, because power is lost faster than it is gained.

References
----------
O'Hagan, Stevens & Campbell (2005), Assurance in clinical trial design. Julious & Owen (2006), Pharmaceutical Statistics
5. Of one standard error, R's `power.t.test(strict = TRUE)` is the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from phonxling.core.arrays import Floats
from phonxling.resample.p_values import adjusted
from phonxling.resample.student import Spread, t_margin

_SURE = 35.0  # standard errors, which are always found; nctdtr is NaN from some more on
_POWER = 0.8  # with which a comparison finds the least difference
_PLACES = 64  # of a distribution, each the median of as much of it
_MOST = 1e6  # standard errors above which nothing is named


def open_ratios(freedom: float) -> Floats:
    """Return what a variance may be, over its estimate on so many degrees of freedom: 64 quantiles of ν / χ²_ν."""
    if math.isinf(freedom):
        return np.ones(1)
    return np.asarray(freedom / scipy.special.chdtri(freedom, (np.arange(_PLACES) + 0.5) / _PLACES))


def assurance(difference: float, errors: Floats, freedom: float, level: float) -> float:
    """Return the probability that a difference is found, the mean over standard errors that are equally likely, [K]."""
    margin = t_margin(freedom, level)
    with np.errstate(divide="ignore"):
        shifts = np.minimum(difference / errors, _SURE)
    own, other = scipy.special.nctdtr(freedom, np.stack([shifts, -shifts]), margin)
    other = np.nan_to_num(other, nan=1.0)  # which SciPy cannot say far in the other tail, where nothing is found
    return float(np.mean(2 - own - other))


def least_difference(power: float, errors: Floats, freedom: float, level: float) -> float:
    """Return the least difference that is found with an assurance above 1 − level; NaN where none is."""
    high = float(errors.max())
    while assurance(high, errors, freedom, level) < power:
        high *= 2
        if high > _MOST * errors.max():  # of very many tests on very few degrees of freedom
            return math.nan
    return float(scipy.optimize.brentq(lambda one: assurance(one, errors, freedom, level) - power, 0.0, high))


@lru_cache(maxsize=4096)
def _errors_found(freedom: float, level: float) -> float:
    """Return the least difference in standard errors that are estimated on so many degrees of freedom."""
    return least_difference(_POWER, np.sqrt(open_ratios(freedom)), freedom, level)


def detectable(apart: Spread, level: float, tests: int = 1) -> Floats:
    """Return the least difference that is found in 80 % of such data at (1 − level) / tests, [K]; NaN without a test.

    `tests` is how many are corrected together: what is found at that level is found whatever the others show.
    """
    error, each = np.where(apart.few, np.nan, np.sqrt(apart.variance)), 1 - (1 - level) / max(tests, 1)
    pairs = zip(error.tolist(), apart.freedom.tolist(), strict=True)
    found = [e if math.isnan(e) else e * _errors_found(float(f"{freedom:.3g}"), each) for e, freedom in pairs]
    return np.array(found, dtype=np.float64)


@dataclass(frozen=True)
class Family:
    """The tests that one face shows, a family: p-values, q, how many there are, and what each would have found."""

    p: Floats
    q: Floats
    number: int
    least: Floats


def family_of(p: Sequence[float], apart: Sequence[Spread], level: float) -> Family:
    """Return tests of single differences, NaN where there is none, corrected together (Benjamini & Hochberg)."""
    known = np.asarray(p, np.float64)
    number = int(np.isfinite(known).sum())
    least = [detectable(one, level, number)[0] for one in apart]
    return Family(known, adjusted(known), number, np.where(np.isfinite(known), least, np.nan))

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
from functools import lru_cache

import numpy as np
import scipy

from phonxling.core.arrays import Floats
from phonxling.resample.student import Spread, t_reach, too_few

_SURE = 35.0  # standard errors, which are always found; nctdtr is NaN from some more on
_POWER = 0.8  # with which a comparison finds the least difference
_PLACES = 64  # of a distribution, each the median of as much of it


def open_ratios(freedom: float) -> Floats:
    """Return what a variance may be, over its estimate on so many degrees of freedom: 64 quantiles of ν / χ²_ν."""
    if math.isinf(freedom):
        return np.ones(1)
    return np.asarray(freedom / scipy.special.chdtri(freedom, (np.arange(_PLACES) + 0.5) / _PLACES))


def assurance(difference: float, errors: Floats, freedom: float, level: float) -> float:
    """Return the probability that a difference is found, the mean over standard errors that are equally likely, [K]."""
    reach = t_reach(freedom, level)
    with np.errstate(divide="ignore"):
        shifts = np.minimum(difference / errors, _SURE)
    missed = scipy.special.nctdtr(freedom, np.stack([shifts, -shifts]), reach)
    return float(np.mean(2 - missed.sum(axis=0)))


def least_difference(power: float, errors: Floats, freedom: float, level: float) -> float:
    """Return the least difference that is found with an assurance above 1 − level."""
    high = float(errors.max())
    while assurance(high, errors, freedom, level) < power:
        high *= 2
    return float(scipy.optimize.brentq(lambda one: assurance(one, errors, freedom, level) - power, 0.0, high))


@lru_cache(maxsize=4096)
def _errors_found(freedom: float, level: float) -> float:
    """Return the least difference in standard errors that are estimated on so many degrees of freedom."""
    return least_difference(_POWER, np.sqrt(open_ratios(freedom)), freedom, level)


def detectable(apart: Spread, level: float) -> Floats:
    """Return the least difference that comparisons of such data find in 80 %, [K]; NaN without a test."""
    error = np.where(too_few(apart.clusters), np.nan, np.sqrt(apart.variance))
    pairs = zip(error.tolist(), apart.freedom.tolist(), strict=True)
    found = [e if math.isnan(e) else e * _errors_found(float(f"{freedom:.3g}"), level) for e, freedom in pairs]
    return np.array(found, dtype=np.float64)

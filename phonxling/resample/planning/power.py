"""Assurance: the probability that a t test finds a difference, averaged over the standard errors that are possible.

Measures
--------
A difference of δ, a standard error of e, f degrees of freedom: power = P(|T| > t), T noncentral t with f and δ / e, t
the quantile of (1 + level) / 2. Both tails count, so that power at δ = 0 is 1 − level. A pilot does not tell e, only an
estimate of e² on ν degrees of freedom, which leaves e² · ν / χ²_ν open; the assurance is the mean of power over that.
One that plugs the estimate in promises more than it keeps, because power is lost faster than it is gained.

References
----------
O'Hagan, Stevens & Campbell (2005), Assurance in clinical trial design. Julious & Owen (2006), Sample size calculations
for clinical studies allowing for uncertainty about the variance (Pharmaceutical Statistics 4 and 5). Of one standard
error, R's `power.t.test(strict = TRUE)` is the same.
"""

import math

import numpy as np
import scipy

from phonxling.core.arrays import Floats
from phonxling.resample.student import t_reach

_SURE = 35.0  # standard errors, which are always found; nctdtr is NaN from some more on
_PLACES = 64  # of a distribution, each the median of as much of it


def open_ratios(freedom: float) -> Floats:
    """Return what a variance may be, over its estimate on so many degrees of freedom: 64 quantiles of ν / χ²_ν.

    Examples
    --------
    >>> ratios = open_ratios(11)
    >>> ratios[[0, 31, 63]].round(2).tolist(), open_ratios(math.inf).tolist()
    ([0.43, 1.05, 3.82], [1.0])
    """
    if math.isinf(freedom):
        return np.ones(1)
    return np.asarray(freedom / scipy.special.chdtri(freedom, (np.arange(_PLACES) + 0.5) / _PLACES))


def medians(values: Floats) -> Floats:
    """Return at most 64 values that stand for many: the median of each part, as many in each, smallest first."""
    parts = np.array_split(np.sort(values), min(len(values), _PLACES))
    return np.array([np.median(part) for part in parts])


def assurance(difference: float, errors: Floats, freedom: float, level: float) -> float:
    """Return the probability that a difference is found, the mean over standard errors that are equally likely, [K].

    At least four degrees of freedom, as of tests of five clusters.

    Examples
    --------
    >>> [round(assurance(shift, np.ones(1), 22, 0.95), 4) for shift in (0.0, 3.0)]
    [0.05, 0.8178]
    >>> round(assurance(3.0, np.sqrt(open_ratios(11)), 22, 0.95), 4)
    0.7642
    """
    reach = t_reach(freedom, level)
    with np.errstate(divide="ignore"):
        shifts = np.minimum(difference / errors, _SURE)
    missed = scipy.special.nctdtr(freedom, np.stack([shifts, -shifts]), reach)
    return float(np.mean(2 - missed.sum(axis=0)))


def least_difference(power: float, errors: Floats, freedom: float, level: float) -> float:
    """Return the least difference that is found with an assurance above 1 − level.

    Examples
    --------
    >>> [round(least_difference(0.8, errors, 22, 0.95), 3) for errors in (np.ones(1), np.sqrt(open_ratios(11)))]
    [2.932, 3.167]
    """
    high = float(errors.max())
    while assurance(high, errors, freedom, level) < power:
        high *= 2
    return float(scipy.optimize.brentq(lambda one: assurance(one, errors, freedom, level) - power, 0.0, high))


def least_of_comparison(error: float, freedom: float, level: float, power: float = 0.8) -> float:
    """Return the least true difference that a comparison such as a given one finds with an assurance.

    Parameters
    ----------
    error, freedom : float
        The standard error of its difference and the degrees of freedom of its t test: √variance and freedom of a
        `Spread`, as `contrast` takes them. NaN where there is none.

    Examples
    --------
    A difference with a standard error of 0.01 between two corpora of 12 speakers:

    >>> round(least_of_comparison(0.01, 22, 0.95), 4)
    0.0305
    """
    if not (error > 0 and freedom > 0):
        return math.nan
    return least_difference(power, error * np.sqrt(open_ratios(freedom)), freedom, level)

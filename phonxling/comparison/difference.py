"""Differences of a measure between two systems or languages: interval and p from the bootstrap's standard error.

Conventions
-----------
The columns of `drawn` [R, K] are K measures over R replicates, NaN where one is not defined. A bootstrap over C
clusters has a standard error that is too small by √((C − 1)/C), and C clusters are C − 1 degrees of freedom: the
variance is widened by C/(C − 1), and limits and p come from Student's t. Two samples: Welch's degrees of freedom. A p
counted over R replicates could not be below 2/(R + 1), too coarse for families of hundreds.

References
----------
Efron & Tibshirani (1993). Welch (1947). Cameron, Gelbach & Miller (2008), Bootstrap-based improvements for inference
with clustered errors. Benjamini & Hochberg (1995). Holm (1979).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from phonxling.core.arrays import Floats

_CONSTANT = 1e-9  # a standard deviation below this, or this share of the mean, is rounding


@dataclass(frozen=True, eq=False)
class Spread:
    """Variance of K estimates, their degrees of freedom, and the share of replicates without a value; float64 [K]."""

    variance: Floats
    freedom: Floats
    lost: Floats


def spread(drawn: Floats, clusters: ArrayLike) -> Spread:
    """Return the spread of K measures, drawn [R, K], that rest on so many clusters each, [K] or one number.

    NaN where fewer than two clusters or replicates have a value, and where the draws do not differ.
    """
    number = np.broadcast_to(np.asarray(clusters, dtype=np.float64), drawn.shape[1:])
    finite = np.isfinite(drawn)
    values = finite.sum(axis=0)
    mean = np.where(finite, drawn, 0.0).sum(axis=0) / np.maximum(values, 1)
    variance = (np.where(finite, drawn - mean, 0.0) ** 2).sum(axis=0) / np.maximum(values - 1, 1)
    known = (values > 1) & (number > 1) & (variance > (_CONSTANT * np.maximum(1.0, np.abs(mean))) ** 2)
    widened = variance * number / np.maximum(number - 1, 1)
    lost = 1 - values / max(1, len(drawn))
    return Spread(np.where(known, widened, np.nan), np.where(known, number - 1, np.nan), lost)


def between(first: Spread, second: Spread) -> Spread:
    """Return the spread of the difference of two independent samples, by Welch's degrees of freedom.

    A sample whose own spread is not known leaves the difference's unknown.
    """
    variance = first.variance + second.variance
    freedom = variance**2 / (first.variance**2 / first.freedom + second.variance**2 / second.freedom)
    return Spread(variance, freedom, np.maximum(first.lost, second.lost))


@dataclass(frozen=True, eq=False)
class Contrast:
    """Limits of K differences at a level, and their two-sided p-values; float64 [K], NaN where there is no test."""

    low: Floats
    high: Floats
    p: Floats


def contrast(difference: Floats, spread: Spread, level: float) -> Contrast:
    """Return difference ± t · standard error, and p; p < 1 − level exactly when 0 lies outside the limits.

    Examples
    --------
    >>> one = Spread(np.array([4.0]), np.array([9.0]), np.array([0.0]))
    >>> done = contrast(np.array([5.0]), one, 0.95)
    >>> done.low.round(2).tolist(), done.high.round(2).tolist(), done.p.round(4).tolist()
    ([0.48], [9.52], [0.0339])
    """
    error = np.sqrt(spread.variance)
    reach = stdtrit(spread.freedom, (1 + level) / 2) * error
    p = 2 * stdtr(spread.freedom, -np.abs(difference) / error)
    return Contrast(difference - reach, difference + reach, np.asarray(p, dtype=np.float64))

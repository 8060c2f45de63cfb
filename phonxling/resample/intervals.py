"""A value and its bootstrap draws to an interval: percentile, basic, normal and BCa, and in words what weakens it.

Conventions
-----------
`value` θ̂ is of the data, `drawn` θ*_r of R replicates; the limits hold the truth with probability `level` = 1 − α.

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapters 13, 14. Davison & Hinkley (1997), chapter 5.
"""

import math
from typing import Literal, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from phonxling.core.arrays import Floats
from phonxling.core.estimate import Estimate

Method = Literal["percentile", "bca", "basic", "normal"]
FEW_CLUSTERS = 10


class Resampled(Protocol):
    """What an interval needs to know of the weights behind its draws."""

    @property
    def number(self) -> int:
        """How many clusters are drawn."""

    @property
    def unit(self) -> str:
        """What a cluster is, for notes."""

    @property
    def level(self) -> float:
        """The level of intervals."""


def estimate(
    value: float,
    drawn: Floats,
    resampling: Resampled,
    method: Method = "percentile",
    *,
    left_out: Floats | None = None,
    centre: float = math.nan,
    error: float = 0.0,
) -> Estimate:
    """Return a value with the interval that its replicates [R] give; undefined replicates are left out and counted.

    Parameters
    ----------
    value : float
        The measure of the whole corpus; NaN gives no interval.
    drawn : float64 array [R]
        Its values over the replicates.
    resampling : Resampling
        Where the replicates come from; gives the level.
    method : {"percentile", "bca", "basic", "normal"}
        How limits are made; `bca` needs `left_out`, `normal` a `centre`.
    left_out : float64 array [C], optional
        The measure without each cluster.
    centre : float
        A bias-corrected estimate.
    error : float
        The least standard error of `normal` limits: the greater of it and the draws' standard deviation is taken.

    Raises
    ------
    ValueError
        If BCa limits are asked for without the values that leave a cluster out.
    """
    if math.isnan(value) or not len(drawn):
        return Estimate(value)
    if resampling.number < 2:
        return Estimate(value, note=f"no interval: there is one {resampling.unit} only")
    defined = drawn[np.isfinite(drawn)]
    if len(defined) < 2 or not np.ptp(defined):
        return Estimate(value, note="no interval: the resampled values do not differ")
    if method == "bca":
        if left_out is None:
            raise ValueError("BCa limits need the values without each cluster")
        low, high = bca(value, defined, left_out[np.isfinite(left_out)], resampling.level)
    elif method == "normal":
        low, high = normal(centre, defined, resampling.level, error)
    else:
        low, high = (
            basic(value, defined, resampling.level) if method == "basic" else percentile(defined, resampling.level)
        )
    if math.isnan(low):
        return Estimate(value, note="no interval: all resampled values lie on one side of the estimate")
    return Estimate(value, low, high, resampling.level, weakness(resampling, len(drawn) - len(defined)))


def weakness(resampling: Resampled, lost: int = 0) -> str:
    """Return what weakens an interval: few clusters, replicates in which the measure is not defined; "" if nothing."""
    few = f"the interval rests on {resampling.number} {resampling.unit}s only and is likely too narrow"
    gone = f"{lost} replicates in which it is not defined are left out of the interval"
    return "; ".join([few] * (resampling.number < FEW_CLUSTERS) + [gone] * (lost > 0))


def percentile(drawn: Floats, level: float) -> tuple[float, float]:
    """Return the α/2 and 1 − α/2 quantiles of the draws.

    Examples
    --------
    >>> percentile(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    return _quantiles(drawn, (1 - level) / 2, (1 + level) / 2)


def basic(value: float, drawn: Floats, level: float) -> tuple[float, float]:
    """Return 2θ̂ less the percentile limits, the upper one first: right where draws are off by a bias of their own.

    Examples
    --------
    >>> basic(40, np.arange(101.0), 0.5)
    (5.0, 55.0)
    """
    low, high = percentile(drawn, level)
    return 2 * value - high, 2 * value - low


def normal(centre: float, drawn: Floats, level: float, error: float = 0.0) -> tuple[float, float]:
    """Return centre ± z times the standard error: the draws' standard deviation, or `error` where that is greater."""
    reach = float(ndtri((1 + level) / 2) * max(drawn.std(ddof=1), error))
    return centre - reach, centre + reach


def bca(value: float, drawn: Floats, left_out: Floats, level: float) -> tuple[float, float]:
    """Return the bias-corrected and accelerated limits.

    `left_out` are the values without each cluster: their skewness is the acceleration, Σ d³ / 6 (Σ d²)^1.5 with d =
    mean − value. NaN when all draws lie on one side of θ̂, which leaves its bias unknown.
    """
    below = (np.count_nonzero(drawn < value) + np.count_nonzero(drawn <= value)) / (2 * len(drawn))
    if below in {0.0, 1.0}:
        return float("nan"), float("nan")
    apart = left_out.mean() - left_out
    spread = float((apart**2).sum()) ** 1.5
    acceleration = float((apart**3).sum()) / (6 * spread) if spread else 0.0
    bias, reach = ndtri(below), ndtri((1 + level) / 2)
    moved = [bias + end for end in (-reach, reach)]
    shares = [float(ndtr(bias + end / (1 - acceleration * end))) for end in moved]
    return _quantiles(drawn, *shares)


def _quantiles(drawn: Floats, low: float, high: float) -> tuple[float, float]:
    lower, upper = np.quantile(drawn, [low, high])
    return float(lower), float(upper)

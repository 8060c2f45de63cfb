"""Confidence limits from bootstrap draws: percentile, basic, normal and BCa.

Conventions
-----------
`value` θ̂ is of the data, `drawn` θ*_r of R replicates; the limits hold the truth with probability `level` = 1 − α.

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapters 13, 14. Davison & Hinkley (1997), chapter 5.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]


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

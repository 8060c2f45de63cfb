"""Student's t limits and p-values from jackknifed standard errors: of one number, and of differences of two.

Conventions
-----------
C clusters are C − 1 degrees of freedom. Of clusters with unequal numbers m of tokens, C is Kish's effective number
(Σm)²/Σm² there; below two, two is taken. Two samples: Welch's degrees of freedom.

Limits of shares, rates and skills stand around the number on a scale g on which they cannot leave its range.

References
----------
Welch (1947). Cameron, Gelbach & Miller (2008), on inference with few clusters. Kish (1965), Survey sampling. Miller
(1974), The jackknife: a review.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from phonxling.core.arrays import Bools, Floats, divided

FEW_CLUSTERS = 5  # below so many there is no interval
FEW_EFFECTIVE = 4.0  # nor below so many effective ones
_ROUNDING = 1e-12  # of an effective number
_CONSTANT = 1e-9  # a standard error below this, or this share of the number, is rounding
Kind = Literal["number", "share", "rate", "skill"]
"""What a number may be: anything; from 0 to 1; at least 0; at most 1."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale g, its slope g′, its inverse, and the open range in which it is defined."""

    least: float
    most: float
    g: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


SCALES: Mapping[Kind, Scale] = {
    "number": Scale(-np.inf, np.inf, np.asarray, np.ones_like, np.asarray),
    "share": Scale(
        0,
        1,
        lambda x: np.log(x / (1 - x)),
        lambda x: 1 / (x * (1 - x)),
        lambda z: scipy.special.expit(z),  # noqa: PLW0108 - SciPy’s module is loaded when it is needed
    ),
    "rate": Scale(0, np.inf, np.log, lambda x: 1 / x, np.exp),
    "skill": Scale(-np.inf, 1, lambda x: -np.log1p(-x), lambda x: 1 / (1 - x), lambda z: -np.expm1(-z)),
}


def effective_number(total: ArrayLike, squares: ArrayLike) -> Floats:
    """Return Kish's effective number of clusters, (Σm)²/Σm², of Σm and Σm² over their tokens m; 0 without tokens."""
    number = divided(np.asarray(total, dtype=np.float64) ** 2, squares, undefined=0.0)
    return np.where(np.abs(number - np.rint(number)) < _ROUNDING * number, np.rint(number), number)


def effective_clusters(tokens: Floats) -> float:
    """Return the effective number of clusters with these numbers of tokens, [C]."""
    return float(effective_number(tokens.sum(), (tokens**2).sum()))


def too_few(clusters: ArrayLike, effective: ArrayLike) -> Bools:
    """Return whether so many clusters, which are worth so many equal ones, have no interval."""
    return np.asarray((np.asarray(clusters) < FEW_CLUSTERS) | (np.asarray(effective) < FEW_EFFECTIVE))


def freedom_of(clusters: ArrayLike) -> Floats:
    """Return the degrees of freedom of so many clusters, C − 1, and at least 1."""
    return np.maximum(np.asarray(clusters, dtype=np.float64), 2.0) - 1.0


def t_margin(freedom: float | Floats, level: float) -> Floats:
    """Return how many standard errors limits of a level are from the estimate."""
    return np.asarray(scipy.special.stdtrit(freedom, (1 + level) / 2), dtype=np.float64)


def jackknife_error(left_out: Floats, sizes: Floats) -> Floats:
    """Return √((C − 1)/C · Σ (θ₋c − mean)²) of values without each of C clusters, [..., C]; NaN for fewer than two.

    Only clusters with tokens (`sizes` [..., C]) count; without the others nothing changes.
    """
    held = np.broadcast_to(sizes > 0, left_out.shape)
    number = held.sum(axis=-1).astype(np.float64)
    number[number < 2] = np.nan
    mean = np.where(held, left_out, 0.0).sum(axis=-1) / number
    squares = np.where(held, left_out - mean[..., None], 0.0) ** 2
    return np.asarray(np.sqrt((number - 1) / number * squares.sum(axis=-1)))


def student_limits(
    values: Floats,
    left_out: Floats,
    sizes: Floats,
    clusters: Floats,
    *,
    level: float,
    kind: Kind,
    least_error: float = 0.0,
) -> tuple[Floats, Floats]:
    """Return g⁻¹(g(value) ± t · SE) of K numbers, [K] each; NaN at an end of their range, or where nothing varies.

    `left_out` are their values without each cluster and `sizes` the tokens they are of, [K, C]; `clusters` how many
    effective ones there are, [K]. `least_error` is one on the raw scale below which none may be.
    """
    scale = SCALES[kind]
    inside = (values > scale.least) & (values < scale.most)
    centre = np.where(inside, values, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled, slope = scale.g(centre), np.abs(scale.slope(centre))
        moved = scale.g(np.where((left_out > scale.least) & (left_out < scale.most), left_out, np.nan))
    raw, error = jackknife_error(left_out, sizes), jackknife_error(moved, sizes)
    raw = np.where(raw > _CONSTANT * np.maximum(1.0, np.abs(values)), raw, np.nan)
    error = np.where(np.isfinite(error), error, raw * slope)
    error = np.maximum(np.where(np.isnan(raw), np.nan, error), least_error * slope)
    if least_error:  # of prompts, though no speaker differs from the others
        error = np.where(np.isnan(error), least_error * slope, error)
    margin = t_margin(freedom_of(clusters), level) * error
    return np.asarray(scale.back(scaled - margin)), np.asarray(scale.back(scaled + margin))


@dataclass(frozen=True, eq=False)
class Spread:
    """Of K estimates, float64 [K]: variance, degrees of freedom, effective clusters, and whether these are too few."""

    variance: Floats
    freedom: Floats
    clusters: Floats
    few: Bools

    @classmethod
    def of(cls, left_out: Floats, sizes: Floats, *, none: bool = False) -> "Spread":
        """Return the spread of K numbers from those without each cluster, and what tokens they are of, [K, C]."""
        error, number = jackknife_error(left_out, sizes), effective_number(sizes.sum(axis=1), (sizes**2).sum(axis=1))
        largest = np.abs(np.where(sizes > 0, left_out, 0.0)).max(axis=1, initial=1.0)
        known = error > _CONSTANT * largest
        few = too_few(np.count_nonzero(sizes > 0, axis=1), number) | none
        return cls(np.where(known, error**2, np.nan), np.where(known, freedom_of(number), np.nan), number, few)


def spread_of(variance: float, freedom: float, clusters: float, *, few: bool = False) -> Spread:
    """Return the spread of one estimate."""
    return Spread(np.array([variance]), np.array([freedom]), np.array([clusters]), np.array([few]))


def between(first: Spread, second: Spread) -> Spread:
    """Return the spread of the difference of two independent samples, by Welch's degrees of freedom."""
    variance = first.variance + second.variance
    freedom = variance**2 / (first.variance**2 / first.freedom + second.variance**2 / second.freedom)
    return Spread(variance, freedom, np.minimum(first.clusters, second.clusters), first.few | second.few)


@dataclass(frozen=True, eq=False)
class Contrast:
    """Limits of K differences at a level, and their two-sided p-values; float64 [K], NaN where there is none."""

    low: Floats
    high: Floats
    p: Floats


def contrast(difference: float | Floats, spread: Spread, level: float) -> Contrast:
    """Return difference ± t · standard error, and p; p < 1 − level exactly when 0 lies outside the limits."""
    error = np.where(spread.few, np.nan, np.sqrt(spread.variance))
    margin = t_margin(spread.freedom, level) * error
    p = 2 * scipy.special.stdtr(spread.freedom, -np.abs(difference) / error)
    return Contrast(difference - margin, difference + margin, p)

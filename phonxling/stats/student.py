"""Limits and p-values by Student's t from jackknifed standard errors; Wilson's interval near 0 and 1.

C clusters are C − 1 degrees of freedom. Of clusters with unequal numbers m of tokens, C is Kish's effective number
(Σm)²/Σm² there; below two, two is taken. Limits of shares, rates and skills stand around the number on a scale g on
which they cannot leave its range.

References
----------
Welch (1947). Cameron, Gelbach & Miller (2008), on inference with few clusters. Kish (1965), Survey sampling. Miller
(1974), The jackknife: a review.
Wilson (1927), Probable inference. Donner (1986), on ρ by analysis of variance. Korn & Graubard (1998) and Franco et al.
(2019), on intervals with the effective sample size.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from phonxling.core.arrays import Bools, Floats, divide

FEW_CLUSTERS = 5  # below so many there is no interval
FEW_EFFECTIVE = 4.0  # nor below so many effective ones
_ROUNDING = 1e-12  # of an effective number
_CONSTANT = 1e-9  # a standard error below this, or this share of the number, is rounding
Kind = Literal["number", "share", "rate", "skill"]
"""What a number may be: anything; from 0 to 1; at least 0; at most 1."""


class Scale(NamedTuple):
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
    number = divide(np.asarray(total, dtype=np.float64) ** 2, squares, undefined=0.0)
    # Equal clusters have an effective number that is theirs but for rounding, and limits such as “below four” must not
    # depend on that.
    return np.where(np.abs(number - np.rint(number)) < _ROUNDING * number, np.rint(number), number)


def effective_clusters(tokens: Floats) -> float:
    """Return the effective number of clusters with these numbers of tokens, [C]."""
    return float(effective_number(tokens.sum(), (tokens**2).sum()))


def too_few(clusters: ArrayLike, effective: ArrayLike) -> Bools:
    """Return whether so many clusters, which are worth so many equal ones, have no interval."""
    return np.asarray((np.asarray(clusters) < FEW_CLUSTERS) | (np.asarray(effective) < FEW_EFFECTIVE))


def count_clusters(tokens: Floats, axis: int = -1) -> tuple[Floats, Bools]:
    """Return how many clusters with these tokens there are, effectively, and whether they are too few."""
    number = effective_number(tokens.sum(axis=axis), (tokens**2).sum(axis=axis))
    return number, too_few(np.count_nonzero(tokens > 0, axis=axis), number)


def freedom_of(clusters: ArrayLike) -> Floats:
    """Return the degrees of freedom of so many clusters, C − 1, and at least 1."""
    # Fewer than two have no interval anyway; at least 1 keeps what divides by C − 1 finite.
    return np.maximum(np.asarray(clusters, dtype=np.float64), 2.0) - 1.0


def t_margin(freedom: float | Floats, level: float) -> Floats:
    """Return how many standard errors limits of a level are from the estimate."""
    return np.asarray(scipy.special.stdtrit(freedom, (1 + level) / 2), dtype=np.float64)


def jackknife_error(left_out: Floats, sizes: Floats) -> Floats:
    """Return √((C − 1)/C · Σ (θ₋c − mean)²) of values without each of C clusters, [..., C]; NaN for fewer than two.

    Only clusters with tokens (`sizes` [..., C]) count, see `moving_sizes`; without the others nothing changes.
    """
    held = np.broadcast_to(sizes > 0, left_out.shape)
    number = held.sum(axis=-1).astype(np.float64)
    number[number < 2] = np.nan
    mean = np.where(held, left_out, 0.0).sum(axis=-1) / number
    squares = np.where(held, left_out - mean[..., None], 0.0) ** 2
    return np.asarray(np.sqrt((number - 1) / number * squares.sum(axis=-1)))


def moving_sizes(values: Floats, left_out: Floats, sizes: Floats) -> Floats:
    """Return sizes [K, C], just above 0 where a cluster has no tokens, but moves the value [K]: as insertions do."""
    moved = np.abs(left_out - values[:, None]) > _CONSTANT * np.maximum(1.0, np.abs(values))[:, None]
    return np.where(moved & (sizes == 0), np.finfo(np.float64).tiny, sizes)


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
        # A left-out value at an end of the range, such as a rate of 0 without the one speaker who errs, has no finite
        # place on the scale: then the error is taken on the raw scale, and carried over by the slope (delta method).
        moved = scale.g(np.where((left_out > scale.least) & (left_out < scale.most), left_out, np.nan))
    raw, error = jackknife_error(left_out, sizes), jackknife_error(moved, sizes)
    raw = np.where(raw > _CONSTANT * np.maximum(1.0, np.abs(values)), raw, np.nan)
    error = np.where(np.isfinite(error), error, raw * slope)
    # An error over speakers × prompts may be the larger one (see `jackknife`), and then counts.
    error = np.maximum(np.where(np.isnan(raw), np.nan, error), least_error * slope)
    if least_error:  # of prompts, though no speaker differs from the others
        error = np.where(np.isnan(error), least_error * slope, error)
    margin = t_margin(freedom_of(clusters), level) * error
    return np.asarray(scale.back(scaled - margin)), np.asarray(scale.back(scaled + margin))


@dataclass(frozen=True, eq=False)
class EstimateSpread:
    """Of K estimates, float64 [K]: variance, degrees of freedom, effective clusters, and whether these are too few."""

    variance: Floats
    freedom: Floats
    clusters: Floats
    few: Bools

    @classmethod
    def of(cls, left_out: Floats, sizes: Floats, *, none: bool = False) -> "EstimateSpread":
        """Return the spread of K numbers from those without each cluster, and what tokens they are of, [K, C]."""
        error, (number, few) = jackknife_error(left_out, sizes), count_clusters(sizes)
        largest = np.abs(np.where(sizes > 0, left_out, 0.0)).max(axis=1, initial=1.0)
        known = error > _CONSTANT * largest
        return cls(np.where(known, error**2, np.nan), np.where(known, freedom_of(number), np.nan), number, few | none)


def spread_of(variance: float, freedom: float, clusters: float, *, few: bool = False) -> EstimateSpread:
    """Return the spread of one estimate."""
    return EstimateSpread(np.array([variance]), np.array([freedom]), np.array([clusters]), np.array([few]))


def spread_of_difference(first: EstimateSpread, second: EstimateSpread) -> EstimateSpread:
    """Return the spread of the difference of two independent samples, by Welch's degrees of freedom."""
    variance = first.variance + second.variance
    # Welch–Satterthwaite: the degrees of freedom of a χ² with the mean and the variance of the two summed variances.
    # They lie between the smaller of the two and their sum, near those of the sample that varies more.
    freedom = variance**2 / (first.variance**2 / first.freedom + second.variance**2 / second.freedom)
    return EstimateSpread(variance, freedom, np.minimum(first.clusters, second.clusters), first.few | second.few)


class Contrast(NamedTuple):
    """Limits of K differences at a level, and their two-sided p-values; float64 [K], NaN where there is none."""

    low: Floats
    high: Floats
    p: Floats


def contrast(difference: float | Floats, spread: EstimateSpread, level: float) -> Contrast:
    """Return difference ± t · standard error, and p; p < 1 − level exactly when 0 lies outside the limits."""
    error = np.where(spread.few, np.nan, np.sqrt(spread.variance))
    margin = t_margin(spread.freedom, level) * error
    p = 2 * scipy.special.stdtr(spread.freedom, -np.abs(difference) / error)
    return Contrast(difference - margin, difference + margin, p)


# Leaving out clusters says nothing of an event that was never seen, or always. Wilson's interval does, on as many
# independent tokens as would tell as much: n / deff. Kish's design effect is deff = 1 + (m̄ − 1)·ρ: m̄ = Σ m² / Σ m is
# the size of a token's cluster on average over tokens, and ρ the correlation of tokens of one cluster. ρ is the
# analysis-of-variance estimate, pooled over phones, so that it is known for a phone whose tokens are all alike; 0.1
# where nothing varies, which is at the upper end of what speakers show.
ASSUMED_SHARE = 0.1  # ρ where no event, or nothing else, was seen, which says nothing of how events cluster
NEAR = 5.0  # effective tokens with the event, or without it, below which a share counts as near 0 or 1


def wilson(share: ArrayLike, tokens: ArrayLike, level: float, freedom: float = math.inf) -> tuple[Floats, Floats]:
    """Return the limits of a share of so many independent tokens, both within [0, 1]; NaN without tokens."""
    p, n = np.asarray(share, dtype=np.float64), np.asarray(tokens, dtype=np.float64)
    # Wilson’s limits are the p that the observed share does not refute at this level; t stands for the normal quantile
    # where the effective tokens come from a variance that was estimated over few clusters.
    square = float(t_margin(freedom, level)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (p + square / (2 * n)) / (1 + square / n)
        reach = np.sqrt(square * (p * (1 - p) / n + square / (4 * n**2))) / (1 + square / n)
        low, high = centre - reach, centre + reach
    return np.where(p == 0, 0.0 * n, np.maximum(low, 0)), np.where(p == 1, 0.0 * n + 1, np.minimum(high, 1))


def effective_tokens(sizes: Floats, correlation: float = ASSUMED_SHARE) -> Floats:
    """Return n / (1 + (m̄ − 1)·ρ) of clusters of so many tokens, [..., C]."""
    total = sizes.sum(axis=-1)
    # m̄ weighs clusters by their tokens: large ones, whose tokens are alike, count as much as they have tokens.
    mean = divide((sizes**2).sum(axis=-1), total, undefined=1.0)
    return np.asarray(total / np.maximum(1 + (mean - 1) * correlation, 1.0))


def near_the_end(share: ArrayLike, tokens: ArrayLike) -> Bools:
    """Return whether fewer than five effective tokens have the event, or lack it."""
    p = np.asarray(share, dtype=np.float64)
    return np.asarray(np.minimum(p, 1 - p) * np.asarray(tokens, dtype=np.float64) < NEAR)


def correlation_of(events: Floats, tokens: Floats) -> float:
    """Return ρ in [0, 1], the correlation of tokens of one kind and cluster, of K kinds in C clusters, [K, C] each."""
    size, held = tokens.sum(axis=1), tokens > 0
    size, own, shown, held = size[size > 0], tokens[size > 0], events[size > 0], held[size > 0]
    alike = divide(shown**2, own, undefined=0.0).sum()
    # Sums of squares of 0/1 events: between clusters Σ c²/n less (Σ c)²/Σ n, within them Σ c − Σ c²/n, pooled over
    # kinds.
    between = float(alike - (shown.sum(axis=1) ** 2 / size).sum())
    within = float(shown.sum() - alike)
    free_between, free_within = float((held.sum(axis=1) - 1).sum()), float((size - held.sum(axis=1)).sum())
    if free_between <= 0 or free_within <= 0:
        return ASSUMED_SHARE
    # n₀, what stands for the common size of clusters of unequal size in ρ = (MSB − MSW) / (MSB + (n₀ − 1) MSW).
    usual = float((size - (own**2).sum(axis=1) / size).sum()) / free_between
    between, within = between / free_between, within / free_within
    whole = between + (usual - 1) * within
    return min(max((between - within) / whole, 0.0), 1.0) if whole > 1e-12 else ASSUMED_SHARE


def with_wilson(events: Floats, tokens: Floats, limits: tuple[Floats, Floats], level: float) -> tuple[Floats, Floats]:
    """Return the limits of the share of events of each of K kinds in C clusters, [K, C]: Wilson's near 0 and 1.

    Elsewhere they are as given, [K] each; NaN where fewer than five clusters, or four effective ones, have the kind.
    """
    low, high = limits
    independent = effective_tokens(tokens, correlation_of(events, tokens))
    share = divide(events.sum(axis=1), tokens.sum(axis=1))
    few, many = wilson(share, independent, level)
    near, none = near_the_end(share, independent) | np.isnan(low), count_clusters(tokens)[1]
    low, high = np.where(near, few, low), np.where(near, many, high)
    return np.where(none, np.nan, low), np.where(none, np.nan, high)

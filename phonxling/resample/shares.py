"""Shares near 0 and 1: Wilson's interval on as many independent tokens as would tell as much.

Leaving out clusters says nothing of an event that was never seen, or always. Wilson's interval does, with n / deff
tokens. Kish's design effect is deff = 1 + (m̄ − 1)·ρ: m̄ = Σ m² / Σ m is the size of a token's cluster on average over
tokens, and ρ the correlation of tokens of one cluster. ρ is the analysis-of-variance estimate, pooled over phones, so
that it is known for a phone whose tokens are all alike; 0.1 where nothing varies, which is at the upper end of what
speakers show.

References
----------
Wilson (1927), Probable inference. Kish (1965), Survey sampling, 5.4. Donner (1986), on ρ by analysis of variance. Korn
& Graubard (1998) and Franco et al. (2019), on intervals with the effective sample size.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from phonxling.core.arrays import Bools, Floats, divided
from phonxling.resample.student import effective_number, t_margin, too_few

ASSUMED = 0.1  # ρ where no event, or nothing else, was seen, which says nothing of how events cluster
NEAR = 5.0  # effective tokens with the event, or without it, below which a share counts as near 0 or 1


def wilson(share: ArrayLike, tokens: ArrayLike, level: float, freedom: float = math.inf) -> tuple[Floats, Floats]:
    """Return the limits of a share of so many independent tokens, both within [0, 1]; NaN without tokens."""
    p, n = np.asarray(share, dtype=np.float64), np.asarray(tokens, dtype=np.float64)
    square = float(t_margin(freedom, level)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (p + square / (2 * n)) / (1 + square / n)
        reach = np.sqrt(square * (p * (1 - p) / n + square / (4 * n**2))) / (1 + square / n)
        low, high = centre - reach, centre + reach
    return np.where(p == 0, 0.0 * n, np.maximum(low, 0)), np.where(p == 1, 0.0 * n + 1, np.minimum(high, 1))


def effective_tokens(sizes: Floats, correlation: float = ASSUMED) -> Floats:
    """Return n / (1 + (m̄ − 1)·ρ) of clusters of so many tokens, [..., C]."""
    total = sizes.sum(axis=-1)
    mean = divided((sizes**2).sum(axis=-1), total, undefined=1.0)
    return np.asarray(total / np.maximum(1 + (mean - 1) * correlation, 1.0))


def near_the_end(share: ArrayLike, tokens: ArrayLike) -> Bools:
    """Return whether fewer than five effective tokens have the event, or lack it."""
    p = np.asarray(share, dtype=np.float64)
    return np.asarray(np.minimum(p, 1 - p) * np.asarray(tokens, dtype=np.float64) < NEAR)


def correlation_of(events: Floats, tokens: Floats) -> float:
    """Return ρ in [0, 1], the correlation of tokens of one kind and cluster, of K kinds in C clusters, [K, C] each."""
    size, held = tokens.sum(axis=1), tokens > 0
    size, own, shown, held = size[size > 0], tokens[size > 0], events[size > 0], held[size > 0]
    alike = divided(shown**2, own, undefined=0.0).sum()
    between = float(alike - (shown.sum(axis=1) ** 2 / size).sum())
    within = float(shown.sum() - alike)
    free_between, free_within = float((held.sum(axis=1) - 1).sum()), float((size - held.sum(axis=1)).sum())
    if free_between <= 0 or free_within <= 0:
        return ASSUMED
    usual = float((size - (own**2).sum(axis=1) / size).sum()) / free_between
    between, within = between / free_between, within / free_within
    whole = between + (usual - 1) * within
    return min(max((between - within) / whole, 0.0), 1.0) if whole > 1e-12 else ASSUMED


def with_wilson(events: Floats, tokens: Floats, limits: tuple[Floats, Floats], level: float) -> tuple[Floats, Floats]:
    """Return the limits of the share of events of each of K kinds in C clusters, [K, C]: Wilson's near 0 and 1.

    Elsewhere they are as given, [K] each; NaN where fewer than five clusters, or four effective ones, have the kind.
    """
    total, low, high = tokens.sum(axis=1), *limits
    independent = effective_tokens(tokens, correlation_of(events, tokens))
    share = divided(events.sum(axis=1), total)
    few, many = wilson(share, np.where(independent > 0, independent, np.nan), level)
    near = near_the_end(share, independent) | np.isnan(low)
    none = too_few(np.count_nonzero(tokens > 0, axis=1), effective_number(total, (tokens**2).sum(axis=1)))
    low, high = np.where(near, few, low), np.where(near, many, high)
    return np.where(none, np.nan, low), np.where(none, np.nan, high)

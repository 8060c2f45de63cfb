"""Shares of tokens that come in clusters: Wilson's interval on the effective number of tokens.

Resampling says nothing of an event that was never seen, or always. Wilson's interval does, if n is the number of
independent tokens that would tell as much: n / deff with Kish's design effect deff = 1 + (m̄ − 1)·ρ, where
m̄ = Σ m² / Σ m is the size of a token's cluster on average over tokens, and ρ the correlation of tokens of one cluster.
ρ is the analysis-of-variance estimate, pooled over phones, so that it is known for a phone whose tokens are all alike;
0.1 where nothing varies, which is at the upper end of what speakers show, and is said beside the number.

References
----------
Wilson (1927), Probable inference. Kish (1965), Survey sampling, 5.4. Donner (1986), on ρ by analysis of variance.
Korn & Graubard (1998) and Franco et al. (2019), on intervals with the effective sample size.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.core.arrays import Floats, divided, sum_by
from phonxling.resample.intervals import estimate
from phonxling.resample.student import effective_number, t_reach

if TYPE_CHECKING:
    from phonxling.resample.weights import Resampling

ASSUMED = 0.1  # ρ where no event, or nothing else, was seen, which says nothing of how events cluster
NEAR = 5.0  # effective tokens with the event, or without it, below which a share counts as near 0 or 1
_TOGETHER = 1 << 18  # clusters and kinds that are looked at together


def wilson(share: ArrayLike, tokens: ArrayLike, level: float, freedom: float = math.inf) -> tuple[Floats, Floats]:
    """Return the limits of a share of so many independent tokens, both within [0, 1]; NaN without tokens."""
    p, n = np.asarray(share, dtype=np.float64), np.asarray(tokens, dtype=np.float64)
    square = float(t_reach(freedom, level)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (p + square / (2 * n)) / (1 + square / n)
        reach = np.sqrt(square * (p * (1 - p) / n + square / (4 * n**2))) / (1 + square / n)
        low, high = centre - reach, centre + reach
    return np.where(p == 0, 0.0 * n, np.maximum(low, 0)), np.where(p == 1, 0.0 * n + 1, np.minimum(high, 1))


def effective_tokens(sizes: Floats, correlation: float) -> float:
    """Return n / (1 + (m̄ − 1)·ρ) of clusters of so many tokens, [C]."""
    total = float(sizes.sum())
    mean = float((sizes**2).sum()) / total
    return total / max(1 + (mean - 1) * correlation, 1.0)


def near_the_end(share: ArrayLike, tokens: ArrayLike) -> NDArray[np.bool_]:
    """Return whether fewer than five effective tokens have the event, or lack it."""
    p = np.asarray(share, dtype=np.float64)
    return np.asarray(np.minimum(p, 1 - p) * np.asarray(tokens, dtype=np.float64) < NEAR)


@dataclass(frozen=True, eq=False)
class ClusteredTokens:
    """How many tokens of each kind (a phone) each cluster has, and how many of them show the event; all are [M]."""

    kind: NDArray[np.integer]
    tokens: NDArray[np.number]
    events: NDArray[np.number]
    kinds: int

    def by_kind(self, of: Callable[[Floats, Floats], Floats]) -> Floats:
        """Return the sum over the clusters of each kind, [K], of what a function of tokens and events gives for one."""
        total = np.zeros(self.kinds)
        for first in range(0, len(self.kind), _TOGETHER):
            run = slice(first, first + _TOGETHER)
            tokens, events = self.tokens[run].astype(np.float64), self.events[run].astype(np.float64)
            total += sum_by(self.kind[run], of(tokens, events), self.kinds)
        return total

    @cached_property
    def total(self) -> Floats:
        """Tokens of each kind, [K]."""
        return self.by_kind(lambda tokens, _: tokens)

    @cached_property
    def shown(self) -> Floats:
        """Tokens of each kind with the event, [K]."""
        return self.by_kind(lambda _, events: events)

    @cached_property
    def squares(self) -> Floats:
        """The sum of the squares of each kind's tokens in clusters, [K]."""
        return self.by_kind(lambda tokens, _: tokens**2)

    def correlation(self) -> float:
        """Return ρ in [0, 1], the correlation of tokens of one kind and cluster."""
        known = self.total > 0
        size, times = self.total[known], self.by_kind(lambda tokens, _: np.ones(len(tokens)))[known]
        alike = self.by_kind(lambda tokens, events: events**2 / tokens)[known]
        between = float((alike - self.shown[known] ** 2 / size).sum())
        within = float(self.by_kind(lambda tokens, events: events - events**2 / tokens).sum())
        free_between, free_within = float((times - 1).sum()), float((size - times).sum())
        if free_between <= 0 or free_within <= 0:
            return ASSUMED
        usual = float((size - self.squares[known] / size).sum()) / free_between
        between, within = between / free_between, within / free_within
        whole = between + (usual - 1) * within
        return min(max((between - within) / whole, 0.0), 1.0) if whole > 1e-12 else ASSUMED

    def effective(self) -> Floats:
        """Return the effective number of tokens of each kind, [K]: n / (1 + (m̄ − 1)·ρ)."""
        mean = self.squares / np.where(self.total > 0, self.total, 1.0)
        return np.asarray(self.total / np.maximum(1 + (mean - 1) * self.correlation(), 1.0))


def share_limits(clustered: ClusteredTokens, drawn: Floats, resampling: "Resampling") -> tuple[Floats, Floats]:
    """Return the limits of each kind's share, [K], of which replicates show `drawn`, [K, R]."""
    tokens, events = clustered.total, clustered.shown
    low, high = np.full((2, len(tokens)), np.nan)
    clusters = effective_number(tokens, clustered.squares).tolist()
    for kind, share in enumerate(divided(events, tokens).tolist()):
        own = clustered.kind == kind
        left_out = divided(events[kind] - clustered.events[own], tokens[kind] - clustered.tokens[own])
        limits = estimate(share, drawn[kind], resampling, kind="share", left_out=left_out, clusters=clusters[kind])
        low[kind], high[kind] = limits.low, limits.high
    known = resampling.number > 1 and drawn.shape[1] > 0
    return with_wilson(clustered, low, high, resampling.level) if known else (low, high)


def with_wilson(clustered: ClusteredTokens, low: Floats, high: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the limits of each kind's share, [K]: Wilson's where it is near 0 or 1, else the bootstrap's as given."""
    total, tokens = clustered.total, clustered.effective()
    share = divided(clustered.shown, total)
    few, many = wilson(share, np.where(tokens > 0, tokens, np.nan), level)
    near = near_the_end(share, tokens) | np.isnan(low)
    return np.where(near, few, low), np.where(near, many, high)

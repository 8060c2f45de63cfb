"""How well two gold phones can be told apart by what they are heard as: overlap and Jensen–Shannon divergence.

Measures
--------
p, q: shares of the outcomes x of two phones, ∅ among them. Overlap Σ_x min(p_x, q_x), from 0 (never heard as the same)
to 1 (heard alike): one who knows what was heard, and nothing else, names the phone that was said, of two equally likely
ones, right with the probability 1 − overlap / 2 at best. Jensen–Shannon divergence H((p + q)/2) − (H(p) + H(q))/2 in
bits, from 0 (heard alike) to 1.

Small samples
-------------
Two samples of one distribution differ, so that the plug-in overlap is too low, and the divergence too high. The
divergence is jackknifed over clusters. The overlap stays the plug-in, as the literature has it, beside its null: what
two phones that are heard alike would show with these tokens, from replicates of the two shares moved to one another.
Its interval is corrected for the bias of the draws, and reaches to 1 where the overlap is no lower than what the null
may show, and the interval of the divergence holds 0. Where hardly anything is in common, resampling tells little:
limits are then at least Wilson's of as many effective tokens; and the divergence is at least 1 − h(overlap / 2), h the
entropy of a choice of two (Fano).

References
----------
Lin (1991), Divergence measures based on the Shannon entropy. Levy (2009); Faris, Best & Tyler (2018), on overlap.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import Estimate, joined
from phonxling.core.inventory import Inventory
from phonxling.resample import intervals
from phonxling.resample.entropies import information_interval, jackknife, shares_entropy
from phonxling.resample.intervals import Resampling
from phonxling.resample.replicates import cell_counts
from phonxling.resample.student import effective_number, freedom_of, t_reach

_PARTS = 200  # of a jackknife at most


@dataclass(frozen=True, eq=False)
class Samples:
    """What gold phones are heard as in R samples: counts [K, R] of the cells [K] of a table [G, P + 1] with tokens."""

    cells: Codes
    counts: Floats
    shape: tuple[int, int]

    @cached_property
    def _tokens(self) -> Floats:
        """The tokens of each phone in each sample, [G, R]."""
        tokens = np.zeros((self.shape[0], self.counts.shape[1]))
        for row, counts in zip(self.cells // self.shape[1], self.counts, strict=True):
            tokens[row] += counts
        return tokens

    def at(self, rows: Codes, columns: Codes) -> Floats:
        """Return p(x|y) of some cells, [..., R]; NaN where a sample has no token of the phone."""
        wanted = rows * self.shape[1] + columns
        if not len(self.cells):
            return np.full((*wanted.shape, self.counts.shape[1]), np.nan)
        place = np.minimum(np.searchsorted(self.cells, wanted), len(self.cells) - 1)
        counts = np.where((self.cells[place] == wanted)[..., None], self.counts[place], 0.0)
        return divided(counts, np.broadcast_to(self._tokens[rows], counts.shape))

    def of(self, row: int) -> Floats:
        """Return p(x|y) of a phone, [P + 1, R]."""
        return self.at(np.full(self.shape[1], row), np.arange(self.shape[1]))


@dataclass(frozen=True, eq=False)
class Heard:
    """What G gold phones are heard as, one of P categories or ∅, in C clusters: shares of all tokens of a phone."""

    stack: ConfusionStack
    resampling: Resampling

    @property
    def gold(self) -> Inventory:
        return self.stack.gold

    @property
    def categories(self) -> Inventory:
        return self.stack.predicted

    @cached_property
    def sizes(self) -> Floats:
        """The tokens of each phone in each cluster, deleted ones included, [G, C]."""
        return self._by_cluster(np.ones((len(self.gold), len(self.categories) + 1)))

    @cached_property
    def tokens(self) -> Floats:
        return np.asarray(self.sizes.sum(axis=1))

    @cached_property
    def clusters(self) -> Floats:
        """How many effective clusters the tokens of each phone come from, [G]."""
        return effective_number(self.sizes.sum(axis=1), (self.sizes**2).sum(axis=1))

    @cached_property
    def shares(self) -> Floats:
        """p(x|y), [G, P + 1]; NaN for a phone without tokens."""
        counts = self.stack.total().counts[:-1]  # without insertions
        return divided(counts, counts.sum(axis=1, keepdims=True))

    @cached_property
    def best(self) -> Codes:
        """The category that each phone is heard as most often, the first of equal ones, [G]."""
        return np.asarray(self.shares[:, :-1].argmax(axis=1))

    @cached_property
    def best_limits(self) -> tuple[Floats, Floats]:
        """The limits of the share of each phone's tokens that are heard as this category, [G] each."""
        phones = np.arange(len(self.gold))
        chosen = np.zeros((len(self.gold), len(self.categories) + 1))
        chosen[phones, self.best] = 1
        kind, cluster = np.nonzero(self.sizes)
        tokens, events = self.sizes[kind, cluster], self._by_cluster(chosen)[kind, cluster]
        clustered = intervals.ClusteredTokens(kind, tokens, events, len(self.gold))
        return intervals.share_limits(clustered, self.drawn.at(phones, self.best), self.resampling)

    @cached_property
    def drawn(self) -> Samples:
        """The shares of each replicate."""
        every = np.flatnonzero(self.stack.total().counts)
        parts = [np.zeros((len(every), 1, 0)), *cell_counts(self.stack, self.resampling, every)]
        return self._samples(every, np.concatenate(parts, axis=-1)[:, 0])

    @cached_property
    def left_out(self) -> Samples:
        """The shares without each cluster, or without each of 200 parts of them."""
        parts, every = min(self.resampling.number, _PARTS), np.flatnonzero(self.stack.total().counts)
        by_part = self.stack.sums_by(self.resampling.clusters % max(parts, 1), parts).reshape(parts, -1)[:, every]
        rest = np.maximum(by_part.sum(axis=0) - by_part, 0.0)  # less than 0 by rounding alone
        return self._samples(every, np.ascontiguousarray(rest.T))

    def _samples(self, cells: Codes, counts: Floats) -> Samples:
        """Return counts of cells without those of insertions."""
        shape = len(self.gold), len(self.categories) + 1
        own = int(np.searchsorted(cells, shape[0] * shape[1]))
        return Samples(cells[:own], counts[:own], shape)

    def _by_cluster(self, weights: Floats) -> Floats:
        """Return Σ_x weights[y, x] · C[y, x] of each phone and cluster, [G, C]."""
        row, column = np.divmod(self.stack.cells.astype(np.int64), len(self.categories) + 1)
        owner = np.repeat(self.resampling.clusters, np.diff(self.stack.offsets))
        own, shape = row < len(self.gold), (len(self.gold), self.resampling.number)
        values = self.stack.counts[own] * weights[row[own], column[own]]
        return sum_by(row[own] * shape[1] + owner[own], values, shape[0] * shape[1]).reshape(shape)


class Discriminability(NamedTuple):
    """Overlap and divergence of one contrast, and the overlap that phones heard alike would show."""

    overlap: Estimate
    divergence: Estimate
    null: float


def overlap(first: Floats, second: Floats) -> Floats:
    """Return Σ min of two distributions along the first axis, [P …]."""
    return np.asarray(np.minimum(first, second).sum(axis=0))


def divergence(first: Floats, second: Floats) -> Floats:
    """Return the Jensen–Shannon divergence in bits of two distributions along the first axis, [P …]."""
    apart = shares_entropy((first + second) / 2, axis=0)
    return np.asarray(np.maximum(apart - (shares_entropy(first, axis=0) + shares_entropy(second, axis=0)) / 2, 0.0))


def discriminability(heard: Heard, pair: tuple[int, int]) -> Discriminability:
    """Return how well two phones, by their rows, are told apart by what they are heard as."""
    rows, weights = list(pair), heard.resampling
    outcomes = np.flatnonzero(heard.shares[rows].sum(axis=0) > 0)
    shares, cells = heard.shares[rows][:, outcomes], (np.array(rows)[:, None], outcomes)
    drawn, left_out = heard.drawn.at(*cells), heard.left_out.at(*cells)
    clusters = float(heard.clusters[rows].min())
    plain, without = float(overlap(*shares)), overlap(*left_out)
    common = intervals.estimate(
        plain, overlap(*drawn), weights, left_out=without, clusters=clusters, biased=True
    ).within(0, 1)
    bits, without = float(divergence(*shares)), divergence(*left_out)
    bits = min(max(jackknife(bits, without), 0.0), 1.0)  # NaN first: it stays NaN
    apart = information_interval(bits, divergence(*drawn), weights, left_out=without, clusters=clusters, most=1.0)
    null = np.zeros(0)  # the overlap of two phones heard alike, by replicate: what both deviate from the data's shares
    if clusters > 1:
        freedom = float(freedom_of(clusters))
        off = (drawn - shares[..., None]) * math.sqrt((freedom + 1) / freedom)
        null = 1 - np.abs(off[0] - off[1]).sum(axis=0) / 2
        null = null[np.isfinite(null)]
    if not len(null):
        return Discriminability(common, apart, math.nan)
    tokens = np.array([intervals.effective_tokens(heard.sizes[row], intervals.ASSUMED) for row in rows])
    weak, level = intervals.weakness(weights, clusters=clusters), weights.level
    if common.value == 1 and math.isnan(common.low):
        least = float(intervals.wilson(1, tokens, level)[0].min())
        note = f"nothing but one category was seen: Wilson limits for {tokens.min():.3g} effective tokens"
        note = joined([weak, note])
        common, apart = Estimate(1.0, least, 1.0, level, note), Estimate(0.0, 0.0, 1 - least, level, note)
    else:
        reach = float(t_reach(freedom_of(clusters), level))
        if not apart.low > 0 and not common.value < null.mean() - reach * null.std(ddof=1):
            note = joined([common.note, "do not differ clearly from phones with equal answers"])
            common = Estimate(common.value, common.low, 1.0, level, note)
        common, apart = _near_the_ends(common, apart, 4 / float((1 / tokens).sum()), level, weak)
    return Discriminability(common, apart, float(null.mean()))


def _near_the_ends(
    common: Estimate, apart: Estimate, tokens: float, level: float, weak: str
) -> tuple[Estimate, Estimate]:
    """Return overlap and divergence with limits that are at least Wilson's of so many tokens, where few are shared."""
    if not intervals.near_the_end(common.value / 2, tokens):
        return common, apart
    few, many = (2 * float(limit) for limit in intervals.wilson(common.value / 2, tokens, level))
    low, high = float(np.fmin(common.low, few)), min(float(np.fmax(common.high, many)), 1.0)
    note = f"hardly anything in common: limits are at least those of {tokens:.3g} effective tokens"
    note = joined([weak if math.isnan(common.low) else common.note, note])
    least = 1 - float(shares_entropy(np.array([high, 2 - high]) / 2))
    bits = float(np.fmin(apart.low, least)), float(np.fmax(apart.high, apart.value))
    return Estimate(common.value, low, high, level, note), Estimate(apart.value, *bits, level, apart.note)

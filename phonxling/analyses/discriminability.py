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

How well each gold phone fits each category: its goodness, from posteriors, confidences, or shares of tokens.

Where there are posteriors, the goodness of y in x is the mean posterior of x over the tokens of y. Else, where the
predictions have confidences (for listeners: their ratings of goodness, from 0 to 1), the mean confidence of the tokens
of y that were heard as x. Else p(x|y) itself.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from phonxling.analyses.case import Case
from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import Estimate, joined
from phonxling.core.inventory import Inventory
from phonxling.core.means import TokenPosteriors
from phonxling.count.posteriors import joint_of_tokens
from phonxling.resample.entropy_sums import shares_entropy
from phonxling.resample.information_interval import information_interval
from phonxling.resample.intervals import estimate, weakness
from phonxling.resample.jackknife import jackknife
from phonxling.resample.proportion import ASSUMED, ClusteredTokens, effective_tokens, near_the_end, share_limits, wilson
from phonxling.resample.replicates import over_replicates, replicate_group_sums, replicate_means, sums_by
from phonxling.resample.student import effective_number, freedom_of, t_reach
from phonxling.resample.weights import Resampling

# What each gold phone is heard as: shares of its tokens, of all, over replicates, and without each cluster.

_PARTS = 200  # of a jackknife at most


@dataclass(frozen=True, eq=False)
class Heard:
    """The confusions of a corpus, read as shares of all tokens of a gold phone; ∅, nothing heard."""

    stack: ConfusionStack
    resampling: Resampling

    @property
    def gold(self) -> Inventory:
        """The G gold phones."""
        return self.stack.gold

    @property
    def categories(self) -> Inventory:
        """The P phones that something can be heard as."""
        return self.stack.predicted

    @cached_property
    def sizes(self) -> Floats:
        """The tokens of each phone in each cluster, [G, C]."""
        return self._by_cluster(np.ones((len(self.gold), len(self.categories) + 1)))

    @cached_property
    def tokens(self) -> Floats:
        """The tokens of each phone, deleted ones included, [G]."""
        return np.asarray(self.sizes.sum(axis=1))

    @cached_property
    def clusters(self) -> Floats:
        """How many effective clusters the tokens of each phone come from, [G]."""
        return effective_number(self.sizes.sum(axis=1), (self.sizes**2).sum(axis=1))

    @cached_property
    def shares(self) -> Floats:
        """p(x|y), [G, P + 1]; NaN for a phone without tokens."""
        return shares_of(self.stack.total().counts)

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
        clustered = ClusteredTokens(kind, tokens, events, len(self.gold))
        return share_limits(clustered, self.drawn[phones, self.best], self.resampling)

    @cached_property
    def drawn(self) -> Floats:
        """The shares of each replicate, [G, P + 1, R]."""
        return over_replicates(self.stack, self.resampling, shares_of)

    @cached_property
    def left_out(self) -> Floats:
        """The shares without each cluster, or without each of 200 parts of them, [G, P + 1, B]."""
        parts = min(self.resampling.number, _PARTS)
        by_part = self.stack.sums_by(self.resampling.clusters % max(parts, 1), parts)
        shape = len(self.gold) + 1, len(self.categories) + 1
        rest = np.maximum(by_part.sum(axis=0) - by_part, 0.0)  # less than 0 by rounding alone
        return shares_of(np.moveaxis(rest.reshape(parts, *shape), 0, -1))

    def _by_cluster(self, weights: Floats) -> Floats:
        """Return Σ_x weights[y, x] · C[y, x] of each phone and cluster, [G, C]."""
        row, column = np.divmod(self.stack.cells.astype(np.int64), len(self.categories) + 1)
        owner = np.repeat(self.resampling.clusters, np.diff(self.stack.offsets))
        own, shape = row < len(self.gold), (len(self.gold), self.resampling.number)
        values = self.stack.counts[own] * weights[row[own], column[own]]
        return sum_by(row[own] * shape[1] + owner[own], values, shape[0] * shape[1]).reshape(shape)


def shares_of(counts: Floats) -> Floats:
    """Return C[y, x] / Σ_x C[y, x] of counts [G + 1, P + 1 …], without the row of insertions, [G, P + 1 …]."""
    return divided(counts[:-1], counts[:-1].sum(axis=1, keepdims=True))


_ALIKE = "not told apart from phones that are heard alike"


@dataclass(frozen=True, slots=True)
class Discriminability:
    """Overlap, what phones heard alike would show, and the divergence of one contrast."""

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


@dataclass(frozen=True, eq=False)
class _Sample:
    """Two phones' shares of the outcomes that either has, [2, P], over replicates [2, P, R], and without clusters."""

    shares: Floats
    drawn: Floats
    left_out: Floats
    clusters: float
    resampling: Resampling

    @property
    def weakness(self) -> str:
        """What weakens all limits."""
        return weakness(self.resampling, clusters=self.clusters)

    def overlap(self) -> Estimate:
        """Return the plug-in, with limits that the bias of its draws does not move."""
        value, drawn, without = (float(overlap(*self.shares)), overlap(*self.drawn), overlap(*self.left_out))
        limits = estimate(value, drawn, self.resampling, left_out=without, clusters=self.clusters, biased=True)
        return limits.within(0, 1)

    def divergence(self) -> Estimate:
        """Return the jackknifed divergence."""
        value, without = float(divergence(*self.shares)), divergence(*self.left_out)
        corrected = jackknife(value, without) if np.isfinite(without).all() else math.nan
        value = value if math.isnan(corrected) else min(max(corrected, 0.0), 1.0)
        drawn = divergence(*self.drawn)
        return information_interval(value, drawn, self.resampling, left_out=without, clusters=self.clusters, most=1.0)

    def null(self) -> Floats:
        """Return the overlap of two phones heard alike, by replicate: of what both deviate from the data's shares."""
        if self.clusters <= 1:
            return np.zeros(0)
        freedom = float(freedom_of(self.clusters))
        apart = (self.drawn - self.shares[..., None]) * math.sqrt((freedom + 1) / freedom)
        null = 1 - np.abs(apart[0] - apart[1]).sum(axis=0) / 2
        return np.asarray(null[np.isfinite(null)])


def discriminability(heard: Heard, pair: tuple[int, int]) -> Discriminability:
    """Return how well two phones, by their rows, are told apart by what they are heard as."""
    rows = list(pair)
    outcomes = heard.shares[rows].sum(axis=0) > 0
    shares, drawn, left_out = (side[rows][:, outcomes] for side in (heard.shares, heard.drawn, heard.left_out))
    sample = _Sample(shares, drawn, left_out, float(heard.clusters[rows].min()), heard.resampling)
    common, apart, null = sample.overlap(), sample.divergence(), sample.null()
    if not len(null):
        return Discriminability(common, apart, math.nan)
    tokens = np.array([effective_tokens(heard.sizes[row], ASSUMED) for row in rows])
    if common.value == 1 and math.isnan(common.low):
        common, apart = _as_one(sample, tokens)
    else:
        if not apart.low > 0:
            common = _reaching_alike(common, null, sample.clusters, heard.resampling.level)
        common, apart = _near_the_ends(common, apart, sample, 4 / float((1 / tokens).sum()))
    return Discriminability(common, apart, float(null.mean()))


def _as_one(sample: _Sample, tokens: Floats) -> tuple[Estimate, Estimate]:
    """Return overlap and divergence of two phones all of whose tokens, so many effective ones, are heard as one."""
    level = sample.resampling.level
    least = float(wilson(1, tokens, level)[0].min())
    note = f"nothing but one category was seen: Wilson limits for {tokens.min():.3g} effective tokens"
    note = joined([sample.weakness, note])
    return Estimate(1.0, least, 1.0, level, note), Estimate(0.0, 0.0, 1 - least, level, note)


def _reaching_alike(common: Estimate, null: Floats, clusters: float, level: float) -> Estimate:
    """Return the overlap with an interval that reaches to 1 where it is no lower than what the null may show."""
    if common.value < null.mean() - float(t_reach(freedom_of(clusters), level)) * null.std(ddof=1):
        return common
    return Estimate(common.value, common.low, 1.0, level, joined([common.note, _ALIKE]))


def _near_the_ends(common: Estimate, apart: Estimate, sample: _Sample, tokens: float) -> tuple[Estimate, Estimate]:
    """Return overlap and divergence with limits that are at least Wilson's of so many tokens, where few are shared."""
    level = sample.resampling.level
    if not near_the_end(common.value / 2, tokens):
        return common, apart
    few, many = (2 * float(limit) for limit in wilson(common.value / 2, tokens, level))
    low, high = float(np.fmin(common.low, few)), min(float(np.fmax(common.high, many)), 1.0)
    note = f"hardly anything in common: limits are at least those of {tokens:.3g} effective tokens"
    note = joined([sample.weakness if math.isnan(common.low) else common.note, note])
    least = 1 - float(shares_entropy(np.array([high, 2 - high]) / 2))
    bits = float(np.fmin(apart.low, least)), float(np.fmax(apart.high, apart.value))
    return Estimate(common.value, low, high, level, note), Estimate(apart.value, *bits, level, apart.note)


# How well each gold phone fits each category: its goodness, from posteriors, confidences, or shares of tokens.

Source = Literal["posteriors", "confidence", "shares"]


@dataclass(frozen=True, eq=False)
class Goodness:
    """The goodness of each phone in each category, [G, P], and in replicates, [G, P, R]; NaN where it is not known."""

    source: Source
    values: Floats
    drawn: Floats


def goodness(case: Case, heard: Heard) -> Goodness:
    """Return the goodness of the phones of a case."""
    if case.tokens is not None and not case.without_tokens:
        return _of_posteriors(case, case.tokens, heard)
    confidence = case.counted.corpus.predicted.confidence
    if confidence is not None:
        return _of_confidences(case, confidence, heard)
    return Goodness("shares", heard.shares[:, :-1], heard.drawn[:, :-1])


def _of_posteriors(case: Case, tokens: TokenPosteriors, heard: Heard) -> Goodness:
    mass, groups = joint_of_tokens(tokens, "token").mass, len(tokens.phones)
    values = divided(mass, mass.sum(axis=1, keepdims=True))
    drawn = replicate_means(
        tokens.rows, tokens.codes, groups=groups, owner=tokens.utterances, resampling=case.token_resampling
    )
    rows, columns = _codes(heard.gold, tokens.phones), _codes(heard.categories, tokens.columns)
    known, places = (rows >= 0)[:, None] & (columns >= 0), np.ix_(rows, columns)
    means = np.moveaxis(drawn, 0, -1)[places]
    return Goodness("posteriors", np.where(known, values[places], np.nan), np.where(known[..., None], means, np.nan))


def _codes(phones: Inventory, other: Inventory) -> Codes:
    """Return the codes of phones in another inventory, −1 for those that it lacks."""
    return np.array([other.code(phone) if phone in other else -1 for phone in phones], dtype=np.int64)


def _of_confidences(case: Case, confidence: Floats, heard: Heard) -> Goodness:
    path, predicted = case.counted.by_costs, case.counted.corpus.predicted
    gold = path.gold[path.predicted < len(heard.categories)]  # an alignment spells the predictions in their order
    known = (gold < len(heard.gold)) & np.isfinite(confidence)
    shape = len(heard.gold), len(heard.categories)
    place = gold[known].astype(np.int64) * shape[1] + predicted.codes[known]
    values = np.stack([confidence[known], np.ones(int(known.sum()))], axis=1)
    sums = sums_by(place, values, shape[0] * shape[1])
    drawn = replicate_group_sums(
        values, place, groups=len(sums), owner=predicted.token_utterances()[known], resampling=heard.resampling
    )
    means = divided(drawn[..., 0], drawn[..., 1]).T
    return Goodness("confidence", divided(sums[:, 0], sums[:, 1]).reshape(shape), means.reshape(*shape, -1))

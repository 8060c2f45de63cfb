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

import numpy as np

from phonxling.analyses.assimilation.heard import Heard
from phonxling.core.arrays import Floats
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.entropy_sums import shares_entropy
from phonxling.resample.information_interval import information_interval
from phonxling.resample.intervals import estimate, weakness
from phonxling.resample.jackknife import jackknife
from phonxling.resample.proportion import ASSUMED, effective_tokens, near_the_end, wilson
from phonxling.resample.student import freedom_of, t_reach
from phonxling.resample.weights import Resampling

_ALIKE = "not told apart from phones that are heard alike"


@dataclass(frozen=True, slots=True)
class Discriminability:
    """Overlap, what phones heard alike would show, and the divergence of one contrast."""

    overlap: Estimate
    divergence: Estimate
    null: float


def overlap(first: Floats, second: Floats) -> Floats:
    """Return Σ min of two distributions along the first axis, [P …].

    Examples
    --------
    >>> float(overlap(np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5])))
    0.5
    """
    return np.asarray(np.minimum(first, second).sum(axis=0))


def divergence(first: Floats, second: Floats) -> Floats:
    """Return the Jensen–Shannon divergence in bits of two distributions along the first axis, [P …].

    Examples
    --------
    >>> float(divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    1.0
    """
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

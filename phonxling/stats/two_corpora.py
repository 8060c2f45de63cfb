"""Two corpora beside each other: whether their confusions differ in a cell, and any measure of both their counts.

Conventions
-----------
A difference of cells is p(x|y) of the one less that of the other. c_s and n_s are the tokens of a cell and of its row
that cluster s (a speaker or an utterance) has, c and n their sums, p = c/n, and C = n²/Σ n_s² the effective number of
clusters with tokens of the row: a row's tokens depend on each other within a cluster. Tables are [T, P], T rows and P
columns; those of clusters [C, T, P].

Measures
--------
A difference is tested twice, by cluster with Student's t and by token with the normal distribution; p is the larger of
the two p-values and the interval the wider of the two, which keeps the level where either does. The two variances of
p(x|y) − p′(x|y) stand at `unpaired_errors` and `paired_errors`, with S(a, b) = Σ_s (c_a − p_a n_a)(c_b − p_b n_b).

Any other measure of two corpora's counts is jackknifed over the clusters of both.

References
----------
Cochran (1977), Sampling techniques, 6.8 and 11.13, on the variance of ratios by clusters. Welch (1947). McNemar (1947).
Arvesen (1969), Jackknifing U-statistics: the jackknife of two samples.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from phonxling.core.arrays import Bools, Codes, Floats, divide
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import GAP, merge
from phonxling.stats.jackknife import Clusters, by_cluster, correct_bias
from phonxling.stats.student import (
    Contrast,
    EstimateSpread,
    contrast,
    count_clusters,
    freedom_of,
    spread_of,
    spread_of_difference,
    t_margin,
)

FEW_TOKENS = 20  # of a phone on either side, below which nothing of it is tested
FEW_EVENTS = 10  # tokens that show a confusion, below which hardly any difference could be told
_CONSTANT = 1e-9  # a standard error below this is rounding
_NOTHING = 1e-9  # a count that subtraction leaves of none


@dataclass(frozen=True, eq=False)
class CellShares:
    """The counts of clusters [C, T, P], the tokens of their rows [C, T, 1], and the sums of both, c and n.

    With the effective clusters of each row, and whether these are too few, [T, 1].
    """

    by_cluster: Floats
    of: Floats
    counts: Floats
    tokens: Floats
    clusters: Floats
    few: Bools

    @property
    def shares(self) -> Floats:
        """p(x|y), [T, P]; 0 for a row without tokens."""
        return divide(self.counts, self.tokens, undefined=0.0)

    @property
    def apart(self) -> Floats:
        """c_s − p n_s of each cluster, [C, T, P]."""
        return np.asarray(self.by_cluster - self.shares * self.of)

    @property
    def freedom(self) -> Floats:
        """C − 1, [T, 1]; NaN for a row that fewer than two clusters have."""
        return np.where(self.clusters > 1, freedom_of(self.clusters), np.nan)

    @property
    def variance(self) -> Floats:
        """V, [T, P]."""
        squares = (self.apart**2).sum(axis=0)
        return divide((self.freedom + 1) * squares, self.freedom * self.tokens**2)


def cell_shares(counts: Floats, of: Floats | None = None) -> CellShares:
    """Return what the counts of clusters [C, T, P] show of each cell; `of` are their rows' tokens, [C, T, 1]."""
    tokens = counts.sum(axis=2, keepdims=True) if of is None else of
    return CellShares(counts, tokens, counts.sum(axis=0), tokens.sum(axis=0), *count_clusters(tokens, axis=0))


@dataclass(frozen=True, eq=False)
class Errors:
    """How far the differences of cells may be off, [T, P]: their spread by cluster, and their variance by token."""

    by_cluster: EstimateSpread
    by_token: Floats

    def contrast(self, difference: Floats, level: float) -> Contrast:
        """Return the wider limits, within −1 and 1, and the larger p; NaN where neither variance is above 0."""
        spread = self.by_cluster
        by_token = EstimateSpread(self.by_token, np.full(difference.shape, np.inf), spread.clusters, spread.few)
        with np.errstate(divide="ignore", invalid="ignore"):  # a variance may be 0
            one, other = contrast(difference, spread, level), contrast(difference, by_token, level)
        # Both tests must agree: by cluster a confusion that one side never shows does not vary, by token speakers are
        # taken for independent; the larger p keeps the level where either does.
        known = np.maximum(spread.variance, self.by_token) > _CONSTANT**2
        low, high = np.maximum(np.minimum(one.low, other.low), -1.0), np.minimum(np.maximum(one.high, other.high), 1.0)
        return Contrast(*(np.where(known, values, np.nan) for values in (low, high, np.fmax(one.p, other.p))))


def unpaired_errors(first: CellShares, second: CellShares) -> Errors:
    """Return the errors of the differences of two independent samples."""
    # By cluster the jackknife's variance of a ratio, to first order: V + V′, V = C/(C − 1) S(1, 1)/n², on Welch's
    # degrees of freedom. By token p₀(1 − p₀)(1/n + 1/n′), p₀ the share of both together: a confusion that one side
    # never shows varies over none of its clusters, and would else be taken as certain.
    pooled = first.counts + second.counts
    usual = divide(pooled, first.tokens + second.tokens, undefined=0.0)
    own, other, free, other_free = first.variance, second.variance, first.freedom, second.freedom
    by_token = usual * (1 - usual) * (divide(1.0, first.tokens) + divide(1.0, second.tokens))
    welch = divide((own + other) ** 2, own**2 / free + other**2 / other_free)
    freedom = np.where(own + other > 0, welch, free + other_free)
    clusters = np.minimum(first.clusters, second.clusters)
    by_cluster = EstimateSpread(own + other, freedom, clusters, first.few | second.few)
    return Errors(by_cluster, np.where(pooled > 0, by_token, np.nan))


def paired_errors(first: CellShares, second: CellShares, discordant: Floats) -> Errors:
    """Return the errors of the differences of two sides of the same clusters; `discordant` is D, [T, P]."""
    # By cluster C/(C − 1) [S(1, 1)/n² + S(2, 2)/n′² − 2 S(1, 2)/(n n′)], on C − 1: the difference of the two sides
    # within each, so that what a speaker does to both cancels. By token D/(n n′), D = Σ_u |c_u − c′_u| over utterances:
    # so many tokens, at least, only one side hears as x (the discordant ones of McNemar's test).
    own, other, clusters = first.tokens, second.tokens, np.maximum(first.clusters, second.clusters)
    moved = divide(first.apart, own) - divide(second.apart, other)
    freedom = np.where(clusters > 1, freedom_of(clusters), np.nan) + np.zeros(first.counts.shape)
    variance = (freedom + 1) / freedom * (moved**2).sum(axis=0)
    return Errors(EstimateSpread(variance, freedom, clusters, first.few & second.few), divide(discordant, own * other))


def discordance(first: ConfusionStack, second: ConfusionStack) -> Floats:
    """Return D of the cells of two stacks of the same utterances and phones, [G + 1, P + 1], ∅ last."""
    from scipy.sparse import csr_array  # a fifth of a second, which `check` need not wait

    shape = len(first.gold) + 1, len(first.predicted) + 1
    sizes = len(first), shape[0] * shape[1]
    own, other = (csr_array((one.counts, one.cells, one.offsets), shape=sizes) for one in (first, second))
    return np.asarray(abs(own - other).sum(axis=0), np.float64).reshape(shape)


def common_weights(first: Floats, second: Floats) -> Floats:
    """Return the weights of Mantel & Haenszel of phones, of two corpora's tokens by cluster, [C, Y] each: [Y], or 0."""
    # One cluster alone does not tell how a phone varies: both corpora have two or more.
    several = np.logical_and(*(np.count_nonzero(tokens, axis=0) >= 2 for tokens in (first, second)))
    own, other = first.sum(axis=0), second.sum(axis=0)
    weights = np.where(several, divide(own * other, own + other, undefined=0.0), 0.0)
    return divide(weights, weights.sum(), undefined=0.0)


def have_enough_tokens(first: CellShares, second: CellShares) -> Bools:
    """Return which cells have tokens enough for a test, [T, P]."""
    # Both sides have twenty of the gold phone, and together ten in the cell and ten outside of it. Shares are those of
    # confusions.tsv: of the tokens that were not deleted, unless ∅ is counted as a symbol, on both sides.
    cells, tokens = first.counts + second.counts, first.tokens + second.tokens
    events = np.minimum(cells, tokens - cells)
    return np.asarray((np.minimum(first.tokens, second.tokens) >= FEW_TOKENS) & (events >= FEW_EVENTS))


@dataclass(frozen=True, slots=True)
class JackknifedDifference:
    """A measure of two corpora, its standard error, Welch’s degrees of freedom, whether clusters are too few."""

    value: float
    error: float
    freedom: float
    few: bool

    @property
    def p(self) -> float:
        """The two-sided p-value of 0; NaN without a test."""
        spread = spread_of(self.error**2 or np.nan, self.freedom, np.nan, few=self.few)
        return float(contrast(self.value, spread, 0.95).p[0])

    def estimate(self, level: float) -> Estimate:
        """Return it with its limits; without where clusters are too few, or do not differ."""
        if self.few or not self.error or math.isnan(self.error):
            return Estimate(self.value, status="too-few-clusters" if self.few else "undefined")
        margin = float(t_margin(self.freedom, level)) * self.error
        return Estimate(self.value, self.value - margin, self.value + margin, level)


def jackknife_counts(measure: Callable[..., Floats], *samples: Floats, corrected: bool = False) -> JackknifedDifference:
    """Return a measure of the summed counts of one or two samples, of whose clusters [C, …] each is left out in turn.

    `measure` takes as many arrays of counts as there are samples, with an axis of left-out clusters before theirs.
    """
    sums = [sample.sum(axis=0) for sample in samples]
    value, spreads = float(measure(*sums)), list[EstimateSpread]()
    bias = 0.0
    for place, sample in enumerate(samples):
        left = sums[place] - sample
        # A cell that only the left-out cluster has must be 0 without it, not a rest of subtraction, or it would count
        # as seen.
        rest = [np.where(left > _NOTHING, left, 0.0) if at == place else total for at, total in enumerate(sums)]
        without, sizes = np.asarray(measure(*rest)), sample.reshape(len(sample), -1).sum(axis=1)
        # Each sample’s clusters in turn, the other sample whole: variances and biases add up (Arvesen 1969).
        spreads.append(EstimateSpread.of(without[None], sizes[None]))
        bias += value - float(correct_bias(value, without, sizes))
    both = spreads[0] if len(spreads) == 1 else spread_of_difference(*spreads)
    error = math.sqrt(both.variance[0]) if both.variance[0] > 0 else math.nan
    return JackknifedDifference(value - bias * corrected, error, float(both.freedom[0]), bool(both.few[0]))


@dataclass(frozen=True, eq=False, kw_only=True)
class Side:
    """The confusions of one of two that are compared: by utterance, and with ∅ as a symbol where `gaps`."""

    stack: ConfusionStack
    clusters: Clusters
    gaps: bool

    def shares(self, rows: Codes, columns: Codes) -> CellShares:
        """Return what its clusters show of the cells of these rows and columns, of the tokens of all columns."""
        counts = by_cluster(self.stack, self.clusters)[:, rows]
        tokens = (counts if self.gaps else counts[:, :, :-1]).sum(axis=2, keepdims=True)
        return cell_shares(counts[:, :, columns], tokens)


def cell_differences(first: Side, second: Side, *, same: bool, tested: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the cells that are compared, with interval and p; `same`: both are of the same utterances, in one order.

    Without a test (`tested`) p is NaN.
    """
    if first.gaps != second.gaps:  # else the shares of one side would be of more tokens
        first, second = (replace(side, gaps=False) for side in (first, second))
    names, gap = ("gold", "predicted"), [GAP] * first.gaps
    shared = [[x for x in getattr(first.stack, name) if x in getattr(second.stack, name)] + gap for name in names]
    # Both are counted over the phones of both, so that a cell has one place.
    every = [merge(getattr(first.stack, name), getattr(second.stack, name)) for name in names]
    sides = [replace(side, stack=side.stack.over(*every)) for side in (first, second)]
    places = [np.array([[*phones, GAP].index(x) for x in own], int) for phones, own in zip(every, shared, strict=True)]
    own, other = (side.shares(*places) for side in sides)
    if same:
        errors = paired_errors(own, other, discordance(*(side.stack for side in sides))[np.ix_(*places)])
    else:
        errors = unpaired_errors(own, other)
    difference = own.shares - other.shares
    tests = errors.contrast(difference, first.clusters.level)
    few = np.broadcast_to(errors.by_cluster.few, difference.shape)
    for cell in map(tuple, np.argwhere(have_enough_tokens(own, other)).tolist()):
        p = tests.p[cell] if tested else np.nan
        yield {
            "gold": shared[0][cell[0]],
            "predicted": shared[1][cell[1]],
            "value": own.shares[cell],
            "other_value": other.shares[cell],
            "difference": difference[cell],
            "low": tests.low[cell],
            "high": tests.high[cell],
            "p": p,
            "status": "too-few-clusters" if few[cell] else "undefined" if tested and np.isnan(p) else "",
        }

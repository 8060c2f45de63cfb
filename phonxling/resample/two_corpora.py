"""Two corpora beside each other: whether their confusions differ in a cell, and measures of both their counts.

Conventions
-----------
A difference of cells is p(x|y) of the one less that of the other. c_s and n_s are the tokens of a cell and of its row
that cluster s (a speaker or an utterance) has, c and n their sums, p = c/n, and C = n²/Σ n_s² the effective number of
clusters with tokens of the row: a row's tokens depend on each other within a cluster. Tables are [T, P], T rows and P
columns.

Measures
--------
A difference is tested twice, p is the larger of the two p-values and the interval the wider of the two, which keeps the
level where either does. The variance of p(x|y) − p′(x|y), with S(a, b) = Σ_s (c_a − p_a n_a)(c_b − p_b n_b):

- by cluster, with Student's t. Independent samples: V + V′, V = C/(C − 1) S(1, 1)/n², on Welch's degrees of freedom.
  The same utterances: C/(C − 1) [S(1, 1)/n² + S(2, 2)/n′² − 2 S(1, 2)/(n n′)], on C − 1;
- by token, with the normal distribution: a confusion that one side never shows varies over none of its clusters, and
  would else be taken as certain. Independent samples: p₀(1 − p₀)(1/n + 1/n′), p₀ the share of both together. The same
  utterances: D/(n n′), D = Σ_u |c_u − c′_u| over utterances: so many tokens, at least, only one side hears as x (the
  discordant ones of McNemar's test).

Any other measure of two corpora's counts is resampled, or jackknifed, each by its own clusters.

References
----------
Cochran (1977), Sampling techniques, 6.8 and 11.13, on the variance of ratios by clusters. Welch (1947). McNemar (1947).
Arvesen (1969), Jackknifing U-statistics: the jackknife of two samples.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from phonxling.core.arrays import Bools, Codes, Floats, divided, sum_by
from phonxling.core.confusion import ConfusionStack
from phonxling.resample.entropies import ClusterCells
from phonxling.resample.intervals import Resampling
from phonxling.resample.replicates import at_once, replicate_counts
from phonxling.resample.student import Contrast, Spread, contrast, effective_number, freedom_of

FEW_TOKENS = 20  # of a phone on either side, below which nothing of it is tested
FEW_EVENTS = 10  # tokens that show a confusion, below which hardly any difference could be told
_CONSTANT = 1e-9  # a standard error below this is rounding
Resampled: TypeAlias = tuple[ConfusionStack, Resampling]


@dataclass(frozen=True, eq=False)
class CellShares:
    """The counts c of a table [T, P], tokens n of its rows, their effective clusters C [T, 1], and S(1, 1) [T, P]."""

    counts: Floats
    tokens: Floats
    clusters: Floats
    squares: Floats

    @property
    def shares(self) -> Floats:
        """p(x|y), [T, P]; 0 for a row without tokens."""
        return divided(self.counts, self.tokens, undefined=0.0)

    @property
    def freedom(self) -> Floats:
        """C − 1, [T, 1]; NaN for a row that fewer than two clusters have."""
        return np.where(self.clusters > 1, freedom_of(self.clusters), np.nan)

    @property
    def variance(self) -> Floats:
        """V, [T, P]."""
        return divided((self.freedom + 1) * self.squares, self.freedom * self.tokens**2)

    def at(self, rows: Codes, columns: Codes) -> "CellShares":
        """Return those of these rows and columns, 0 for −1; the rows' tokens stay what they are."""
        chosen = np.ix_(rows, columns)
        counts, squares = (np.pad(table, (0, 1))[chosen] for table in (self.counts, self.squares))
        tokens, clusters = (np.pad(sums, ((0, 1), (0, 0)))[rows] for sums in (self.tokens, self.clusters))
        return CellShares(counts, tokens, clusters, squares)


def cell_shares(cells: ClusterCells) -> CellShares:
    """Return what the counts of clusters show of each cell; one pass over them."""
    counts, rows = cells.table, _row_sums(cells)
    squares = sum(((part.dot(rows).toarray() ** 2).sum(axis=0) for part in _parts(cells)), np.zeros(len(counts)))
    tokens = counts.sum(axis=1, keepdims=True)
    clusters = effective_number(tokens, squares[:, None])
    return CellShares(counts, tokens, clusters, np.maximum(co_deviations(cells, cells), 0.0))


def co_deviations(first: ClusterCells, second: ClusterCells) -> Floats:
    """Return S(1, 2) of two tables of the same clusters and phones, [T, P]."""
    sizes, rows = first.shape, _row_sums(first)
    products, mixed, turned = np.zeros((3, sizes[0] * sizes[1]))
    tokens = np.zeros(sizes[0])
    for own, other in zip(_parts(first), _parts(second), strict=True):
        own_tokens, other_tokens = (side.dot(rows).toarray() for side in (own, other))
        products += own.multiply(other).sum(axis=0)
        mixed += _times(other, own_tokens)
        turned += _times(own, other_tokens)
        tokens += (own_tokens * other_tokens).sum(axis=0)
    p, q = (divided(side.table, side.table.sum(axis=1, keepdims=True), undefined=0.0) for side in (first, second))
    products, mixed, turned = (one.reshape(sizes) for one in (products, mixed, turned))
    return np.asarray(products - p * mixed - q * turned + p * q * tokens[:, None])


def _row_sums(cells: ClusterCells) -> csr_array:
    """Return what sums the cells of each row of a table when counts are multiplied by it, [cells, rows]."""
    rows, columns = cells.shape
    return csr_array((np.ones(rows * columns), np.repeat(np.arange(rows), columns), np.arange(rows * columns + 1)))


def _parts(cells: ClusterCells) -> Iterator[csr_array]:
    """Yield the counts of some clusters at a time, a row each; cells of the table as columns."""
    rows, columns = cells.shape
    for part in cells.parts():
        counts = part.tokens, part.row * columns + part.column, part.offsets
        yield csr_array(counts, shape=(len(part.offsets) - 1, rows * columns))


def _times(counts: csr_array, tokens: Floats) -> Floats:
    """Return Σ_s c_s n_s of each cell, of counts [S, cells] and tokens of the other side's rows [S, rows]."""
    cells = counts.shape[1]
    cluster = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    weights = counts.data * tokens[cluster, counts.indices // (cells // tokens.shape[1])]
    return sum_by(counts.indices, weights, cells)


@dataclass(frozen=True, eq=False)
class Errors:
    """How far the differences of cells may be off, [T, P]: their spread by cluster, and their variance by token."""

    by_cluster: Spread
    by_token: Floats

    def contrast(self, difference: Floats, level: float) -> Contrast:
        """Return the wider limits, within −1 and 1, and the larger p; NaN where neither variance is above 0."""
        spread, single = self.by_cluster, np.full(difference.shape, np.inf)
        every = spread, Spread(self.by_token, single, spread.lost, spread.clusters)
        with np.errstate(divide="ignore", invalid="ignore"):  # a variance may be 0
            tests = [contrast(difference, one, level) for one in every]
        known = np.maximum(spread.variance, self.by_token) > _CONSTANT**2
        low, high = np.minimum(*(one.low for one in tests)), np.maximum(*(one.high for one in tests))
        limits = np.maximum(low, -1.0), np.minimum(high, 1.0), np.fmax(*(one.p for one in tests))
        return Contrast(*(np.where(known, values, np.nan) for values in limits))


def unpaired(first: CellShares, second: CellShares) -> Errors:
    """Return the errors of the differences of two independent samples."""
    pooled = first.counts + second.counts
    usual = divided(pooled, first.tokens + second.tokens, undefined=0.0)
    own, other, free, other_free = first.variance, second.variance, first.freedom, second.freedom
    by_token = usual * (1 - usual) * (divided(1.0, first.tokens) + divided(1.0, second.tokens))
    freedom = np.where(
        own + other > 0, divided((own + other) ** 2, own**2 / free + other**2 / other_free), free + other_free
    )
    clusters = np.minimum(first.clusters, second.clusters)
    by_cluster = Spread(own + other, freedom, np.zeros(freedom.shape), clusters)
    return Errors(by_cluster, np.where(pooled > 0, by_token, np.nan))


def paired(first: CellShares, second: CellShares, *, together: Floats, discordant: Floats) -> Errors:
    """Return the errors of the differences of two sides of the same utterances; `together` is S(1, 2)."""
    own, other, clusters = first.tokens, second.tokens, np.maximum(first.clusters, second.clusters)
    sums = divided(first.squares, own**2) + divided(second.squares, other**2) - 2 * divided(together, own * other)
    freedom = np.where(clusters > 1, freedom_of(clusters), np.nan) + np.zeros(sums.shape)
    by_cluster = Spread(np.maximum((freedom + 1) * sums / freedom, 0.0), freedom, np.zeros(sums.shape), clusters)
    return Errors(by_cluster, divided(discordant, own * other))


def discordance(first: ConfusionStack, second: ConfusionStack) -> Floats:
    """Return D of the cells of two stacks of the same utterances and phones, [G + 1, P + 1], ∅ last."""
    sides = [ClusterCells(stack, gaps=True) for stack in (first, second)]
    total = np.zeros(int(np.prod(sides[0].shape)))
    for own, other in zip(*(_parts(side) for side in sides), strict=True):
        total += abs(own - other).sum(axis=0)
    return total.reshape(sides[0].shape)


def enough(first: CellShares, second: CellShares) -> Bools:
    """Return which cells have tokens enough for a test, [T, P]."""
    cells, tokens = first.counts + second.counts, first.tokens + second.tokens
    events = np.minimum(cells, tokens - cells)
    return np.asarray((np.minimum(first.tokens, second.tokens) >= FEW_TOKENS) & (events >= FEW_EVENTS))


def over_unpaired(first: Resampled, second: Resampled, measure: Callable[[Floats, Floats], Floats]) -> Floats:
    """Return what a measure of two corpora's counts, [G + 1, P + 1, R] each, gives for all replicates, [..., R]."""
    none = [np.zeros((len(stack.gold) + 1, len(stack.predicted) + 1, 0)) for stack, _ in (first, second)]
    sides = zip((first, second), none, strict=True)
    most = min(at_once(weights, math.prod(empty.shape[:2])) for (_, weights), empty in sides)  # to stand side by side
    parts = zip(replicate_counts(*first, most), _following(replicate_counts(*second, most)), strict=True)
    return np.concatenate([measure(*none), *(measure(*both) for both in parts)], axis=-1)


def _following(parts: Iterator[Floats]) -> Iterator[Floats]:
    """Yield in the place of each replicate the one after it, in parts [..., R] as before."""
    first = part = next(parts, None)
    if part is None or first is None:
        return
    for following in chain(parts, [first]):
        yield np.concatenate([part[..., 1:], following[..., :1]], axis=-1)
        part = following


def jackknifed(value: float, first: Floats, second: Floats) -> tuple[float, float]:
    """Return a measure of two corpora without the bias of their few clusters, and its standard error."""
    bias, variance = 0.0, 0.0
    for left_out in (first, second):
        known = left_out[np.isfinite(left_out)]
        if len(known) > 1:
            bias += (len(known) - 1) * float(known.mean() - value)
            variance += (len(known) - 1) / len(known) * float(((known - known.mean()) ** 2).sum())
    return value - bias, math.sqrt(variance)

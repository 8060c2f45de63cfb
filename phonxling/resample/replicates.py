"""Confusion matrices of bootstrap replicates, sums of what tokens hold, and the measures of all replicates at once.

Replicate r's matrix is Σ_u W[r, u] · C_u: the weights of `resampling` times the sparse counts of the utterances. They
are the corpus' one set of weights, so that all measures, and both sides of a comparison, are resampled together.
Measures that are linear in the counts need no matrix (see `Resampling.ratio`); entropies and information do.

Conventions
-----------
`values` [N, k] are what each of N tokens holds, `owner` [N] the positions of their utterances among those that are
resampled, `group` [N] the group of each, 0 … G − 1: its phone, its bin of confidence (`TokenGroups`).

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap. Bisani & Ney (2004).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.core.posteriorgram import Rows
from phonxling.count.confusions import parts_of
from phonxling.count.kernel import add_rows
from phonxling.resample.intervals import Method, Resampling, estimate, resampling
from phonxling.resample.kernel import add_drawn_cells, deal_halves
from phonxling.resample.student import Kind, effective_clusters

_TOGETHER = 128  # replicates whose matrices are held at one time
_FEWEST = 8  # and at least, where inventories are large
_LARGEST = 64_000_000  # bytes of their weights; half as many of their counts, which are worked on many at a time
_SUMS_TOGETHER = 64  # replicates whose weights are floats at one time
_DENSE = 4  # cells of clusters and groups for each token, up to which a table of them all is quickest
_PARTS = 200  # of a jackknife at most: it needs a table of each
Measure = Callable[[Floats], ArrayLike]
Groups = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Halving:
    """How C clusters are dealt to two halves, for cross-fitting: in which order [C], and the tokens of each [C]."""

    order: Codes
    tokens: Codes

    def deal(self, weights: NDArray[np.uint8]) -> None:
        """Move the weights of R draws, which stand first in each row of `weights` [C, 2R], to the cluster's half."""
        if len(weights) != len(self.order):
            raise ValueError(f"weights of {len(weights)} clusters, and {len(self.order)} are dealt to halves")
        deal_halves(self.order, self.tokens[self.order], weights)


def replicate_counts(stack: ConfusionStack, resampling: Resampling, most: int = _TOGETHER) -> Iterator[Floats]:
    """Yield the counts of the replicates, in order, in parts [G + 1, P + 1, at most so many], ∅ last."""
    shape = len(stack.gold) + 1, len(stack.predicted) + 1
    every = np.arange(shape[0] * shape[1])
    yield from (counts.reshape(*shape, -1) for counts in cell_counts(stack, resampling, every, most=most))


def at_once(resampling: Resampling, cells: int) -> int:
    """Return of how many replicates the counts of so many cells fit into memory."""
    most = min(_TOGETHER, _LARGEST // max(1, resampling.number), _LARGEST // (16 * max(1, cells)))
    return max(_FEWEST, most)


def over_replicates(stack: ConfusionStack, resampling: Resampling, measure: Callable[[Floats], Floats]) -> Floats:
    """Return what a measure of counts [G + 1, P + 1, R] gives for all replicates, [..., R]."""
    none = np.zeros((len(stack.gold) + 1, len(stack.predicted) + 1, 0))
    parts = chain([none], replicate_counts(stack, resampling))
    return np.concatenate([measure(counts) for counts in parts], axis=-1)


def cell_counts(
    stack: ConfusionStack,
    resampling: Resampling,
    cells: Codes,
    halving: Halving | None = None,
    *,
    most: int = _TOGETHER,
) -> Iterator[Floats]:
    """Yield the same for K cells, among them all that are attested, [K, 1, at most 128]; with halves [K, 2, …]."""
    if len(stack) != len(resampling.clusters):
        raise ValueError(f"{len(resampling.clusters)} utterances are resampled, and counts are of {len(stack)}")
    places = np.zeros((len(stack.gold) + 1) * (len(stack.predicted) + 1), np.int64)
    places[cells] = np.arange(len(cells))
    halves = 1 if halving is None else 2
    for weights in resampling.parts(min(most, at_once(resampling, halves * len(cells)))):
        drawn = np.zeros((resampling.number, halves * len(weights)), np.uint8)
        drawn[:, : len(weights)] = weights.T
        if halving:
            halving.deal(drawn)
        sums = np.zeros((len(cells), drawn.shape[1]))
        add_drawn_cells(stack.offsets, places, stack.cells, stack.counts, resampling.clusters, drawn, sums)
        yield sums.reshape(len(cells), halves, len(weights))


def sums_by(codes: NDArray[np.integer], values: Floats, size: int) -> Floats:
    """Return the sums of the values [N, k] of each code 0 … size − 1, [size, k]."""
    columns = [sum_by(codes, column, size) for column in values.T]
    return np.stack(columns, axis=1) if columns else np.zeros((size, 0))


def cluster_sums(values: Floats, owner: Codes, resampling: Resampling) -> Floats:
    """Return the sums over each cluster, [C, k]."""
    return sums_by(resampling.clusters[owner], values, resampling.number)


def replicate_sums(by_cluster: Floats, resampling: Resampling) -> Floats:
    """Return the sums over each bootstrap replicate, [R, k], of sums over clusters [C, k]."""
    together = max(1, min(_SUMS_TOGETHER, _LARGEST // (8 * max(1, resampling.number))))
    parts = [np.asarray(weights.astype(np.float64) @ by_cluster) for weights in resampling.parts(together)]
    return np.concatenate([np.zeros((0, by_cluster.shape[1])), *parts])


@dataclass(frozen=True, eq=False)
class TokenGroups:
    """N tokens by `group` [N], 0 … G − 1, and by `owner` [N], the positions of their utterances."""

    group: Groups
    groups: int
    owner: Codes
    resampling: Resampling

    def drawn(self, values: Rows, counts: Floats | None = None) -> Floats:
        """Return the sums of each group over each bootstrap replicate, [R, G, k]; a token counts 1, or `counts` [N]."""
        total = np.zeros((self.resampling.replicates, self.groups, values.shape[1]))
        clusters = self.resampling.clusters
        for part in parts_of(values) if self.resampling.kept else [slice(None)]:  # others would be drawn for each part
            rows, weights = values[part].astype(np.float64, copy=False), None if counts is None else counts[part]
            group, (drawn, place) = self.group[part], np.unique(clusters[self.owner[part]], return_inverse=True)
            if len(drawn) * self.groups <= _DENSE * len(rows):
                sums = _summed(rows, place * self.groups + group, weights, (len(drawn), self.groups))
                _add_drawn(total, self.resampling, drawn, sums)
                continue
            for code in np.unique(group):
                own = np.flatnonzero(group == code)
                present, own_place = np.unique(place[own], return_inverse=True)
                sums = _summed(rows[own], own_place, None if weights is None else weights[own], (len(present), 1))
                _add_drawn(total[:, code : code + 1], self.resampling, drawn[present], sums)
        return total

    def left_out(self, values: Rows, counts: Floats | None = None) -> Floats:
        """Return the sums of each group without each cluster, or each of 200 parts of the clusters, [B, G, k]."""
        number, width = min(self.resampling.number, _PARTS), values.shape[1]
        sums = np.zeros((number, self.groups, width))
        part_of = self.resampling.clusters % max(number, 1)
        for part in parts_of(values):
            place = part_of[self.owner[part]] * self.groups + self.group[part]
            weights = None if counts is None else counts[part]
            sums += _summed(values[part].astype(np.float64, copy=False), place, weights, (number, self.groups))
        return np.asarray(np.maximum(sums.sum(axis=0) - sums, 0.0))  # less than 0 by rounding alone

    def drawn_means(self, rows: Rows) -> Floats:
        """Return each group's mean row in each replicate, [R, G, k]; NaN where the replicate has no token of it."""
        total = self.drawn(rows)
        return divided(total, np.broadcast_to(self.drawn(np.ones((len(rows), 1))), total.shape))

    def clusters(self) -> Floats:
        """Return how many clusters hold tokens of each group, and how many effective ones, [2, G]."""
        cluster = self.resampling.clusters[self.owner]
        held = (np.bincount(cluster[self.group == one], minlength=1).astype(float) for one in range(self.groups))
        return np.array([(np.count_nonzero(tokens), effective_clusters(tokens)) for tokens in held]).reshape(-1, 2).T

    def means(self, values: Floats) -> list[Estimate]:
        """Return the mean of each group of tokens with its interval; NaN for a group that has none."""
        means = divided(*sums_by(self.group, np.stack([values, np.ones(len(values))], axis=1), self.groups).T)
        sums = self.drawn(np.stack([np.where(np.isfinite(values), values, 0.0), np.ones(len(values))], axis=1))
        rows = zip(means.tolist(), divided(sums[:, :, 0], sums[:, :, 1]).T, self.clusters()[1].tolist(), strict=True)
        return [
            estimate(mean, drawn, self.resampling, kind="rate", clusters=clusters)
            if np.isfinite(mean)
            else Estimate(mean)
            for mean, drawn, clusters in rows
        ]


def _summed(rows: Floats, place: Codes, weights: Floats | None, shape: tuple[int, int]) -> Floats:
    """Return the weighted sums [c, g, k] of rows [n, k] by their place among c · g."""
    sums = np.zeros((*shape, rows.shape[1]))
    add_rows(rows, np.ones(len(rows)) if weights is None else weights, place, sums.reshape(-1, rows.shape[1]))
    return sums


def _add_drawn(total: Floats, resampling: Resampling, clusters: Codes, sums: Floats) -> None:
    """Add to each replicate of `total` [R, g, k] the sums [c, g, k] of clusters as often as it drew them."""
    size = max(1, min(resampling.replicates, _LARGEST // (8 * max(1, len(clusters)))))
    flat, first = sums.reshape(len(sums), -1), 0
    for weights in resampling.parts(size):
        drawn = weights[:, clusters].astype(np.float64) @ flat
        total[first : first + len(weights)] += drawn.reshape(-1, *sums.shape[1:])
        first += len(weights)


def replicate_values(stack: ConfusionStack, resampling: Resampling, measure: Measure) -> Floats:
    """Return measure(counts) of each replicate, [R, …]; counts are [G + 1, P + 1], ∅ last."""
    parts = (np.moveaxis(counts, -1, 0) for counts in replicate_counts(stack, resampling))
    values = [measure(np.ascontiguousarray(counts)) for part in parts for counts in part]
    return np.asarray(values, dtype=np.float64)


def left_out_values(stack: ConfusionStack, resampling: Resampling, measure: Measure) -> Floats:
    """Return measure(counts) with each cluster left out in turn, [C, …]: the jackknife's values."""
    total, owner, values = stack.total().counts, np.repeat(resampling.clusters, np.diff(stack.offsets)), []
    order = np.argsort(owner, kind="stable")
    for first, last in pairwise(np.searchsorted(owner[order], np.arange(resampling.number + 1))):
        own = order[first:last]
        part = np.bincount(stack.cells[own], weights=stack.counts[own], minlength=total.size)
        values.append(measure(np.maximum(total - part.reshape(total.shape), 0.0)))
    return np.asarray(values, dtype=np.float64)


def mean_of_tokens(values: Floats, owner: Codes, resampling: Resampling) -> Estimate:
    """Return the mean over tokens [N] with its interval; `owner` are the positions of their utterances."""
    return ratio_of_tokens(values, np.ones(len(values)), owner=owner, resampling=resampling)


def ratio_of_tokens(above: Floats, below: Floats, *, owner: Codes, resampling: Resampling) -> Estimate:
    """Return Σ above / Σ below over tokens with its interval; NaN without any, no interval if infinite."""
    whole = float(below.sum())
    value = float(above.sum() / whole) if whole > 0 else np.nan
    if not np.isfinite(value):
        return Estimate(value)
    by_cluster = cluster_sums(np.stack([above, below], axis=1), owner, resampling)
    drawn, left_out = (
        divided(*sums.T) for sums in (replicate_sums(by_cluster, resampling), by_cluster.sum(axis=0) - by_cluster)
    )
    clusters = effective_clusters(by_cluster[:, 1])
    return estimate(value, drawn, resampling, kind="rate", left_out=left_out, clusters=clusters)


def bootstrap(
    statistic: Callable[[ConfusionMatrix], float],
    stack: ConfusionStack,
    *,
    speakers: Sequence[str] | Codes | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    method: Method = "auto",
    kind: Kind = "number",
    corrected: bool = False,
    seed: int = 20,
) -> Estimate:
    """Return a statistic of a confusion matrix with its bootstrap interval, over speakers or utterances.

    Parameters
    ----------
    statistic : callable
        ConfusionMatrix to float; NaN where it is not defined.
    stack : ConfusionStack
    speakers : sequence of str or int64 array [U], optional
        Whose utterances are drawn together, by name or number; without them utterances are drawn.
        `Corpus.speaker_numbers` gives the draws of an experiment, which no name changes.
    replicates, level : int, float
    method : {"auto", "percentile", "bca", "basic"}
        How limits are made; auto: g(value) ± t · standard error on C − 1 degrees of freedom for C effective clusters,
        the standard error the larger of the draws' · √(C/(C − 1)) and the jackknife's.
    kind : {"number", "share", "rate", "skill"}
        The scale g of these limits: x, logit x, log x, −log(1 − x).
    corrected : bool
        Whether the value is the jackknife's estimate, for statistics that are biased in small samples.
    seed : int
        Replicate r draws from the seed [seed, r]: the same for every statistic.

    ValueError if there is not one speaker an utterance.

    Examples
    --------
    Two utterances of two phones, one all wrong and one all right: the rate is 0, 0.5 or 1 in each replicate.

    >>> from phonxling.core.inventory import Inventory
    >>> from phonxling.analyses.error_rate import aligned_error_rate
    >>> two = ConfusionStack(utterances=("u", "v"), gold=Inventory(("a",)), predicted=Inventory(("a", "b")),
    ...                      offsets=[0, 1, 2], cells=[0, 1], counts=[2, 2])
    >>> found = bootstrap(aligned_error_rate, two, replicates=200, method="percentile")
    >>> found.value, found.low, found.high, found.note
    (0.5, 0.0, 1.0, 'descriptive: the interval rests on 2 utterances only')
    """
    owner, said = np.repeat(np.arange(len(stack)), np.diff(stack.offsets)), stack.cells // (len(stack.predicted) + 1)
    tokens = sum_by(owner, stack.counts * (said < len(stack.gold)), len(stack))
    drawn = resampling(len(stack), speakers, resamples=replicates, level=level, seed=seed, method=method, tokens=tokens)

    def measure(counts: Floats) -> float:
        return float(statistic(ConfusionMatrix(stack.gold, stack.predicted, counts)))

    value, left_out = measure(stack.total().counts), left_out_values(stack, drawn, measure)
    if corrected and len(left_out) > 1:
        value = drawn.number * value - (drawn.number - 1) * float(np.nanmean(left_out))
    return estimate(value, replicate_values(stack, drawn, measure), drawn, kind=kind, left_out=left_out)

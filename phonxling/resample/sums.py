"""Sums of what tokens hold: over clusters, over bootstrap replicates, and with some clusters left out.

Conventions
-----------
`values` [N, k] are what each of N tokens holds, `owner` [N] the positions of their utterances among those that are
resampled, `group` [N] the group of each, 0 … G − 1: its phone, its bin of confidence.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.count.kernel import add_rows
from phonxling.resample.weights import Resampling

_TOGETHER = 64  # replicates whose weights are floats at one time
_LARGEST = 64_000_000  # bytes of these weights
_PARTS = 200  # of a jackknife at most: it needs a table of each


class GroupSums(NamedTuple):
    """One group, the clusters [c] that hold tokens of it, and the sums of their values, [c, k]."""

    group: int
    clusters: Codes
    sums: Floats


def sums_by(codes: NDArray[np.integer], values: Floats, size: int) -> Floats:
    """Return the sums of the values [N, k] of each code 0 … size − 1, [size, k].

    Examples
    --------
    >>> sums_by(np.array([1, 1]), np.array([[1.0, 2], [3, 4]]), 2).tolist()
    [[0.0, 0.0], [4.0, 6.0]]
    """
    columns = [sum_by(codes, column, size) for column in values.T]
    return np.stack(columns, axis=1) if columns else np.zeros((size, 0))


def cluster_sums(values: Floats, owner: Codes, resampling: Resampling) -> Floats:
    """Return the sums over each cluster, [C, k]."""
    return sums_by(resampling.clusters[owner], values, resampling.number)


def replicate_sums(by_cluster: Floats, resampling: Resampling) -> Floats:
    """Return the sums over each bootstrap replicate, [R, k], of sums over clusters [C, k].

    Examples
    --------
    >>> from phonxling.resample.weights import resampling
    >>> drawn = resampling(2, None, resamples=3, seed=1)
    >>> bool((replicate_sums(np.array([[1.0], [10.0]]), drawn) == drawn.weights @ [[1], [10]]).all())
    True
    """
    parts = [np.asarray(weights.astype(np.float64) @ by_cluster) for weights in resampling.parts(_rows(resampling))]
    return np.concatenate([np.zeros((0, by_cluster.shape[1])), *parts])


def replicate_group_sums(
    values: NDArray[np.generic],
    group: NDArray[np.integer],
    *,
    groups: int,
    owner: Codes,
    resampling: Resampling,
    counts: Floats | None = None,
) -> Floats:
    """Return the sums of each group over each bootstrap replicate, [R, G, k]; a token counts 1, or `counts` [N].

    Examples
    --------
    >>> from phonxling.resample.weights import resampling
    >>> drawn, values = resampling(2, None, resamples=3, seed=1), np.array([[2.0], [3.0]])
    >>> sums = replicate_group_sums(values, np.array([1, 0]), groups=2, owner=np.array([0, 1]), resampling=drawn)
    >>> bool((sums[:, :, 0] == drawn.weights @ [[0, 2], [3, 0]]).all())
    True
    """
    total = np.zeros((resampling.replicates, groups, values.shape[1]))
    parts = list(_sums_by_group(values, group, resampling.clusters[owner], counts))
    first = 0
    for weights in resampling.parts(_rows(resampling)):
        for code, clusters, sums in parts:
            total[first : first + len(weights), code] = weights[:, clusters].astype(np.float64) @ sums
        first += len(weights)
    return total


def left_out_group_sums(
    values: NDArray[np.generic],
    group: NDArray[np.integer],
    *,
    groups: int,
    owner: Codes,
    resampling: Resampling,
    counts: Floats | None = None,
) -> Floats:
    """Return the sums of each group without each cluster, or without each of 200 parts of the clusters, [B, G, k]."""
    number = min(resampling.number, _PARTS)
    total = np.zeros((number, groups, values.shape[1]))
    for code, parts, sums in _sums_by_group(values, group, resampling.clusters[owner] % max(number, 1), counts):
        total[:, code] = sums.sum(axis=0)
        total[parts, code] -= sums
    return np.maximum(total, 0.0)  # less than 0 by rounding alone


def replicate_means(
    rows: Floats, group: NDArray[np.integer], *, groups: int, owner: Codes, resampling: Resampling
) -> Floats:
    """Return each group's mean row in each replicate, [R, G, k]; NaN where the replicate has no token of it.

    Examples
    --------
    >>> from phonxling.resample.weights import resampling
    >>> rows, drawn = np.array([[1.0, 0], [0, 1], [0.5, 0.5]]), resampling(2, None, resamples=50, seed=1)
    >>> means = replicate_means(rows, np.array([0, 0, 1]), groups=2, owner=np.array([0, 1, 1]), resampling=drawn)
    >>> means.shape, bool((means[:, 0, 0] * 2 == drawn.weights[:, 0]).all())
    ((50, 2, 2), True)
    >>> np.unique(means[:, 1, 0]).tolist()
    [0.5, nan]
    """
    total = replicate_group_sums(rows, group, groups=groups, owner=owner, resampling=resampling)
    one = np.ones((len(rows), 1))
    number = replicate_group_sums(one, group, groups=groups, owner=owner, resampling=resampling)
    return divided(total, np.broadcast_to(number, total.shape))


def clusters_with(group: NDArray[np.integer], *, groups: int, owner: Codes, resampling: Resampling) -> Codes:
    """Return how many clusters hold tokens of each group, [G]."""
    pairs = np.unique(group.astype(np.int64) * resampling.number + resampling.clusters[owner])
    return np.bincount(pairs // max(resampling.number, 1), minlength=groups)


def _sums_by_group(
    values: NDArray[np.generic], group: NDArray[np.integer], clusters: Codes, counts: Floats | None
) -> Iterator[GroupSums]:
    """Yield the sums of each group that has tokens; their values become floats one group after the other."""
    for code in np.unique(group):
        own = np.flatnonzero(group == code)
        present, place = np.unique(clusters[own], return_inverse=True)
        sums = np.zeros((len(present), values.shape[1]))
        weights = np.ones(len(own)) if counts is None else counts[own]
        add_rows(values[own].astype(np.float64, copy=False), weights, place, sums)
        yield GroupSums(int(code), present, sums)


def _rows(resampling: Resampling) -> int:
    """Return how many replicates are worked on at one time."""
    return max(1, min(_TOGETHER, _LARGEST // (8 * max(1, resampling.number))))

"""Sums of what tokens hold: over clusters, over bootstrap replicates, and with some clusters left out.

Conventions
-----------
`values` [N, k] are what each of N tokens holds, `owner` [N] the positions of their utterances among those that are
resampled, `group` [N] the group of each, 0 … G − 1: its phone, its bin of confidence.
"""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.posteriorgram import Rows
from phonxling.count.kernel import add_rows
from phonxling.count.rows import parts_of
from phonxling.resample.student import effective_clusters
from phonxling.resample.weights import Resampling

_TOGETHER = 64  # replicates whose weights are floats at one time
_LARGEST = 64_000_000  # bytes of these weights
_DENSE = 4  # cells of clusters and groups for each token, up to which a table of them all is quickest
_PARTS = 200  # of a jackknife at most: it needs a table of each


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
    values: Rows,
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
    clusters = resampling.clusters
    for part in parts_of(values) if resampling.kept else [slice(None)]:  # others would be drawn for each part
        rows, weights = values[part].astype(np.float64, copy=False), None if counts is None else counts[part]
        drawn, place = np.unique(clusters[owner[part]], return_inverse=True)
        if len(drawn) * groups <= _DENSE * len(rows):
            sums = _summed(rows, place * groups + group[part], weights, (len(drawn), groups))
            _add_drawn(total, resampling, drawn, sums)
            continue
        for code in np.unique(group[part]):
            own = np.flatnonzero(group[part] == code)
            present, own_place = np.unique(place[own], return_inverse=True)
            sums = _summed(rows[own], own_place, None if weights is None else weights[own], (len(present), 1))
            _add_drawn(total[:, code : code + 1], resampling, drawn[present], sums)
    return total


def _summed(rows: Floats, place: Codes, weights: Floats | None, shape: tuple[int, int]) -> Floats:
    """Return the weighted sums [c, g, k] of rows [n, k] by their place among c · g."""
    sums = np.zeros((*shape, rows.shape[1]))
    add_rows(rows, np.ones(len(rows)) if weights is None else weights, place, sums.reshape(-1, rows.shape[1]))
    return sums


def _add_drawn(total: Floats, resampling: Resampling, clusters: Codes, sums: Floats) -> None:
    """Add to each replicate of `total` [R, g, k] the sums [c, g, k] of clusters as often as it drew them."""
    size = max(1, min(resampling.replicates, _LARGEST // (8 * max(1, len(clusters)))))
    whole = len(clusters) and clusters[-1] - clusters[0] + 1 == len(clusters)
    chosen: slice | Codes = slice(clusters[0], clusters[-1] + 1) if whole else clusters
    flat, first = sums.reshape(len(sums), -1), 0
    for weights in resampling.parts(size):
        drawn = weights[:, chosen].astype(np.float64) @ flat
        total[first : first + len(weights)] += drawn.reshape(-1, *sums.shape[1:])
        first += len(weights)


def left_out_group_sums(
    values: Rows,
    group: NDArray[np.integer],
    *,
    groups: int,
    owner: Codes,
    resampling: Resampling,
    counts: Floats | None = None,
) -> Floats:
    """Return the sums of each group without each cluster, or without each of 200 parts of the clusters, [B, G, k]."""
    number, width = min(resampling.number, _PARTS), values.shape[1]
    sums = np.zeros((number, groups, width))
    part_of = resampling.clusters % max(number, 1)
    for part in parts_of(values):
        place = part_of[owner[part]] * groups + group[part]
        weights = None if counts is None else counts[part]
        sums += _summed(values[part].astype(np.float64, copy=False), place, weights, (number, groups))
    return np.asarray(np.maximum(sums.sum(axis=0) - sums, 0.0))  # less than 0 by rounding alone


def replicate_means(
    rows: Rows,
    group: NDArray[np.integer],
    *,
    groups: int,
    owner: Codes,
    resampling: Resampling,
    total: Floats | None = None,
) -> Floats:
    """Return each group's mean row in each replicate, [R, G, k]; NaN where the replicate has no token of it.

    `total` are the replicates' sums of the rows, where they are known.

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
    if total is None:
        total = replicate_group_sums(rows, group, groups=groups, owner=owner, resampling=resampling)
    one = np.ones((len(rows), 1))
    number = replicate_group_sums(one, group, groups=groups, owner=owner, resampling=resampling)
    return divided(total, np.broadcast_to(number, total.shape))


def clusters_with(group: NDArray[np.integer], *, groups: int, owner: Codes, resampling: Resampling) -> Floats:
    """Return how many clusters hold tokens of each group, and how many effective ones, [2, G]."""
    cluster = resampling.clusters[owner]
    held = (np.bincount(cluster[group == one], minlength=1).astype(np.float64) for one in range(groups))
    return np.array([(np.count_nonzero(tokens), effective_clusters(tokens)) for tokens in held]).reshape(-1, 2).T


def _rows(resampling: Resampling) -> int:
    """Return how many replicates are worked on at one time."""
    return max(1, min(_TOGETHER, _LARGEST // (8 * max(1, resampling.number))))

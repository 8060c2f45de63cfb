"""Sums of what each token holds, over the clusters of a corpus and over its bootstrap replicates."""

import numpy as np
from numpy.typing import NDArray

from phonxling.resample.kernel import add_weighted
from phonxling.resample.weights import Resampling

Floats = NDArray[np.float64]
_TOGETHER = 64_000_000  # bytes of weights as floats at one time


def cluster_sums(values: Floats, owner: NDArray[np.int64], resampling: Resampling) -> Floats:
    """Return the sums over each cluster, [C, k], of values [N, k] whose utterances' positions are `owner` [N]."""
    clusters = resampling.clusters[owner]
    columns = [np.bincount(clusters, weights=column, minlength=resampling.number) for column in values.T]
    return np.stack(columns, axis=1) if columns else np.zeros((resampling.number, 0))


def replicate_sums(by_cluster: Floats, resampling: Resampling) -> Floats:
    """Return the sums over each bootstrap replicate, [R, k], of sums over clusters [C, k].

    Examples
    --------
    >>> from phonxling.resample.weights import resampling
    >>> drawn = resampling(2, None, resamples=3, seed=1)
    >>> bool((replicate_sums(np.array([[1.0], [10.0]]), drawn) == drawn.weights @ [[1], [10]]).all())
    True
    """
    rows = max(1, min(64, _TOGETHER // (8 * max(1, resampling.number))))
    parts = [np.asarray(part.astype(np.float64) @ by_cluster) for part in resampling.parts(rows)]
    return np.concatenate([np.zeros((0, by_cluster.shape[1])), *parts])


def replicate_group_sums(
    values: Floats, group: NDArray[np.integer], groups: int, owner: NDArray[np.int64], resampling: Resampling
) -> Floats:
    """Return the sums by group over each bootstrap replicate, [R, groups], of values [N] of the utterances `owner`.

    Memory is that of 128 replicates' weights at most, whatever the number of groups.

    Examples
    --------
    >>> from phonxling.resample.weights import resampling
    >>> drawn = resampling(2, None, resamples=3, seed=1)
    >>> found = replicate_group_sums(np.array([2.0, 3.0]), np.array([1, 0]), 2, np.array([0, 1]), drawn)
    >>> bool((found == drawn.weights @ [[0, 2], [3, 0]]).all())
    True
    """
    keys, place = np.unique(resampling.clusters[owner] * groups + group, return_inverse=True)
    counts = np.bincount(place, weights=values, minlength=len(keys)).astype(np.float64)
    offsets = np.searchsorted(keys, np.arange(resampling.number + 1) * groups).astype(np.int64)
    cells = keys % max(groups, 1)
    together = max(1, min(128, _TOGETHER // (8 * max(1, resampling.number))))
    parts = [np.zeros((0, groups))]
    for rows in resampling.parts(together):
        total, whole = np.zeros((1, groups, len(rows))), np.zeros(resampling.number, np.int8)
        add_weighted(offsets, cells, counts, rows.T.astype(np.float64, order="C"), whole, total)
        parts.append(total[0].T)
    return np.concatenate(parts)

"""Mean posteriors of phones in bootstrap replicates of their utterances or speakers."""

import numpy as np
from numpy.typing import NDArray

from phonxling.resample.weights import Resampling

Floats = NDArray[np.float64]
_TOGETHER = 128  # replicates worked on at one time


def replicate_means(
    rows: Floats, codes: NDArray[np.integer], size: int, utterances: NDArray[np.integer], resampling: Resampling
) -> Floats:
    """Return each phone's mean posterior in each replicate, [R, G, K]; NaN where the replicate has no token of it.

    Parameters
    ----------
    rows : float array [N, K]
        Each token's mean posterior.
    codes : integer array [N]
        Its phone, 0 … G − 1; `size` is G.
    utterances : integer array [N]
        Its utterance's position among those that are resampled.

    Examples
    --------
    >>> from phonxling.resample.weights import resampling
    >>> rows = np.array([[1.0, 0], [0, 1], [0.5, 0.5]])
    >>> drawn = resampling(2, None, resamples=50, seed=1)
    >>> means = replicate_means(rows, np.array([0, 0, 1]), 2, np.array([0, 1, 1]), drawn)
    >>> means.shape, bool((means[:, 0, 0] * 2 == drawn.weights[:, 0]).all())
    ((50, 2, 2), True)
    >>> np.unique(means[:, 1, 0]).tolist()
    [0.5, nan]
    """
    found = np.full((resampling.replicates, size, rows.shape[1]), np.nan)
    owners = resampling.clusters[utterances]
    sums = [_by_cluster(rows[codes == code], owners[codes == code]) for code in range(size)]
    first = 0
    for weights in resampling.parts(_TOGETHER):
        last = first + len(weights)
        for code, (clusters, total, number) in enumerate(sums):
            drawn = weights[:, clusters].astype(np.float64)
            tokens = (drawn @ number)[:, None]
            np.divide(drawn @ total, tokens, out=found[first:last, code], where=tokens > 0)
        first = last
    return found


def _by_cluster(rows: Floats, owners: NDArray[np.integer]) -> tuple[NDArray[np.integer], Floats, Floats]:
    """Return the clusters that have tokens, [c], the sums of their rows, [c, K], and their numbers of tokens, [c]."""
    clusters, places = np.unique(owners, return_inverse=True)
    total = np.zeros((len(clusters), rows.shape[1]))
    np.add.at(total, places, rows)
    return clusters, total, np.bincount(places, minlength=len(clusters)).astype(np.float64)

"""Means over tokens with their intervals: of all tokens, and of each group of them."""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.estimate import Estimate
from phonxling.resample.intervals import estimate
from phonxling.resample.student import effective_clusters
from phonxling.resample.sums import cluster_sums, clusters_with, replicate_group_sums, replicate_sums, sums_by
from phonxling.resample.weights import Resampling


def mean_of_tokens(values: Floats, owner: Codes, resampling: Resampling) -> Estimate:
    """Return the mean over tokens [N] with its interval; `owner` are the positions of their utterances."""
    return ratio_of_tokens(values, np.ones(len(values)), owner=owner, resampling=resampling)


def share_of_tokens(event: Bools, owner: Codes, resampling: Resampling) -> Estimate:
    """Return the share of tokens with an event, [N], with its interval, see `Resampling.ratio`."""
    size = len(resampling.clusters)
    events, tokens = (np.bincount(chosen, minlength=size).astype(np.float64) for chosen in (owner[event], owner))
    return resampling.ratio(events, tokens, "share")


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


def means_by_group(
    values: Floats, group: NDArray[np.integer], *, groups: int, owner: Codes, resampling: Resampling
) -> list[Estimate]:
    """Return the mean of each group of tokens with its interval; NaN for a group that has none.

    NaN among the values makes its whole group NaN, and infinity infinite.
    """
    means = divided(*sums_by(group, np.stack([values, np.ones(len(values))], axis=1), groups).T)
    known = np.stack([np.where(np.isfinite(values), values, 0.0), np.ones(len(values))], axis=1)
    sums = replicate_group_sums(known, group, groups=groups, owner=owner, resampling=resampling)
    drawn = divided(sums[:, :, 0], sums[:, :, 1])
    clusters = clusters_with(group, groups=groups, owner=owner, resampling=resampling)[1].tolist()
    return [
        estimate(float(mean), drawn[:, place], resampling, kind="rate", clusters=clusters[place])
        if np.isfinite(mean)
        else Estimate(float(mean))
        for place, mean in enumerate(means)
    ]

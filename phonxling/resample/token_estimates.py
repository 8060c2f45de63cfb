"""Means over tokens with their intervals: of all tokens, and of each group of them."""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.estimate import Estimate
from phonxling.resample.bootstrap import estimate
from phonxling.resample.sums import cluster_sums, replicate_group_sums, replicate_sums
from phonxling.resample.weights import Resampling

Floats = NDArray[np.float64]


def mean_of_tokens(values: Floats, owner: NDArray[np.int64], drawn: Resampling) -> Estimate:
    """Return the mean over tokens [N] with its percentile interval; `owner` are the positions of their utterances."""
    return ratio_of_tokens(values, np.ones(len(values)), owner, drawn)


def ratio_of_tokens(above: Floats, below: Floats, owner: NDArray[np.int64], drawn: Resampling) -> Estimate:
    """Return Σ above / Σ below over tokens with its percentile interval; NaN without any, no interval if infinite."""
    whole = float(below.sum())
    value = float(above.sum() / whole) if whole > 0 else np.nan
    if not np.isfinite(value):
        return Estimate(value)
    sums = replicate_sums(cluster_sums(np.stack([above, below], axis=1), owner, drawn), drawn)
    return estimate(value, _told_apart(value, _ratios(sums[:, 0], sums[:, 1])), drawn)


def means_by_group(
    values: Floats, group: NDArray[np.integer], groups: int, owner: NDArray[np.int64], drawn: Resampling
) -> list[Estimate]:
    """Return the mean of each group of tokens with its percentile interval; NaN for a group that has none.

    NaN among the values makes its whole group NaN, and infinity infinite.
    """
    number = np.bincount(group, minlength=groups).astype(np.float64)
    means = _ratios(np.bincount(group, values, groups).astype(np.float64), number)
    known = np.isfinite(values)
    above = replicate_group_sums(np.where(known, values, 0.0), group, groups, owner, drawn)
    below = replicate_group_sums(np.ones(len(values)), group, groups, owner, drawn)
    drawings = _ratios(above, below)
    return [
        estimate(float(mean), _told_apart(float(mean), drawings[:, place]), drawn)
        if np.isfinite(mean)
        else Estimate(float(mean))
        for place, mean in enumerate(means)
    ]


def _ratios(above: Floats, below: Floats) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0))


def _told_apart(value: float, drawn: Floats) -> Floats:
    """Return replicates in which what differs from the value by rounding alone is the value."""
    return np.where(np.isclose(drawn, value, rtol=1e-12, atol=0), value, drawn)

"""Means over tokens with their intervals: of all tokens, and of each group of them."""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.estimate import Estimate
from phonxling.resample.intervals import estimate
from phonxling.resample.sums import cluster_sums, replicate_group_sums, replicate_sums, sums_by
from phonxling.resample.weights import Resampling


def mean_of_tokens(values: Floats, owner: Codes, resampling: Resampling) -> Estimate:
    """Return the mean over tokens [N] with its percentile interval; `owner` are the positions of their utterances."""
    return ratio_of_tokens(values, np.ones(len(values)), owner=owner, resampling=resampling)


def ratio_of_tokens(above: Floats, below: Floats, *, owner: Codes, resampling: Resampling) -> Estimate:
    """Return Σ above / Σ below over tokens with its percentile interval; NaN without any, no interval if infinite."""
    whole = float(below.sum())
    value = float(above.sum() / whole) if whole > 0 else np.nan
    if not np.isfinite(value):
        return Estimate(value)
    sums = replicate_sums(cluster_sums(np.stack([above, below], axis=1), owner, resampling), resampling)
    return _estimate(value, divided(*sums.T), resampling)


def means_by_group(
    values: Floats, group: NDArray[np.integer], *, groups: int, owner: Codes, resampling: Resampling
) -> list[Estimate]:
    """Return the mean of each group of tokens with its percentile interval; NaN for a group that has none.

    NaN among the values makes its whole group NaN, and infinity infinite.
    """
    means = divided(*sums_by(group, np.stack([values, np.ones(len(values))], axis=1), groups).T)
    known = np.stack([np.where(np.isfinite(values), values, 0.0), np.ones(len(values))], axis=1)
    sums = replicate_group_sums(known, group, groups=groups, owner=owner, resampling=resampling)
    drawn = divided(sums[:, :, 0], sums[:, :, 1])
    return [
        _estimate(float(mean), drawn[:, place], resampling) if np.isfinite(mean) else Estimate(float(mean))
        for place, mean in enumerate(means)
    ]


def _estimate(value: float, drawn: Floats, resampling: Resampling) -> Estimate:
    """Return the estimate; replicates that differ from the value by rounding alone are taken as the value."""
    same = np.isclose(drawn, value, rtol=1e-12, atol=0)
    return estimate(value, np.where(same, value, drawn), resampling)

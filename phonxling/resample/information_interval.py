"""Intervals of entropies and information: of the jackknifed estimate, which is the value.

Draws of an entropy are biased once more than the estimate, so that limits made of their quantiles would miss the truth
nearly always when cells are many: draws are moved until their mean is the value, and tell its spread alone.
`docs/uncertainty.md` has the coverage. Means over tokens, of all and of each group, have the limits of a rate.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.estimate import Estimate
from phonxling.resample.intervals import estimate
from phonxling.resample.replicates import cluster_sums, clusters_with, replicate_group_sums, replicate_sums, sums_by
from phonxling.resample.student import effective_clusters
from phonxling.resample.weights import Resampling

FEW_PER_CELL = 4.0  # below so many tokens a cell seen, intervals held the truth in fewer than 90 % of simulations
FEW_PER_CELL_OF_FRACTIONS = FEW_PER_CELL_OF_DIVERGENCES = 10.0  # the same of these
FEW_TOKENS = 20  # of a phone: below, every estimator of its entropy is off by more than 0.4 bits


def information_interval(
    value: float,
    drawn: Floats,
    resampling: Resampling,
    *,
    left_out: Floats | None = None,
    error: float = 0.0,
    clusters: float | None = None,
    most: float = math.inf,
) -> Estimate:
    """Return a measure of information with its interval, all within 0 and the greatest possible number."""
    if math.isnan(error) or (left_out is not None and np.isnan(left_out).any()):
        note = f"no interval: all its tokens are of one {resampling.unit}, and the value is not jackknifed"
        return Estimate(value, note="" if math.isnan(value) else note).within(0, most)
    moved = moved_to(value, drawn)
    return estimate(value, moved, resampling, left_out=left_out, error=error, clusters=clusters).within(0, most)


def moved_to(value: float, drawn: Floats) -> Floats:
    """Return draws [R] moved until their mean is the value: of measures that resampling itself shifts."""
    defined = drawn[np.isfinite(drawn)]
    return np.asarray(drawn + (value - defined.mean()) if len(defined) else drawn)


def in_phones(bits: Estimate) -> Estimate:
    """Return an entropy's value and interval as perplexities, 2^bits."""
    return replace(bits, value=2.0**bits.value, low=2.0**bits.low, high=2.0**bits.high)


def few_per_cell(counts: Floats, least: float = FEW_PER_CELL) -> str:
    """Return the warning that the cells seen have too few tokens for the interval to hold what it says, or ""."""
    seen = int(np.count_nonzero(counts))
    if not seen:
        return ""
    mean = float(counts.sum()) / seen
    whole = bool((counts == np.round(counts)).all())
    if mean >= (least if whole else FEW_PER_CELL_OF_FRACTIONS):
        return ""
    return f"only {mean:.1f} tokens a cell seen: the interval holds the truth less often than it says"


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
    """Return the mean of each group of tokens with its interval; NaN for a group that has none."""
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

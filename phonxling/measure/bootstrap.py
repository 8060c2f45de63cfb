"""Any measure of a confusion matrix over bootstrap replicates, and the interval that they give.

The replicates' matrices come from the corpus' one set of weights (see `resample`), so that all measures, and both sides
of a comparison, are resampled together.

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap. Bisani & Ney (2004).
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.core.estimate import Estimate
from phonxling.core.stack import ConfusionStack
from phonxling.measure.intervals import basic, bca, normal, percentile
from phonxling.measure.replicates import replicate_counts
from phonxling.measure.resample import FEW_CLUSTERS, Resampling

Floats = NDArray[np.float64]
Measure = Callable[[Floats], ArrayLike]
Method = Literal["percentile", "bca", "basic", "normal"]


def replicate_values(stack: ConfusionStack, resampling: Resampling, measure: Measure) -> Floats:
    """Return measure(counts) of each replicate, [R, …]; counts are [G + 1, P + 1], ∅ last.

    Examples
    --------
    >>> from phonxling.core.inventory import Inventory
    >>> from phonxling.measure.resample import resampling
    >>> one = ConfusionStack(utterances=("u", "v"), gold=Inventory(("a",)), predicted=Inventory(("a",)),
    ...                      offsets=[0, 1, 2], cells=[0, 0], counts=[2, 2])
    >>> replicate_values(one, resampling(2, None, 3, 0.95, seed=1), lambda counts: counts[0, 0]).tolist()
    [4.0, 4.0, 4.0]
    """
    parts = (np.moveaxis(counts, -1, 0) for counts in replicate_counts(stack, resampling))
    found = [measure(np.ascontiguousarray(counts)) for part in parts for counts in part]
    return np.asarray(found, dtype=np.float64)


def left_out_values(stack: ConfusionStack, resampling: Resampling, measure: Measure) -> Floats:
    """Return measure(counts) with each cluster left out in turn, [C, …]: the jackknife's values."""
    shape = len(stack.gold) + 1, len(stack.predicted) + 1
    total = stack.total().counts
    owner = np.repeat(resampling.clusters, np.diff(stack.offsets))
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(resampling.number + 1))
    found = []
    for first, last in pairwise(bounds):
        own = order[first:last]
        part = np.bincount(stack.cells[own], weights=stack.counts[own], minlength=total.size)
        found.append(measure(np.maximum(total - part.reshape(shape), 0.0)))
    return np.asarray(found, dtype=np.float64)


def estimate(
    value: float,
    drawn: Floats,
    resampling: Resampling,
    method: Method = "percentile",
    *,
    left_out: Floats | None = None,
    centre: float = math.nan,
) -> Estimate:
    """Return a value with the interval that its replicates [R] give; undefined replicates are left out and counted.

    Parameters
    ----------
    value : float
        The measure of the whole corpus; NaN gives no interval.
    drawn : float64 array [R]
        Its values over the replicates.
    resampling : Resampling
        Where the replicates come from; gives the level.
    method : {"percentile", "bca", "basic", "normal"}
        How limits are made; `bca` needs `left_out`, `normal` a `centre`.
    left_out : float64 array [C], optional
        The measure without each cluster.
    centre : float
        A bias-corrected estimate.
    """
    if math.isnan(value) or not len(drawn):
        return Estimate(value)
    if resampling.number < 2:
        return Estimate(value, note=f"no interval: there is one {resampling.unit} only")
    kept = drawn[np.isfinite(drawn)]
    if len(kept) < 2 or not np.ptp(kept):
        return Estimate(value, note="no interval: the resampled values do not differ")
    low, high = _limits(value, kept, resampling.level, method, left_out, centre)
    if math.isnan(low):
        return Estimate(value, note="no interval: all resampled values lie on one side of the estimate")
    return Estimate(value, low, high, resampling.level, weakness(resampling, len(drawn) - len(kept)))


def weakness(resampling: Resampling, lost: int = 0) -> str:
    """Return what weakens an interval: few clusters, replicates in which the measure is not defined; "" if nothing."""
    few = f"the interval rests on {resampling.number} {resampling.unit}s only and is likely too narrow"
    gone = f"{lost} replicates in which it is not defined are left out of the interval"
    return "; ".join([few] * (resampling.number < FEW_CLUSTERS) + [gone] * (lost > 0))


def _limits(
    value: float, drawn: Floats, level: float, method: Method, left_out: Floats | None, centre: float
) -> tuple[float, float]:
    if method == "bca":
        if left_out is None:
            raise ValueError("BCa limits need the values without each cluster")
        return bca(value, drawn, left_out[np.isfinite(left_out)], level)
    if method == "basic":
        return basic(value, drawn, level)
    return normal(centre, drawn, level) if method == "normal" else percentile(drawn, level)

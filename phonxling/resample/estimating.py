"""A value and its draws to an estimate: limits by the method asked for, and in words what weakens them."""

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.estimate import Estimate
from phonxling.resample.limits import basic, bca, normal, percentile

if TYPE_CHECKING:
    from phonxling.resample.weights import Resampling

Floats = NDArray[np.float64]
Method = Literal["percentile", "bca", "basic", "normal"]
FEW_CLUSTERS = 10


def estimate(
    value: float,
    drawn: Floats,
    resampling: "Resampling",
    method: Method = "percentile",
    *,
    left_out: Floats | None = None,
    centre: float = math.nan,
    error: float = 0.0,
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
    error : float
        The least standard error of `normal` limits: the greater of it and the draws' standard deviation is taken.

    Raises
    ------
    ValueError
        If BCa limits are asked for without the values that leave a cluster out.
    """
    if math.isnan(value) or not len(drawn):
        return Estimate(value)
    if resampling.number < 2:
        return Estimate(value, note=f"no interval: there is one {resampling.unit} only")
    kept = drawn[np.isfinite(drawn)]
    if len(kept) < 2 or not np.ptp(kept):
        return Estimate(value, note="no interval: the resampled values do not differ")
    if method == "bca":
        if left_out is None:
            raise ValueError("BCa limits need the values without each cluster")
        low, high = bca(value, kept, left_out[np.isfinite(left_out)], resampling.level)
    elif method == "normal":
        low, high = normal(centre, kept, resampling.level, error)
    else:
        low, high = basic(value, kept, resampling.level) if method == "basic" else percentile(kept, resampling.level)
    if math.isnan(low):
        return Estimate(value, note="no interval: all resampled values lie on one side of the estimate")
    return Estimate(value, low, high, resampling.level, weakness(resampling, len(drawn) - len(kept)))


def weakness(resampling: "Resampling", lost: int = 0) -> str:
    """Return what weakens an interval: few clusters, replicates in which the measure is not defined; "" if nothing."""
    few = f"the interval rests on {resampling.number} {resampling.unit}s only and is likely too narrow"
    gone = f"{lost} replicates in which it is not defined are left out of the interval"
    return "; ".join([few] * (resampling.number < FEW_CLUSTERS) + [gone] * (lost > 0))

"""A value and its bootstrap draws to an interval, and in words what weakens it. The one recipe, for every measure.

By default the limits are g(value) ± t · SE on C − 1 degrees of freedom for C clusters, Kish's effective number where
they are unequal. SE is the larger of the draws' standard deviation · √(C / (C − 1)) and the jackknife's over clusters.
g is the logit for shares, the logarithm for rates, that of 1 − x for skills, else the identity. Percentile, basic and
BCa limits are options.

Conventions
-----------
`value` θ̂ is of the data, `drawn` θ*_r of R replicates; the limits hold the truth with probability `level` = 1 − α.

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapters 13, 14. Davison & Hinkley (1997), chapter 5.
Cameron, Gelbach & Miller (2008), on few clusters.
"""

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy

from phonxling.core.arrays import Floats
from phonxling.core.estimate import DESCRIPTIVE, Estimate, joined
from phonxling.resample.student import Kind, freedom_of, jackknife_error, spread, student_limits, too_few

if TYPE_CHECKING:
    from phonxling.resample.weights import Resampling

Method = Literal["auto", "percentile", "bca", "basic"]
UNTESTED_UTTERANCES = (
    "no test, because speakers are unknown: give speakers, or declare uncertainty: {cluster: utterance} where no "
    "speaker said several"
)


def estimate(
    value: float,
    drawn: Floats,
    resampling: "Resampling",
    *,
    kind: Kind = "number",
    left_out: Floats | None = None,
    error: float = 0.0,
    clusters: float | None = None,
    biased: bool = False,
) -> Estimate:
    """Return a value with the interval that its replicates [R] give; undefined replicates are left out and counted."""
    number, method = resampling.effective if clusters is None else clusters, resampling.method
    if math.isnan(value) or not len(drawn):
        return Estimate(value)
    if number <= 1:
        rests = "there is" if resampling.number < 2 else "it rests on"
        return Estimate(value, note=f"no interval: {rests} one {resampling.unit} only")
    defined = drawn[np.isfinite(drawn)]
    own = math.sqrt(spread(defined[:, None], number).variance[0])
    if math.isnan(own):
        return Estimate(value, note="no interval: the resampled values do not differ")
    if method == "percentile":
        low, high = percentile(defined, resampling.level)
    elif method == "basic":
        low, high = basic(value, defined, resampling.level)
    elif method == "bca" and left_out is not None:
        low, high = bca(value, defined, left_out[np.isfinite(left_out)], resampling.level)
        if math.isnan(low):
            return Estimate(value, note="no interval: all resampled values lie on one side of the estimate")
    else:
        most = max(own, error, 0.0 if left_out is None else jackknife_error(left_out))
        centre = 2 * value - float(defined.mean()) if biased else value
        low, high = student_limits(centre, most, freedom=float(freedom_of(number)), level=resampling.level, kind=kind)
    if biased:
        low, high = min(low, value), max(high, value)  # NaN first: it stays NaN
    if math.isnan(low):
        return Estimate(value, note="no interval: resampling cannot tell how far from the end of its range it may be")
    weak = weakness(resampling, len(drawn) - len(defined), number)
    return Estimate(value, low, high, resampling.level, joined([weak, resampling.remark]))


def weakness(resampling: "Resampling", lost: int = 0, clusters: float | None = None) -> str:
    """Return what weakens an interval: few clusters, replicates in which the measure is not defined; "" if nothing."""
    number = resampling.effective if clusters is None else clusters
    few = f"{DESCRIPTIVE}the interval rests on {so_many(number, resampling.unit)} only"
    gone = f"{lost} replicates in which it is not defined are left out of the interval"
    return joined([few * bool(too_few(number)), gone * (lost > 0)])


def so_many(number: float, unit: str) -> str:
    """Return a number of clusters in words; that of unequal ones, which is never rounded up, as an effective one."""
    whole = math.isclose(number, round(number), rel_tol=1e-9)
    text = f"{round(number)}" if whole else f"{math.floor(10 * number) / 10:.1f} effective"
    return f"{text} {unit}" + "s" * (text != "1")


def percentile(drawn: Floats, level: float) -> tuple[float, float]:
    """Return the α/2 and 1 − α/2 quantiles of the draws."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def basic(value: float, drawn: Floats, level: float) -> tuple[float, float]:
    """Return 2θ̂ less the percentile limits, the upper one first: right where draws are off by a bias of their own."""
    low, high = percentile(drawn, level)
    return 2 * value - high, 2 * value - low


def bca(value: float, drawn: Floats, left_out: Floats, level: float) -> tuple[float, float]:
    """Return the bias-corrected and accelerated limits."""
    below = (np.count_nonzero(drawn < value) + np.count_nonzero(drawn <= value)) / (2 * len(drawn))
    if below in {0.0, 1.0}:
        return float("nan"), float("nan")
    apart = left_out.mean() - left_out
    spread = float((apart**2).sum()) ** 1.5
    acceleration = float((apart**3).sum()) / (6 * spread) if spread else 0.0
    bias, reach = scipy.special.ndtri(below), scipy.special.ndtri((1 + level) / 2)
    moved = [bias + end for end in (-reach, reach)]
    shares = [float(scipy.special.ndtr(bias + end / (1 - acceleration * end))) for end in moved]
    low, high = np.quantile(drawn, shares).tolist()
    return low, high

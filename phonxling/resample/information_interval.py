"""Intervals of entropies and information, whose estimates are biased: the jackknifed estimate with its t limits.

Percentile limits hold the draws' bias and the estimate's own, and so miss the truth nearly always when cells are many.
By default the value is the jackknifed Miller–Madow estimate, and its limits are t limits (see `intervals`) with the
standard error of the draws or of the jackknife, whichever is greater. `docs/uncertainty.md` has their coverage.
"""

import math
import re
from dataclasses import replace

import numpy as np

from phonxling.core.arrays import Floats
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.intervals import estimate
from phonxling.resample.weights import Resampling

FEW_PER_CELL = 4.0  # below so many tokens a cell seen, intervals held the truth in fewer than 90 % of simulations
FEW_PER_CELL_OF_FRACTIONS = 10.0
FEW_TOKENS = 20  # of a phone: below, every estimator of its entropy is off by more than 0.4 bits


def information_interval(
    value: float, drawn: Floats, *, centre: float, error: float, resampling: Resampling, unit: str = "bits"
) -> Estimate:
    """Return a measure of information with its interval, both at least 0, and at most 1 for a ratio.

    The value is the bias-corrected estimate, which the interval is of. By `percentile` and `basic` both are of the
    plug-in.

    Parameters
    ----------
    value : float
        The plug-in estimate.
    drawn : float64 array [R]
        The plug-in estimate of each replicate.
    centre, error : float
        The jackknifed estimate and its standard error.
    resampling : Resampling
        Its `method` percentile or basic gives those limits of the plug-in; otherwise t limits of the centre.
    unit : {"bits", "ratio"}
        The measure's unit.

    Examples
    --------
    >>> from phonxling.resample.weights import resampling
    >>> found = information_interval(1.0, np.array([0.7, 0.9]), centre=1.2, error=0.2,
    ...                              resampling=resampling(20, None, resamples=2, seed=1))
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (1.2, 0.78, 1.62)
    """
    most = math.inf if unit == "bits" else 1.0
    if resampling.method in {"percentile", "basic"}:
        plain = estimate(value, drawn, resampling).within(0, most)
        basis = "" if math.isnan(plain.low) else f"{resampling.method} limits of a biased estimate"
        return replace(plain, note=joined([basis, plain.note]))
    if math.isnan(value):
        return Estimate(value)
    if math.isnan(centre) and len(drawn):
        return Estimate(value, note=f"no interval: all its tokens are of one {resampling.unit}")
    number = estimate(centre, drawn, resampling, error=error)
    if number.high <= 0:
        return Estimate(0.0, note=f"no interval: the bias-corrected estimate {centre:.4f} is below 0")
    return replace(number.within(0, most), value=min(max(centre, 0.0), most))


def in_phones(bits: Estimate) -> Estimate:
    """Return an entropy's value and interval as perplexities, 2^bits.

    Examples
    --------
    >>> in_phones(Estimate(1.0, 0.0, 2.0, 0.95, "of the estimate 1.5000 bits"))
    Estimate(value=2.0, low=1.0, high=4.0, level=0.95, note='of the estimate 2.8284 phones')
    """
    note = re.sub(r"(\S+) bits\b", lambda number: f"{2.0 ** float(number[1]):.4f} phones", bits.note)
    return replace(bits, value=2.0**bits.value, low=2.0**bits.low, high=2.0**bits.high, note=note)


def few_per_cell(counts: Floats) -> str:
    """Return the warning that the cells seen have too few tokens for the interval to hold what it says, or ""."""
    seen = int(np.count_nonzero(counts))
    if not seen:
        return ""
    mean = float(counts.sum()) / seen
    whole = bool((counts == np.round(counts)).all())
    least = FEW_PER_CELL if whole else FEW_PER_CELL_OF_FRACTIONS
    if mean >= least:
        return ""
    return f"only {mean:.1f} tokens a cell seen: the interval holds the truth less often than it says"

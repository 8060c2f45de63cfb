"""Intervals of entropies and information, whose estimates are biased: around the jackknifed estimate.

Percentile limits hold the draws' bias and the estimate's own, and so miss the truth nearly always when cells are many.
By default limits stand z standard errors on both sides of the jackknifed Miller–Madow estimate; the standard error is
that of the draws or of the jackknife, whichever is greater. `docs/uncertainty.md` has the coverage of all of them.
"""

import math
import re
from dataclasses import replace

import numpy as np

from phonxling.core.arrays import Floats
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.intervals import estimate
from phonxling.resample.jackknife import ClusterCells
from phonxling.resample.weights import Resampling

FEW_PER_CELL = 4.0  # below so many tokens a cell seen, intervals held the truth in fewer than 90 % of simulations
FEW_PER_CELL_OF_FRACTIONS = 10.0
FEW_TOKENS = 20  # of a phone: below, every estimator of its entropy is off by more than 0.4 bits


def information_interval(
    value: float, drawn: Floats, *, centre: float, error: float, resampling: Resampling, unit: str = "bits"
) -> Estimate:
    """Return a measure of information with its interval: at least 0, and at most 1 for a ratio.

    Parameters
    ----------
    value : float
        The plug-in estimate.
    drawn : float64 array [R]
        The plug-in estimate of each replicate.
    centre, error : float
        The jackknifed estimate and its standard error.
    resampling : Resampling
        Its `method` percentile or basic gives those limits of the plug-in; otherwise they stand around the centre.
    unit : {"bits", "ratio"}
        The measure's unit.

    Examples
    --------
    >>> from phonxling.resample.weights import resampling
    >>> found = information_interval(1.0, np.array([0.7, 0.9]), centre=1.2, error=0.2,
    ...                              resampling=resampling(20, None, resamples=2, seed=1))
    >>> round(found.low, 2), round(found.high, 2), found.note
    (0.81, 1.59, 'the interval is of the bias-corrected estimate 1.2000 bits')
    """
    plain = resampling.method if resampling.method in {"percentile", "basic"} else None
    if plain is None and math.isnan(centre) and not math.isnan(value) and len(drawn):
        return Estimate(value, note=f"no interval: all its tokens are of one {resampling.unit}")
    interval = estimate(value, drawn, resampling, plain or "normal", centre=centre, error=error)
    if math.isnan(interval.low):
        return interval
    corrected = f"the bias-corrected estimate {centre:.4f}" + (" bits" if unit == "bits" else "")
    if interval.high <= 0:
        return Estimate(value, note=f"no interval: {corrected} is below 0")
    basis = f"{plain} limits of a biased estimate" if plain else f"the interval is of {corrected}"
    bounded = interval.within(0, math.inf if unit == "bits" else 1)
    return replace(bounded, note=joined([basis, interval.note]))


def in_phones(bits: Estimate) -> Estimate:
    """Return an entropy's value and interval as perplexities, 2^bits.

    Examples
    --------
    >>> in_phones(Estimate(1.0, 0.0, 2.0, 0.95, "of the estimate 1.5000 bits"))
    Estimate(value=2.0, low=1.0, high=4.0, level=0.95, note='of the estimate 2.8284 phones')
    """
    note = re.sub(r"(\S+) bits\b", lambda number: f"{2.0 ** float(number[1]):.4f} phones", bits.note)
    return replace(bits, value=2.0**bits.value, low=2.0**bits.low, high=2.0**bits.high, note=note)


def few_per_cell(parts: ClusterCells) -> str:
    """Return the warning that the cells seen have too few tokens for the interval to hold what it says, or ""."""
    seen = int(np.count_nonzero(parts.table()))
    if not seen:
        return ""
    mean = float(parts.count.sum()) / seen
    whole = bool((parts.count == np.round(parts.count)).all())
    least = FEW_PER_CELL if whole else FEW_PER_CELL_OF_FRACTIONS
    if mean >= least:
        return ""
    return f"only {mean:.1f} tokens a cell seen: the interval holds the truth less often than it says"

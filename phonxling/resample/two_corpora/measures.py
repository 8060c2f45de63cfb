"""A measure of two corpora's counts, both resampled, or jackknifed, each by its own clusters.

References
----------
Arvesen (1969), Jackknifing U-statistics: the jackknife of two samples.
"""

import math
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TypeAlias

import numpy as np

from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.weights import Resampling

Resampled: TypeAlias = tuple[ConfusionStack, Resampling]


def over_unpaired(first: Resampled, second: Resampled, measure: Callable[[Floats, Floats], Floats]) -> Floats:
    """Return what a measure of two corpora's counts, [G + 1, P + 1, R] each, gives for all replicates, [..., R].

    Replicate r of the first is joined with replicate r + 1 of the second (the last with the first): equal seeds would
    draw the same numbers for both, as if utterances of two corpora belonged together.

    Raises
    ------
    ValueError
        If the two have not as many replicates.
    """
    none = [np.zeros((len(stack.gold) + 1, len(stack.predicted) + 1, 0)) for stack, _ in (first, second)]
    parts = zip(replicate_counts(*first), _following(replicate_counts(*second)), strict=True)
    return np.concatenate([measure(*none), *(measure(*both) for both in parts)], axis=-1)


def _following(parts: Iterator[Floats]) -> Iterator[Floats]:
    """Yield in the place of each replicate the one after it, in parts [..., R] as before."""
    first = part = next(parts, None)
    if part is None or first is None:
        return
    for following in chain(parts, [first]):
        yield np.concatenate([part[..., 1:], following[..., :1]], axis=-1)
        part = following


def jackknifed(value: float, first: Floats, second: Floats) -> tuple[float, float]:
    """Return a measure of two corpora without the bias of their few clusters, and its standard error.

    The value less (C − 1)(mean of the values without a cluster − value) of either corpus; the variance is the sum of
    both corpora's (C − 1)/C Σ (value without a cluster − mean)². A corpus of one cluster adds nothing to either.

    Parameters
    ----------
    value : float
        The measure of both corpora whole.
    first, second : float64 array [C1] and [C2]
        The measure without each cluster of the one, and of the other; NaN where it is not defined.

    Examples
    --------
    The difference of two means has no bias; its variance is the sum of both means' own, 1/3 and 1:

    >>> jackknifed(3.0, np.array([3.5, 3.0, 2.5]) , np.array([2.0, 4.0]))
    (3.0, 1.1547005383792515)
    """
    bias, variance = 0.0, 0.0
    for left_out in (first, second):
        known = left_out[np.isfinite(left_out)]
        if len(known) > 1:
            bias += (len(known) - 1) * float(known.mean() - value)
            variance += (len(known) - 1) / len(known) * float(((known - known.mean()) ** 2).sum())
    return value - bias, math.sqrt(variance)

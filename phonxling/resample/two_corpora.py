"""A measure of two corpora's counts over bootstrap replicates, both resampled, each by its own clusters."""

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

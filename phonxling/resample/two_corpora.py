"""A measure of two corpora's counts over bootstrap replicates, both resampled, each by its own clusters."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.core.stack import ConfusionStack
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.weights import Resampling

Floats = NDArray[np.float64]
Resampled = tuple[ConfusionStack, Resampling]


def unpaired_values(first: Resampled, second: Resampled, measure: Callable[[Floats, Floats], ArrayLike]) -> Floats:
    """Return measure(counts, other counts) of each replicate, [R, …]; counts are [G + 1, P + 1], ∅ last.

    Replicate r of the first is joined with replicate r + 1 of the second (the last with the first): equal seeds would
    draw the same numbers for both, as if utterances of two corpora belonged together.
    """
    other = _each(*second)
    start = next(other, None)
    found = []
    for counts in _each(*first):
        following = next(other, start)
        if following is not None:
            found.append(measure(counts, following))
    return np.asarray(found, dtype=np.float64)


def _each(stack: ConfusionStack, resampling: Resampling) -> Iterator[Floats]:
    for part in replicate_counts(stack, resampling):
        yield from np.ascontiguousarray(np.moveaxis(part, -1, 0))

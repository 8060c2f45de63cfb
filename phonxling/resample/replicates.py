"""Confusion matrices of bootstrap replicates, and the measures of all of them at once.

Replicate r's matrix is Σ_u W[r, u] · C_u: the weights of `resampling` times the sparse counts of the utterances.
Measures that are linear in the counts need no matrix (see `Resampling.ratio`); entropies and information do.
"""

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.resample.kernel import add_weighted
from phonxling.resample.weights import Resampling

_TOGETHER = 128  # replicates whose matrices are held at one time
_LARGEST = 64_000_000  # bytes of their weights as floats


def replicate_counts(stack: ConfusionStack, resampling: Resampling) -> Iterator[Floats]:
    """Yield the counts of the replicates, in order, in parts [G + 1, P + 1, at most 128], ∅ last.

    Raises
    ------
    ValueError
        If the resampling is of another number of utterances.

    Examples
    --------
    >>> from phonxling.core.inventory import Inventory
    >>> from phonxling.resample.weights import resampling
    >>> one = ConfusionStack(utterances=("u", "v"), gold=Inventory(("a",)), predicted=Inventory(("a",)),
    ...                      offsets=[0, 1, 2], cells=[0, 1], counts=[2, 3])
    >>> drawn = resampling(2, None, resamples=4, seed=1)
    >>> (counts,) = replicate_counts(one, drawn)
    >>> bool((counts[0] == drawn.weights.T * [[2], [3]]).all())
    True
    """
    whole = np.zeros(len(stack), dtype=np.int8)
    yield from (counts[0] for counts in grouped_replicate_counts(stack, resampling, whole, 1))


def over_replicates(stack: ConfusionStack, resampling: Resampling, measure: Callable[[Floats], Floats]) -> Floats:
    """Return what a measure of counts [G + 1, P + 1, R] gives for all replicates, [..., R]."""
    none = np.zeros((len(stack.gold) + 1, len(stack.predicted) + 1, 0))
    parts = chain([none], replicate_counts(stack, resampling))
    return np.concatenate([measure(counts) for counts in parts], axis=-1)


def grouped_replicate_counts(
    stack: ConfusionStack, resampling: Resampling, group: NDArray[np.int8], groups: int
) -> Iterator[Floats]:
    """Yield the same for each group of utterances, [groups, G + 1, P + 1, at most 128]; `group` [U] says which.

    Memory is that of the replicates' matrices, and of the weights of some utterances.
    """
    if len(stack) != len(resampling.clusters):
        raise ValueError(f"{len(resampling.clusters)} utterances are resampled, and counts are of {len(stack)}")
    shape = groups, len(stack.gold) + 1, len(stack.predicted) + 1
    for rows in resampling.parts(_TOGETHER):
        total = np.zeros((groups, shape[1] * shape[2], len(rows)))
        step = max(1, _LARGEST // (8 * len(rows)))
        for first in range(0, len(stack), step):
            part = slice(first, first + step)
            weights = rows[:, resampling.clusters[part]].T.astype(np.float64, order="C")
            offsets = stack.offsets[first : first + step + 1]
            add_weighted(offsets, stack.cells, stack.counts, weights, group[part], total)
        yield total.reshape(*shape, len(rows))


def grouped_counts(stack: ConfusionStack, group: NDArray[np.int8], groups: int) -> Floats:
    """Return the counts of each group of utterances, [groups, G + 1, P + 1], ∅ last."""
    shape = groups, len(stack.gold) + 1, len(stack.predicted) + 1
    total = np.zeros((groups, shape[1] * shape[2], 1))
    add_weighted(stack.offsets, stack.cells, stack.counts, np.ones((len(stack), 1)), group, total)
    return total.reshape(shape)

"""Confusion matrices of bootstrap replicates, and the measures of all of them at once.

Replicate r's matrix is Σ_u W[r, u] · C_u: the weights of `resampling` times the sparse counts of the utterances.
Measures that are linear in the counts need no matrix (see `Resampling.ratio`); entropies and information do.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.resample.kernel import add_drawn_cells, deal_halves
from phonxling.resample.weights import Resampling

_TOGETHER = 128  # replicates whose matrices are held at one time
_LANES = 128  # sums of a cell side by side at most, of 128 replicates or of the halves of 64
_FEWEST = 8  # and at least, where inventories are large
_LARGEST = 64_000_000  # bytes of their halves, and half those of their counts


@dataclass(frozen=True, eq=False)
class Halving:
    """How C clusters are dealt to two halves, for cross-fitting: in which order [C], and the tokens of each [C].

    The halves of a draw are made anew by the rule that made those of the corpus, for a draw that has clusters of one of
    these alone would leave nothing to fit on. So the clusters drawn are dealt in one random order, each into the half
    that has fewer tokens so far.
    """

    order: Codes
    tokens: Codes

    def halves(self, weights: NDArray[np.uint8]) -> NDArray[np.int8]:
        """Return the half, 0 or 1, of each cluster in R draws of these weights [R, C], int8 [R, C].

        The first half where both have as many tokens. Of clusters that were not drawn it means nothing.

        Raises
        ------
        ValueError
            If the weights are not of C clusters.

        Examples
        --------
        >>> halving = Halving(np.array([2, 0, 1]), np.array([5, 5, 5]))
        >>> halving.halves(np.array([[1, 1, 1], [1, 2, 0], [0, 3, 0]], np.uint8)).tolist()
        [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
        """
        if weights.shape[1] != len(self.order):
            raise ValueError(f"weights of {weights.shape[1]} clusters, and {len(self.order)} are dealt to halves")
        halves = np.zeros(weights.shape, np.int8)
        deal_halves(weights, self.order, self.tokens[self.order], halves)
        return halves


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
    shape = len(stack.gold) + 1, len(stack.predicted) + 1
    every = np.arange(shape[0] * shape[1])
    yield from (counts.reshape(*shape, -1) for counts in cell_counts(stack, resampling, every))


def over_replicates(stack: ConfusionStack, resampling: Resampling, measure: Callable[[Floats], Floats]) -> Floats:
    """Return what a measure of counts [G + 1, P + 1, R] gives for all replicates, [..., R]."""
    none = np.zeros((len(stack.gold) + 1, len(stack.predicted) + 1, 0))
    parts = chain([none], replicate_counts(stack, resampling))
    return np.concatenate([measure(counts) for counts in parts], axis=-1)


def cell_counts(
    stack: ConfusionStack, resampling: Resampling, cells: Codes, halving: Halving | None = None
) -> Iterator[Floats]:
    """Yield the same for K cells, among them all that are attested, [K, 1, at most 128]; with halves [K, 2, …].

    Memory is that of the replicates' counts, and of the halves of their clusters.
    """
    if len(stack) != len(resampling.clusters):
        raise ValueError(f"{len(resampling.clusters)} utterances are resampled, and counts are of {len(stack)}")
    places = np.zeros((len(stack.gold) + 1) * (len(stack.predicted) + 1), np.int64)
    places[cells] = np.arange(len(cells))
    groups, none = 1 if halving is None else 2, np.zeros((0, 0), np.int8)
    most = min(_TOGETHER, _LARGEST // max(1, resampling.number), _LARGEST // (4 * groups * max(1, len(cells))))
    largest, whole = float(stack.counts.max(initial=0)), stack.counts.dtype.kind == "i"
    for weights in resampling.parts(max(_FEWEST, most)):
        heaviest = int(weights.max(initial=0)) if whole else 0
        small = (
            whole and largest * heaviest < 2**16
        )  # each utterance alone: then 16 bits do, and many fit in a register
        lanes = min(_LANES, -(-groups * len(weights) // 32) * 32)
        sums = np.zeros((len(cells), lanes), np.uint16 if small else np.float64)
        half = none if halving is None else halving.halves(weights)
        total = np.zeros((len(cells), groups * len(weights)))
        run = stack.offsets, places, stack.cells, stack.counts, resampling.clusters
        add_drawn_cells(*run, weights, half, heaviest if small else 0, sums, total)
        yield total.reshape(len(cells), groups, len(weights))

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
_FULL, _ENDLESS = 2**16 - 1, 2**62
_LANES = 128  # sums of a cell side by side at most, of 128 replicates or of the halves of 64
_FEWEST = 8  # and at least, where inventories are large
_LARGEST = 64_000_000  # bytes of their weights, and half those of their counts; of either half as many


@dataclass(frozen=True, eq=False)
class Halving:
    """How C clusters are dealt to two halves, for cross-fitting: in which order [C], and the tokens of each [C].

    The halves of a draw are made anew by the rule that made those of the corpus, for a draw that has clusters of one of
    these alone would leave nothing to fit on. So the clusters drawn are dealt in one random order, each into the half
    that has fewer tokens so far.
    """

    order: Codes
    tokens: Codes

    def deal(self, weights: NDArray[np.uint8]) -> None:
        """Move the weights of R draws, which stand first in each row of `weights` [C, 2R], to the cluster's half.

        The first R of a row are the first half, into which a cluster comes if both have as many tokens.

        Raises
        ------
        ValueError
            If the weights are not of C clusters.

        Examples
        --------
        >>> halving = Halving(np.array([2, 0, 1]), np.array([5, 5, 5]))
        >>> weights = np.array([[1, 1, 0, 0], [1, 2, 0, 0], [1, 0, 0, 0]], np.uint8)  # of two draws
        >>> halving.deal(weights)
        >>> weights.tolist()
        [[0, 1, 1, 0], [1, 0, 0, 2], [1, 0, 0, 0]]
        """
        if len(weights) != len(self.order):
            raise ValueError(f"weights of {len(weights)} clusters, and {len(self.order)} are dealt to halves")
        deal_halves(self.order, self.tokens[self.order], weights)


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

    Memory is that of the replicates' counts, and of their clusters' weights side by side.
    """
    if len(stack) != len(resampling.clusters):
        raise ValueError(f"{len(resampling.clusters)} utterances are resampled, and counts are of {len(stack)}")
    places = np.zeros((len(stack.gold) + 1) * (len(stack.predicted) + 1), np.int64)
    places[cells] = np.arange(len(cells))
    halves, clusters = 1 if halving is None else 2, resampling.number
    most = min(_TOGETHER, _LARGEST // max(1, clusters), _LARGEST // (4 * halves * max(1, len(cells))))
    most = min(max(_FEWEST, most), resampling.replicates)
    together = min(most, _LANES // halves)
    drawn = np.zeros((clusters, -(-halves * together // 32) * 32), np.uint8)
    largest = float(stack.counts.max(initial=0))
    run = stack.offsets, places, stack.cells, stack.counts, resampling.clusters
    for weights in resampling.parts(max(1, most)):
        room = _FULL // max(1, int(weights.max(initial=0)))  # tokens of which sums of 16 bits hold every replicate's
        small = stack.counts.dtype.kind == "i" and largest <= room
        sums = np.zeros((len(cells), drawn.shape[1]), np.uint16 if small else np.float64)
        total = np.zeros((len(cells), halves, len(weights)))
        for first in range(0, len(weights), together):
            part = weights[first : first + together]
            drawn[:, : len(part)] = part.T
            if halving:
                halving.deal(drawn)
            add_drawn_cells(*run, drawn, room if small else _ENDLESS, sums, total, (first, len(part)))
        yield total

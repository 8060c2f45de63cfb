"""Confusion counts of every utterance, kept apart so that they can be summed over any choice of utterances."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import check_offsets, read_only
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import Inventory


@dataclass(frozen=True, eq=False, kw_only=True)
class ConfusionStack:
    """Sparse confusion counts by utterance: U matrices of [G + 1, P + 1] cells, ∅ last.

    Parameters
    ----------
    utterances : tuple of str
        U ids.
    gold, predicted : Inventory
        G and P phones.
    offsets : int64 array [U + 1]
        Utterance u's cells stand at offsets[u] … offsets[u + 1] − 1.
    cells : int64 array [N]
        Flat cell number, row · (P + 1) + column, ascending within an utterance.
    counts : float64 array [N]
        The count of each, > 0.
    """

    utterances: tuple[str, ...]
    gold: Inventory
    predicted: Inventory
    offsets: NDArray[np.int64]
    cells: NDArray[np.int64]
    counts: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name, kind in (("offsets", np.int64), ("cells", np.int64), ("counts", np.float64)):
            object.__setattr__(self, name, read_only(getattr(self, name), kind))
        check_offsets(self.offsets, len(self.cells), len(self.utterances))

    def __len__(self) -> int:
        return len(self.utterances)

    def total(self, weights: NDArray[np.float64] | None = None) -> ConfusionMatrix:
        """Return the sum over utterances, each counted as often as its weight says (once by default)."""
        shape = len(self.gold) + 1, len(self.predicted) + 1
        counts = self.counts if weights is None else self.counts * np.repeat(weights, np.diff(self.offsets))
        summed = np.bincount(self.cells, weights=counts, minlength=shape[0] * shape[1])
        return ConfusionMatrix(self.gold, self.predicted, summed.reshape(shape))

    def over(self, gold: Inventory, predicted: Inventory) -> "ConfusionStack":
        """Return the same counts over inventories that hold all of this stack's phones; KeyError otherwise."""
        rows = np.array([*(gold.code(phone) for phone in self.gold), len(gold)])
        columns = np.array([*(predicted.code(phone) for phone in self.predicted), len(predicted)])
        row, column = np.divmod(self.cells, len(self.predicted) + 1)
        cells = rows[row] * (len(predicted) + 1) + columns[column]
        return replace(self, gold=gold, predicted=predicted, cells=cells)

    def matrix_of(self, utterance: int) -> ConfusionMatrix:
        """Return the counts of one utterance, by its position."""
        chosen = np.zeros(len(self))
        chosen[utterance] = 1
        return self.total(chosen)

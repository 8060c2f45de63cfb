"""Alignments, or expected ones, to confusion counts, in total and by utterance."""

from collections.abc import Iterable
from typing import overload

import numpy as np
from numpy.typing import NDArray

from phonxling.core.alignment import CORRECT, DELETION, INSERTION, SUBSTITUTION, Aligned, Alignments, ExpectedAlignments
from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.interface.arguments import checked_types
from phonxling.core.inventory import Inventory
from phonxling.count.cells_kernel import count_cells
from phonxling.count.kernel import count_pairs

_UNKNOWN_CODES = "the alignment has codes that its inventories do not hold"

_UTTERANCES = 1 << 14  # whose pairs are looked at together


@checked_types
def count_confusions(aligned: Aligned) -> ConfusionMatrix:
    """Return how often each gold phone was aligned with each predicted one, ∅ included; of expected ones on average.

    Σ over a gold phone's row is its number of tokens; Σ over a predicted phone's column its number of predictions.

    Examples
    --------
    >>> from phonxling.core.inventory import Inventory
    >>> aligned = Alignments(utterances=("u",), gold_inventory=Inventory(("a",)), predicted_inventory=Inventory(("a",)),
    ...                  offsets=[0, 2], gold=[0, 1], predicted=[0, 0], cost=[1], denominator=1)
    >>> count_confusions(aligned).counts.tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    if isinstance(aligned, ExpectedAlignments):
        return aligned.counts.total()
    counts = np.zeros((len(aligned.gold_inventory) + 1, len(aligned.predicted_inventory) + 1), np.int64)
    if not count_pairs(aligned.gold, aligned.predicted, counts):
        raise ValueError(_UNKNOWN_CODES)
    return ConfusionMatrix(aligned.gold_inventory, aligned.predicted_inventory, counts)


@checked_types
def stack_confusions(aligned: Aligned) -> ConfusionStack:
    """Return the confusion counts of each utterance, sparse; their total is `count_confusions`."""
    if isinstance(aligned, ExpectedAlignments):
        return aligned.counts
    sides = aligned.gold_inventory, aligned.predicted_inventory
    return stack_parts([aligned], sides, utterances=aligned.utterances, pairs=len(aligned.gold))


def stack_parts(
    parts: Iterable[Alignments], sides: tuple[Inventory, Inventory], *, utterances: tuple[str, ...], pairs: int
) -> ConfusionStack:
    """Return the same of alignments that come some utterances at a time, with so many pairs at most."""
    cells, counts = np.empty((2, pairs), np.int32)
    offsets, first, shape = np.zeros(len(utterances) + 1, np.int64), 0, (len(sides[0]) + 1, len(sides[1]) + 1)
    for part in parts:
        begin, ends = offsets[first], offsets[first + 1 : first + 1 + len(part)]
        if not count_cells(part.gold, part.predicted, part.offsets, shape, cells[begin:], counts[begin:], ends):
            raise ValueError(_UNKNOWN_CODES)
        ends += begin
        first += len(part)
    cells.flags.writeable = counts.flags.writeable = False  # so that nobody needs to copy them
    return ConfusionStack(
        utterances=utterances,
        gold=sides[0],
        predicted=sides[1],
        offsets=offsets,
        cells=cells[: offsets[-1]],
        counts=counts[: offsets[-1]],
    )


@overload
def count_operations(aligned: Alignments) -> NDArray[np.int64]: ...
@overload
def count_operations(aligned: ExpectedAlignments) -> Floats: ...
@checked_types
def count_operations(aligned: Aligned) -> NDArray[np.int64] | Floats:
    """Return each utterance's correct, substituted, deleted and inserted phones, int64 (expected: float64) [U, 4]."""
    if isinstance(aligned, ExpectedAlignments):
        return _expected_operations(aligned.counts)
    numbers = np.empty((len(aligned), 4), np.int64)
    for first in range(0, len(aligned), _UTTERANCES):
        bounds = aligned.offsets[first : first + _UTTERANCES + 1]
        utterance = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        kinds = utterance * 4 + aligned.operations[bounds[0] : bounds[-1]]
        numbers[first : first + _UTTERANCES] = np.bincount(kinds, minlength=4 * (len(bounds) - 1)).reshape(-1, 4)
    return numbers


@overload
def count_costs(aligned: Alignments, costs: CostTable) -> NDArray[np.int64]: ...
@overload
def count_costs(aligned: ExpectedAlignments, costs: CostTable) -> Floats: ...
def count_costs(aligned: Aligned, costs: CostTable) -> NDArray[np.int64] | Floats:
    """Return what each utterance costs under a table, int64 (expected: float64) [U], over the table's denominator.

    Under the table that aligned it this is `aligned.cost` (expected: up to rounding). ValueError when the inventories
    differ.
    """
    if (costs.gold, costs.predicted) != (aligned.gold_inventory, aligned.predicted_inventory):
        raise ValueError("the costs are not between the alignment's gold and predicted phones")
    if isinstance(aligned, ExpectedAlignments):
        stack = aligned.counts
        return _by_utterance(stack, costs.numerators().ravel()[stack.cells] * stack.counts)
    paid = np.concatenate([np.zeros(1, np.int64), np.cumsum(costs.numerators()[aligned.gold, aligned.predicted])])
    return np.asarray(paid[aligned.offsets[1:]] - paid[aligned.offsets[:-1]], dtype=np.int64)


def _expected_operations(stack: ConfusionStack) -> Floats:
    kinds = np.full((len(stack.gold) + 1, len(stack.predicted) + 1), SUBSTITUTION)
    kinds[:-1, :-1][ConfusionMatrix.zero(stack.gold, stack.predicted).same_symbol()] = CORRECT
    kinds[:, -1], kinds[-1, :] = DELETION, INSERTION
    kind = kinds.ravel()[stack.cells]
    numbers = [_by_utterance(stack, np.where(kind == operation, stack.counts, 0.0)) for operation in range(4)]
    return np.stack(numbers, axis=1)


def _by_utterance(stack: ConfusionStack, values: NDArray[np.number]) -> Floats:
    utterance = np.repeat(np.arange(len(stack), dtype=np.int64), np.diff(stack.offsets))
    return np.bincount(utterance, weights=values, minlength=len(stack)).astype(np.float64)

"""Pairs aligned for their costs and confusions alone: of the paths, those of some utterances at a time are held."""

from collections.abc import Iterator

import numpy as np

from phonxling.alignment.corpus import align_in_parts
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.sequences import PhoneSequences
from phonxling.count.confusions import stack_parts


def count_aligned(gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable) -> tuple[Floats, ConfusionStack]:
    """Return what aligning each pair of utterances costs, [U], and its confusions; errors as for `align_sequences`.

    Examples
    --------
    >>> from phonxling.alignment.costs.named import cost_table
    >>> from phonxling.core.sequences import from_lists
    >>> gold, predicted = from_lists(["u", "v"], [["a", "b"], ["b"]]), from_lists(["u", "v"], [["a"], ["b"]])
    >>> unit = cost_table("unit", gold.inventory, predicted.inventory, None)
    >>> cost, stack = count_aligned(gold, predicted, unit)
    >>> cost.tolist(), stack.total().counts.tolist()
    ([1.0, 0.0], [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    """
    cost, pairs = [np.zeros(0)], len(gold.codes) + len(predicted.codes)

    def parts() -> Iterator[Alignments]:
        for aligned in align_in_parts(gold, predicted, costs):
            cost.append(aligned.cost / aligned.denominator)
            yield aligned

    stack = stack_parts(parts(), (costs.gold, costs.predicted), utterances=gold.utterances, pairs=pairs)
    return np.concatenate(cost), stack

"""The gold phones on either side of each aligned pair."""

import numpy as np

from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Codes

EDGE = "#"  # how the edge of an utterance is shown


def gold_neighbours(aligned: Alignments) -> tuple[Codes, Codes]:
    """Return the last gold phone before each aligned pair and the first one after it, by code, int64 [L] each.

    Both are of the same utterance, deleted phones included; G, the number of gold phones, stands for its edge. Other
    insertions are passed over.

    Examples
    --------
    Gold b a, between which something is inserted, and once more at the end:

    >>> from phonxling.core.inventory import Inventory
    >>> phones = {"gold_inventory": Inventory(("a", "b")), "predicted_inventory": Inventory(("a",))}
    >>> aligned = Alignments(utterances=("u",), offsets=[0, 4], gold=[1, 2, 0, 2], predicted=[1, 0, 0, 0],
    ...                      cost=[3], denominator=1, **phones)
    >>> [side.tolist() for side in gold_neighbours(aligned)]
    [[2, 1, 1, 0], [0, 0, 2, 2]]
    """
    edge = len(aligned.gold_inventory)
    is_gold = aligned.gold < edge
    number = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_gold)])
    lengths = np.diff(aligned.offsets)
    first, last = (np.repeat(number[place], lengths) for place in (aligned.offsets[:-1], aligned.offsets[1:]))
    tokens = np.append(aligned.gold[is_gold].astype(np.int64), edge)  # so that the place behind the last one exists
    before, after = number[:-1], number[1:]
    left = np.where(before > first, tokens[np.maximum(before - 1, 0)], edge)
    return left, np.where(after < last, tokens[after], edge)

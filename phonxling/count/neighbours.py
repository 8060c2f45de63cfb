"""The gold phones on either side of each aligned pair."""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Codes

EDGE = "#"  # how the edge of an utterance is shown
_UTTERANCES = 1 << 14  # that are looked at together


def gold_neighbours(aligned: Alignments) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Return the last gold phone before each aligned pair and the first one after it, by code, [L] each.

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
    phones, offsets, edge = aligned.gold, aligned.offsets, len(aligned.gold_inventory)
    left, right = np.empty((2, len(phones)), phones.dtype)
    for first in range(0, len(offsets) - 1, _UTTERANCES):
        some = offsets[first : first + _UTTERANCES + 1]
        run = slice(some[0], some[-1])
        left[run], right[run] = _neighbours(phones[run], some - some[0], edge)
    return left, right


def _neighbours(phones: NDArray[np.integer], offsets: Codes, edge: int) -> tuple[Codes, Codes]:
    is_phone = phones < edge
    number = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_phone)])
    lengths = np.diff(offsets)
    first, last = (np.repeat(number[place], lengths) for place in (offsets[:-1], offsets[1:]))
    tokens = np.append(phones[is_phone].astype(np.int64), edge)  # so that the place behind the last one exists
    before, after = number[:-1], number[1:]
    left = np.where(before > first, tokens[np.maximum(before - 1, 0)], edge)
    return left, np.where(after < last, tokens[after], edge)

"""The loops of chance."""

import numba
import numpy as np
from numpy.typing import NDArray

_U = numba.uint64


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def pay_constants(
    gold: NDArray[np.integer],
    offsets: NDArray[np.int64],
    lengths: NDArray[np.int64],
    deletion: NDArray[np.int64],
    insertion: NDArray[np.int64],
    order: NDArray[np.int64],
    saved: NDArray[np.int64],
    paid: NDArray[np.int64],
) -> None:
    """Write to `paid` [k, U] what each utterance costs at least if every prediction is one of k answers.

    `order` [k, G] holds the gold phones by what a pair of them and an answer saves, the most first, and `saved` [k, G]
    how much that is, ≤ 0.
    """
    tokens = np.zeros(deletion.size, np.int64)
    for utterance in range(lengths.size):
        first, last, deleted = offsets[utterance], offsets[utterance + 1], 0
        for place in range(first, last):
            tokens[gold[_U(place)]] += 1
            deleted += deletion[gold[_U(place)]]
        for answer in range(insertion.size):
            total, left, at = deleted + lengths[utterance] * insertion[answer], min(lengths[utterance], last - first), 0
            while left > 0:
                pairs = min(left, tokens[_U(order[answer, at])])
                total, left, at = total + pairs * saved[answer, at], left - pairs, at + 1
            paid[answer, utterance] = total
        for place in range(first, last):
            tokens[gold[_U(place)]] = 0

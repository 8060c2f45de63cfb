"""The loop of the analyses: what constants cost."""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes
from phonxling.core.jit import numba

_U = numba.uint64
_compiled = numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")


@_compiled
def pay_constants(
    gold: NDArray[np.integer],
    offsets: Codes,
    lengths: Codes,
    deletion: Codes,
    insertion: Codes,
    order: Codes,
    saved: Codes,
    paid: Codes,
) -> None:
    """Write to `paid` [k, U] what each utterance costs at least if every prediction is one of k answers."""
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

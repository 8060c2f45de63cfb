"""The dynamic programme of `phonxling.alignment.affine`: three states a cell, filled and traced."""

import numba
import numpy as np
from numpy.typing import NDArray

WANTED_BITS = 32
_FAR = 1 << 61
Codes = NDArray[np.integer]


@numba.njit(cache=True, nogil=True)
def _best(pair: int, insertion: int, deletion: int) -> tuple[int, int]:
    """Return the least of three values and which it is, the first of equals."""
    if pair <= insertion and pair <= deletion:
        return pair, 0
    return (insertion, 1) if insertion <= deletion else (deletion, 2)


@numba.njit(cache=True, nogil=True)
def align_all(
    gold: Codes,
    gold_offsets: NDArray[np.int64],
    predicted: Codes,
    predicted_offsets: NDArray[np.int64],
    substitution: NDArray[np.int64],
    deletion: NDArray[np.int64],
    insertion: NDArray[np.int64],
    opening: int,
    late: bool,
    cost: NDArray[np.int64],
    length: NDArray[np.int64],
    path_gold: NDArray[np.int32],
    path_predicted: NDArray[np.int32],
) -> int:
    """Align every utterance; fill `cost`, `length` and the paths, one after the other; return their length."""
    used = 0
    for utterance in range(len(cost)):
        a = gold[gold_offsets[utterance] : gold_offsets[utterance + 1]]
        b = predicted[predicted_offsets[utterance] : predicted_offsets[utterance + 1]]
        value, state, came = _fill(a, b, substitution, deletion, insertion, opening, late)
        cost[utterance] = -((-value) >> WANTED_BITS)  # what is wanted was subtracted: rounding up gives the cost back
        pairs = _trace(a, b, state, came, substitution.shape, path_gold[used:], path_predicted[used:])
        length[utterance] = pairs
        used += pairs
    return used


@numba.njit(cache=True, nogil=True)
def _fill(
    a: Codes,
    b: Codes,
    substitution: NDArray[np.int64],
    deletion: NDArray[np.int64],
    insertion: NDArray[np.int64],
    opening: int,
    late: bool,
) -> tuple[int, int, NDArray[np.uint8]]:
    """Return the best value, the state that it ends in, and the state before each cell and state (2 bits each)."""
    n, m = len(a), len(b)
    came = np.zeros((n + 1, m + 1), np.uint8)
    value = np.full((3, m + 1), _FAR)  # of the row above, then of this row up to the cell
    for i in range(n + 1):
        above = value.copy()
        value[:] = _FAR
        if i == 0:
            value[0, 0] = 0
        for j in range(m + 1):
            pair = into = out = 0
            if i > 0 and j > 0:
                best, pair = _best(above[0, j - 1], above[1, j - 1], above[2, j - 1])
                value[0, j] = best + substitution[a[i - 1], b[j - 1]]
            if j > 0:
                best, into = _best(value[0, j - 1] + opening, value[1, j - 1], _FAR)
                value[1, j] = min(best + insertion[b[j - 1]] - (j - 1) * late, _FAR)
            if i > 0:
                best, out = _best(above[0, j] + opening, above[1, j] + opening, above[2, j])
                value[2, j] = min(best + deletion[a[i - 1]] - (i - 1) * late, _FAR)
            came[i, j] = pair | into << 2 | out << 4
    best, state = _best(value[0, m], value[1, m], value[2, m])
    return best, state, came


@numba.njit(cache=True, nogil=True)
def _trace(
    a: Codes,
    b: Codes,
    state: int,
    came: NDArray[np.uint8],
    phones: tuple[int, int],
    path_gold: NDArray[np.int32],
    path_predicted: NDArray[np.int32],
) -> int:
    """Write the path that ends in a state, ∅ as the number of phones of its side; return its length."""
    i, j, pairs = len(a), len(b), 0
    while i > 0 or j > 0:
        before = (came[i, j] >> (2 * state)) & 3
        i, j = i - (state != 1), j - (state != 2)
        path_gold[pairs] = phones[0] if state == 1 else a[i]
        path_predicted[pairs] = phones[1] if state == 2 else b[j]
        state, pairs = before, pairs + 1
    path_gold[:pairs] = path_gold[:pairs][::-1].copy()
    path_predicted[:pairs] = path_predicted[:pairs][::-1].copy()
    return pairs

"""The loop that permutes labels."""

import numba
import numpy as np
from numpy.typing import NDArray

_U = numba.uint64


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def exchange(values: NDArray[np.generic], draws: NDArray[np.uint32], left: int) -> int:
    """Let each value from place `left` down to 1 change places with one before it, or itself; return how many are left.

    Fisher & Yates' permutation: of each draw the last bits, as many as `left` has; one beyond `left` is passed over.
    """
    place, mask = np.int64(left), np.int64(1)
    while mask < place:
        mask = 2 * mask + 1
    for draw in draws:
        drawn = np.int64(draw) & mask
        taken = drawn <= place  # no branch, which the processor could not foresee
        other = drawn if taken else place
        values[_U(place)], values[_U(other)] = values[_U(other)], values[_U(place)]
        place -= taken
        mask >>= place <= mask >> 1
        if place == 0:
            break
    return int(place)

"""The loops that permute labels."""

import numba
import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes

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


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def permute(values: NDArray[np.generic], starts: Codes, draws: NDArray[np.uint32]) -> int:
    """Permute the values of each group, which begin at `starts` [G + 1]; return how many draws that took, −1: too few.

    Of as many draws as a group has values to place, those that are left when all are placed go unused.
    """
    used = 0
    for group in range(len(starts) - 1):
        own = values[starts[group] : starts[group + 1]]
        left = len(own) - 1
        while left > 0:
            some = draws[used : used + left]
            if len(some) < left:
                return -1
            used += left
            left = exchange(own, some, left)
    return used

"""The loops that permute labels."""

import numba
import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes

_U = numba.uint64


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def permute(
    values: NDArray[np.generic], starts: Codes, draws: NDArray[np.uint32], group: int, left: int
) -> tuple[int, int, int]:
    """Permute the values of each group, which begin at `starts` [G + 1], as far as the draws go.

    Fisher & Yates' permutation: each value from a group's last place down to its second changes places with one before
    it, or itself. Of each draw the last bits, as many as the place has, say which; one beyond the place is passed over.
    Go on in `group` at its place `left`, −1 for its last; return where the next call goes on, and the draws used.
    """
    at = 0
    while group < starts.size - 1:
        own = values[starts[group] : starts[group + 1]]
        place, mask = np.int64(own.size - 1 if left < 0 else left), np.int64(1)
        while mask < place:
            mask = 2 * mask + 1
        while place > 0:
            if at == draws.size:
                return group, int(place), at
            below = mask >> 1
            while place > below and at < draws.size:
                drawn = np.int64(draws[_U(at)]) & mask
                taken = drawn <= place  # no branch, which the processor could not foresee
                other = drawn if taken else place
                own[_U(place)], own[_U(other)] = own[_U(other)], own[_U(place)]
                place -= taken
                at += 1
            mask = below if place == below else mask
        group, left = group + 1, -1
    return group, left, at

"""The loop over distances: those of one point from all others at once, each summed in the order of the axes."""

import numba
import numpy as np

from phonxling.core.arrays import Floats


@numba.njit(cache=True, nogil=True)
def euclidean(first: Floats, second: Floats) -> Floats:
    """Return the distances of points [R, N, K] from others [R, M, K], [R, N, M]."""
    apart = np.empty((len(first), first.shape[1], second.shape[1]))
    for one in range(len(first)):
        axes = second[one].T.copy()
        for point in range(first.shape[1]):
            row = apart[one, point]
            for other in range(len(row)):
                row[other] = 0.0
            for axis in range(len(axes)):
                place = first[one, point, axis]
                for other in range(len(row)):
                    row[other] += (place - axes[axis, other]) ** 2
            for other in range(len(row)):
                row[other] = np.sqrt(row[other])
    return apart

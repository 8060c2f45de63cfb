"""The loop that sums sparse counts under many weightings at once."""

import numba
import numpy as np
from numpy.typing import NDArray

_U = numba.uint64


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_weighted(
    offsets: NDArray[np.int64],
    cells: NDArray[np.int64],
    counts: NDArray[np.float64],
    weights: NDArray[np.float64],
    total: NDArray[np.float64],
) -> None:
    """Add Σ_u weights[u, r] · counts of utterance u to `total` [cells, R], utterance by utterance; weights are [U, R].

    Replicates lie side by side, so that one count is added to many of them at a time.
    """
    replicates = weights.shape[1]
    weight, sums = weights.ravel(), total.ravel()
    for utterance in range(offsets.size - 1):
        line = utterance * replicates
        for place in range(offsets[utterance], offsets[utterance + 1]):
            count, cell = counts[place], cells[place] * replicates
            for replicate in range(replicates):
                sums[_U(cell + replicate)] += count * weight[_U(line + replicate)]

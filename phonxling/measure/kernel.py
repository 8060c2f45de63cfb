"""The loops that sum sparse counts under many weightings at once, and rows by label."""

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


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_labelled_rows(
    rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    labels: NDArray[np.integer],
    total: NDArray[np.float64],
) -> None:
    """Add each row [n, K], times its weight, to the row of `total` [G, K] that its label names, in order."""
    width, values, sums = rows.shape[1], rows.ravel(), total.ravel()
    for row in range(labels.size):
        here, there, weight = row * width, np.int64(labels[_U(row)]) * width, weights[_U(row)]
        for column in range(width):
            sums[_U(there + column)] += values[_U(here + column)] * weight

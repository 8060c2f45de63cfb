"""The loops of permutations: sums of rows under many labellings at once."""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats
from phonxling.core.jit import numba

_Whole = NDArray[np.integer]
_Any = NDArray[np.number]
_U = numba.uint64
_ROWS = 512  # that are added under one labelling after the other
_compiled = numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")


@_compiled
def add_relabelled(rows: Floats, weights: Floats, labels: _Whole, total: Floats) -> None:
    """Add each row [n, K], times its weight, to the row of `total` [P, G, K] that each labelling [P, n] gives it."""
    for first in range(0, weights.size, _ROWS):
        for labelling in range(labels.shape[0]):
            table = total[labelling]
            for row in range(first, min(first + _ROWS, weights.size)):
                own, weight = _U(labels[_U(labelling), _U(row)]), weights[_U(row)]
                for column in range(rows.shape[1]):
                    table[own, _U(column)] += rows[_U(row), _U(column)] * weight


@_compiled
def add_relabelled_cells(
    owner: NDArray[np.int32], column: NDArray[np.int32], mass: _Any, labels: _Whole, total: Floats
) -> None:
    """Do the same for rows of few values: entry m says that row owner[m] has mass[m] in column[m]."""
    width, size, sums = total.shape[2], total.shape[1] * total.shape[2], total.ravel()
    for first in range(0, mass.size, _ROWS):
        for labelling in range(labels.shape[0]):
            for entry in range(first, min(first + _ROWS, mass.size)):
                own = labelling * size + np.int64(labels[_U(labelling), _U(owner[_U(entry)])]) * width
                sums[_U(own + column[_U(entry)])] += mass[_U(entry)]

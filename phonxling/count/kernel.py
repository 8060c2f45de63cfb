"""The loops that add tokens and aligned pairs to tables of counts."""

import numba
import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats

_U = numba.uint64


def add_rows(rows: Floats, weights: Floats, codes: NDArray[np.integer], total: Floats) -> None:
    """Add each row [n, K], times its weight, to the row of `total` [G, K] that its code names, in order.

    Examples
    --------
    >>> total = np.zeros((2, 1))
    >>> add_rows(np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 1.0, 2.0]), np.array([1, 0, 1]), total)
    >>> total.tolist()
    [[2.0], [7.0]]
    """
    fixed = np.ascontiguousarray(rows).view()
    fixed.flags.writeable = False  # as many are: for others the loop would be compiled once more
    _add_rows(fixed, weights, codes.astype(np.int64), total)


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _add_rows(rows: Floats, weights: Floats, codes: NDArray[np.int64], total: Floats) -> None:
    for row in range(codes.size):
        code, weight = codes[_U(row)], weights[_U(row)]
        for column in range(rows.shape[1]):
            total[_U(code), _U(column)] += rows[_U(row), _U(column)] * weight


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_tokens(mass: Floats, codes: NDArray[np.integer], by_frame: bool, hard: bool, total: Floats) -> None:
    """Add tokens' mass [n, K] to the rows of `total` [G, K] that their codes name, in order.

    Each row is divided by its sum unless `by_frame`; `hard` gives 1 to its highest value, the first of equals.
    """
    width = mass.shape[1]
    for row in range(codes.size):
        code, whole, best = codes[_U(row)], 0.0, 0
        for column in range(width):
            value = mass[_U(row), _U(column)]
            whole += value
            if value > mass[_U(row), _U(best)]:
                best = column
        if whole <= 0:
            continue
        if hard:
            total[_U(code), _U(best)] += 1.0
            continue
        for column in range(width):
            value = mass[_U(row), _U(column)]
            total[_U(code), _U(column)] += value if by_frame else value / whole


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def count_pairs(gold: NDArray[np.integer], predicted: NDArray[np.integer], counts: NDArray[np.int64]) -> bool:
    """Add each pair's one to its cell of `counts` [G + 1, P + 1]; return False, and add none, where a code has no cell.

    All codes are looked at before any is counted: two loops are faster than one that does both.
    """
    rows, columns, cells, beyond = _U(counts.shape[0]), _U(counts.shape[1]), counts.ravel(), False
    for pair in range(gold.size):  # a negative code, as an unsigned number, is beyond every table
        beyond |= (_U(gold[_U(pair)]) >= rows) | (_U(predicted[_U(pair)]) >= columns)
    if beyond:
        return False
    for pair in range(gold.size):
        cells[_U(gold[_U(pair)]) * columns + _U(predicted[_U(pair)])] += 1
    return True

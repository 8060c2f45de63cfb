"""The loops of resampling: sums of values and counts under many weightings at once, and of rows by label.

Also what leaving out each cluster changes in Σ n log2 n over the rows, the columns and the cells of a table: an entropy
without a cluster needs no more than that.
"""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats
from phonxling.core.jit import numba

_Bytes = NDArray[np.uint8]
_Whole = NDArray[np.integer]
_Any = NDArray[np.number]
_U = numba.uint64
NOTHING = 1e-9  # a count that subtraction leaves of none
_ROWS = 512  # that are added under one labelling after the other
_BLOCK = 2048  # clusters whose values stay in the processor's nearest memory
_compiled = numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy", fastmath={"reassoc", "contract"})
def add_drawn(weights: _Bytes, values: Floats, sums: Floats) -> None:
    """Add Σ_c weights[r, c] · values[k, c] to sums[k, r]."""
    for first in range(0, weights.shape[1], _BLOCK):
        last = min(first + _BLOCK, weights.shape[1])
        for row in range(weights.shape[0]):
            for value in range(values.shape[0]):
                drawn = 0.0
                for cluster in range(first, last):
                    weight = np.float64(np.int32(weights[_U(row), _U(cluster)]))
                    drawn += weight * values[_U(value), _U(cluster)]
                sums[_U(value), _U(row)] += drawn


@_compiled
def add_drawn_cells(
    offsets: Codes, places: Codes, cells: _Whole, counts: _Any, clusters: Codes, weights: _Bytes, sums: Floats
) -> None:
    """Add Σ_u weights[cluster of u] · counts of u to `sums` [K, lanes], utterance by utterance."""
    lanes, side_by_side = sums.shape[1], sums.ravel()
    weight = np.zeros(lanes)
    for utterance in range(offsets.size - 1):
        own = weights[_U(clusters[_U(utterance)])]
        for lane in range(lanes):
            weight[_U(lane)] = own[_U(lane)]
        for place in range(offsets[utterance], offsets[utterance + 1]):
            count, first = np.float64(counts[_U(place)]), _U(places[_U(cells[_U(place)])]) * _U(lanes)
            for lane in range(lanes):
                side_by_side[first + _U(lane)] += count * weight[_U(lane)]


@_compiled
def deal_halves(order: Codes, tokens: Codes, weights: _Bytes) -> None:
    """Move the weights of R draws, first of all in each row of `weights` [C, 2R]."""
    draws, lanes, both = weights.shape[1] // 2, weights.shape[1], weights.ravel()
    more = np.zeros(draws, np.int64)  # tokens that the first half has more than the second
    for place in range(order.size):
        first = _U(order[_U(place)] * lanes)
        second = first + _U(draws)
        for draw in range(draws):
            drawn, turned = both[first + _U(draw)], -more[_U(draw)] >> 63  # −1 for the second half, 0 for the first
            both[second + _U(draw)] = drawn if turned else 0
            both[first + _U(draw)] = 0 if turned else drawn
            more[_U(draw)] += ((np.int64(drawn) * tokens[_U(place)]) ^ turned) - turned


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


@_compiled
def _change_without(count: float, total: float) -> float:
    """Return what leaving out `count` of a line's total changes in n log2 n."""
    left = total - count
    return float((left * np.log2(left) if left > NOTHING else 0.0) - total * np.log2(total))


@_compiled
def _known_change(count: int, line: int, total: Floats, known: Floats) -> float:
    whole = np.float64(count)
    return known[_U(count), _U(line)] if count < known.shape[0] else _change_without(whole, total[_U(line)])


@_compiled
def add_changes(
    offsets: Codes,
    cells: _Whole,
    counts: _Any,
    lines: Codes,
    sizes: tuple[int, int],
    total: Floats,
    known: Floats,
    sums: Floats,
) -> None:
    """Write to `sums` [7, C] what leaving out each cluster changes.

    `known` [few, lines] has the change by so many tokens, 0 by none.
    """
    first_cell, few = _U(sizes[0] + sizes[1]), _U(known.shape[0])
    tokens = np.zeros(sizes[0] + sizes[1], np.int64)
    for cluster in range(offsets.size - 1):
        number, of_rows, of_columns, of_cells = _U(0), 0.0, 0.0, 0.0
        rows_gone, columns_gone, cells_gone = 0, 0, 0
        tokens[:] = 0
        for place in range(offsets[cluster], offsets[cluster + 1]):
            cell, count = _U(cells[_U(place)]), _U(counts[_U(place)])
            if lines[_U(0), cell] < 0:
                continue
            row, column, line = _U(lines[_U(0), cell]), _U(lines[_U(1), cell]), first_cell + cell
            in_row, in_column, number = _U(tokens[row]), _U(tokens[column]), number + count
            tokens[row], tokens[column] = in_row + count, in_column + count
            if in_row + count < few and in_column + count < few:
                of_rows += known[in_row + count, row] - known[in_row, row]
                of_columns += known[in_column + count, column] - known[in_column, column]
                of_cells += known[count, line]
            else:
                of_rows += _known_change(tokens[row], row, total, known) - _known_change(in_row, row, total, known)
                of_columns += _known_change(tokens[column], column, total, known)
                of_columns -= _known_change(in_column, column, total, known)
                of_cells += _known_change(count, line, total, known)
            if count == total[line]:  # else its row and its column have tokens left, too
                rows_gone += tokens[row] == total[row]
                columns_gone += tokens[column] == total[column]
                cells_gone += 1
        sums[0, cluster], sums[1, cluster], sums[2, cluster] = number, of_rows, of_columns
        sums[3, cluster], sums[4, cluster], sums[5, cluster] = of_cells, rows_gone, columns_gone
        sums[6, cluster] = cells_gone

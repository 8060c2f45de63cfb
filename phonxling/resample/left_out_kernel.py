"""The loops that sum what leaving out each cluster changes in Σ n log2 n over the lines of a table."""

import numba
import numpy as np
from numpy.typing import NDArray

_U = numba.uint64
NOTHING = 1e-9  # a count that subtraction leaves of none


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _change_without(count: float, total: float) -> float:
    """Return what leaving out `count` of a line's total changes in n log2 n."""
    left = total - count
    return float((left * np.log2(left) if left > NOTHING else 0.0) - total * np.log2(total))


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_changes(
    offsets: NDArray[np.int64],
    cells: NDArray[np.integer],
    counts: NDArray[np.number],
    lines: NDArray[np.int64],
    sizes: tuple[int, int],
    total: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Write to `sums` [7, C] what leaving out each cluster changes.

    These are its tokens; the changes in Σ n log2 n over rows, over columns and over cells; and of how many rows,
    columns and cells nothing is left. Lines are the rows, then the columns (`sizes` of them), then the cells; `lines`
    [2, cells] holds the row and the column of each cell, −1 where it is not counted, `total` the tokens of each line.
    """
    first_cell, tokens = sizes[0] + sizes[1], np.zeros(sizes[0] + sizes[1])
    ends = (0, sizes[0], first_cell)
    for cluster in range(offsets.size - 1):
        number, change, gone = 0.0, 0.0, 0.0  # kept in registers, which arrays are not
        for place in range(offsets[cluster], offsets[cluster + 1]):
            cell, count = _U(cells[_U(place)]), counts[_U(place)]
            row, column, line = lines[_U(0), cell], lines[_U(1), cell], _U(first_cell) + cell
            if row < 0:
                continue
            tokens[_U(row)] += count
            tokens[_U(column)] += count
            number, change = number + count, change + _change_without(count, total[line])
            gone += total[line] - count <= NOTHING
        sums[0, cluster], sums[3, cluster], sums[6, cluster] = number, change, gone
        for side in range(2):
            change, gone = 0.0, 0.0
            for place in range(ends[side], ends[side + 1]):
                line = _U(place)
                count, tokens[line] = tokens[line], 0.0
                if count > 0:
                    change += _change_without(count, total[line])
                    gone += total[line] - count <= NOTHING
            sums[1 + side, cluster], sums[4 + side, cluster] = change, gone


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _known_change(count: int, line: int, total: NDArray[np.float64], known: NDArray[np.float64]) -> float:
    whole = np.float64(count)
    return known[_U(count), _U(line)] if count < known.shape[0] else _change_without(whole, total[_U(line)])


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_whole_changes(
    offsets: NDArray[np.int64],
    cells: NDArray[np.integer],
    counts: NDArray[np.number],
    lines: NDArray[np.int64],
    sizes: tuple[int, int],
    total: NDArray[np.float64],
    known: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Do the same for counts of whole tokens; `known` [few, lines] has the change by so many tokens, 0 by none.

    The changes of a row are those by its cells, one after the other, so that no line without tokens is looked at.
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

"""The loops that count cells of confusions: of each utterance, and of clusters of utterances."""

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def sort_run(values: NDArray[np.integer], first: int, last: int) -> None:
    """Sort values[first:last] in place (Shell 1959, with Knuth's gaps); NumPy's sort takes 2.6 s to compile."""
    gap = 1
    while 9 * gap < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(first + gap, last):
            value, hole = values[place], place
            while hole >= first + gap and values[hole - gap] > value:
                values[hole] = values[hole - gap]
                hole -= gap
            values[hole] = value
        gap //= 3


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def count_cells(
    gold: NDArray[np.integer],
    predicted: NDArray[np.integer],
    offsets: NDArray[np.int64],
    columns: int,
    cells: NDArray[np.integer],
    counts: NDArray[np.integer],
    ends: NDArray[np.int64],
) -> None:
    """Write each utterance's cells gold · columns + predicted, ascending, each once, and how often it has them.

    `cells` and `counts` have room for all pairs; utterance u's end at ends[u].
    """
    last = 0
    for utterance in range(offsets.size - 1):
        begin = last
        for pair in range(offsets[utterance], offsets[utterance + 1]):
            cells[last] = np.int64(gold[pair]) * columns + predicted[pair]
            last += 1
        sort_run(cells, begin, last)
        place = begin
        for pair in range(begin, last):
            if pair > begin and cells[pair] == cells[place - 1]:
                counts[place - 1] += 1
            else:
                cells[place], counts[place] = cells[pair], 1
                place += 1
        ends[utterance] = last = place


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def merge_cells(
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    offsets: NDArray[np.int64],
    cells: NDArray[np.integer],
    counts: NDArray[np.number],
    sums: NDArray[np.number],
    merged: NDArray[np.integer],
    merged_counts: NDArray[np.number],
    ends: NDArray[np.int64],
) -> None:
    """Write each cluster's cells, ascending, each once, to `merged`, and the sums of their counts to `merged_counts`.

    Cluster c is of the utterances order[bounds[c]] … order[bounds[c + 1] − 1], and its cells end at ends[c]. `sums`
    has a 0 for each cell.
    """
    last = 0
    for cluster in range(bounds.size - 1):
        begin = last
        for utterance in order[bounds[cluster] : bounds[cluster + 1]]:
            for place in range(offsets[utterance], offsets[utterance + 1]):
                cell = cells[place]
                if sums[cell] == 0:
                    merged[last] = cell
                    last += 1
                sums[cell] += counts[place]
        sort_run(merged, begin, last)
        for place in range(begin, last):
            merged_counts[place] = sums[merged[place]]
            sums[merged[place]] = 0
        ends[cluster] = last

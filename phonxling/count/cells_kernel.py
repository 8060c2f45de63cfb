"""The loops that count cells of confusions, of utterances and of clusters; and that find clusters with a symbol.

The cells that occur are marked by a bit each, in words of 64, and the words by a bit each in blocks of 64 words. So
they are met again in ascending order, without sorting them and without looking at those that do not occur.
"""

import numba
import numpy as np
from numpy.typing import NDArray

_U = numba.uint64
_ONE, _NONE, _IN_WORD = np.uint64(1), np.uint64(0), np.uint64(63)
_compiled = numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")


@_compiled
def _lowest(word: np.uint64) -> np.uint64:
    """Return which is the lowest bit of a word that is set: the number of bits below it."""
    below = (word & (~word + _ONE)) - _ONE
    below -= (below >> _ONE) & _U(0x5555555555555555)
    below = (below & _U(0x3333333333333333)) + ((below >> _U(2)) & _U(0x3333333333333333))
    below = (below + (below >> _U(4))) & _U(0x0F0F0F0F0F0F0F0F)
    return np.uint64((below * _U(0x0101010101010101)) >> _U(56))


@_compiled
def _mark(cell: np.uint64, words: NDArray[np.uint64], blocks: NDArray[np.uint64]) -> None:
    """Set the bit of a cell, and of its word."""
    words[cell >> _U(6)] |= _ONE << (cell & _IN_WORD)
    blocks[cell >> _U(12)] |= _ONE << ((cell >> _U(6)) & _IN_WORD)


@_compiled
def _write_marked(
    words: NDArray[np.uint64],
    blocks: NDArray[np.uint64],
    sums: NDArray[np.number],
    cells: NDArray[np.integer],
    counts: NDArray[np.number],
    last: np.int64,
) -> np.int64:
    """Write the cells that are marked and their sums from `last` on, and return where they end; marks and sums go."""
    for block in range(blocks.size):
        rest, blocks[block] = blocks[block], _NONE
        while rest != _NONE:
            word = (_U(block) << _U(6)) + _lowest(rest)
            rest &= rest - _ONE
            bits, words[word] = words[word], _NONE
            while bits != _NONE:
                cell = (word << _U(6)) + _lowest(bits)
                bits &= bits - _ONE
                cells[_U(last)], counts[_U(last)] = cell, sums[cell]
                sums[cell] = 0
                last += 1
    return last


@_compiled
def count_cells(
    gold: NDArray[np.integer],
    predicted: NDArray[np.integer],
    offsets: NDArray[np.int64],
    shape: tuple[int, int],
    cells: NDArray[np.integer],
    counts: NDArray[np.integer],
    ends: NDArray[np.int64],
) -> bool:
    """Write each utterance's cells of a table of `shape`, ascending, each once, and how often it has them.

    `cells` and `counts` have room for all pairs; utterance u's end at ends[u]. Return whether the table has all pairs.
    """
    size, last = shape[0] * shape[1], np.int64(0)  # for a literal 0 the function would be compiled once more
    sums = np.zeros(size, np.int32)
    words, blocks = np.zeros((size >> 6) + 1, np.uint64), np.zeros((size >> 12) + 1, np.uint64)
    for utterance in range(offsets.size - 1):
        for pair in range(offsets[utterance], offsets[utterance + 1]):
            row, column = _U(gold[_U(pair)]), _U(predicted[_U(pair)])
            if row >= _U(shape[0]) or column >= _U(shape[1]):
                return False
            cell = row * _U(shape[1]) + column
            sums[cell] += 1
            _mark(cell, words, blocks)
        ends[utterance] = last = _write_marked(words, blocks, sums, cells, counts, last)
    return True


@_compiled
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
    words, blocks = np.zeros((sums.size >> 6) + 1, np.uint64), np.zeros((sums.size >> 12) + 1, np.uint64)
    last = np.int64(0)
    for cluster in range(bounds.size - 1):
        for utterance in order[bounds[cluster] : bounds[cluster + 1]]:
            for place in range(offsets[utterance], offsets[utterance + 1]):
                cell = _U(cells[_U(place)])
                sums[cell] += counts[_U(place)]
                _mark(cell, words, blocks)
        ends[cluster] = last = _write_marked(words, blocks, sums, merged, merged_counts, last)


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def find_clusters(
    order: NDArray[np.int64],
    clusters: NDArray[np.int64],
    offsets: NDArray[np.int64],
    codes: NDArray[np.integer],
    number: NDArray[np.int64],
    first_ones: NDArray[np.int64],
) -> None:
    """Count in `number` [S] the clusters that have each symbol, and write the first of them to `first_ones` [S, few].

    `order` has the utterances by their clusters.
    """
    last = np.full(number.size, -1)
    for utterance in order:
        cluster = clusters[utterance]
        for place in range(offsets[utterance], offsets[utterance + 1]):
            code = codes[place]
            if last[code] != cluster:
                if number[code] < first_ones.shape[1]:
                    first_ones[code, number[code]] = cluster
                last[code] = cluster
                number[code] += 1

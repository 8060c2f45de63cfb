"""The compiled loop of CTC prefix beam search, in natural logarithms."""

import math

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats
from phonxling.core.jit import numba

_ROOT = 0  # the node of the empty prefix


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _added(first: float, second: float) -> float:
    """Return the logarithm of the sum of two probabilities."""
    high, low = max(first, second), min(first, second)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _node_of(
    prefix: int,
    label: int,
    known: int,
    symbol: NDArray[np.int32],
    parent: NDArray[np.int32],
    child: NDArray[np.int32],
    sibling: NDArray[np.int32],
) -> int:
    """Return the node of a prefix with one more label; a new one, number `known`, when there is none yet."""
    node = child[prefix]
    while node >= 0:
        if symbol[node] == label:
            return int(node)
        node = sibling[node]
    symbol[known], parent[known], child[known], sibling[known] = label, prefix, -1, child[prefix]
    child[prefix] = known
    return known


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _insert(
    score: Floats, source: Codes, label: Codes, filled: int, beam: int, value: float, place: int, column: int
) -> int:
    """Put a candidate in its place among the best ones, behind equal ones, and return how many there are."""
    if value == -math.inf or (filled == beam and value <= score[filled - 1]):
        return filled
    at = filled
    while at > 0 and score[at - 1] < value:
        score[at], source[at], label[at] = score[at - 1], source[at - 1], label[at - 1]
        at -= 1
    score[at], source[at], label[at] = value, place, column
    return min(filled + 1, beam)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def prefix_beam(logs: Floats, blank: int, beam: int) -> tuple[NDArray[np.int32], NDArray[np.int32], Codes, Floats]:
    """Return the tree of prefixes (symbol and parent of each node), the last frame's nodes, best first, and log p."""
    frames, columns = logs.shape
    size = frames * beam + 1
    symbol, parent = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
    child, sibling = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
    node, paths, kept = np.zeros(beam, np.int64), np.full((2, beam), -math.inf), np.zeros((2, beam))
    score, source, label = np.zeros(beam + 1), np.zeros(beam + 1, np.int64), np.zeros(beam + 1, np.int64)
    taken = np.zeros((beam, columns), np.bool_)
    paths[0, 0], number, known = 0.0, 1, 1
    for frame in range(frames):
        _stay(logs[frame], blank, symbol, parent, node[:number], paths, kept, taken)
        number = _choose(logs[frame], blank, symbol, node[:number], paths, kept, taken, beam, score, source, label)
        old = node.copy()
        for rank in range(number):
            if label[rank] < 0:
                node[rank], paths[:, rank] = old[source[rank]], kept[:, source[rank]]
            else:
                node[rank] = _node_of(old[source[rank]], label[rank], known, symbol, parent, child, sibling)
                known += node[rank] == known
                paths[0, rank], paths[1, rank] = -math.inf, score[rank]
    total = np.array([_added(paths[0, rank], paths[1, rank]) for rank in range(number)])
    return symbol[:known], parent[:known], node[:number].copy(), total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _stay(
    row: Floats,
    blank: int,
    symbol: NDArray[np.int32],
    parent: NDArray[np.int32],
    node: Codes,
    paths: Floats,
    kept: Floats,
    taken: NDArray[np.bool_],
) -> None:
    """Fill `kept` with what each prefix of the beam has after a frame, and `taken`: its longer ones in the beam."""
    for place in range(len(node)):
        last = symbol[node[place]]
        kept[0, place] = _added(paths[0, place], paths[1, place]) + row[blank]
        kept[1, place] = paths[1, place] + row[last] if last >= 0 else -math.inf
        taken[place] = False
    for longer in range(len(node)):
        for place in range(len(node)):
            if node[longer] != _ROOT and parent[node[longer]] == node[place]:
                last = symbol[node[longer]]
                kept[1, longer] = _added(kept[1, longer], _before(last, symbol[node[place]], paths, place) + row[last])
                taken[place, last] = True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _before(label: int, last: int, paths: Floats, place: int) -> float:
    """Return the probability of the paths of a prefix that a label can follow: of a repeated one, those in a blank."""
    return float(paths[0, place]) if label == last else _added(paths[0, place], paths[1, place])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _choose(
    row: Floats,
    blank: int,
    symbol: NDArray[np.int32],
    node: Codes,
    paths: Floats,
    kept: Floats,
    taken: NDArray[np.bool_],
    beam: int,
    score: Floats,
    source: Codes,
    label: Codes,
) -> int:
    """Fill the best prefixes after a frame: the place of what each is made of, and its new label (−1: none)."""
    filled = 0
    for place in range(len(node)):
        total = _added(kept[0, place], kept[1, place])
        filled = _insert(score, source, label, filled, beam, total, place, -1)
    for place in range(len(node)):
        last = symbol[node[place]]
        either, again = _added(paths[0, place], paths[1, place]), paths[0, place]
        for column in range(len(row)):
            if column != blank and not taken[place, column]:
                value = (again if column == last else either) + row[column]
                filled = _insert(score, source, label, filled, beam, value, place, column)
    return filled

"""The loops that sum sparse counts under many weightings at once, and rows by label; that rank, find and copy."""

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
    group: NDArray[np.integer],
    total: NDArray[np.float64],
) -> None:
    """Add Σ_u weights[u, r] · counts of utterance u to `total` [groups, cells, R], utterance by utterance.

    Weights are [U, R]; `group` [U] is each utterance's. Replicates lie side by side, so that one count is added to many
    of them at a time.
    """
    replicates, size = weights.shape[1], total.shape[1]
    weight, sums = weights.ravel(), total.ravel()
    for utterance in range(offsets.size - 1):
        line, own = utterance * replicates, np.int64(group[utterance]) * size
        for place in range(offsets[utterance], offsets[utterance + 1]):
            count, cell = counts[place], (own + cells[place]) * replicates
            for replicate in range(replicates):
                sums[_U(cell + replicate)] += count * weight[_U(line + replicate)]


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def rank_correlations(values: NDArray[np.float64], level: NDArray[np.int64], taus: NDArray[np.float64]) -> None:
    """Write Kendall's τ_b between each row of `values` [R, n], without its NaN, and `level` [n], ascending, to `taus`.

    Pairs in and out of order are counted in m log m steps for m values above 0: items come in the order of their level,
    and a tree of counts (Fenwick 1994) over the ranks of their values tells how many that came before are smaller, and
    greater. No value is negative, and those of 0, mostly the most, are counted without the tree.
    """
    for replicate in range(values.shape[0]):
        known = np.flatnonzero(~np.isnan(values[replicate]))
        number = known.size
        positive = np.flatnonzero(values[replicate] > 0)
        value = values[replicate][positive]
        order = np.argsort(value)
        ranks = np.zeros(values.shape[1], np.int64)  # from 1; 0 for a value of 0
        zeros = number - positive.size
        tied, run, last = zeros * (zeros - 1) // 2, 0, 0
        for place in range(positive.size):
            new = place > 0 and value[order[place]] != value[order[place - 1]]
            last += 1 if new or place == 0 else 0
            run = 0 if new else run
            tied += run
            run += 1
            ranks[positive[order[place]]] = last
        tree = np.zeros(last + 1, np.int64)
        score, level_tied, first, zeros_before, before = 0, 0, 0, 0, 0
        while first < number:
            end = first
            while end < number and level[known[end]] == level[known[first]]:
                end += 1
            level_tied += (end - first) * (end - first - 1) // 2
            for place in range(first, end):
                rank = ranks[known[place]]
                score += zeros_before + _counted(tree, rank - 1) + _counted(tree, rank) - before if rank else -before
            for place in range(first, end):
                node = ranks[known[place]]
                zeros_before += node == 0
                before += node > 0
                while 0 < node <= last:
                    tree[node] += 1
                    node += node & -node
            first = end
        pairs = number * (number - 1) // 2
        spread = float(pairs - tied) * float(pairs - level_tied)
        taus[replicate] = score / np.sqrt(spread) if spread > 0 else np.nan


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _counted(tree: NDArray[np.int64], rank: int) -> int:
    """Return how many of the tree's items have at most this rank."""
    number, node = 0, rank
    while node > 0:
        number += tree[node]
        node -= node & -node
    return number


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def find_among(
    bounds: NDArray[np.generic],
    width: int,
    row: NDArray[np.int64],
    drawn: NDArray[np.generic],
    places: NDArray[np.int32],
) -> None:
    """Write to `places` [n] where each number drawn lies: how many of its row's `width` ascending bounds are not above.

    `bounds` holds the rows one after the other; where there is one row only, `row` may be shorter than n.
    """
    for place in range(drawn.size):
        first = row[place] * width if place < row.size else 0
        below, value = 0, drawn[place]
        for bound in range(first, first + width):  # all of them: the processor compares many at a time
            below += bounds[_U(bound)] <= value
        places[place] = below


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def deal_halves(
    weights: NDArray[np.uint8], order: NDArray[np.int64], tokens: NDArray[np.int64], halves: NDArray[np.int8]
) -> None:
    """Write the half of each cluster drawn to `halves` [R, C]: in order, each into that with fewer tokens so far."""
    for draw in range(weights.shape[0]):
        more = 0  # tokens that the first half has more than the second
        for cluster in order:
            weight = np.int64(weights[draw, cluster])
            if weight > 0:
                halves[draw, cluster] = more > 0
                more += -weight * tokens[cluster] if more > 0 else weight * tokens[cluster]


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def copy_runs(
    codes: NDArray[np.integer],
    begins: NDArray[np.int64],
    places: NDArray[np.int64],
    lengths: NDArray[np.int64],
    copied: NDArray[np.integer],
) -> None:
    """Write each run of `codes`, of its length from where it begins, to its place in `copied`."""
    for run in range(lengths.size):
        for step in range(lengths[run]):
            copied[_U(places[run] + step)] = codes[_U(begins[run] + step)]


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_relabelled(
    rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    labels: NDArray[np.integer],
    total: NDArray[np.float64],
) -> None:
    """Add each row [n, K], times its weight, to the row of `total` [P, G, K] that each labelling [P, n] gives it.

    Each row is read once for all labellings.
    """
    width, values, size = rows.shape[1], rows.ravel(), total.shape[1] * rows.shape[1]
    sums = total.ravel()
    for row in range(weights.size):
        first, weight = row * width, weights[_U(row)]
        for labelling in range(labels.shape[0]):
            own = labelling * size + np.int64(labels[labelling, row]) * width
            for column in range(width):
                sums[_U(own + column)] += values[_U(first + column)] * weight


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_relabelled_cells(
    owner: NDArray[np.int64],
    column: NDArray[np.int64],
    mass: NDArray[np.float64],
    labels: NDArray[np.integer],
    total: NDArray[np.float64],
) -> None:
    """Do the same for rows of few values: entry m says that row owner[m] has mass[m] in column[m]."""
    width, size, sums = total.shape[2], total.shape[1] * total.shape[2], total.ravel()
    for entry in range(mass.size):
        for labelling in range(labels.shape[0]):
            own = labelling * size + np.int64(labels[labelling, owner[_U(entry)]]) * width
            sums[_U(own + column[_U(entry)])] += mass[_U(entry)]

"""Forward–backward over all alignments of a pair, an alignment being a set of aligned pairs.

Canonical paths
---------------
Between two aligned pairs deletions come before insertions, so each set of pairs is one path: no deletion follows an
insertion. Forward, `every` is the mass of all alignments of the first i gold with the first j predicted phones, `open`
of those that a deletion may follow. Backward, `every` is that of the rest, `open` of what an insertion may precede.

Mass
----
A cell holds its least cost c, an exact integer, and its mass relative to that, Σ exp(−(cost − c)/τ) over its
alignments: at least 1, and for τ = 0 their number. The integer is the large part of the logarithm: it is exact, so a
tie is a true tie. The mass is a float times 2^(256·exponent), for numbers of alignments soon leave the floats. Only
positive numbers are added, each time with a relative error of 2^−53.

Band
----
For τ = 0 only optimal paths count: cells are filled in the band that provably holds them all (see `kernel`).
"""

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.core.jit import numba

BYTES_A_CELL = 28  # of the forward tables
_BIG = np.int64(1 << 62)
_UP, _DOWN = 2.0**256, 2.0**-256
_STEP = 256 * math.log(2)
_TABLE = 4096  # excess costs whose weights are looked up

_Codes: TypeAlias = NDArray[np.int32]
_Integers: TypeAlias = NDArray[np.int64]
_Floats: TypeAlias = NDArray[np.float64]
_Whole: TypeAlias = Any  # int, or numpy's in the interpreter's eyes: one type to numba
_Real: TypeAlias = float | np.float64
_Way: TypeAlias = tuple[_Whole, _Whole, _Real]  # cost, exponent, mass of one way into a cell
_Weights: TypeAlias = tuple[float, _Floats]  # 1/τ in integer costs, and exp(−excess/τ) of small excesses
_Tables: TypeAlias = tuple[_Integers, _Codes, _Floats, _Floats]  # cost, exponent, every, open: flat [n + 1, m + 1]
_Band: TypeAlias = tuple[_Whole, _Whole]  # lowest and highest j − i


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def expect_range(
    gold: _Codes,
    gold_offsets: _Integers,
    predicted: _Codes,
    predicted_offsets: _Integers,
    costs: _Integers,
    least_gap: int,
    rate: float,
    least: _Integers,
    excess: _Floats,
    bits: _Floats,
    length: _Integers,
) -> tuple[_Integers, _Floats]:
    """Return the expected counts of utterances: flat cells, ascending in each, and counts."""
    rows, columns = costs.shape
    scratch = np.zeros((rows, columns))
    cells, counts, used = np.empty(1024, np.int64), np.empty(1024), 0
    tables = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0), np.empty(0)
    table = np.exp(-np.arange(_TABLE) * rate)
    table[0] = 1.0  # 0 · ∞
    weights = rate, table
    for pair in range(least.size):
        g = gold[gold_offsets[pair] : gold_offsets[pair + 1]]
        p = predicted[predicted_offsets[pair] : predicted_offsets[pair + 1]]
        n, m = len(g), len(p)
        end = (n + 1) * (m + 1) - 1
        if end >= tables[0].size:
            tables = np.empty(end + 1, np.int64), np.empty(end + 1, np.int32), np.empty(end + 1), np.empty(end + 1)
        width = max(4, (n + m) // 16) if math.isinf(rate) else n + m
        while True:
            band = max(min(0, m - n) - width, -n), min(max(0, m - n) + width, m)
            _forward(g, p, costs, weights, band, tables)
            total = tables[0][end]
            complete = band[0] <= -n and band[1] >= m
            if complete or total < least_gap * (2 * (width + 1) + abs(m - n)):
                break
            width = max(2 * width, (total // least_gap - abs(m - n)) // 2) if least_gap > 0 else n + m
        excess[pair] = _backward(g, p, costs, weights, band, tables, scratch)
        least[pair] = total
        bits[pair] = math.log2(tables[2][end]) + 256.0 * tables[1][end]
        some, others = np.append(np.unique(g), rows - 1), np.append(np.unique(p), columns - 1)
        if used + len(some) * len(others) > cells.size:
            room = np.empty(cells.size + len(some) * len(others))
            cells, counts = np.append(cells, room.astype(np.int64)), np.append(counts, room)
        before = used
        for row in some:
            for column in others:
                if scratch[row, column] > 0.0:
                    cells[used], counts[used] = row * columns + column, scratch[row, column]
                    scratch[row, column] = 0.0
                    used += 1
        length[pair] = used - before
    return cells[:used], counts[:used]


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _forward(
    gold: _Codes, predicted: _Codes, costs: _Integers, weights: _Weights, band: _Band, tables: _Tables
) -> None:
    """Fill the tables in the band."""
    cost, exponent, every, open_ = tables
    n, m, nothing = len(gold), len(predicted), (_BIG, 0, 0.0)
    gap_row, gap_column = costs.shape[0] - 1, costs.shape[1] - 1
    cost[0], exponent[0], every[0], open_[0] = 0, 0, 1.0, 1.0
    for i in range(n + 1):
        for j in range(max(0, i + band[0], 1 - i), min(m, i + band[1]) + 1):
            at = i * (m + 1) + j
            diagonal, deletion, insertion = nothing, nothing, nothing
            if i > 0 and j > 0:
                source = at - m - 2
                paid = cost[source] + costs[gold[i - 1], predicted[j - 1]]
                diagonal = paid, exponent[source], every[source]
            if i > 0 and j - i < band[1]:
                source = at - m - 1
                deletion = cost[source] + costs[gold[i - 1], gap_column], exponent[source], open_[source]
            if j > 0 and j - i > band[0]:
                source = at - 1
                insertion = cost[source] + costs[gap_row, predicted[j - 1]], exponent[source], every[source]
            cost[at], exponent[at], open_[at], every[at] = _sum(diagonal, deletion, insertion, weights)


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _backward(  # noqa: C901 - one hot loop: what is found backward is used at once, and only a row of it is kept
    gold: _Codes,
    predicted: _Codes,
    costs: _Integers,
    weights: _Weights,
    band: _Band,
    tables: _Tables,
    counts: _Floats,
) -> float:
    """Add the probability of each edit to `counts`, [G + 1, P + 1]."""
    cost, exponent, every, open_ = tables
    n, m, nothing = len(gold), len(predicted), (_BIG, 0, 0.0)
    gap_row, gap_column = costs.shape[0] - 1, costs.shape[1] - 1
    end = (n + 1) * (m + 1) - 1
    least, scale, share = cost[end], np.int64(exponent[end]), 1.0 / every[end]
    row_cost, row_exponent = np.zeros(m + 2, np.int64), np.zeros(m + 2, np.int64)
    row_every, row_open = np.ones(m + 2), np.ones(m + 2)
    total = 0.0
    for i in range(n, -1, -1):
        last = min(m, i + band[1])
        corner = row_cost[last + 1], row_exponent[last + 1], row_every[last + 1]
        for j in range(last, max(0, i + band[0]) - 1, -1):
            at = i * (m + 1) + j
            below = row_cost[j], row_exponent[j], row_every[j]
            diagonal, deletion, insertion = nothing, nothing, nothing
            if i < n and j < m:
                diagonal = corner[0] + costs[gold[i], predicted[j]], corner[1], corner[2]
            if i < n and j - i > band[0]:
                deletion = below[0] + costs[gold[i], gap_column], below[1], below[2]
            if j < m and j - i < band[1]:
                insertion = row_cost[j + 1] + costs[gap_row, predicted[j]], row_exponent[j + 1], row_open[j + 1]
            if at != end:
                row_cost[j], row_exponent[j], row_open[j], row_every[j] = _sum(diagonal, insertion, deletion, weights)
            corner = below
            here, rest, scaled = cost[at], row_cost[j] - least, row_exponent[j] - scale
            if (here + rest) * weights[0] > 800.0 + n + m:  # e^−800 · 2^(n + m): nothing through here weighs anything
                continue
            if i > 0 and j > 0:
                source, row, column = at - m - 2, np.int64(gold[i - 1]), np.int64(predicted[j - 1])
                paid = cost[source] + costs[row, column]
                p = every[source] * (row_every[j] * share) * _weight(paid + rest, exponent[source] + scaled, weights)
                counts[row, column] += p
                total += p * (paid - here)
            if i > 0 and j - i < band[1]:
                source, row = at - m - 1, np.int64(gold[i - 1])
                paid = cost[source] + costs[row, gap_column]
                p = open_[source] * (row_every[j] * share) * _weight(paid + rest, exponent[source] + scaled, weights)
                counts[row, gap_column] += p
                total += p * (paid - here)
            if j > 0 and j - i > band[0]:
                source, column = at - 1, np.int64(predicted[j - 1])
                paid = cost[source] + costs[gap_row, column]
                p = every[source] * (row_open[j] * share) * _weight(paid + rest, exponent[source] + scaled, weights)
                counts[gap_row, column] += p
                total += p * (paid - here)
    return total


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _sum(a: _Way, b: _Way, c: _Way, weights: _Weights) -> tuple[_Whole, _Whole, _Real, _Real]:
    """Return least cost, exponent, mass of a and b, mass of a, b and c; a way begins with its cost."""
    best = min(a[0], b[0], c[0])
    over_a, over_b, over_c = a[0] - best, b[0] - best, c[0] - best
    if a[1] == b[1] and b[1] == c[1]:
        top = np.int64(a[1])
    else:
        top = max(a[1] - _steps(over_a, weights), b[1] - _steps(over_b, weights), c[1] - _steps(over_c, weights))
    part = a[2] * _weight(over_a, a[1] - top, weights) + b[2] * _weight(over_b, b[1] - top, weights)
    total = part + c[2] * _weight(over_c, c[1] - top, weights)
    while total >= _UP:
        top, part, total = top + 1, part * _DOWN, total * _DOWN
    while total < 1.0 and top > 0:
        top, part, total = top - 1, part * _UP, total * _UP
    return best, top, part, total


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _weight(excess: _Whole, exponent: _Whole, weights: _Weights) -> _Real:
    """Return exp(−excess/τ)·2^(256·exponent): exact without excess, 0 when it is too small for a float."""
    rate, table = weights
    if exponent == 0 and excess < _TABLE:
        return float(table[np.uint64(excess)])
    if excess == 0:
        return float(2.0 ** (256.0 * exponent))
    value = exponent * _STEP - excess * rate
    return math.exp(value) if value > -740.0 else 0.0


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _steps(excess: _Whole, weights: _Weights) -> _Whole:
    """Return how many exponents exp(−excess/τ) takes away."""
    return np.int64(0) if excess == 0 else np.int64(min(excess * weights[0] / _STEP, 1e9))

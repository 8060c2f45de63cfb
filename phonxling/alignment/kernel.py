"""The dynamic programme: exact global alignment in a band that provably holds every optimal path.

Packing
-------
A cell's value is ((cost · 2^B) − identical) · 4 + direction: cost decides, then the number of identical pairs (only
where the tie rule asks for it), then the direction, 0 diagonal, 1 insertion, 2 deletion. One `min` applies the whole
tie rule. B bits hold the count of identical pairs.

Band
----
Cells with j − i in [min(0, m − n) − w, max(0, m − n) + w]. A path that leaves it needs w + 1 gaps more on either side
than the least |m − n|, so it costs at least g·(2(w + 1) + |m − n|), g the least gap cost. A result strictly below that
is optimal, and so is every path tied with it (Ukkonen 1985). Otherwise the band is widened and filled again.
"""

import numba
import numpy as np
from numpy.typing import NDArray

IDENTICAL_BITS = 24  # sequences up to 2^24 phones; 64 − 24 − 2 − sign bits remain for the cost
_U = numba.uint64
_BIG = np.int64(1 << 62)
_NO_DIRECTION = np.int64(~3)


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")  # bounds are clamped by hand below
def align_range(  # noqa: C901 - one hot loop: calls in it would cost more than they would tell
    gold: NDArray[np.int32],
    gold_offsets: NDArray[np.int64],
    predicted: NDArray[np.int32],
    predicted_offsets: NDArray[np.int64],
    first: int,
    last: int,
    substitution: NDArray[np.int64],
    deletion: NDArray[np.int64],
    insertion: NDArray[np.int64],
    least_gap: int,
    cost: NDArray[np.int64],
    length: NDArray[np.int64],
    path_gold: NDArray[np.int32],
    path_predicted: NDArray[np.int32],
) -> None:
    """Align the utterances first … last − 1; costs come packed, [G, P], [G] and [P].

    Fills `cost` (packed, of each utterance), `length` (pairs of each), and the paths: utterance u's pairs stand at
    gold_offsets[u] + predicted_offsets[u], in order.
    """
    no_gold, no_predicted = substitution.shape
    flat = substitution.ravel()
    directions = np.empty(4096, np.uint8)
    row = np.empty(256, np.int64)
    into = np.empty(256, np.int64)
    columns = np.empty(256, np.uint64)
    for pair in range(first, last):
        a0, b0 = gold_offsets[pair], predicted_offsets[pair]
        n, m = gold_offsets[pair + 1] - a0, predicted_offsets[pair + 1] - b0
        if m + 2 > row.size:
            row, into, columns = np.empty(2 * m, np.int64), np.empty(2 * m, np.int64), np.empty(2 * m, np.uint64)
        for j in range(m):
            x = predicted[_U(b0 + j)]
            into[_U(j)] = insertion[_U(x)]
            columns[_U(j)] = x
        width = np.int64(max(4, (n + m) // 16))
        while True:
            low, high = max(min(0, m - n) - width, -n), min(max(0, m - n) + width, m)
            step = high - low  # of the flat table, from (i, j) to (i + 1, j): a row has high − low + 1 cells
            base = -low
            if (n + 1) * (step + 1) > directions.size:
                directions = np.empty((n + 1) * (step + 1), np.uint8)
            row[0] = 0
            reach = min(m, high)
            for j in range(reach):
                row[_U(j + 1)] = (row[_U(j)] + into[_U(j)]) & _NO_DIRECTION
                directions[_U(base + j + 1)] = 1
            if reach < m:
                row[_U(reach + 1)] = _BIG
            for i in range(1, n + 1):
                code = np.int64(gold[_U(a0 + i - 1)])
                out, line = deletion[_U(code)], code * no_predicted
                j0, j1 = i + low, min(m, i + high)
                at = base + i * step
                if j0 <= 0:
                    diagonal = row[0]
                    left = (diagonal + out) & _NO_DIRECTION
                    row[0] = left
                    directions[_U(at)] = 2
                    j0 = 1
                else:
                    diagonal, left = row[_U(j0 - 1)], _BIG
                for j in range(j0, j1 + 1):
                    up = row[_U(j)]
                    best = diagonal + flat[_U(line) + columns[_U(j - 1)]]
                    diagonal = up
                    best = min(best, up + out)
                    best = min(best, left + into[_U(j - 1)])
                    directions[_U(at + j)] = np.uint8(best & 3)
                    left = best & _NO_DIRECTION
                    row[_U(j)] = left
                if j1 < m:
                    row[_U(j1 + 1)] = _BIG
            # the count of identical pairs is subtracted below the cost's bits: rounding up gives the cost back
            total = -((-(row[_U(m)] >> 2)) >> IDENTICAL_BITS)
            complete = low <= -n and high >= m
            if complete or total < least_gap * (2 * (width + 1) + abs(m - n)):
                break
            width = max(2 * width, (total // least_gap - abs(m - n)) // 2) if least_gap > 0 else n + m
        cost[_U(pair)] = total
        i, j, at, stop = n, m, base + n * step + m, a0 + b0 + n + m
        place = stop
        while i > 0 or j > 0:
            direction = directions[_U(at)]
            place -= 1
            path_gold[_U(place)], path_predicted[_U(place)] = no_gold, no_predicted
            if direction != 1:
                i -= 1
                path_gold[_U(place)] = gold[_U(a0 + i)]
                at -= step
            if direction != 2:
                j -= 1
                path_predicted[_U(place)] = predicted[_U(b0 + j)]
                at -= 1
        pairs = stop - place
        length[_U(pair)] = pairs
        for k in range(pairs):
            path_gold[_U(a0 + b0 + k)] = path_gold[_U(place + k)]
            path_predicted[_U(a0 + b0 + k)] = path_predicted[_U(place + k)]

"""The dynamic programme: exact global alignment in a band that provably holds every optimal path, or in bits."""

# Reduced costs. Σ deletions + Σ insertions + Σ over aligned pairs of (substitution − deletion − insertion): with these
# differences as the costs of pairs, gaps cost nothing, and the first two sums are added at the end.
#
# Packing. A cell's value is ((cost · 2^B) − identical) · 4 + direction: cost decides, then the number of identical
# pairs (only where the tie rule asks for it), then the direction: 0 diagonal, 1 insertion, 2 deletion, or, where
# Kaldi's rule is asked for, 0 insertion, 1 deletion, 2 diagonal. One `min` applies the whole tie rule. Cells are kept
# with the direction of an insertion, as their right neighbour needs them.
#
# Band. Cells with j − i in [min(0, m − n) − w, max(0, m − n) + w]. A path that leaves it has w + 1 deletions and w + 1
# insertions more than the least |m − n| gaps, so it costs at least d·(w + 1 + n − m) + i·(w + 1) (n ≥ m; else the other
# way round), d and i the least gap costs of the pair's phones. A result strictly below that is optimal, and so is every
# path tied with it (Ukkonen 1985). Otherwise the band is widened and filled again.
#
# Bits. Unit costs, one side of at most 64 phones: a column of differences is a word (Myers 1999; Hyyrö 2003). D0's bit
# i says that D[i, j] = D[i − 1, j − 1]: then the diagonal is no optimal step unless the symbols are the same. By
# Kaldi's rule it is taken only where neither gap is optimal: D[i, j] is above neither neighbour.
#
# All in one file, since numba's cache does not see a change in another one. All codes are of one type, and scratch
# arrays are handed in: each further signature, and each array made inside, takes tenths of a second to compile.

import numpy as np
from numpy.typing import NDArray

from phonxling.core.jit import numba

# Places are cast to unsigned numbers: for signed ones Numba tests at every access whether they count from the end.
_U = numba.uint64
# Beyond every packed value, which fit 59 bits (corpus._PACKED_BITS), and so far below 2^63 that adding a packed cost
# does not overflow.
_OUTSIDE = np.int64((1 << 61) | 1)
_NO_DIRECTION = np.int64(~3)
_ONE, _NONE, _ALL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
WORD = 64
_compile = numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")  # bounds are clamped by hand
_inline = numba.njit(inline="always")

_Words = NDArray[np.uint64]
_Ints = NDArray[np.int64]
_Path = NDArray[np.integer]


@_inline
def _trace_band(
    gold: _Words,
    predicted: _Words,
    stride: int,
    directions: NDArray[np.uint8],
    gaps_first: bool,
    none: tuple[int, int],
    place: int,
    path_gold: _Path,
    path_predicted: _Path,
) -> int:
    """Write the band's path backwards, from `place` down; return where it begins."""
    i, j, at = gold.size, predicted.size, gold.size * stride + predicted.size
    # Of equal values the least direction was kept: what 0, 1 and 2 stand for is the tie rule (see Packing).
    diagonal, alone = (2, 0) if gaps_first else (0, 1)
    while i > 0 or j > 0:
        place -= 1
        direction = directions[_U(at)] & 3
        of_gold, of_predicted = direction != alone, direction in (diagonal, alone)
        i, j, at = i - of_gold, j - of_predicted, at - of_gold * stride - of_predicted
        path_gold[_U(place)] = gold[_U(i)] if of_gold else none[0]
        path_predicted[_U(place)] = predicted[_U(j)] if of_predicted else none[1]
    return place


@_inline
def _fill_words(
    pattern: _Words,
    text: _Words,
    across: bool,
    gaps_first: bool,
    alike: _Words,
    apart: _Words,
    alone: _Words,
) -> np.int64:
    """Fill a word a column of the text: where no pair may be, and where the text moves alone; return the distance."""
    for i in range(pattern.size):
        alike[_U(pattern[_U(i)])] |= _ONE << _U(i)
    # Column 0 rises by 1 a row, and so does row 0 by a column.
    rises, falls, distance, last = _ALL, _NONE, np.int64(pattern.size), _ONE << _U(pattern.size - 1)
    for j in range(text.size):
        same = alike[_U(text[_U(j)])]
        # Hyyrö's (2003) D0, where D[i, j] = D[i − 1, j − 1]: the carry of the sum runs along a vertical rise, as far as
        # the diagonal stays equal. Then where D[i, j] − D[i, j − 1] is 1 and −1, and this column's own rises and falls.
        step = same | falls
        equal = ((rises + (step & rises)) ^ rises) | step
        risen, fallen = falls | (~rises & ~equal), rises & equal
        distance += np.int64((risen & last) != _NONE) - np.int64((fallen & last) != _NONE)
        moved = (risen << _ONE) | _ONE
        rises, falls = (fallen << _ONE) | (~moved & ~equal), moved & equal
        # Diagonal first (nist): no pair where the diagonal is equal though the symbols differ, for then it does not pay
        # its 1. Gaps first (kaldi): no pair where a step from the left, or from above, is optimal.
        apart[_U(j)] = risen | rises if gaps_first else equal & ~same
        # An insertion goes before a deletion, whichever side the text is: if it is the predicted one, the text moves
        # alone where that is optimal; if it is gold, only where the pattern cannot.
        alone[_U(j)] = risen if across else ~rises
    for i in range(pattern.size):
        alike[_U(pattern[_U(i)])] = _NONE  # as the next pair needs it
    return distance


@_inline
def _trace_bits(
    pattern: _Words,
    text: _Words,
    apart: _Words,
    alone: _Words,
    none: tuple[int, int],
    place: int,
    path_pattern: _Path,
    path_text: _Path,
) -> int:
    """Write the path backwards, from `place` down; return where it begins. `none`: of the pattern, of the text."""
    i, j = pattern.size, text.size
    while i > 0 or j > 0:
        place -= 1
        paired = i > 0 and j > 0 and (apart[_U(j - 1)] >> _U(i - 1)) & _ONE == _NONE
        by_text = j > 0 and (paired or i == 0 or (alone[_U(j - 1)] >> _U(i - 1)) & _ONE != _NONE)
        i, j = i - (paired or not by_text), j - by_text
        path_pattern[_U(place)] = pattern[_U(i)] if paired or not by_text else none[0]
        path_text[_U(place)] = text[_U(j)] if by_text else none[1]
    return place


@_compile
def _fill_band(
    gold: _Words,
    predicted: _Words,
    low: int,
    high: int,
    stride: int,
    costs: _Ints,
    row: _Ints,
    directions: NDArray[np.uint8],
    insertion: int,
) -> np.int64:
    """Fill the band, two rows at once, which saves loading and storing; return the value of the last cell."""
    n, m = gold.size, predicted.size
    # Row 0: gaps cost nothing in reduced costs, and all of them are insertions.
    for j in range(min(m, high) + 1):
        row[_U(j)] = insertion
        directions[_U(j)] = insertion
    # The next two rows reach two cells further, which these have not filled: no path comes from there.
    row[_U(min(m, high) + 1)] = _OUTSIDE
    row[_U(min(m, high) + 2)] = _OUTSIDE
    left, below = row[0], row[0]
    for i in range(1, n + 1, 2):
        line, line_below = gold[_U(i - 1)], gold[_U(min(i, n - 1))]
        begin, end = i + low, min(m, i + 1 + high)
        at, at_below = i * stride, (i + 1) * stride
        if begin <= 0:
            begin = 1
            diagonal, left, below = row[0], row[0], row[0]
            directions[_U(at)] = insertion + 1
            directions[_U(at_below)] = insertion + 1
        else:
            diagonal, left, below = row[_U(begin - 1)], _OUTSIDE, _OUTSIDE
        for j in range(begin, end + 1):
            up, column, before = row[_U(j)], predicted[_U(j - 1)], left
            # A deletion's direction is one more than an insertion's, so `up + 1` is the cell above with that direction;
            # the diagonal's difference is in the packed costs. The least of the three is the best edit by the tie rule.
            best = min(diagonal + costs[line, column], up + 1)
            diagonal = up
            directions[_U(at + j)] = np.uint8(min(best, left))
            # The cell itself is kept as if reached by an insertion, for its right neighbour.
            left = left if left < best else (best & _NO_DIRECTION) | insertion
            best = min(before + costs[line_below, column], left + 1)
            directions[_U(at_below + j)] = np.uint8(min(best, below))
            below = below if below < best else (best & _NO_DIRECTION) | insertion
            row[_U(j)] = below
        row[_U(end + 1)] = _OUTSIDE
        row[_U(end + 2)] = _OUTSIDE
    # Of an odd number of rows the second one of the last two repeats the last phone, and does not count.
    return np.int64(left if n % 2 else below)


@_inline
def _align_band(
    gold: _Words,
    predicted: _Words,
    costs: _Ints,
    of_gaps: tuple[np.int64, np.int64, np.int64],
    identical_bits: int,
    gaps_first: bool,
    most: int,
    share: float,
    row: _Ints,
    directions: NDArray[np.uint8],
) -> tuple[np.int64, int, float, NDArray[np.uint8]]:
    """Return a pair's cost (−1: it needs too large a band), the stride of its directions, the next share, and these."""
    n, m, (gaps, least_out, least_in) = gold.size, predicted.size, of_gaps
    turn = least_out + least_in  # what leaving the band by one more costs at least
    plain = least_out * max(0, n - m) + least_in * max(0, m - n)
    # The widest band whose directions fit into `most` bytes; below 0 there is none.
    widest = n + m if (n + 1) * (m + 1) <= most else (most // (n + 1) - 1 - abs(m - n)) // 2
    width, total, tried, stride = min(int(share * (n + m)) + 1, n + m), np.int64(-1), 0, 0
    while widest >= 0:
        width = min(width, widest)
        low, high = max(min(0, m - n) - width, -n), min(max(0, m - n) + width, m)
        stride = min(high - low + 1, m) + 1  # the direction of cell (i, j) stands at i · stride + j
        if (n + 1) * stride + m >= directions.size:
            directions = np.empty((n + 1) * stride + m + 1, np.uint8)
        code = 0 if gaps_first else 1
        packed = _fill_band(gold, predicted, low, high, stride, costs, row, directions, code)
        # The count of identical pairs is subtracted below the cost's bits: rounding up gives the cost back.
        within_band = gaps - (-(packed >> 2) >> identical_bits)
        tried += 1
        # A band of the whole table holds every path. In a narrower one a path that leaves it costs at least `plain` and
        # w + 1 turns: what is strictly below that is optimal, and so is every path tied with it.
        if (low <= -n and high >= m) or within_band < plain + turn * (width + 1):
            total = within_band
            break
        if width == widest:
            break
        # The true cost is at most this one: the band that it asks for is wide enough, and the second try is the last.
        width = min(int((within_band - plain) // turn), n + m) if turn > 0 else n + m
    # A narrow band is cheap, a second try costs more than the first: the share follows the corpus, so that nine pairs
    # in ten are tried once (0.98 nine times is 1/1.2).
    share = max(share, 1e-4) * (0.98 if tried == 1 else 1.2)
    return total, stride, share, directions


@_compile
def align_range(
    all_gold: _Words,
    gold_offsets: _Ints,
    all_predicted: _Words,
    predicted_offsets: _Ints,
    symbols: _Words,
    costs: _Ints,
    least_gaps: tuple[_Ints, _Ints],
    identical_bits: int,
    unit: int,
    gaps_first: bool,
    most: int,
    scratch: tuple[_Ints, _Words, _Words, _Words],
    cost: _Ints,
    length: _Ints,
    path_gold: _Path,
    path_predicted: _Path,
) -> int:
    """Align utterances, the last one first; return where the first one's pairs begin. `cost` holds that of all gaps."""
    none = costs.shape
    row, alike, apart, alone = scratch
    directions, share, place = np.empty(4096, np.uint8), 0.03, path_gold.size
    # A path is traced from its end: so the last pair comes first, and all paths stand in order without another copy.
    for pair in range(cost.size - 1, -1, -1):
        gold = all_gold[gold_offsets[pair] : gold_offsets[pair + 1]]
        own = slice(predicted_offsets[pair], predicted_offsets[pair + 1])
        predicted, in_gold, stop = all_predicted[own], symbols[own], place
        n, m = gold.size, predicted.size
        if unit > 0 and n > 0 and m > 0 and min(n, m) <= WORD:
            # The side that fits into one word is the pattern: a step a phone of the other. Gold if both fit.
            across = n <= WORD
            pattern, text = (gold, in_gold) if across else (in_gold, gold)
            cost[_U(pair)] = unit * _fill_words(pattern, text, across, gaps_first, alike, apart, alone)
            if path_gold.size:
                pattern, text, gaps = (gold, predicted, none) if across else (predicted, gold, (none[1], none[0]))
                paths = (path_gold, path_predicted) if across else (path_predicted, path_gold)
                place = _trace_bits(pattern, text, apart, alone, gaps, place, paths[0], paths[1])
        else:
            gaps = cost[_U(pair)], least_gaps[0][pair], least_gaps[1][pair]
            cost[_U(pair)], stride, share, directions = _align_band(
                gold, predicted, costs, gaps, identical_bits, gaps_first, most, share, row, directions
            )
            if cost[_U(pair)] >= 0 and path_gold.size:
                place = _trace_band(
                    gold, predicted, stride, directions, gaps_first, none, place, path_gold, path_predicted
                )
        length[_U(pair)] = stop - place
    return place

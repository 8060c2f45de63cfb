"""The dynamic programme: exact global alignment in a band that provably holds every optimal path, or in bits.

Reduced costs
-------------
Σ deletions + Σ insertions + Σ over aligned pairs of (substitution − deletion − insertion): with these differences as
the costs of pairs, gaps cost nothing, and the first two sums are added at the end.

Packing
-------
A cell's value is ((cost · 2^B) − identical) · 4 + direction: cost decides, then the number of identical pairs (only
where the tie rule asks for it), then the direction: 0 diagonal, 1 insertion, 2 deletion, or, where Kaldi's rule is
asked for, 0 insertion, 1 deletion, 2 diagonal. One `min` applies the whole tie rule. Cells are kept with the direction
of an insertion, as their right neighbour needs them.

Band
----
Cells with j − i in [min(0, m − n) − w, max(0, m − n) + w]. A path that leaves it has w + 1 deletions and w + 1
insertions more than the least |m − n| gaps, so it costs at least d·(w + 1 + n − m) + i·(w + 1) (n ≥ m; else the other
way round), d and i the least gap costs of the pair's phones. A result strictly below that is optimal, and so is every
path tied with it (Ukkonen 1985). Otherwise the band is widened and filled again.

Bits
----
Unit costs: a column of differences is a word for each 64 phones (Myers 1999; Hyyrö 2003). D0's bit i says that
D[i, j] = D[i − 1, j − 1]: then the diagonal is no optimal step unless the symbols are the same. By Kaldi's rule it is
taken only where neither gap is optimal: D[i, j] is above neither neighbour.

All in one file, since numba's cache does not see a change in another one.
"""

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
_TOP = np.uint64(63)
MOST_WORDS = 1 << 16  # of a pair longer than 64 on both sides: two tables fill 1 MB; beyond, the band is smaller
_compile = numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")  # bounds are clamped by hand
# Inlined, since a call with so many arrays takes as long as ten columns.
_inline = numba.njit(inline="always")

_Codes = NDArray[np.integer]
_Ints = NDArray[np.int64]
_Words = NDArray[np.uint64]
_Pair = tuple[int, int]
_Column = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]


@_inline
def _trace(
    gold: _Codes,
    predicted: _Codes,
    stride: int,
    directions: NDArray[np.uint8],
    gaps_first: bool,
    none: _Pair,
    place: int,
    path_gold: _Codes,
    path_predicted: _Codes,
) -> int:
    """Write the band's path backwards, from `place` down; return where it begins."""
    i, j, at = gold.size, predicted.size, gold.size * stride + predicted.size
    # Of equal values the least direction was kept: what 0, 1 and 2 stand for is the tie rule (see Packing).
    diagonal, alone = (2, 0) if gaps_first else (0, 1)
    while i > 0 or j > 0:
        place -= 1
        direction = directions[_U(at)] & 3
        if direction == diagonal:
            i, j, at = i - 1, j - 1, at - stride - 1
            path_gold[_U(place)], path_predicted[_U(place)] = gold[_U(i)], predicted[_U(j)]
        elif direction == alone:
            j, at = j - 1, at - 1
            path_gold[_U(place)], path_predicted[_U(place)] = none[0], predicted[_U(j)]
        else:
            i, at = i - 1, at - stride
            path_gold[_U(place)], path_predicted[_U(place)] = gold[_U(i)], none[1]
    return place


@_compile
def _count_ones(word: np.uint64) -> np.int64:
    # Bits are added up in pairs, fours and bytes; the product adds all bytes up in the highest one.
    word -= (word >> _ONE) & _U(0x5555555555555555)
    word = (word & _U(0x3333333333333333)) + ((word >> _U(2)) & _U(0x3333333333333333))
    word = (word + (word >> _U(4))) & _U(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * _U(0x0101010101010101)) >> _U(56))


@_compile
def _next_column(same: np.uint64, rises: np.uint64, falls: np.uint64, up: np.uint64, down: np.uint64) -> _Column:
    """Return where D[i, j] = D[i − 1, j − 1], D[i, j] − D[i, j − 1] is 1 and −1, and column j's own rises and falls."""
    # Hyyrö's (2003) D0: the carry of the sum runs along a vertical rise, as far as the diagonal stays equal. A fall
    # that comes in from the block above (`down`) acts like a match in the lowest bit.
    step = same | falls | down
    equal = ((rises + (step & rises)) ^ rises) | step
    risen, fallen = falls | (~rises & ~equal), rises & equal
    moved = (risen << _ONE) | up
    return equal, risen, fallen, (fallen << _ONE) | down | (~moved & ~equal), moved & equal


@_inline
def _fill_word(
    pattern: _Codes,
    text: _Codes,
    translate: _Ints,
    across: bool,
    gaps_first: bool,
    alike: _Words,
    apart: _Words,
    alone: _Words,
) -> np.int64:
    """Fill a word a column of the text: where no pair may be, and where the text moves alone; return the distance."""
    size = pattern.size
    for i in range(size):
        alike[_U(pattern[_U(i)])] |= _ONE << _U(i)
    # Column 0 rises by 1 a row, and so does row 0 by a column: what comes in from above is a rise (_ONE, _NONE).
    rises, falls = _ALL, _NONE
    for j in range(text.size):
        same = alike[_U(translate[_U(text[_U(j)])])]
        equal, risen, _, rises, falls = _next_column(same, rises, falls, _ONE, _NONE)
        # Diagonal first (nist): no pair where the diagonal is equal though the symbols differ, for then it does not pay
        # its 1. Gaps first (kaldi): no pair where a step from the left, or from above, is optimal.
        apart[_U(j)] = risen | rises if gaps_first else equal & ~same
        # An insertion goes before a deletion, whichever side the text is: if it is the predicted one, the text moves
        # alone where that is optimal; if it is gold, only where the pattern cannot.
        alone[_U(j)] = risen if across else ~rises
    # Clear the whole of a small table, which is one run of memory, or else the pattern's own entries.
    if alike.size <= 4 * size:
        alike[:] = _NONE
    else:
        for i in range(size):
            alike[_U(pattern[_U(i)])] = _NONE
    # The distance is that of the last column's top, one a column, and the column's rises less its falls.
    inside = _ALL >> _U(WORD - size)
    return np.int64(text.size) + _count_ones(rises & inside) - _count_ones(falls & inside)


@_compile
def _fill_words(
    pattern: _Codes,
    text: _Codes,
    translate: _Ints,
    across: bool,
    gaps_first: bool,
    alike: _Words,
    edge: NDArray[np.uint8],
    apart: _Words,
    alone: _Words,
) -> np.int64:
    """Do the same with a block for each 64 phones of the pattern; block b's words begin at b · columns."""
    size, columns = pattern.size, text.size
    total = np.int64(columns)
    # What a block hands down to the next: in bit 0 a rise, in bit 1 a fall of its last row, by column.
    edge[:columns] = 1
    for block in range((size + WORD - 1) // WORD):
        first, begin = block * WORD, block * columns
        held = min(size - block * WORD, WORD)
        for i in range(held):
            alike[_U(pattern[_U(first + i)])] |= _ONE << _U(i)
        rises, falls = _ALL, _NONE
        for j in range(columns):
            same, above = alike[_U(translate[_U(text[_U(j)])])], _U(edge[_U(j)])
            equal, risen, fallen, rises, falls = _next_column(same, rises, falls, above & _ONE, above >> _ONE)
            edge[_U(j)] = (risen >> _TOP) | ((fallen >> _TOP) << _ONE)
            apart[_U(begin + j)] = risen | rises if gaps_first else equal & ~same
            alone[_U(begin + j)] = risen if across else ~rises
        for i in range(held):
            alike[_U(pattern[_U(first + i)])] = _NONE
        inside = _ALL >> _U(WORD - held)
        total += _count_ones(rises & inside) - _count_ones(falls & inside)
    return total


@_inline
def _trace_bits(
    pattern: _Codes,
    text: _Codes,
    apart: _Words,
    alone: _Words,
    none: _Pair,
    place: int,
    path_pattern: _Codes,
    path_text: _Codes,
) -> int:
    """Write the path backwards, from `place` down; return where it begins. `none`: of the pattern, of the text."""
    i, j, block = pattern.size, text.size, (pattern.size - 1) // WORD
    while i > 0 and j > 0:
        first, begin = block * WORD, block * text.size
        block -= 1
        while i > first and j > 0:
            place -= 1
            word, bit = _U(begin + j - 1), _U(i - first - 1)
            if not (apart[word] >> bit) & _ONE:
                i, j = i - 1, j - 1
                path_pattern[_U(place)], path_text[_U(place)] = pattern[_U(i)], text[_U(j)]
            elif (alone[word] >> bit) & _ONE:
                j -= 1
                path_pattern[_U(place)], path_text[_U(place)] = none[0], text[_U(j)]
            else:
                i -= 1
                path_pattern[_U(place)], path_text[_U(place)] = pattern[_U(i)], none[1]
    while i > 0:
        i, place = i - 1, place - 1
        path_pattern[_U(place)], path_text[_U(place)] = pattern[_U(i)], none[1]
    while j > 0:
        j, place = j - 1, place - 1
        path_pattern[_U(place)], path_text[_U(place)] = none[0], text[_U(j)]
    return place


@_compile
def _fill_band(
    gold: _Codes,
    m: int,
    low: int,
    high: int,
    stride: int,
    flat: _Ints,
    phones: int,
    columns: _Words,
    row: _Ints,
    directions: NDArray[np.uint8],
    insertion: int,
) -> np.int64:
    """Fill the band, two rows at once, which saves loading and storing; return the value of the last cell."""
    n = gold.size
    # Row 0: gaps cost nothing in reduced costs, and all of them are insertions.
    for j in range(min(m, high) + 1):
        row[_U(j)] = insertion
        directions[_U(j)] = insertion
    # The next two rows reach two cells further, which these have not filled: no path comes from there.
    row[_U(min(m, high) + 1)] = _OUTSIDE
    row[_U(min(m, high) + 2)] = _OUTSIDE
    left, below = row[0], row[0]
    for i in range(1, n + 1, 2):
        line, line_below = _U(gold[_U(i - 1)]) * _U(phones), _U(gold[_U(min(i, n - 1))]) * _U(phones)
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
            up, column, before = row[_U(j)], columns[_U(j - 1)], left
            # A deletion's direction is one more than an insertion's, so `up + 1` is the cell above with that direction;
            # the diagonal's difference is in the packed costs. The least of the three is the best edit by the tie rule.
            best = min(diagonal + flat[line + column], up + 1)
            diagonal = up
            directions[_U(at + j)] = np.uint8(min(best, left))
            # The cell itself is kept as if reached by an insertion, for its right neighbour.
            left = left if left < best else (best & _NO_DIRECTION) | insertion
            best = min(before + flat[line_below + column], left + 1)
            directions[_U(at_below + j)] = np.uint8(min(best, below))
            below = below if below < best else (best & _NO_DIRECTION) | insertion
            row[_U(j)] = below
        row[_U(end + 1)] = _OUTSIDE
        row[_U(end + 2)] = _OUTSIDE
    # Of an odd number of rows the second one of the last two repeats the last phone, and does not count.
    return np.int64(left if n % 2 else below)


@_inline
def _sum_gaps(phones: _Codes, costs: _Ints) -> tuple[np.int64, np.int64]:
    """Return what it costs to leave all phones without partners, and what the cheapest of them costs."""
    total, least = np.int64(0), _OUTSIDE
    for place in range(phones.size):
        cost = costs[_U(phones[_U(place)])]
        total += cost
        least = min(least, cost)
    return total, least


@_inline
def _align_band(
    gold: _Codes,
    m: int,
    flat: _Ints,
    phones: int,
    of_gaps: tuple[np.int64, np.int64, np.int64],
    identical_bits: int,
    gaps_first: bool,
    most: int,
    share: float,
    row: _Ints,
    columns: _Words,
    directions: NDArray[np.uint8],
) -> tuple[np.int64, int, float, NDArray[np.uint8]]:
    """Return a pair's cost (−1: it needs too large a band), the stride of its directions, the next share, and these."""
    n, (gaps, least_out, least_in) = gold.size, of_gaps
    turn = least_out + least_in  # what leaving the band by one more costs at least
    plain = least_out * max(0, n - m) + least_in * max(0, m - n) if n > 0 and m > 0 else 0
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
        packed = _fill_band(gold, m, low, high, stride, flat, phones, columns, row, directions, code)
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
def _longest_run(offsets: _Ints) -> int:
    longest = 0
    for place in range(offsets.size - 1):
        longest = max(longest, offsets[place + 1] - offsets[place])
    return longest


@_compile
def align_range(
    all_gold: _Codes,
    gold_offsets: _Ints,
    all_predicted: _Codes,
    predicted_offsets: _Ints,
    reduced: _Ints,
    deletion: _Ints,
    insertion: _Ints,
    identical_bits: int,
    partners: tuple[_Ints, _Ints],
    unit: int,
    gaps_first: bool,
    most: int,
    cost: _Ints,
    length: _Ints,
    path_gold: _Codes,
    path_predicted: _Codes,
) -> int:
    """Align utterances, the last one first; return where the first one's pairs begin."""
    none = (deletion.size, insertion.size)
    longest_gold, longest_predicted = _longest_run(gold_offsets), _longest_run(predicted_offsets)
    longest = max(longest_gold, longest_predicted)
    row, columns = np.empty(longest_predicted + 3, np.int64), np.empty(longest_predicted + 3, np.uint64)
    alike, edge = np.zeros(max(none) + 1, np.uint64), np.empty(longest, np.uint8)
    # A word for each phone of the longest text, or for each 64 phones of gold besides, as far as that is allowed.
    size = max(longest, min(MOST_WORDS, (longest_gold // WORD + 1) * longest_predicted))
    apart, alone = np.empty(size, np.uint64), np.empty(size, np.uint64)
    directions, flat, share, place = np.empty(4096, np.uint8), reduced.ravel(), 0.03, path_gold.size
    # A path is traced from its end: so the last pair comes first, and all paths stand in order without another copy.
    for pair in range(cost.size - 1, -1, -1):
        gold = all_gold[gold_offsets[pair] : gold_offsets[pair + 1]]
        predicted = all_predicted[predicted_offsets[pair] : predicted_offsets[pair + 1]]
        n, m, stop = gold.size, predicted.size, place
        words = (n + WORD - 1) // WORD * m
        if unit > 0 and n > 0 and m > 0 and (min(n, m) <= WORD or (words <= MOST_WORDS and 16 * words <= most)):
            # The side that fits into one word is the pattern: a step a phone of the other. Gold if both or none fit.
            if n <= WORD:
                total = unit * _fill_word(gold, predicted, partners[1], True, gaps_first, alike, apart, alone)
            elif m <= WORD:
                total = unit * _fill_word(predicted, gold, partners[0], False, gaps_first, alike, apart, alone)
            else:
                total = unit * _fill_words(gold, predicted, partners[1], True, gaps_first, alike, edge, apart, alone)
            pattern, text, gaps, path_pattern, path_text = gold, predicted, none, path_gold, path_predicted
            if n > WORD >= m:
                pattern, text, gaps = predicted, gold, (none[1], none[0])
                path_pattern, path_text = path_predicted, path_gold
            if path_gold.size:
                place = _trace_bits(pattern, text, apart, alone, gaps, place, path_pattern, path_text)
        else:
            for j in range(m):
                columns[_U(j)] = predicted[_U(j)]
            (deleted, least_out), (inserted, least_in) = _sum_gaps(gold, deletion), _sum_gaps(predicted, insertion)
            of_gaps = deleted + inserted, least_out, least_in
            total, stride, share, directions = _align_band(
                gold, m, flat, none[1], of_gaps, identical_bits, gaps_first, most, share, row, columns, directions
            )
            if total >= 0 and path_gold.size:
                place = _trace(gold, predicted, stride, directions, gaps_first, none, place, path_gold, path_predicted)
        cost[_U(pair)] = total
        length[_U(pair)] = stop - place
    return place

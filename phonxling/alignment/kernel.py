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

_U = numba.uint64
_OUTSIDE = np.int64((1 << 61) | 1)
_NO_DIRECTION = np.int64(~3)
_ONE, _NONE, _ALL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
WORD = 64
_TOP = np.uint64(63)
MOST_WORDS = 1 << 16  # of a pair longer than 64 on both sides: two tables fill 1 MB; beyond, the band is smaller
_compile = numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")  # bounds are clamped by hand
_inline = numba.njit(inline="always")  # a call with so many arrays takes as long as ten columns

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
    word -= (word >> _ONE) & _U(0x5555555555555555)
    word = (word & _U(0x3333333333333333)) + ((word >> _U(2)) & _U(0x3333333333333333))
    word = (word + (word >> _U(4))) & _U(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * _U(0x0101010101010101)) >> _U(56))


@_compile
def _next_column(same: np.uint64, rises: np.uint64, falls: np.uint64, up: np.uint64, down: np.uint64) -> _Column:
    """Return where D[i, j] = D[i − 1, j − 1], D[i, j] − D[i, j − 1] is 1 and −1, and column j's own rises and falls."""
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
    rises, falls = _ALL, _NONE
    for j in range(text.size):
        same = alike[_U(translate[_U(text[_U(j)])])]
        equal, risen, _, rises, falls = _next_column(same, rises, falls, _ONE, _NONE)
        apart[_U(j)] = risen | rises if gaps_first else equal & ~same
        alone[_U(j)] = risen if across else ~rises
    if alike.size <= 4 * size:
        alike[:] = _NONE
    else:
        for i in range(size):
            alike[_U(pattern[_U(i)])] = _NONE
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
    for j in range(min(m, high) + 1):
        row[_U(j)] = insertion
        directions[_U(j)] = insertion
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
            best = min(diagonal + flat[line + column], up + 1)
            diagonal = up
            directions[_U(at + j)] = np.uint8(min(best, left))
            left = left if left < best else (best & _NO_DIRECTION) | insertion
            best = min(before + flat[line_below + column], left + 1)
            directions[_U(at_below + j)] = np.uint8(min(best, below))
            below = below if below < best else (best & _NO_DIRECTION) | insertion
            row[_U(j)] = below
        row[_U(end + 1)] = _OUTSIDE
        row[_U(end + 2)] = _OUTSIDE
    return np.int64(left if n % 2 else below)


@_compile
def align_range(  # noqa: C901 - functions with so many arrays take as long as ten columns to call
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
    gaps_of = (deletion.size, insertion.size)
    directions, row, columns = np.empty(4096, np.uint8), np.empty(256, np.int64), np.empty(256, np.uint64)
    alike, edge = np.zeros(max(gaps_of) + 1, np.uint64), np.empty(256, np.uint8)
    apart, alone = np.empty(256, np.uint64), np.empty(256, np.uint64)
    flat, share, place = reduced.ravel(), 0.03, path_gold.size
    insertion_code = 0 if gaps_first else 1
    for pair in range(cost.size - 1, -1, -1):
        gold = all_gold[gold_offsets[pair] : gold_offsets[pair + 1]]
        predicted = all_predicted[predicted_offsets[pair] : predicted_offsets[pair + 1]]
        n, m, stop = gold.size, predicted.size, place
        if m + 3 > row.size:
            row, columns = np.empty(2 * m, np.int64), np.empty(2 * m, np.uint64)
        in_gold = n <= WORD or m > WORD  # whose phones are a word's bits
        words = (n + WORD - 1) // WORD * m if in_gold else n
        if unit > 0 and n > 0 and m > 0 and (min(n, m) <= WORD or (words <= MOST_WORDS and 16 * words <= most)):
            if max(n, m) > edge.size:
                edge = np.empty(2 * max(n, m), np.uint8)
            if words > apart.size:
                apart, alone = np.empty(2 * words, np.uint64), np.empty(2 * words, np.uint64)
            if n <= WORD:
                total = unit * _fill_word(gold, predicted, partners[1], True, gaps_first, alike, apart, alone)
            elif m <= WORD:
                total = unit * _fill_word(predicted, gold, partners[0], False, gaps_first, alike, apart, alone)
            else:
                total = unit * _fill_words(gold, predicted, partners[1], True, gaps_first, alike, edge, apart, alone)
            pattern, text, none, path_pattern, path_text = gold, predicted, gaps_of, path_gold, path_predicted
            if not in_gold:
                pattern, text, none = predicted, gold, (gaps_of[1], gaps_of[0])
                path_pattern, path_text = path_predicted, path_gold
            if path_gold.size:
                place = _trace_bits(pattern, text, apart, alone, none, place, path_pattern, path_text)
        else:
            gaps, least_out, least_in = np.int64(0), _OUTSIDE, _OUTSIDE
            for j in range(m):
                x = predicted[_U(j)]
                columns[_U(j)] = x
                gaps += insertion[_U(x)]
                least_in = min(least_in, insertion[_U(x)])
            for i in range(n):
                x = gold[_U(i)]
                gaps += deletion[_U(x)]
                least_out = min(least_out, deletion[_U(x)])
            turn = least_out + least_in  # what leaving the band by one more costs at least
            plain = least_out * max(0, n - m) + least_in * max(0, m - n) if n > 0 and m > 0 else 0
            widest = n + m if (n + 1) * (m + 1) <= most else (most // (n + 1) - 1 - abs(m - n)) // 2
            width, total, tried = min(int(share * (n + m)) + 1, n + m), np.int64(-1), 0
            while widest >= 0:
                width = min(width, widest)
                low, high = max(min(0, m - n) - width, -n), min(max(0, m - n) + width, m)
                stride = min(high - low + 1, m) + 1  # the direction of cell (i, j) stands at i · stride + j
                if (n + 1) * stride + m >= directions.size:
                    directions = np.empty((n + 1) * stride + m + 1, np.uint8)
                packed = _fill_band(
                    gold, m, low, high, stride, flat, gaps_of[1], columns, row, directions, insertion_code
                )
                # The count of identical pairs is subtracted below the cost's bits: rounding up gives the cost back.
                within_band = gaps - (-(packed >> 2) >> identical_bits)
                tried += 1
                if (low <= -n and high >= m) or within_band < plain + turn * (width + 1):
                    total = within_band
                    break
                if width == widest:
                    break
                width = min(int((within_band - plain) // turn), n + m) if turn > 0 else n + m
            share = max(share, 1e-4) * (0.98 if tried == 1 else 1.2)  # of pairs tried once: nine in ten
            if total >= 0 and path_gold.size:
                place = _trace(
                    gold, predicted, stride, directions, gaps_first, gaps_of, place, path_gold, path_predicted
                )
        cost[_U(pair)] = total
        length[_U(pair)] = stop - place
    return place

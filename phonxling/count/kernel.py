"""The loops over frames: each row is checked and added to its token in one pass over memory, four rows at a time.

Sums are of double precision. The checks are of the numbers' own precision, and strict: rows near the limit do not pass,
and are looked at again, slowly, by who calls.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats
from phonxling.core.posteriorgram import ROW_TOLERANCE
from phonxling.count.prefetch import prefetch

_U = numba.uint64
_EDGE = 1e-9  # times with few decimals are no exact binary numbers
_NEAR = np.float32(ROW_TOLERANCE - 1e-4)  # a sum of single precision is as far off as 1e-5 for 10,000 columns
_ONE = np.float32(1)
_AHEAD = 3072  # numbers: 12 kB of single precision
_LINE = 16  # numbers of single precision in a cache line
_UNPACKED = np.float32(2.0**112)  # from where a half's exponent stands among a single's bits to where it belongs

OVERLAP = 1e-6  # seconds that two intervals may share for rounding's sake

Bits = NDArray[np.unsignedinteger]


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _first_not_before(time: float, shift: float, offset: float, first: int, number: int) -> int:
    """Return the first frame from `first` on whose centre is not before a time; `number` when none is."""
    if time >= offset + (number + 0.5) * shift:
        return number
    frame = int(max(float(first), (time - offset) / shift - 0.5))  # rounded down: it, or one of the next
    while frame < number and offset + (frame + 0.5) * shift < time:
        frame += 1
    return frame


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def tie(
    start: Floats,
    end: Floats,
    shift: float,
    offset: float,
    number: int,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> None:
    """Fill `first` and `last` [n]: of so many frames, those whose centre, offset + (t + ½)·shift, is in [start, end).

    The n intervals come in order, and what two share by a rounding error is the later one's.
    """
    tokens, at = len(start), 0
    for token in range(tokens):
        first[token] = _first_not_before(start[token] - _EDGE, shift, offset, at, number)
        limit = end[token] if token + 1 == tokens else min(end[token], start[token + 1])
        at = last[token] = _first_not_before(limit - _EDGE, shift, offset, first[token], number)


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy", fastmath={"reassoc"}, inline="always")
def _add_rows(values: NDArray[np.floating], bits: Bits, first: int, last: int, total: Floats) -> tuple[bool, int]:
    """Add rows to a total [K]; return whether each sums to 1 (one with NaN does not), and all their bits, or-ed."""
    width, fine, all_bits, zero = total.size, True, bits[0], values[0] * 0
    row = first
    while row + 4 <= last:
        a = row * width
        b, c, d = a + width, a + 2 * width, a + 3 * width
        for place in range(0, 4 * width, _LINE):
            prefetch(values, a + _AHEAD + place)  # type: ignore[call-arg] # Numba gives the first one
        one, two, three, four = zero, zero, zero, zero
        for column in range(width):
            w, x = values[_U(a + column)], values[_U(b + column)]
            y, z = values[_U(c + column)], values[_U(d + column)]
            all_bits |= bits[_U(a + column)] | bits[_U(b + column)] | bits[_U(c + column)] | bits[_U(d + column)]
            one += w
            two += x
            three += y
            four += z
            total[_U(column)] += (np.float64(w) + np.float64(x)) + (np.float64(y) + np.float64(z))
        fine &= (
            (abs(one - _ONE) <= _NEAR)
            & (abs(two - _ONE) <= _NEAR)
            & (abs(three - _ONE) <= _NEAR)
            & (abs(four - _ONE) <= _NEAR)
        )
        row += 4
    while row < last:
        a, one = row * width, zero
        for column in range(width):
            w = values[_U(a + column)]
            all_bits |= bits[_U(a + column)]
            one += w
            total[_U(column)] += np.float64(w)
        fine &= abs(one - _ONE) <= _NEAR
        row += 1
    return fine, all_bits


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy", fastmath={"reassoc"})
def sum_frames(
    values: NDArray[np.floating],
    bits: Bits,
    sign: np.uint64,
    columns: NDArray[np.int64],
    same: bool,
    begin: int,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    mass: Floats,
) -> bool:
    """Add each of the frames from `begin` on to the token that it is of.

    `values` is [T·K], flat, and `bits` the same as unsigned integers, whose highest bit is `sign`; `columns` [K] holds
    the phone of each, or −1, and `same` says that they are the phones in order. Token i has the frames first[i] …
    last[i] − 1 of the whole utterance, some of them among these. Adds to `mass` [n, P]; returns whether every row,
    those of no token too, is clearly a distribution.
    """
    width = columns.size
    end, at, fine = begin + values.size // width, begin, True
    all_bits = bits[0]
    total = np.empty(width)
    for token in range(first.size):
        start, stop = max(first[token], at), min(last[token], end)
        good, seen = _add_rows(values, bits, at - begin, start - begin, total)
        fine, all_bits = fine & good, all_bits | seen
        total[:] = 0
        good, seen = _add_rows(values, bits, start - begin, stop - begin, total)
        fine, all_bits, at = fine & good, all_bits | seen, stop
        if same:
            for column in range(width):
                mass[_U(token), _U(column)] += total[_U(column)]
        else:
            for column in range(width):
                phone = columns[_U(column)]
                if phone >= 0:
                    mass[_U(token), _U(phone)] += total[_U(column)]
    good, seen = _add_rows(values, bits, at - begin, end - begin, total)
    return bool(fine & good & (((all_bits | seen) & sign) == 0))


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def decide_frames(
    values: NDArray[np.floating],
    columns: NDArray[np.int64],
    begin: int,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    decided: Floats,
) -> None:
    """Add each frame's mass by phone to `decided` [n, P] of its token, all of it to the frame's most probable phone.

    Arguments as for `sum_frames`. Columns of one phone are summed first; of equal phones it is the first.
    """
    width, phones = columns.size, np.zeros(decided.shape[1])
    end = begin + values.size // width
    for token in range(first.size):
        for frame in range(max(first[token], begin), min(last[token], end)):
            phones[:] = 0
            for column in range(width):
                if columns[column] >= 0:
                    phones[columns[column]] += values[(frame - begin) * width + column]
            decided[token, phones.argmax()] += phones.sum()


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def misplaced(start: Floats, end: Floats, offsets: NDArray[np.int64]) -> int:
    """Return the first utterance whose intervals overlap or are not in the order of time; −1 when there is none."""
    for utterance in range(offsets.size - 1):
        for token in range(offsets[utterance], offsets[utterance + 1] - 1):
            if start[token + 1] < start[token] or end[token] > start[token + 1] + OVERLAP:
                return utterance
    return -1


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_rows(rows: Floats, weights: Floats, codes: NDArray[np.integer], total: Floats) -> None:
    """Add each row [n, K], times its weight, to the row of `total` [G, K] that its code names, in order."""
    for row in range(codes.size):
        code, weight = codes[_U(row)], weights[_U(row)]
        for column in range(rows.shape[1]):
            total[_U(code), _U(column)] += rows[_U(row), _U(column)] * weight


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_tokens(mass: Floats, codes: NDArray[np.integer], by_frame: bool, hard: bool, total: Floats) -> None:
    """Add tokens' mass [n, K] to the rows of `total` [G, K] that their codes name, in order.

    Each row is divided by its sum unless `by_frame`; `hard` gives 1 to its highest value, the first of equals.
    """
    width = mass.shape[1]
    for row in range(codes.size):
        code, whole, best = codes[_U(row)], 0.0, 0
        for column in range(width):
            value = mass[_U(row), _U(column)]
            whole += value
            if value > mass[_U(row), _U(best)]:
                best = column
        if whole <= 0:
            continue
        if hard:
            total[_U(code), _U(best)] += 1.0
            continue
        for column in range(width):
            value = mass[_U(row), _U(column)]
            total[_U(code), _U(column)] += value if by_frame else value / whole


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def count_pairs(gold: NDArray[np.integer], predicted: NDArray[np.integer], counts: NDArray[np.int64]) -> bool:
    """Add each pair's one to its cell of `counts` [G + 1, P + 1]; return False, and add none, where a code has no cell.

    All codes are looked at before any is counted: two loops are faster than one that does both.
    """
    rows, columns, cells, beyond = _U(counts.shape[0]), _U(counts.shape[1]), counts.ravel(), False
    for pair in range(gold.size):  # a negative code, as an unsigned number, is beyond every table
        beyond |= (_U(gold[_U(pair)]) >= rows) | (_U(predicted[_U(pair)]) >= columns)
    if beyond:
        return False
    for pair in range(gold.size):
        cells[_U(gold[_U(pair)]) * columns + _U(predicted[_U(pair)])] += 1
    return True


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _unpack(halves: NDArray[np.uint16], bits: NDArray[np.uint32], singles: NDArray[np.float32]) -> None:
    for place in range(halves.size):
        half = np.uint32(halves[place])
        bits[place] = ((half & np.uint32(0x8000)) << np.uint32(16)) | ((half & np.uint32(0x7FFF)) << np.uint32(13))
    for place in range(halves.size):
        singles[place] *= _UNPACKED


def singles(halves: NDArray[np.float16]) -> NDArray[np.float32]:
    """Return finite half-precision numbers as single; infinite and NaN become 65,536 or more, no probabilities either.

    Examples
    --------
    >>> singles(np.array([0.25, -0.0, 6e-8], dtype=np.float16)).tolist() == [0.25, -0.0, 2.0**-24]
    True
    """
    bits = np.empty(halves.shape, np.uint32)
    all_bits = bits.view(np.float32)
    _unpack(halves.view(np.uint16).ravel(), bits.ravel(), all_bits.ravel())
    return all_bits

"""The loops over frames: each row is checked and added to its token in one pass over memory, two rows at a time."""

import numba
import numpy as np
from numpy.typing import NDArray

from phonxling.core.scale import ROW_TOLERANCE

_U = numba.uint64
_EDGE = 1e-9  # times with few decimals are no exact binary numbers
_UNPACKED = np.float32(2.0**112)  # from where a half's exponent stands among a single's bits to where it belongs

OVERLAP = 1e-6  # seconds that two intervals may share for rounding's sake

Floats = NDArray[np.float64]


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy", fastmath={"reassoc"})
def _add_row(values: NDArray[np.floating], at: int, total: Floats) -> bool:
    """Add the row that begins at `at` to a total; return whether it is a distribution (one with NaN is none)."""
    mass, negative = 0.0, np.int32(0)
    for column in range(total.size):
        value = np.float64(values[_U(at + column)])
        total[_U(column)] += value
        mass += value
        negative += value < 0
    return negative == 0 and abs(mass - 1) <= ROW_TOLERANCE


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy", fastmath={"reassoc"})
def _add_two_rows(values: NDArray[np.floating], at: int, total: Floats) -> bool:
    """Do the same with two rows, which halves the traffic to the total."""
    first, second, negative, width = 0.0, 0.0, np.int32(0), total.size
    for column in range(width):
        one, other = np.float64(values[_U(at + column)]), np.float64(values[_U(at + width + column)])
        total[_U(column)] += one + other
        first += one
        second += other
        negative += (one < 0) | (other < 0)
    return negative == 0 and abs(first - 1) <= ROW_TOLERANCE and abs(second - 1) <= ROW_TOLERANCE


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
def _add_frames(values: NDArray[np.floating], first: int, last: int, total: Floats) -> bool:
    width, fine = total.size, True
    for frame in range(first, last - 1, 2):
        fine &= _add_two_rows(values, frame * width, total)
    if (last - first) % 2:
        fine &= _add_row(values, (last - 1) * width, total)
    return fine


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def sum_frames(
    values: NDArray[np.floating],
    columns: NDArray[np.int64],
    start: Floats,
    end: Floats,
    shift: float,
    offset: float,
    mass: Floats,
    frames: NDArray[np.int64],
) -> bool:
    """Add each frame to the interval [start, end) that holds its centre, offset + (t + ½)·shift.

    `values` is [T·K], flat; `columns` [K] holds the phone of each, or −1. The n intervals come in order, and what two
    share by a rounding error is the later one's. Fills `mass` [n, P], zero before, and `frames` [n]; returns whether
    every row, those outside all intervals too, is a distribution.
    """
    tokens, width = len(start), columns.size
    number, at, fine = values.size // width, 0, True
    total = np.empty(width)
    for token in range(tokens):
        first = _first_not_before(start[token] - _EDGE, shift, offset, at, number)
        fine &= _add_frames(values, at, first, total)
        limit = end[token] if token + 1 == tokens else min(end[token], start[token + 1])
        at = _first_not_before(limit - _EDGE, shift, offset, first, number)
        frames[token] = at - first
        total[:] = 0
        fine &= _add_frames(values, first, at, total)
        for column in range(width):
            phone = columns[_U(column)]
            if phone >= 0:
                mass[_U(token), _U(phone)] += total[_U(column)]
    return fine & _add_frames(values, at, number, total)


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def misplaced(start: Floats, end: Floats, offsets: NDArray[np.int64]) -> int:
    """Return the first utterance whose intervals overlap or are not in the order of time; −1 when there is none."""
    for utterance in range(offsets.size - 1):
        for token in range(offsets[utterance], offsets[utterance + 1] - 1):
            if start[token + 1] < start[token] or end[token] > start[token + 1] + OVERLAP:
                return utterance
    return -1


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_rows(rows: Floats, codes: NDArray[np.integer], total: Floats) -> None:
    """Add each row [n, K] to the row of `total` [G, K] that its code names, in order."""
    for row in range(codes.size):
        code = codes[_U(row)]
        for column in range(rows.shape[1]):
            total[_U(code), _U(column)] += rows[_U(row), _U(column)]


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
    found = bits.view(np.float32)
    _unpack(halves.view(np.uint16).ravel(), bits.ravel(), found.ravel())
    return found

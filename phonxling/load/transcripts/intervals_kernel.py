"""The loop over the bytes of a large TSV file with an interval a row: ids, times and confidences."""

import numba
import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats
from phonxling.load.transcripts.bytes_kernel import ODD, is_blank, is_same

_U = numba.uint64
_TAB, _LINE, _RETURN, _POINT, _ZERO = 9, 10, 13, ord("."), ord("0")
_DIGITS = 15  # so many make a whole number that a double holds, and so is ten to the power of any of these
_TENS = 10.0 ** np.arange(_DIGITS + 1)
_compiled = numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
_Bytes = NDArray[np.uint8]


@_compiled
def _end_of_cell(data: _Bytes, at: int) -> int:
    while at < data.size and data[_U(at)] != _TAB and data[_U(at)] != _LINE and data[_U(at)] != _RETURN:
        at += 1
    return at


@_compiled
def _next_line(data: _Bytes, at: int) -> int:
    """Return where the line after this one begins."""
    while at < data.size and data[_U(at)] != _LINE:
        at += 1
    return at + 1


@_compiled
def _number(data: _Bytes, at: int, end: int) -> float:
    """Return what a cell like 12 or 0.25 holds, rounded once, as by `float`; −1 for any other."""
    whole, digits, after, points = 0, 0, 0, 0
    for place in range(at, end):
        byte = int(data[_U(place)])
        digit = byte - _ZERO
        if byte == _POINT:
            points += 1
        elif 0 <= digit <= 9 and digits < _DIGITS:
            whole, digits, after = 10 * whole + digit, digits + 1, after + points
        else:
            return -1.0
    if points > 1 or after == digits or (points == 1 and after == 0):
        return -1.0
    return float(whole / _TENS[after])


@_compiled
def read_intervals(
    data: _Bytes, at: int, columns: tuple[Codes, int, int], numbers: Floats, offsets: Codes, names: Codes
) -> int:
    """Read rows, from byte `at` on, whose cells and symbols `tokenise` found to be clean; return how many utterances.

    `columns` says which line of `numbers` [start, end, and confidence] each cell goes to, −1 for none, and which cells
    are the utterance and the speaker, −1 for none. Fills `offsets`, and `names` with where each utterance and speaker
    begin, and their bytes. ODD where the careful reader may see something else.
    """
    lines, utterance, speaker = columns
    row, known, name, spoken = 0, 0, (0, 0), (0, 0)
    while at < data.size:
        if is_blank(data, at):
            at = _next_line(data, at)
            continue
        own_name, own_spoken = (0, 0), (0, 0)
        for cell in range(lines.size):
            end = _end_of_cell(data, at)
            if lines[cell] >= 0:
                numbers[lines[cell], row] = number = _number(data, at, end)
                if number < 0:
                    return ODD
            if cell == utterance:
                own_name = (at, end - at)
            if cell == speaker:
                own_spoken = (at, end - at)
            at = end + 1
        at = _next_line(data, at - 1)
        same = row > 0 and own_name[1] == name[1] and is_same(data, name[0], own_name[0], name[1])
        told = own_spoken[1] == spoken[1] and is_same(data, spoken[0], own_spoken[0], spoken[1])
        named = own_name[1] > 0 and (speaker < 0 or own_spoken[1] > 0)
        right = numbers[0, row] <= numbers[1, row] and (numbers.shape[0] < 3 or numbers[2, row] <= 1)
        if not (named and right) or (same and not told):
            return ODD
        if not same:
            name, spoken, offsets[known] = own_name, own_spoken, row
            names[known, 0], names[known, 1], names[known, 2], names[known, 3] = *name, *spoken
            known += 1
        row += 1
    offsets[known] = row
    return known

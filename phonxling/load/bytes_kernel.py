"""The loop over a large TSV file's bytes: ids are copied, symbols are coded; whatever is odd is left to the slow way.

A symbol's key holds its first eight bytes, the first one lowest; longer symbols add a hash of the rest, and are
compared byte by byte. Symbols of up to three bytes, which most are, are cut without a branch on their length.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats

_U = numba.uint64
_TAB, _LINE, _RETURN, _SPACE = 9, 10, 13, 32
_SLOT_BITS = 13
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads keys over the slots
MOST_SYMBOLS = 1 << (_SLOT_BITS - 2)
ODD, TOO_MANY = -1, -2
_compiled = numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")

_Bytes = NDArray[np.uint8]

# Bytes at which a control character, or a space that is not U+0020, may begin.
SUSPICIOUS = np.zeros(256, np.uint8)
SUSPICIOUS[[*range(32), 127, 0xC2, 0xE1, 0xE2, 0xE3]] = 1


@_compiled
def _is_odd(
    data: _Bytes,
    at: int,
) -> bool:
    """Return whether a control character or a space other than U+0020 begins at this byte (UTF-8)."""
    first = data[_U(at)]
    second = data[_U(at + 1)] if at + 1 < data.size else 0
    third = data[_U(at + 2)] if at + 2 < data.size else 0
    return (
        (first < _SPACE or first == 127)
        or (first == 0xC2 and second <= 0xA0)  # U+0080 … U+00A0
        or (first == 0xE1 and second == 0x9A and third == 0x80)  # U+1680
        or (first == 0xE2 and second == 0x80 and (third <= 0x8A or third in (0xA8, 0xA9, 0xAF)))  # U+2000 … U+202F
        or (first == 0xE2 and second == 0x81 and third == 0x9F)  # U+205F
        or (first == 0xE3 and second == 0x80 and third == 0x80)  # U+3000
    )


@_compiled
def is_same(
    data: _Bytes,
    first: int,
    second: int,
    length: int,
) -> bool:
    """Return whether as many bytes are the same from one place on and from another."""
    same = True
    for step in range(length):
        same &= data[_U(first + step)] == data[_U(second + step)]
    return same


@_compiled
def is_blank(
    data: _Bytes,
    at: int,
) -> bool:
    """Return whether a line, from here on, holds nothing but spaces and tabs."""
    while at < data.size and (data[_U(at)] == _SPACE or data[_U(at)] == _TAB or data[_U(at)] == _RETURN):
        at += 1
    return at == data.size or data[_U(at)] == _LINE


@_compiled
def tokenise(  # noqa: C901 - one hot loop: a call with arrays costs ten times what a symbol does
    data: _Bytes,
    at: int,
    cells: int,
    utterance: int,
    phones: int,
    speaker: int,
    most: int,
    suspicious: _Bytes,
    ids: _Bytes,
    speakers: _Bytes,
    offsets: NDArray[np.int64],
    codes: NDArray[np.integer],
    symbols: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """Read the rows from byte `at` on; return the numbers of utterances, of bytes of ids and speakers."""
    slots, keys = np.full(1 << _SLOT_BITS, -1, np.int64), np.zeros(most, np.uint64)
    line, cell, rows, tokens, copied, spoken, known, state = 1, 0, 0, 0, 0, 0, 0, 0
    while (at < data.size or cell > 0) and state == 0:
        if cell == 0:
            line += 1
            if is_blank(data, at):
                while at < data.size and data[_U(at)] != _LINE:
                    at += 1
                at += 1
                continue
        begin = at
        if cell == phones:
            while at < data.size and data[_U(at)] != _TAB and data[_U(at)] != _LINE and data[_U(at)] != _RETURN:
                if data[_U(at)] == _SPACE:
                    at += 1
                    continue
                length, key, doubt = np.int64(0), _U(0), _U(0)
                if at + 3 < data.size and (
                    data[_U(at + 1)] <= _SPACE or data[_U(at + 2)] <= _SPACE or data[_U(at + 3)] <= _SPACE
                ):  # up to three bytes: no branch on how many
                    one, two, three = _U(data[_U(at)]), _U(data[_U(at + 1)]), _U(data[_U(at + 2)])
                    second = _U(two > _SPACE)
                    third = second & _U(three > _SPACE)
                    two, three = two * second, three * third
                    length, key = np.int64(second) + np.int64(third) + 1, one | (two << _U(8)) | (three << _U(16))
                    doubt = _U(suspicious[one]) | (_U(suspicious[two]) & second) | (_U(suspicious[three]) & third)
                else:
                    while at + length < data.size and data[_U(at + length)] > _SPACE:
                        byte = _U(data[_U(at + length)])
                        key = key | (byte << _U(8 * length)) if length < 8 else (key ^ byte) * _MIX
                        doubt |= _U(suspicious[byte])
                        length += 1
                    doubt |= _U(length == 0)
                if doubt != _U(0):
                    if length == 0:
                        state = ODD
                    for step in range(length):
                        if _is_odd(data, at + step):
                            state = ODD
                    if state != 0:
                        break
                slot = (key * _MIX) >> _U(64 - _SLOT_BITS)
                while slots[slot] >= 0:
                    code = _U(slots[slot])
                    same = keys[code] == key and symbols[code, _U(1)] == length
                    if same and (length <= 8 or is_same(data, symbols[code, _U(0)], at, int(length))):
                        break
                    slot = (slot + _U(1)) & _U((1 << _SLOT_BITS) - 1)
                if slots[slot] < 0:
                    if known == most:
                        state = TOO_MANY
                        break
                    symbols[known, 0], symbols[known, 1], symbols[known, 2] = at, length, line
                    slots[slot], keys[known] = known, key
                    known += 1
                codes[_U(tokens)] = slots[slot]
                tokens, at = tokens + 1, at + int(length)
        else:
            while at < data.size and data[_U(at)] != _TAB and data[_U(at)] != _LINE and data[_U(at)] != _RETURN:
                if suspicious[data[_U(at)]] != 0 and _is_odd(data, at):
                    state = ODD
                    break
                if cell == utterance:
                    ids[_U(copied)] = data[_U(at)]
                    copied += 1
                if cell == speaker:
                    speakers[_U(spoken)] = data[_U(at)]
                    spoken += 1
                at += 1
        if cell == utterance:
            ids[_U(copied)] = _LINE
            copied += 1
        if cell == speaker:
            speakers[_U(spoken)] = _LINE
            spoken += 1
        if cell in (utterance, speaker) and at == begin:
            state = ODD
        ends = at < data.size and data[_U(at)] == _RETURN
        while at < data.size and data[_U(at)] == _RETURN:
            at += 1
        ends = ends or at == data.size or data[_U(at)] == _LINE
        if ends and (cell + 1 != cells or (at < data.size and data[_U(at)] != _LINE)):
            state = ODD
        cell = 0 if ends else cell + 1
        at += 1
        if ends:
            rows += 1
            offsets[rows] = tokens
    return (state if state != 0 else rows), copied, spoken, known


# The loop over the bytes of a large TSV file with an interval a row: ids, times and confidences.

_ITAB, _ILINE, _IRETURN, _POINT, _ZERO = 9, 10, 13, ord("."), ord("0")
_DIGITS = 15  # so many make a whole number that a double holds, and so is ten to the power of any of these
_TENS = 10.0 ** np.arange(_DIGITS + 1)


@_compiled
def _end_of_cell(data: _Bytes, at: int) -> int:
    while at < data.size and data[_U(at)] != _ITAB and data[_U(at)] != _ILINE and data[_U(at)] != _IRETURN:
        at += 1
    return at


@_compiled
def _next_line(data: _Bytes, at: int) -> int:
    """Return where the line after this one begins."""
    while at < data.size and data[_U(at)] != _ILINE:
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
    """Read rows, from byte `at` on, whose cells and symbols `tokenise` found to be clean."""
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

"""The compiled loops that add tokens, aligned pairs and frames to tables of counts, and that match boundaries.

Cells of confusions, by utterance or by cluster
-----------------------------------------------
The cells that occur are marked by a bit each, in words of 64, and the words by a bit each in blocks of 64 words. So
they are found again in ascending order, without sorting them and without looking at those that do not occur.

Frames
------
Each row is checked and added to its token in one pass over memory, two rows at a time. Sums are of double precision.
The checks are of the numbers' own precision, and strict: rows near the limit do not pass, and are looked at again,
slowly, by who calls. Rows are read in steps of 16 numbers, as processors like it: the last step reaches into the next
row, whose numbers there count for nothing.

The loops of chance: sums of rows under many labellings at once, and what constant answers cost.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats, offsets_of
from phonxling.core.jit import numba
from phonxling.core.posteriorgram import ROW_TOLERANCE
from phonxling.core.sequences import PhoneSequences

# Places are cast to unsigned numbers: for signed ones Numba tests at every access whether they count from the end.
_U = numba.uint64
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "boundscheck": False, "error_model": "numpy"}
_compile = numba.njit(**_OPTIONS)
_OPTIONS_OF_SUMS: dict[str, Any] = {**_OPTIONS, "fastmath": {"reassoc", "contract"}}  # in whatever order is fastest


def add_rows(rows: Floats, weights: Floats, codes: NDArray[np.integer], total: Floats) -> None:
    """Add each row [n, K], times its weight, to the row of `total` [G, K] that its code names, in order."""
    fixed = np.ascontiguousarray(rows).view()
    fixed.flags.writeable = False  # as many are: for others the loop would be compiled once more
    _add_rows(fixed, weights, codes.astype(np.int64), total)


@_compile
def _add_rows(rows: Floats, weights: Floats, codes: NDArray[np.int64], total: Floats) -> None:
    for row in range(codes.size):
        code, weight = codes[_U(row)], weights[_U(row)]
        for column in range(rows.shape[1]):
            total[_U(code), _U(column)] += rows[_U(row), _U(column)] * weight


@_compile
def add_tokens(mass: Floats, codes: NDArray[np.integer], by_frame: bool, hard: bool, total: Floats) -> None:
    """Add tokens' mass [n, K] to the rows of `total` [G, K] that their codes name, in order."""
    width = mass.shape[1]
    for row in range(codes.size):
        code, whole, best = codes[_U(row)], 0.0, 0
        for column in range(width):
            value = mass[_U(row), _U(column)]
            whole += value
            # Strictly above: of equal columns the first one counts.
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


@_compile
def count_pairs(gold: NDArray[np.integer], predicted: NDArray[np.integer], counts: NDArray[np.int64]) -> bool:
    """Add each pair's one to its cell of `counts` [G + 1, P + 1]; return False, and add none."""
    rows, columns, cells, beyond = _U(counts.shape[0]), _U(counts.shape[1]), counts.ravel(), False
    for pair in range(gold.size):  # a negative code, as an unsigned number, is beyond every table
        beyond |= (_U(gold[_U(pair)]) >= rows) | (_U(predicted[_U(pair)]) >= columns)
    if beyond:
        return False
    for pair in range(gold.size):
        cells[_U(gold[_U(pair)]) * columns + _U(predicted[_U(pair)])] += 1
    return True


# Cells of confusions, of utterances and of clusters.

_ONE, _NONE, _IN_WORD = np.uint64(1), np.uint64(0), np.uint64(63)


@_compile
def _lowest_bit(word: np.uint64) -> np.uint64:
    """Return which is the lowest bit of a word that is set: the number of bits below it."""
    # A word and its negative share the lowest bit alone; one less has all bits below it, which are counted.
    below = (word & (~word + _ONE)) - _ONE
    below -= (below >> _ONE) & _U(0x5555555555555555)
    below = (below & _U(0x3333333333333333)) + ((below >> _U(2)) & _U(0x3333333333333333))
    below = (below + (below >> _U(4))) & _U(0x0F0F0F0F0F0F0F0F)
    return np.uint64((below * _U(0x0101010101010101)) >> _U(56))


@_compile
def _mark(cell: np.uint64, words: NDArray[np.uint64], blocks: NDArray[np.uint64]) -> None:
    """Set the bit of a cell, and of its word."""
    words[cell >> _U(6)] |= _ONE << (cell & _IN_WORD)
    blocks[cell >> _U(12)] |= _ONE << ((cell >> _U(6)) & _IN_WORD)


@_compile
def _write_marked(
    words: NDArray[np.uint64],
    blocks: NDArray[np.uint64],
    sums: NDArray[np.number],
    cells: NDArray[np.integer],
    counts: NDArray[np.number],
    last: np.int64,
) -> np.int64:
    """Write the cells that are marked and their sums from `last` on, and return where they end; marks and sums go."""
    for block in range(blocks.size):
        rest, blocks[block] = blocks[block], _NONE
        while rest != _NONE:
            word = (_U(block) << _U(6)) + _lowest_bit(rest)
            rest &= rest - _ONE
            # Marks and sums are put back to 0 as they are read: the next utterance clears no whole tables.
            bits, words[word] = words[word], _NONE
            while bits != _NONE:
                cell = (word << _U(6)) + _lowest_bit(bits)
                bits &= bits - _ONE
                cells[_U(last)], counts[_U(last)] = cell, sums[cell]
                sums[cell] = 0
                last += 1
    return last


@_compile
def count_cells(
    gold: NDArray[np.integer],
    predicted: NDArray[np.integer],
    offsets: NDArray[np.int64],
    shape: tuple[int, int],
    cells: NDArray[np.integer],
    counts: NDArray[np.integer],
    ends: NDArray[np.int64],
) -> bool:
    """Write each utterance's cells of a table of `shape`, ascending, each once, and how often it has them."""
    size, last = shape[0] * shape[1], np.int64(0)  # for a literal 0 the function would be compiled once more
    sums = np.zeros(size, np.int32)
    words, blocks = np.zeros((size >> 6) + 1, np.uint64), np.zeros((size >> 12) + 1, np.uint64)
    for utterance in range(offsets.size - 1):
        for pair in range(offsets[utterance], offsets[utterance + 1]):
            row, column = _U(gold[_U(pair)]), _U(predicted[_U(pair)])
            if row >= _U(shape[0]) or column >= _U(shape[1]):
                return False
            cell = row * _U(shape[1]) + column
            sums[cell] += 1
            _mark(cell, words, blocks)
        ends[utterance] = last = _write_marked(words, blocks, sums, cells, counts, last)
    return True


# Frames of one utterance: `first` and `last` [n] are those of its tokens.

_EDGE = 1e-9  # times with few decimals are no exact binary numbers
_NEAR = np.float32(ROW_TOLERANCE - 1e-4)  # a sum of single precision is as far off as 1e-5 for 10,000 columns
_UNIT = np.float32(1)
_STEP = 16  # numbers
_HALF_SCALE = np.float32(2.0**112)  # from where a half's exponent stands among a single's bits to where it belongs
_HALF_ROOT = 0x3FE6A09E667F3BCD  # the bits of the square root of ½
_TWO_LOG_2_E = 2.0 / np.log(2.0)

Bits = NDArray[np.unsignedinteger]

OVERLAP = 1e-6  # seconds that two intervals may share for rounding's sake


@_compile
def _first_not_before(time: float, shift: float, offset: float, first: int, number: int) -> int:
    """Return the first frame from `first` on whose centre is not before a time; `number` when none is."""
    if time >= offset + (number + 0.5) * shift:
        return number
    frame = int(max(float(first), (time - offset) / shift - 0.5))  # rounded down: it, or one of the next
    while frame < number and offset + (frame + 0.5) * shift < time:
        frame += 1
    return frame


@_compile
def tie_tokens(
    start: Floats,
    end: Floats,
    number: int,
    shift: float,
    offset: float,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> None:
    """Fill `first` and `last`: those of `number` frames whose centre, offset + (t + ½)·shift, is in a token."""
    at, limit = 0, -np.inf
    for token in range(start.size):
        # Times ascend, so that each search begins where the one before ended: one pass over tokens and frames.
        if start[token] != limit:  # most begin where the one before ends
            at = _first_not_before(start[token] - _EDGE, shift, offset, at, number)
        # Intervals may overlap by rounding (see OVERLAP): the frame is of the later one, as a centre on a border is.
        limit = end[token] if token + 1 == start.size else min(end[token], start[token + 1])
        first[token] = at
        at = last[token] = _first_not_before(limit - _EDGE, shift, offset, at, number)


@numba.njit(**_OPTIONS_OF_SUMS)
def sum_frames(
    values: NDArray[np.floating],
    bits: Bits,
    columns: NDArray[np.int64],
    same: bool,
    begin: int,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    rows: NDArray[np.int64],
    mean: bool,
    mass: Floats,
) -> bool:
    """Add the frames from `begin` on [T, K] to their tokens' rows of `mass`; return whether each is a distribution."""
    number, width = values.shape
    if number == 0:
        return True
    padded = (width + _STEP - 1) // _STEP * _STEP
    flat, flat_bits = values.reshape(-1), bits.reshape(-1)
    total, counted = np.zeros(padded), np.zeros(padded, values.dtype)
    # Beyond a row’s own columns stand those of the next row: they are read, and weigh 0.
    counted[:width] = 1
    fine, seen, at = True, flat_bits[0], 0
    for piece in range(2 * first.size + 1):
        token, inside = piece >> 1, (piece & 1) == 1  # the rows before a token, and its own; at last those after all
        stop = number
        if token < first.size:
            stop = min(number, (last[token] if inside else first[token]) - begin)
        if stop > at:
            good, own = _sum_rows(flat, flat_bits, counted, width, at, stop, total)
            fine, seen, at = fine & good, np.bitwise_or(seen, own), stop
            if inside:
                _add_total(total, columns, same, mean, mass, rows[token])
    # The or of all numbers’ bits has the sign bit where one is negative: one test for all.
    return fine and np.uint64(seen) >> np.uint64(8 * bits.itemsize - 1) == 0


@numba.njit(**_OPTIONS_OF_SUMS, inline="always")
def _sum_rows(
    flat: NDArray[np.floating],
    bits: Bits,
    counted: NDArray[np.floating],
    width: int,
    at: int,
    stop: int,
    total: Floats,
) -> tuple[bool, int]:
    """Sum rows to a total; return whether each sums to 1 (one with NaN does not), and all their bits, or-ed."""
    padded = (width + _STEP - 1) // _STEP * _STEP
    # A zero of the numbers’ own type: sums of single precision stay so, and twice as many fit a step.
    inner, fine, seen, zero = (flat.size - padded) // width, True, bits[at * width], counted[0] - counted[0]
    for column in range(padded):
        total[_U(column)] = 0
    while at + 2 <= stop and at < inner:  # the row `inner` is the last one with room for all steps
        here, there, one, two = at * width, (at + 1) * width, zero, zero
        for column in range(padded):
            w, x, count = flat[_U(here + column)], flat[_U(there + column)], counted[_U(column)]
            one += w * count
            two += x * count
            seen = np.bitwise_or(seen, np.bitwise_or(bits[_U(here + column)], bits[_U(there + column)]))
            total[_U(column)] += np.float64(w) + np.float64(x)
        fine &= (abs(one - _UNIT) <= _NEAR) & (abs(two - _UNIT) <= _NEAR)
        at += 2
    if at < stop and at <= inner:
        here, one = at * width, zero
        for column in range(padded):
            w = flat[_U(here + column)]
            one += w * counted[_U(column)]
            seen = np.bitwise_or(seen, bits[_U(here + column)])
            total[_U(column)] += np.float64(w)
        fine &= abs(one - _UNIT) <= _NEAR
        at += 1
    while at < stop:  # the last rows of all
        here, one = at * width, zero
        for column in range(width):
            w = flat[_U(here + column)]
            one += w
            seen = np.bitwise_or(seen, bits[_U(here + column)])
            total[_U(column)] += np.float64(w)
        fine &= abs(one - _UNIT) <= _NEAR
        at += 1
    return fine, seen


@_compile
def _add_total(total: Floats, columns: NDArray[np.int64], same: bool, mean: bool, mass: Floats, row: int) -> None:
    """Add a token's total of each column to its phones in a row of `mass`; divided by what they have, if `mean`."""
    if mean:
        whole = 0.0
        for column in range(columns.size):
            whole += total[_U(column)] if columns[_U(column)] >= 0 else 0.0
        if whole <= 0:
            return
        for column in range(columns.size):
            total[_U(column)] /= whole
    if same:
        for column in range(columns.size):
            mass[_U(row), _U(column)] += total[_U(column)]
    else:
        for column in range(columns.size):
            if columns[_U(column)] >= 0:
                mass[_U(row), _U(columns[_U(column)])] += total[_U(column)]


@_compile
def look_at_frames(
    values: NDArray[np.floating],
    columns: NDArray[np.int64],
    begin: int,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    decided: Floats,
    bits: Floats,
) -> None:
    """Add what each frame by itself says to its token: to `decided` [n, P], and to `bits` [n]; either may be empty."""
    width, whole = columns.size, numba.int64(0)
    for column in range(width):
        whole = max(whole, columns[column] + 1)
    phones = np.zeros((whole + 7) // 8 * 8)
    room = np.zeros(phones.size)
    for token in range(first.size):
        for row in range(max(first[token] - begin, 0), min(last[token] - begin, values.shape[0])):
            phones[:] = 0
            for column in range(width):
                if columns[column] >= 0:
                    phones[columns[column]] += values[row, column]
            mass = 0.0
            for value in phones:
                mass += value
            if decided.shape[0]:
                decided[token, _first_highest(phones)] += mass
            if bits.size and mass > 0:
                # m H(p) of a frame whose phones have the mass m: m log2 m − Σ v log2 v, v not normalised.
                bits[token] += max(mass * np.log2(mass) - _n_log_n(phones, room), 0.0)


@_compile
def _first_highest(values: Floats) -> int:
    best, highest = 0, values[0]
    for place in range(1, values.size):
        if values[place] > highest:
            best, highest = place, values[place]
    return best


@numba.njit(**_OPTIONS_OF_SUMS)
def _n_log_n(values: Floats, room: Floats) -> float:
    """Return Σ v log2 v of values that are 0 or more; `room` is as large as they are."""
    bits, fraction_bits = values.view(np.int64), room.view(np.int64)
    for place in range(values.size):
        # The power of two goes into the exponent’s bits, so that the fraction lies between √½ and √2.
        fraction_bits[place] = bits[place] - (((bits[place] - _HALF_ROOT) >> 52) << 52)
    total = 0.0
    for place in range(values.size):
        # ln f = 2 artanh((f − 1)/(f + 1)): f lies within √½ … √2, so |s| < 0.172, and s^22/23 is below 2^−53.
        # A series, since without a call the loop works on several numbers at once.
        s = (room[place] - 1.0) / (room[place] + 1.0)
        q = s * s
        series = 1 / 15 + q * (1 / 17 + q * (1 / 19 + q * (1 / 21)))
        series = 1.0 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * (1 / 13 + q * series))))))
        total += values[place] * (((bits[place] - _HALF_ROOT) >> 52) + _TWO_LOG_2_E * s * series)
    return total


@_compile
def first_misplaced(start: Floats, end: Floats, offsets: NDArray[np.int64]) -> int:
    """Return the first utterance whose intervals overlap or are not in the order of time; −1 when there is none."""
    for utterance in range(offsets.size - 1):
        for token in range(offsets[utterance], offsets[utterance + 1] - 1):
            if start[token + 1] < start[token] or end[token] > start[token + 1] + OVERLAP:
                return utterance
    return -1


@_compile
def _widen_halves(halves: NDArray[np.uint16], bits: NDArray[np.uint32], singles: NDArray[np.float32]) -> None:
    for place in range(halves.size):
        half = np.uint32(halves[place])
        # A half’s exponent and fraction, 13 bits further up, are a single’s but for the exponent’s bias (15, not 127):
        # 2^(127 − 15) mends that, and subnormal halves with it.
        bits[place] = ((half & np.uint32(0x8000)) << np.uint32(16)) | ((half & np.uint32(0x7FFF)) << np.uint32(13))
    for place in range(halves.size):
        singles[place] *= _HALF_SCALE


def to_single(halves: NDArray[np.float16]) -> NDArray[np.float32]:
    """Return finite half-precision numbers as single; infinite and NaN become 65,536 or more."""
    bits = np.empty(halves.shape, np.uint32)
    all_bits = bits.view(np.float32)
    _widen_halves(halves.view(np.uint16).ravel(), bits.ravel(), all_bits.ravel())
    return all_bits


# Times of boundaries between phones, and how many of two sides' boundaries meet.

TOUCHING = 0.001  # s: a phone that begins so near the end of the one before shares a boundary with it
_ROUNDING = 1e-9  # s: 0.14 − 0.12 is a little more than 0.02


@dataclass(frozen=True, eq=False)
class Boundaries:
    """Times in seconds, in order within each utterance; utterance u has those from offsets[u] to offsets[u + 1] − 1."""

    offsets: NDArray[np.int64]
    times: Floats

    @property
    def numbers(self) -> Floats:
        """How many boundaries each utterance has, [U]."""
        return np.diff(self.offsets).astype(np.float64)


def find_boundaries(side: PhoneSequences) -> Boundaries:
    """Return where a phone ends and the next begins: one boundary, or two where there is a pause between them."""
    if side.start is None or side.end is None:
        raise ValueError("these phones have no times")
    owner = side.token_utterances()
    inner = owner[1:] == owner[:-1]
    ends, starts, owners = side.end[:-1][inner], side.start[1:][inner], owner[1:][inner]
    apart = np.abs(starts - ends) > TOUCHING
    times, utterances = np.concatenate([ends, starts[apart]]), np.concatenate([owners, owners[apart]])
    order = np.lexsort([times, utterances])
    return Boundaries(offsets_of(np.bincount(utterances, minlength=len(side))), times[order])


def count_matches(gold: Boundaries, predicted: Boundaries, tolerance: float) -> Floats:
    """Return how many boundaries of each utterance meet another side's, at most `tolerance` seconds apart, [U]."""
    matched = np.zeros(len(gold.offsets) - 1)
    _match_boundaries((gold.offsets, gold.times), (predicted.offsets, predicted.times), tolerance + _ROUNDING, matched)
    return matched


@numba.njit(cache=True, nogil=True)
def _match_boundaries(
    first: tuple[NDArray[np.int64], Floats], second: tuple[NDArray[np.int64], Floats], tolerance: float, matched: Floats
) -> None:
    """Add to `matched` [U]: of two earliest boundaries the earlier one meets the other or none, so no pair is lost."""
    (gold_offsets, gold), (predicted_offsets, predicted) = first, second
    for utterance in range(matched.size):
        i, j = gold_offsets[utterance], predicted_offsets[utterance]
        while i < gold_offsets[utterance + 1] and j < predicted_offsets[utterance + 1]:
            apart = predicted[j] - gold[i]
            if abs(apart) <= tolerance:
                matched[utterance] += 1
            # Two that meet are both used up: a boundary pairs once, as in the literature’s precision and recall.
            i, j = i + (apart >= -tolerance), j + (apart <= tolerance)


_Integers = NDArray[np.integer]
_Any = NDArray[np.number]
_ROWS = 512  # that are added under one labelling after the other: so few stay in the processor's cache


@_compile
def add_relabelled(rows: Floats, weights: Floats, labels: _Integers, total: Floats) -> None:
    """Add each row [n, K], times its weight, to the row of `total` [P, G, K] that each labelling [P, n] gives it."""
    for first in range(0, weights.size, _ROWS):
        for labelling in range(labels.shape[0]):
            table = total[labelling]
            for row in range(first, min(first + _ROWS, weights.size)):
                own, weight = _U(labels[_U(labelling), _U(row)]), weights[_U(row)]
                for column in range(rows.shape[1]):
                    table[own, _U(column)] += rows[_U(row), _U(column)] * weight


@_compile
def add_relabelled_cells(
    owner: NDArray[np.int32], column: NDArray[np.int32], mass: _Any, labels: _Integers, total: Floats
) -> None:
    """Do the same for rows of few values: entry m says that row owner[m] has mass[m] in column[m]."""
    width, size, sums = total.shape[2], total.shape[1] * total.shape[2], total.ravel()
    for first in range(0, mass.size, _ROWS):
        for labelling in range(labels.shape[0]):
            for entry in range(first, min(first + _ROWS, mass.size)):
                own = labelling * size + np.int64(labels[_U(labelling), _U(owner[_U(entry)])]) * width
                sums[_U(own + column[_U(entry)])] += mass[_U(entry)]


@_compile
def pay_constants(
    gold: NDArray[np.integer],
    offsets: Codes,
    lengths: Codes,
    deletion: Codes,
    insertion: Codes,
    order: Codes,
    saved: Codes,
    paid: Codes,
) -> None:
    """Write to `paid` [k, U] what each utterance costs at least if every prediction is one of k answers."""
    tokens = np.zeros(deletion.size, np.int64)
    for utterance in range(lengths.size):
        first, last, deleted = offsets[utterance], offsets[utterance + 1], 0
        for place in range(first, last):
            tokens[gold[_U(place)]] += 1
            deleted += deletion[gold[_U(place)]]
        for answer in range(insertion.size):
            # Equal answers can pair with any of the gold phones, in their order: so those that save most are taken
            # first.
            total, left, at = deleted + lengths[utterance] * insertion[answer], min(lengths[utterance], last - first), 0
            while left > 0:
                pairs = min(left, tokens[_U(order[answer, at])])
                total, left, at = total + pairs * saved[answer, at], left - pairs, at + 1
            paid[answer, utterance] = total
        for place in range(first, last):
            tokens[gold[_U(place)]] = 0

"""The compiled loops that add tokens, aligned pairs and frames to tables of counts, and that match boundaries."""

from typing import Any, NamedTuple

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
    add_relabelled(fixed, weights, codes.astype(np.int64)[None], total[None])


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
def count_cells(
    gold: NDArray[np.integer],
    predicted: NDArray[np.integer],
    offsets: NDArray[np.int64],
    sums: NDArray[np.int32],
    cells: NDArray[np.int32],
    counts: NDArray[np.int32],
    ends: NDArray[np.int64],
) -> bool:
    """Write each utterance's cells, ascending, each once, and how often it has them; `sums` [G + 1, P + 1] are 0."""
    rows, columns, sums_of, last = _U(sums.shape[0]), _U(sums.shape[1]), sums.reshape(-1), 0
    for utterance in range(ends.size):
        begin = last
        for pair in range(offsets[utterance], offsets[utterance + 1]):
            row, column = _U(gold[_U(pair)]), _U(predicted[_U(pair)])
            if row >= rows or column >= columns:  # a negative code, as an unsigned number, is beyond every table
                return False
            cell = row * columns + column
            if sums_of[cell] == 0:
                # Put in its place among the few that the utterance has: sorting them, or looking for those that are
                # not 0 in the whole table, takes longer.
                place, last = last, last + 1
                while place > begin and cells[_U(place - 1)] > cell:
                    cells[_U(place)] = cells[_U(place - 1)]
                    place -= 1
                cells[_U(place)] = cell
            sums_of[cell] += 1
        for place in range(begin, last):
            cell = _U(cells[_U(place)])
            counts[_U(place)], sums_of[cell] = sums_of[cell], 0
        ends[utterance] = last
    return True


# Frames of one utterance: `first` and `last` [n] are those of its tokens. Each row is checked and added to its token in
# one pass over memory. The checks are strict: rows near the limit do not pass, and are looked at again, slowly, by who
# calls.

_EDGE = 1e-9  # times with few decimals are no exact binary numbers
_NEAR = ROW_TOLERANCE - 1e-4
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
    flat, flat_bits, total = values.reshape(-1), bits.reshape(-1), np.zeros(width)
    fine, seen, at = True, flat_bits[0], 0
    for piece in range(2 * first.size + 1):
        token, inside = piece >> 1, (piece & 1) == 1  # the rows before a token, and its own; at last those after all
        stop = number
        if token < first.size:
            stop = min(number, (last[token] if inside else first[token]) - begin)
        if stop > at:
            good, own = _sum_rows(flat, flat_bits, at, stop, total)
            fine, seen, at = fine & good, np.bitwise_or(seen, own), stop
            if inside:
                _add_total(total, columns, same, mean, mass, rows[token])
    # The or of all numbers’ bits has the sign bit where one is negative: one test for all.
    return fine and np.uint64(seen) >> np.uint64(8 * bits.itemsize - 1) == 0


@numba.njit(**_OPTIONS_OF_SUMS, inline="always")
def _sum_rows(flat: NDArray[np.floating], bits: Bits, at: int, stop: int, total: Floats) -> tuple[bool, int]:
    """Sum rows to a total; return whether each sums to 1 (one with NaN does not), and all their bits, or-ed."""
    width, fine, seen = total.size, True, bits[at * total.size]
    total[:] = 0
    while at + 2 <= stop:  # two rows at once: half the loads and stores of the total
        here, there, one, two = at * width, (at + 1) * width, 0.0, 0.0
        for column in range(width):
            w, x = np.float64(flat[_U(here + column)]), np.float64(flat[_U(there + column)])
            one += w
            two += x
            seen = np.bitwise_or(seen, np.bitwise_or(bits[_U(here + column)], bits[_U(there + column)]))
            total[_U(column)] += w + x
        fine &= (abs(one - 1) <= _NEAR) & (abs(two - 1) <= _NEAR)
        at += 2
    if at < stop:
        here, one = at * width, 0.0
        for column in range(width):
            w = np.float64(flat[_U(here + column)])
            one += w
            seen = np.bitwise_or(seen, bits[_U(here + column)])
            total[_U(column)] += w
        fine &= abs(one - 1) <= _NEAR
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
                decided[token, phones.argmax()] += mass
            if bits.size and mass > 0:
                # m H(p) of a frame whose phones have the mass m: m log2 m − Σ v log2 v, v not normalised.
                bits[token] += max(mass * np.log2(mass) - _n_log_n(phones, room), 0.0)


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


# Times of boundaries between phones, and how many of two sides' boundaries meet.

TOUCHING = 0.001  # s: a phone that begins so near the end of the one before shares a boundary with it
_ROUNDING = 1e-9  # s: 0.14 − 0.12 is a little more than 0.02


class Boundaries(NamedTuple):
    """Times in seconds, in order within each utterance; utterance u has those from offsets[u] to offsets[u + 1] − 1."""

    offsets: NDArray[np.int64]
    times: Floats

    @property
    def numbers(self) -> Floats:
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
    _match_boundaries((*gold,), (*predicted,), tolerance + _ROUNDING, matched)
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


_ROWS = 512  # that are added under one labelling after the other: so few stay in the processor's cache


@_compile
def add_relabelled(rows: Floats, weights: Floats, labels: NDArray[np.integer], total: Floats) -> None:
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
    owner: NDArray[np.int32],
    column: NDArray[np.int32],
    mass: NDArray[np.number],
    labels: NDArray[np.integer],
    total: Floats,
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
    tokens: Codes,
    paid: Codes,
) -> None:
    """Write to `paid` [k, U] what each utterance costs at least if every prediction is one of k answers."""
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

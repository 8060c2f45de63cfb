"""The loops of chance."""

import numba
import numpy as np
from numpy.typing import NDArray

_U = numba.uint64
_PARTS = 1024  # of the numbers from 0 to 1


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def pay_constants(
    gold: NDArray[np.integer],
    offsets: NDArray[np.int64],
    lengths: NDArray[np.int64],
    deletion: NDArray[np.int64],
    insertion: NDArray[np.int64],
    order: NDArray[np.int64],
    saved: NDArray[np.int64],
    paid: NDArray[np.int64],
) -> None:
    """Write to `paid` [k, U] what each utterance costs at least if every prediction is one of k answers.

    `order` [k, G] holds the gold phones by what a pair of them and an answer saves, the most first, and `saved` [k, G]
    how much that is, ≤ 0.
    """
    tokens = np.zeros(deletion.size, np.int64)
    for utterance in range(lengths.size):
        first, last, deleted = offsets[utterance], offsets[utterance + 1], 0
        for place in range(first, last):
            tokens[gold[_U(place)]] += 1
            deleted += deletion[gold[_U(place)]]
        for answer in range(insertion.size):
            total, left, at = deleted + lengths[utterance] * insertion[answer], min(lengths[utterance], last - first), 0
            while left > 0:
                pairs = min(left, tokens[_U(order[answer, at])])
                total, left, at = total + pairs * saved[answer, at], left - pairs, at + 1
            paid[answer, utterance] = total
        for place in range(first, last):
            tokens[gold[_U(place)]] = 0


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def count_followers(codes: NDArray[np.integer], offsets: NDArray[np.int64], following: NDArray[np.int64]) -> None:
    """Add to `following` [P + 2, P] how often each phone follows each, comes first, and occurs: in that order."""
    first = following.shape[1]
    for utterance in range(offsets.size - 1):
        before = first
        for place in range(offsets[utterance], offsets[utterance + 1]):
            code = np.int64(codes[_U(place)])
            following[before, code] += 1
            following[first + 1, code] += 1
            before = code


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def guide_followers(ends: NDArray[np.int64], shifts: NDArray[np.int64], guide: NDArray[np.integer]) -> None:
    """Write to `guide` [P + 1, parts] the phone at which each part of a row of `ends` begins.

    A row's followers stand in order, those of phone x before ends[x]; number d is in part d >> shift.
    """
    for row in range(guide.shape[0]):
        code = 0
        for part in range(guide.shape[1]):
            while code < ends.shape[1] - 1 and ends[row, code] <= part << shifts[row]:
                code += 1
            guide[row, part] = code


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def take_followers(
    ends: NDArray[np.int64],
    shifts: NDArray[np.int64],
    guide: NDArray[np.integer],
    drawn: NDArray[np.int64],
    before: NDArray[np.integer],
    after: NDArray[np.integer],
) -> None:
    """Write to `after` the phone that follows each of `before`: of all its followers the one whose number is drawn."""
    for place in range(drawn.size):
        row, number = _U(before[_U(place)]), drawn[_U(place)]
        code = _U(guide[row, _U(number >> shifts[row])])
        while ends[row, code] <= number:
            code += _U(1)
        after[_U(place)] = code


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def turn_places(
    by_place: NDArray[np.integer],
    begins: NDArray[np.int64],
    lengths: NDArray[np.int64],
    places: NDArray[np.int64],
    codes: NDArray[np.integer],
) -> None:
    """Write the phones of utterances, ordered by length, to their places in `codes`.

    `by_place` has the first phones of all, then the second ones, and so on: those after p phones from begins[p] on.
    Utterances beside each other are read from the same lines of memory.
    """
    for utterance in range(lengths.size):
        for place in range(lengths[utterance]):
            codes[_U(places[utterance] + place)] = by_place[_U(begins[place] + utterance)]


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def find_among(bounds: NDArray[np.float64], drawn: NDArray[np.float64], places: NDArray[np.integer]) -> None:
    """Write to `places` [n] where each number drawn, 0 ≤ it < 1, lies: how many of the bounds are not above it.

    Bounds ascend, and the last one is 1.
    """
    guide = np.zeros(_PARTS, np.int64)  # how many are not above each of many numbers: few are left to be looked at
    for part in range(_PARTS):
        guide[part] = guide[max(part - 1, 0)]
        while bounds[guide[part]] <= part / _PARTS:
            guide[part] += 1
    for place in range(drawn.size):
        value = drawn[_U(place)]
        below = guide[_U(value * _PARTS)]
        while bounds[_U(below)] <= value:
            below += 1
        places[_U(place)] = below

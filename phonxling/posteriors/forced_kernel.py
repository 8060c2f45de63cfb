"""Paths through a chain of states: the best one, and the share of all of them that is in each state at each frame.

Chain
-----
State s of an utterance is followed by itself (where `loop[s]`), by s + 1, and by s + 2 (where `skip[s + 2]`). Its
emission at frame t is values[t, emit[s]], at most 1. A path begins in state 0 or 1, and ends in one of the last two.

Band
----
At frame t only the states low[t] … low[t] + width − 1 are filled; low never falls.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.core.jit import numba

# A sum of path weights is a float times 2^(256·exponent), for such sums soon leave the floats. Only positive numbers
# are added, each time with a relative error of 2^−53; what is 2^−256 or less of the other summand is left out. Powers
# of two, by which nothing is rounded; 256 leaves room for the product of a mass and an emission on either side.
_UP, _DOWN = 2.0**256, 2.0**-256
_EMPTY_ORDER = -(1 << 30)  # exponent of no mass
SMALLEST_SHARE = 1e-200  # emissions below are none: products with a mass stay floats

_Codes: TypeAlias = NDArray[np.int32]
_Integers: TypeAlias = NDArray[np.int64]
_Bytes: TypeAlias = NDArray[np.uint8]
_Floats: TypeAlias = NDArray[np.float64]
_IntegerLike: TypeAlias = Any
_Real: TypeAlias = Any
_Chain: TypeAlias = tuple[_Codes, _Bytes, _Bytes]  # emit, loop, skip


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def emit_frames(posteriors: _Floats, sounds: _Floats, noise: float, values: _Floats) -> None:
    """Fill `values` [T, n] with (1 − noise) · posteriors [T, E] · sounds [E, n] + noise / E; 0 for less than 1e-200."""
    frames, columns = posteriors.shape
    number = sounds.shape[1]
    room = (number + 7) // 8 * 8  # whole vectors: no leftover loop for each column
    padded, row = np.zeros((columns, room)), np.empty(room)
    padded[:, :number] = (1.0 - noise) * sounds
    fours = columns // 4 * 4  # four columns at a time: the row is read and written a quarter as often
    for t in range(frames):
        row[:] = noise / columns
        for e in range(0, fours, 4):
            p, q, r, s = posteriors[t, e], posteriors[t, e + 1], posteriors[t, e + 2], posteriors[t, e + 3]
            if p + q + r + s > 0.0:
                for y in range(room):
                    row[y] += p * padded[e, y] + q * padded[e + 1, y] + (r * padded[e + 2, y] + s * padded[e + 3, y])
        for e in range(fours, columns):
            for y in range(room):
                row[y] += posteriors[t, e] * padded[e, y]
        for y in range(number):
            values[t, y] = row[y] if row[y] > SMALLEST_SHARE else 0.0


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def best_path(logs: _Floats, chain: _Chain, low: _Integers, width: int, path: _Codes) -> float:
    """Fill `path` [T] with the states of the path of largest weight; return the logarithm of that, −inf for none."""
    emit, loop, skip = chain
    frames, states = len(logs), len(emit)
    stay, leap = np.where(loop, 0.0, -np.inf), np.where(skip, 0.0, -np.inf)
    before, now = np.full(states + 2, -np.inf), np.full(states + 2, -np.inf)
    steps = np.zeros((frames, width), np.uint8)
    # Two places before state 0 stay empty, so that a step of two from there needs no test.
    for s in range(min(2, states)):
        before[s + 2] = logs[0, emit[s]]
    for t in range(1, frames):
        if t > 1:
            now[low[t - 2] + 2 : low[t] + 2] = -np.inf  # what the band has left
        row, taken, first = logs[t], steps[t], low[t]
        last = first + width
        here, one_back, two_back = before[first + 2 : last + 2], before[first + 1 : last + 1], before[first:last]
        stays, leaps, filled, kinds = stay[first:last], leap[first:last], now[first + 2 : last + 2], emit[first:last]
        for k in range(width):
            most, two = here[k] + stays[k], two_back[k] + leaps[k]
            # Of equal paths the one that stays, then that of one step: a state begins as early as it can, the same on
            # each machine.
            taken[k] = 2 if two > max(most, one_back[k]) else (1 if one_back[k] > most else 0)
        for k in range(width):
            # One plain loop for each step over slices of the band, each of which compilers vectorise.
            filled[k] = max(here[k] + stays[k], one_back[k], two_back[k] + leaps[k])
        for k in range(width):
            filled[k] += row[np.uintp(kinds[k])]
        before, now = now, before
    state = states - 1 if before[states + 1] >= before[states] else states - 2
    weight = before[state + 2]
    if weight == -np.inf:
        return -np.inf
    for t in range(frames - 1, -1, -1):
        path[t] = state
        state -= steps[t, state - low[t]]
    return float(weight)


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def occupy(values: _Floats, chain: _Chain, low: _Integers, width: int, shares: _Floats) -> tuple[float, float]:
    """Fill `shares` [T, width] with the share of the paths that is in each state of the band."""
    emit, loop, skip = chain
    frames, states = len(values), len(emit)
    exponents = np.full((frames, width), _EMPTY_ORDER, np.int32)
    total, order = _forward(values, chain, low, width, shares, exponents)
    if total == 0.0:
        return -np.inf, 0.0
    after, after_order = np.zeros(states + 2), np.full(states + 2, _EMPTY_ORDER, np.int32)
    now, now_order = np.zeros(states + 2), np.full(states + 2, _EMPTY_ORDER, np.int32)
    touched = 0.0
    for t in range(frames - 1, -1, -1):
        first, last = low[t], min(low[t] + width, states)
        if t < frames - 2:
            now[last : low[t + 2] + width] = 0.0
            now_order[last : low[t + 2] + width] = _EMPTY_ORDER
        for s in range(first, last):
            if t == frames - 1:
                mass, power = (1.0, 0) if s >= states - 2 else (0.0, _EMPTY_ORDER)
            else:  # after[s] holds the emission of frame t + 1, too
                mass, power = (after[s], after_order[s]) if loop[s] else (0.0, _EMPTY_ORDER)
                mass, power = _sum(mass, power, after[s + 1], after_order[s + 1])
                if s + 2 < states and skip[s + 2]:
                    mass, power = _sum(mass, power, after[s + 2], after_order[s + 2])
            # Forward mass · backward mass / mass of all paths; the exponents are added apart, since the product may
            # leave the floats.
            held = exponents[t, s - first] + power - order
            share = shares[t, s - first] / total * mass
            shares[t, s - first] = _scale(share, held)
            now[s], now_order[s] = _times(mass, power, values[t, emit[s]])
        # Paths beyond the band pass its outermost two states: what stands there says whether it must be wider.
        edge = 0.0
        if first > 0:
            edge += shares[t, 0] + shares[t, 1]
        if first + width < states:
            edge += shares[t, width - 2] + shares[t, width - 1]
        touched = max(touched, edge)
        after, now = now, after
        after_order, now_order = now_order, after_order
    return np.log(total) + order * np.log(_UP), touched


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def _forward(
    values: _Floats, chain: _Chain, low: _Integers, width: int, masses: _Floats, exponents: _Codes
) -> tuple[float, int]:
    """Fill the masses [T, width] of the paths that end in each state, and their exponents; return that of all paths."""
    emit, loop, skip = chain
    frames, states = len(values), len(emit)
    before, before_order = np.zeros(states + 2), np.full(states + 2, _EMPTY_ORDER, np.int32)
    now, now_order = np.zeros(states + 2), np.full(states + 2, _EMPTY_ORDER, np.int32)
    for t in range(frames):
        first, last = low[t], min(low[t] + width, states)
        if t > 1:
            now[low[t - 2] + 2 : low[t] + 2] = 0.0
            now_order[low[t - 2] + 2 : low[t] + 2] = _EMPTY_ORDER
        masses[t, last - first :] = 0.0
        for s in range(first, last):
            if t == 0:
                mass, power = (1.0, 0) if s < 2 else (0.0, _EMPTY_ORDER)
            else:
                mass, power = (before[s + 2], before_order[s + 2]) if loop[s] else (0.0, _EMPTY_ORDER)
                mass, power = _sum(mass, power, before[s + 1], before_order[s + 1])
                if skip[s]:
                    mass, power = _sum(mass, power, before[s], before_order[s])
            mass, power = _times(mass, power, values[t, emit[s]])
            now[s + 2], now_order[s + 2] = mass, power
            masses[t, s - first], exponents[t, s - first] = mass, power
        before, now = now, before
        before_order, now_order = now_order, before_order
    return _sum(before[states + 1], before_order[states + 1], before[states], before_order[states])


@numba.njit(cache=True, nogil=True, inline="always")
def _sum(
    first: _Real, first_order: _IntegerLike, second: _Real, second_order: _IntegerLike
) -> tuple[_Real, _IntegerLike]:
    if first_order == second_order:
        return first + second, first_order
    # A mass lies between 2^−256 and 2^256, so that one order apart both may still be of one size.
    if first_order > second_order:
        return first + (second * _DOWN if first_order == second_order + 1 else 0.0), first_order
    return second + (first * _DOWN if second_order == first_order + 1 else 0.0), second_order


@numba.njit(cache=True, nogil=True, inline="always")
def _times(mass: _Real, order: _IntegerLike, factor: _Real) -> tuple[_Real, _IntegerLike]:
    mass *= factor
    if mass == 0.0:
        return 0.0, _EMPTY_ORDER
    # 2^−256 · 1e-200, the least product of a mass and an emission, is still a float: nothing is lost before it is
    # scaled.
    while mass < _DOWN:
        mass *= _UP
        order -= 1
    if mass > _UP:
        mass *= _DOWN
        order += 1
    return mass, order


@numba.njit(cache=True, nogil=True, inline="always")
def _scale(share: _Real, order: _IntegerLike) -> _Real:
    """Return share · 2^(256·order), which is at most 1 but for rounding; 0 where it is far below the floats."""
    if order < -4 or share == 0.0:
        return 0.0
    while order < 0:
        share *= _DOWN
        order += 1
    while order > 0:
        share *= _UP
        order -= 1
    return share


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_responsibilities(
    posteriors: _Floats,
    values: _Floats,
    shares: _Floats,
    emit: _Codes,
    low: _Integers,
    noise: float,
    sums: _Floats,
) -> None:
    """Add to `sums` [n, E] what, times the model, is how many frames of each kind were posteriors as each column."""
    frames, width = shares.shape
    states, columns = len(emit), posteriors.shape[1]
    held = np.zeros(values.shape[1])
    for t in range(frames):
        for s in range(low[t], min(low[t] + width, states)):
            held[emit[s]] += shares[t, s - low[t]]
        for y in range(values.shape[1]):
            if held[y] > 0.0:
                # The part of the emission that the model caused, not the noise; M(e|y) itself is multiplied once, after
                # all frames.
                factor = held[y] * (1.0 - noise) / values[t, y]
                held[y] = 0.0
                for e in range(columns):
                    sums[y, e] += factor * posteriors[t, e]


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def token_weights(shares: _Floats, low: _Integers, period: int, first: _Integers, weights: _Floats) -> None:
    """Fill `weights` [T, B] with each frame's shares of the tokens from first[t] on, of `period` − 1 states each."""
    frames, width = shares.shape
    weights[:] = 0.0
    for t in range(frames):
        first[t] = low[t] // period
        for k in range(width):
            # The first state of each period stands for what is between phones, and is no token’s.
            if (low[t] + k) % period:
                weights[t, (low[t] + k) // period - first[t]] += shares[t, k]


@numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")
def add_to_tokens(posteriors: _Floats, first: _Integers, weights: _Floats, mass: _Floats) -> None:
    """Add to `mass` [tokens, P] each frame's posteriors of P phones, by the tokens' weights."""
    frames, band = weights.shape
    tokens, phones = mass.shape
    for t in range(frames):
        for k in range(min(band, tokens - first[t])):
            weight = weights[t, k]
            if weight > 0.0:
                for e in range(phones):
                    mass[first[t] + k, e] += weight * posteriors[t, e]

"""Arrays: their types, read-only ones that make a frozen dataclass really frozen, sums by code, ratios."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]


def read_only(values: ArrayLike, dtype: DTypeLike) -> NDArray[np.generic]:
    """Return a C-ordered array of `dtype` that cannot be written to; a writable input is copied."""
    original = np.asarray(values)
    array = np.ascontiguousarray(original, dtype=dtype)
    if array is original and array.flags.writeable:
        array = array.copy()
    array = array.view()
    array.flags.writeable = False
    return array


def make_read_only(value: object, **kinds: DTypeLike) -> None:
    """Replace these fields of a frozen dataclass by read-only arrays of these types; one that is None stays."""
    for name, kind in kinds.items():
        if (array := getattr(value, name)) is not None:
            object.__setattr__(value, name, read_only(array, kind))


class FrozenArrays:
    """A dataclass with read-only arrays, which stay so when it has come from another process."""

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)


_BLOCK = 1 << 18  # codes that are widened at a time
_SMALL = 180  # so many symbols have codes in one byte; (180 + 1)² < 2^15


def code_type(symbols: int) -> type[np.uint8] | type[np.int32]:
    return np.uint8 if symbols <= _SMALL else np.int32


def pair_type(gold: int, predicted: int) -> type[np.int16] | type[np.int32]:
    """Return the type of an alignment's codes: int16 for up to 180 symbols a side, else int32."""
    return np.int16 if max(gold, predicted) <= _SMALL else np.int32


def count_codes(codes: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """Return how often each code 0 … size − 1 occurs, int64 [size], without a wide copy of all codes."""
    parts = (np.bincount(codes[at : at + _BLOCK], minlength=size) for at in range(0, len(codes), _BLOCK))
    return sum(parts, np.zeros(size, np.int64))


def sum_by(codes: NDArray[np.integer], values: NDArray[np.number], size: int) -> NDArray[np.float64]:
    """Return the sum of the values of each code 0 … size − 1, float64 [size], without wide copies of all of them."""
    # `bincount` widens codes to 64 bits and values to floats: a block of them at a time, never smaller than the sums.
    sums, step = np.zeros(size), max(_BLOCK, size)
    for begin in range(0, len(codes), step):
        sums += np.bincount(codes[begin : begin + step], weights=values[begin : begin + step], minlength=size)
    return sums


def divide(above: ArrayLike, below: ArrayLike, *, undefined: float = np.nan) -> Floats:
    """Return above / below, broadcast against each other; NaN, or what is given."""
    parts, whole = np.asarray(above, np.float64), np.asarray(below, np.float64)
    if np.isnan(undefined):
        return np.asarray(parts / np.where(whole > 0, whole, np.nan))  # sooner than a quotient here and there
    shape = np.broadcast(parts, whole).shape
    every = parts if parts.shape == shape else np.broadcast_to(parts, shape)  # which takes longer than a short quotient
    return np.divide(parts, whole, out=np.full_like(every, undefined), where=whole > 0)


def nearest_first(distances: Floats, allowed: Bools | None = None, ties: Codes | None = None) -> NDArray[np.intp]:
    """Return the columns of each row [N, M], the nearest first, of less `ties` where equal; the rest last."""
    known = np.isfinite(distances) if allowed is None else np.isfinite(distances) & allowed
    keys = np.where(known, distances, np.inf)
    return np.lexsort((np.zeros_like(keys) if ties is None else ties, keys), axis=1)


def check_offsets(offsets: NDArray[np.int64], tokens: int, utterances: int) -> None:
    """Raise ValueError unless `offsets` cuts `tokens` items into `utterances` runs: 0 ≤ … ≤ tokens, ascending."""
    right = len(offsets) == utterances + 1 and offsets[0] == 0 and offsets[-1] == tokens
    if not right or (np.diff(offsets) < 0).any():
        msg = f"offsets must rise from 0 to {tokens} in {utterances} steps; they have {len(offsets) - 1} steps"
        raise ValueError(msg)


def offsets_of(lengths: ArrayLike) -> NDArray[np.int64]:
    """Return where each run begins, and after the last one the total: [2, 0, 3] → [0, 2, 2, 5]."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.asarray(lengths, dtype=np.int64))])


def places_of(starts: Codes, lengths: Codes) -> Codes:
    """Return the positions of the runs that begin at `starts`, one after the other: [4, 0] of [2, 1] → [4, 5, 0]."""
    return np.arange(int(lengths.sum()), dtype=np.int64) + np.repeat(starts - offsets_of(lengths)[:-1], lengths)


def same_symbols(rows: Iterable[str], columns: Iterable[str]) -> Bools:
    first, second = (np.array([*symbols], dtype=str) for symbols in (rows, columns))
    return np.asarray(first[:, None] == second)

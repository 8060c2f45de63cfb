"""Read-only arrays: what makes a frozen dataclass of arrays really frozen."""

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray


def read_only(values: ArrayLike, dtype: DTypeLike) -> NDArray[np.generic]:
    """Return a C-ordered array of `dtype` that cannot be written to; a writable input is copied.

    Examples
    --------
    >>> read_only([1, 2], np.int64).flags.writeable
    False
    """
    given = np.asarray(values)
    array = np.ascontiguousarray(given, dtype=dtype)
    if array is given and array.flags.writeable:
        array = array.copy()
    array = array.view()
    array.flags.writeable = False
    return array


def check_offsets(offsets: NDArray[np.int64], tokens: int, utterances: int) -> None:
    """Raise ValueError unless `offsets` cuts `tokens` items into `utterances` runs: 0 ≤ … ≤ tokens, ascending."""
    right = len(offsets) == utterances + 1 and offsets[0] == 0 and offsets[-1] == tokens
    if not right or (np.diff(offsets) < 0).any():
        msg = f"offsets must rise from 0 to {tokens} in {utterances} steps; they have {len(offsets) - 1} steps"
        raise ValueError(msg)


def offsets_of(lengths: ArrayLike) -> NDArray[np.int64]:
    """Return where each run begins, and after the last one the total: [2, 0, 3] → [0, 2, 2, 5]."""
    counted = np.asarray(lengths, dtype=np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counted)])

"""The arrays of many shards' records, one after the other."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from phonxling.core.work import Record


def joined(records: Iterable[Record], room: Mapping[str, tuple[int, DTypeLike]]) -> dict[str, NDArray[Any]]:
    """Return the records' one-dimensional arrays, each name's in order, not to be written to.

    `room` says how many items a name has at most, and their type. Each record is let go of before the next is asked
    for, so that little is held twice.

    Examples
    --------
    >>> parts = [{"codes": np.array([1, 2])}, {"codes": np.array([3])}]
    >>> joined(parts, {"codes": (10, np.int32)})["codes"].tolist()
    [1, 2, 3]
    """
    whole = {name: np.empty(size, kind) for name, (size, kind) in room.items()}
    used = dict.fromkeys(room, 0)
    for record in records:
        for name, array in whole.items():
            stop = used[name] + len(record[name])
            array[used[name] : stop], used[name] = record[name], stop
    found = {name: array[: used[name]] for name, array in whole.items()}
    for array in found.values():
        array.flags.writeable = False
    return found

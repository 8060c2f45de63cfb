"""Rows of numbers, one a token: in memory or, where they would fill it, in a temporary file, read a run at a time."""

import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats, aligned
from phonxling.core.posteriorgram import Rows

_MOST = 1_000_000_000  # bytes in memory
_TOGETHER = 1 << 21  # numbers that are worked on at one time: with twice as many each read takes new memory


def parts_of(rows: Rows) -> Iterator[slice]:
    """Yield rows in runs that are worked on at one time: some 16 MB.

    Examples
    --------
    >>> list(parts_of(np.zeros((3, 1 << 20))))
    [slice(0, 2, None), slice(2, 4, None)]
    """
    size = max(1, _TOGETHER // max(1, rows.shape[1]))
    return (slice(first, first + size) for first in range(0, len(rows), size))


class RowsOnDisk:
    """Rows [N, K] in a temporary file, which goes with them; `rows[a:b]` reads these."""

    dtype = np.dtype(np.float64)

    def __init__(self, width: int) -> None:
        self._file, self._lock, self.shape = tempfile.TemporaryFile(), threading.Lock(), (0, width)  # noqa: SIM115

    def __del__(self) -> None:
        self._file.close()

    def add(self, rows: Floats) -> None:
        """Add rows after those that are there."""
        self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(rows).data)
        self.shape = len(self) + len(rows), self.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice, /) -> Floats:
        first, last, _ = rows.indices(len(self))
        read = aligned((max(last - first, 0), self.shape[1]))
        with self._lock:
            self._file.seek(first * self.shape[1] * read.itemsize)
            self._file.readinto(read.data)
        return read

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Floats:
        return self[:]


class Room:
    """Room for rows [at most N, K] that come one after the other.

    Examples
    --------
    >>> room = Room(3, 2)
    >>> room.add(np.ones((1, 2)))
    >>> room.filled()[:].tolist()
    [[1.0, 1.0]]
    """

    def __init__(self, number: int, width: int) -> None:
        self._disk = RowsOnDisk(width) if 8 * number * width > _MOST else None
        self._memory = aligned((0 if self._disk else number, width))
        self._number = 0

    def add(self, rows: Floats) -> None:
        """Add rows after those that are there."""
        if self._disk is not None:
            self._disk.add(rows)
            return
        self._memory[self._number : self._number + len(rows)] = rows
        self._number += len(rows)

    def filled(self) -> Rows:
        """Return the rows that were added, not to be written to."""
        if self._disk is not None:
            return self._disk
        filled: NDArray[np.float64] = self._memory[: self._number]
        filled.flags.writeable = False  # so that nobody needs to copy it
        return filled


@dataclass(frozen=True, eq=False)
class OneHot:
    """Rows [N, K] that are 1 at one place and 0 elsewhere, made when they are asked for."""

    places: Codes
    width: int

    @property
    def shape(self) -> tuple[int, int]:
        """As an array's."""
        return len(self.places), self.width

    @property
    def dtype(self) -> np.dtype[np.uint8]:
        """The type of the numbers."""
        return np.dtype(np.uint8)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, rows: slice, /) -> NDArray[Any]:
        return np.eye(self.width, dtype=np.uint8)[self.places[rows]]

    def __array__(self, dtype: object = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:]

"""A matrix in a file, read a block of rows at a time.

Nothing is mapped into memory: a mapped file that another program cuts off meanwhile ends the process (SIGBUS) without
a word, and one that it overwrites changes numbers that were read already.
"""

import math
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from phonxling.core.errors import DataError, OtherFileError
from phonxling.core.posteriorgram import Frames


class Stamp(NamedTuple):
    """What tells that a file is still the one that was opened, without reading it again."""

    size: int
    changed: int
    where: tuple[int, int] | None = None

    @classmethod
    def of(cls, path: Path | int) -> "Stamp":
        """Return the stamp of a file, by its path or descriptor; OSError when it is not there."""
        return cls.given(os.stat(path))  # noqa: PTH116 - takes descriptors too

    @classmethod
    def given(cls, status: os.stat_result) -> "Stamp":
        """Return the stamp of a file of which the system has told."""
        return cls(status.st_size, status.st_mtime_ns, (status.st_dev, status.st_ino))

    def anywhere(self) -> "Stamp":
        """Return the stamp for another machine, where the numbers of file systems differ."""
        return Stamp(self.size, self.changed)

    def is_of(self, path: Path) -> bool:
        """Return whether a path still leads to the file."""
        try:
            return self.fits(Stamp.of(path))
        except OSError:
            return False

    def check(self, path: Path, file: int | None = None) -> None:
        """Raise OtherFileError when a file is another one than it was."""
        try:
            current = Stamp.of(path if file is None else file)
        except OSError as error:
            raise OtherFileError(f"{path}: went away while it was read: {error.strerror}") from error
        if self.fits(current):
            return
        here = f"{current}, before {self}"
        if self.where is None:  # in another process, of this machine or of another
            raise OtherFileError(f"{path}: is not the file that was read before: {here}")
        raise OtherFileError(
            f"{path}: was changed while it was read: {here}; run again when nobody writes to it any more"
        )

    def fits(self, current: "Stamp") -> bool:
        """Return whether another stamp is of the same file, wherever that is where this one may be of any machine."""
        return current == self or (self.where is None and current.anywhere() == self)

    def __str__(self) -> str:
        return f"{self.size:,} bytes of {datetime.fromtimestamp(self.changed / 1e9, UTC):%Y-%m-%d %H:%M:%S.%f} UTC"


@dataclass(frozen=True, slots=True)
class StoredMatrix:
    """A matrix of numbers in a file, row after row, or column after column; `matrix[a:b]` reads these rows.

    DataError when the file is not the one any more that it was.
    """

    path: Path
    stamp: Stamp
    begin: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    by_column: bool = False

    @property
    def ndim(self) -> int:
        """How many dimensions the matrix has."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Frames:
        if self.by_column:
            return cast("Frames", self.__array__()[rows])
        first, last, _ = rows.indices(len(self))
        wide = math.prod(self.shape[1:])
        return self._read(first * wide, max(last - first, 0) * wide).reshape(-1, *self.shape[1:])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        values = self._read(0, math.prod(self.shape)).reshape(self.shape, order="F" if self.by_column else "C")
        return values if dtype is None else values.astype(dtype, copy=False)

    def _read(self, first: int, number: int) -> NDArray[Any]:
        values = np.empty(number, self.dtype)
        try:
            with self.path.open("rb", buffering=0) as file:
                file.seek(self.begin + first * self.dtype.itemsize)
                filled(file, values)
                self.stamp.check(self.path, file.fileno())
        except OSError as error:
            self.stamp.check(self.path)
            raise DataError(f"{self.path}: cannot be read: {error.strerror}") from error
        return values


def filled(file: Any, values: NDArray[Any]) -> None:  # noqa: ANN401 - any raw file
    """Fill an array from an unbuffered file; the operating system may give less than it is asked for."""
    left = memoryview(values.view(np.uint8).data)
    while len(left):
        got = file.readinto(left)
        if not got:
            return  # the file is shorter than it was: its stamp tells
        left = left[got:]

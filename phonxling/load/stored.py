"""Matrices in files: their labels, what they may ask for, and reading a block of rows at a time.

Nothing is mapped into memory: a mapped file that another program cuts off meanwhile ends the process (SIGBUS) without
a word, and one that it overwrites changes numbers that were read already.
"""

import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from phonxling.core.errors import DataError, OtherFileError
from phonxling.core.posteriorgram import Frames, RawPosteriors, Rows
from phonxling.load.text import is_number

DataType = np.dtype[Any]


class Stamp(NamedTuple):
    """What tells that a file is still the one that was opened, on any machine, without reading it again."""

    size: int
    changed: int

    @classmethod
    def of(cls, path: Path | int) -> "Stamp":
        """Return the stamp of a file, by its path or descriptor; OSError when it is not there."""
        status = os.stat(path)  # noqa: PTH116 - takes descriptors too
        return cls(status.st_size, status.st_mtime_ns)

    def check(self, path: Path, file: int | None = None) -> None:
        """Raise OtherFileError when a file is another one than it was."""
        try:
            current = Stamp.of(path if file is None else file)
        except OSError as error:
            raise OtherFileError(f"{path}: went away while it was read: {error.strerror}") from error
        if current != self:
            here = f"was changed while it was read: {current}, before {self}"
            raise OtherFileError(f"{path}: {here}; run again when nobody writes to it, and all machines have the same")

    def __str__(self) -> str:
        return f"{self.size:,} bytes of {datetime.fromtimestamp(self.changed / 1e9, UTC):%Y-%m-%d %H:%M:%S.%f} UTC"


@dataclass(frozen=True, slots=True)
class StoredMatrix:
    """A matrix of numbers in a file, row after row, or column after column; `matrix[a:b]` reads these rows."""

    path: Path
    stamp: Stamp
    begin: int
    shape: tuple[int, ...]
    dtype: DataType
    by_column: bool = False

    @property
    def ndim(self) -> int:
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
        left = memoryview(values.view(np.uint8).data)
        try:
            with self.path.open("rb", buffering=0) as file:
                file.seek(self.begin + first * self.dtype.itemsize)
                while len(left) and (got := file.readinto(left)):  # which may be less than was asked for
                    left = left[got:]
                self.stamp.check(self.path, file.fileno())  # tells when the file is shorter than it was
        except OSError as error:
            self.stamp.check(self.path)
            raise DataError(f"{self.path}: cannot be read: {error.strerror}") from error
        return values


# What a file says of itself: labels and frame shift.


def raw_posteriors(
    path: Path, utterances: Sequence[str], read: Callable[[str], Rows], labels: object = None, shift: object = None
) -> RawPosteriors:
    """Return a file's matrices, with the labels and the frame shift that it stores, if it does."""
    return RawPosteriors(
        source=str(path),
        labels=() if labels is None else _stored_labels(path, labels),
        utterances=tuple(utterances),
        read=read,
        files=(path,),
        frame_shift=None if shift is None else _stored_shift(path, shift),
    )


def _stored_labels(source: Path, values: object) -> tuple[str, ...]:
    """Return labels as a file stores them: an array of strings, or a JSON list; DataError when it is neither."""
    if isinstance(values, str):
        text = values
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            raise DataError(f"{source}: `phones` must be a JSON list of strings, not {text[:60]!r}") from None
    try:
        array = np.asarray(values)
    except ValueError:  # lists of unequal length
        array = np.asarray(None)
    if array.ndim != 1 or array.dtype.kind not in "UTiu":
        raise DataError(f"{source}: `phones` must be a list of strings; it has the shape {array.shape}, {array.dtype}")
    try:
        return tuple(str(label) for label in array)
    except SystemError:  # NumPy's, for a number beyond Unicode in an array of text
        raise DataError(f"{source}: `phones` holds a code that is no letter of Unicode") from None


def _stored_shift(source: Path, values: object) -> float:
    """Return the frame shift as a file stores it, in seconds; DataError when it is not one number."""
    shift = np.asarray(float(values) if isinstance(values, str) and is_number(values) else values)
    if shift.size != 1 or shift.dtype.kind not in "fiu":
        raise DataError(f"{source}: `frame_shift_s` must be one number; it has the shape {shift.shape}, {shift.dtype}")
    return float(shift.reshape(-1)[0])


# What a file may ask for before memory is taken for it.

LARGEST = 1_000_000_000  # bytes of one utterance's matrix: 17 hours of 10 ms frames over 40 phones in float32
MOST_COLUMNS = 5_000
_MOST_LABEL_BYTES = 8_000_000
RESERVED = frozenset({"phones", "frame_shift_s"})


def check_size(path: Path, name: str, shape: Sequence[int], dtype: DataType, *, labels: bool = False) -> None:
    """Raise DataError when a matrix would take more than 1 GB, or labels are more than a recogniser's columns need."""
    number, size = math.prod(shape), math.prod(shape) * dtype.itemsize
    if labels and (number > MOST_COLUMNS or size > _MOST_LABEL_BYTES):
        msg = f"{path}: '{name}' holds {number:,} values of {dtype.itemsize:,} bytes"
        raise DataError(f"{msg}; a recogniser has at most {MOST_COLUMNS:,} columns here")
    if size > LARGEST:  # a damaged file, or one that unpacks to very much
        most = f"the {LARGEST / 1e9:.0f} GB that one utterance may"
        msg = f"{path}: '{name}' would take {size / 1e9:,.0f} GB, more than {most}"
        raise DataError(f"{msg}; the file is damaged, or needs splitting into utterances")


Handle = TypeVar("Handle")


@dataclass(eq=False)
class Reopened(Generic[Handle]):
    """Reads from an open file; a copy that went to another process opens it when it is first used."""

    path: Path
    opener: Callable[[Path], Handle]
    reader: Callable[[Path, Handle, str], Rows]
    handle: Handle | None = field(default=None, repr=False)
    stamp: Stamp | None = None

    def __call__(self, utterance: str) -> Rows:
        """Return the frames of an utterance; DataError when the file has changed, whatever else is wrong with it."""
        try:
            return self.reader(self.path, self.opened(), utterance)
        finally:
            if self.stamp is not None:
                self.stamp.check(self.path)

    def opened(self) -> Handle:
        """Return what is open; it is opened when it is first asked for."""
        opened = self.opener(self.path) if self.handle is None else self.handle
        self.handle = opened
        return opened

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "path": self.path.absolute(), "handle": None}

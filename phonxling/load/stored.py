"""Matrices in files: their labels, what they may ask for, and reading a block of rows or many small ones at a time.

Nothing is mapped into memory: a mapped file that another program cuts off meanwhile ends the process (SIGBUS) without
a word, and one that it overwrites changes numbers that were read already.
"""

import importlib
import json
import math
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from phonxling.core.errors import DataError, OtherFileError, install_command
from phonxling.core.posteriorgram import Frames, Pack, RawPosteriors, Rows
from phonxling.load.text import is_number

DataType = np.dtype[Any]


class Stamp(NamedTuple):
    """What tells that a file is still the one that was opened, without reading it again."""

    size: int
    changed: int
    where: tuple[int, int] | None = None  # None in another process, of this machine or of another

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
        here = f"{current}, before {self}"
        if not self.fits(current) and self.where is None:
            raise OtherFileError(f"{path}: is not the file that was read before: {here}")
        if not self.fits(current):
            again = "run again when nobody writes to it any more"
            raise OtherFileError(f"{path}: was changed while it was read: {here}; {again}")

    def fits(self, current: "Stamp") -> bool:
        """Return whether another stamp is of the same file, wherever that is where this one may be of any machine."""
        return current == self or (self.where is None and current.anywhere() == self)

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
        raise DataError(f"{source}: `phones` holds a letter that there is none of in Unicode") from None


def _stored_shift(source: Path, values: object) -> float:
    """Return the frame shift as a file stores it, in seconds; DataError when it is not one number."""
    shift = np.asarray(float(values) if isinstance(values, str) and is_number(values) else values)
    if shift.size != 1 or shift.dtype.kind not in "fiu":
        raise DataError(f"{source}: `frame_shift_s` must be one number; it has the shape {shift.shape}, {shift.dtype}")
    return float(shift.reshape(-1)[0])


# What a file may ask for before memory is taken for it, and libraries that are installed only on request.

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


def library(name: str, path: Path, what: str) -> ModuleType:
    """Return a module of the extra `formats`; DataError that says how to install it when it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        owner = name.partition(".")[0]
        raise DataError(f"{path}: {what} needs {owner}: {install_command('formats')}") from None


# Many small matrices read at once, one after the other into one array: npy files, and members of an npz. Only what is
# as NumPy itself writes it is read so: version 1, a header of 128 bytes, rows of floating-point numbers, not
# compressed. All else, and all that is wrong in any way, is left to who reads one matrix at a time and says what is
# wrong with it.

_HEADER = 128  # bytes of a small matrix' header
_ROOM = 1 << 21  # bytes that are read at once
_USUAL = re.compile(
    rb"\x93NUMPY\x01\x00v\x00\{'descr': '(%cf[248])', 'fortran_order': False, 'shape': \(([0-9]+), ([0-9]+)\), \} *\n"
    % (b"<" if sys.byteorder == "little" else b">")
)
_LOCAL = 30  # bytes before a member's name in a zip archive
_PLACED = hasattr(os, "preadv")  # not on Windows
_Packs = Iterator[tuple[int, int, Pack | None]]


class Source(Protocol):
    """Files, or a file, of matrices by name."""

    def size(self, name: str) -> int:
        """Return a matrix' bytes with its header, 0 where it cannot be read at once with others."""
        ...

    def fill(self, name: str, header: bytearray, room: memoryview) -> bool:
        """Read a header and the bytes after it, which fill the room; return whether these are what was asked for."""
        ...


def read_packs(source: Source, names: Sequence[str]) -> _Packs:
    """Yield matrices by name, from one place until another, see `Posteriorgrams.packs`; None where one is unusual."""
    room, header = memoryview(b""), bytearray(_HEADER)
    begin, filled, kind, lengths = 0, 0, (b"", 0), list[int]()
    for place, name in enumerate(names):
        size = source.size(name) - _HEADER if _PLACED else 0
        fits = 0 < size <= _ROOM
        if lengths and not (fits and size <= _ROOM - filled):
            yield begin, place, _pack(room[:filled], kind, lengths)
            begin, filled, lengths = place, 0, []
        if fits and not room:
            room = memoryview(bytearray(_ROOM))
        found = _found(source, name, header, room[filled : filled + size]) if fits else None
        if lengths and (found is None or found[0] != kind):
            yield begin, place, _pack(room[:filled], kind, lengths)
            begin, filled, lengths = place, 0, []
            found = None  # it is where a pack does not begin
        if found is None:
            yield place, place + 1, None
            begin = place + 1
            continue
        kind, filled = found[0], filled + size
        lengths.append(found[1])
    if lengths:
        yield begin, len(names), _pack(room[:filled], kind, lengths)


def _found(source: Source, name: str, header: bytearray, room: memoryview) -> tuple[tuple[bytes, int], int] | None:
    """Fill the room with a matrix; return its type and columns, and its rows, None where it is unusual."""
    try:
        usual = _USUAL.fullmatch(header) if source.fill(name, header, room) else None
    except OSError:
        return None
    if usual is None:
        return None
    kind, rows, columns = usual[1], int(usual[2]), int(usual[3])
    return ((kind, columns), rows) if rows * columns * int(kind[2:]) == len(room) else None


def _pack(room: memoryview, kind: tuple[bytes, int], lengths: list[int]) -> Pack:
    values = np.frombuffer(room, np.dtype(kind[0].decode())).reshape(-1, kind[1])
    return Pack(values, np.array(lengths, dtype=np.int64))


def fill_from_zip(file: int, member: zipfile.ZipInfo, header: bytearray, room: memoryview) -> bool:
    """Fill a header and a room from a stored member of an archive, by its descriptor; return whether all is right."""
    local = os.pread(file, _LOCAL, member.header_offset)
    begin = member.header_offset + _LOCAL + sum(int.from_bytes(local[at : at + 2], "little") for at in (26, 28))
    got = os.preadv(file, [header, room], begin)
    return got == _HEADER + len(room) and zlib.crc32(room, zlib.crc32(header)) == member.CRC


def fill_from_file(path: str, header: bytearray, room: memoryview) -> os.stat_result:
    """Fill a header and a room from the beginning of a file; return what the file is, once it was read."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.preadv(file, [header, room], 0)
        return os.fstat(file)
    finally:
        os.close(file)


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
        stamp = self.stamp and self.stamp.anywhere()
        return {**self.__dict__, "path": self.path.absolute(), "handle": None, "stamp": stamp}

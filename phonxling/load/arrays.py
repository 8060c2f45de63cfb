"""Matrices in npz (an array an utterance), npy (one utterance) and safetensors; no pickled object is ever loaded.

The library says whether a file is of safetensors; its tensors are read by us, for it maps the file (see `stored`).
"""

import io
import json
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from tokenize import TokenError
from typing import IO, Any, BinaryIO, cast

import numpy as np
from numpy.lib import format as npy
from numpy.lib.npyio import NpzFile

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Frames, RawPosteriors, Renamed
from phonxling.load.stored import (
    RESERVED,
    DataType,
    Reopened,
    Stamp,
    StoredMatrix,
    check_size,
    library,
    raw_posteriors,
)

_Header = tuple[tuple[int, ...], bool, DataType]  # shape, order, type
_HEADER = (ValueError, SyntaxError, TokenError, MemoryError, RecursionError, OverflowError, TypeError)  # of odd headers
_SMALL = 1 << 22  # bytes: a file that is read at once
_LONGEST_HEADER = 10_000  # bytes, as NumPy has it
_PARSING = Lock()


class _Kept:
    """A file that is read wherever it is asked for, closed without a word when nobody needs it any more."""

    def __init__(self, path: Path) -> None:
        self._file, self._at = -1, 0
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = (0, self._at, os.fstat(self._file).st_size)[whence]
        if start + offset < 0:
            raise OSError("the file is too short for an archive")
        self._at = start + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        os.lseek(self._file, self._at, os.SEEK_SET)
        data = os.read(self._file, os.fstat(self._file).st_size if size < 0 else size)
        self._at += len(data)
        return data

    def fileno(self) -> int:
        return self._file

    def __del__(self) -> None:
        if self._file >= 0:
            os.close(self._file)


def open_npz(path: Path) -> RawPosteriors:
    """Return an archive's matrices under their names; `phones` labels the columns, `frame_shift_s` is in seconds."""
    try:
        stamp = Stamp.of(path)
        archive = _opened(path)
    except (OSError, ValueError, zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise DataError(f"{path}: not a readable npz file: {error}") from error
    if not isinstance(archive, NpzFile):
        raise DataError(f"{path}: not an npz archive; give format: npy")
    stored = {name: _member(path, archive, name) for name in ("phones", "frame_shift_s") if name in archive.files}
    names = [name for name in archive.files if name not in RESERVED]
    read = Reopened(path, _opened, _member, archive, stamp)
    return raw_posteriors(path, names, read, stored.get("phones"), stored.get("frame_shift_s"))


def open_npy(path: Path, files: Sequence[tuple[str, Path]]) -> RawPosteriors:
    """Return the matrices of npy files, one each, under the ids that come with them; `path` is where they all are."""
    opened = {}
    for name, file in files:
        try:
            opened[name] = partial(_read_npy, file.absolute(), Stamp.of(file)), name
        except OSError as error:
            raise DataError(f"{file}: not a readable npy file: {error}") from error
    paths, source = tuple(file for _, file in files), path if len(files) > 1 else files[0][1]
    return RawPosteriors(source=str(source), labels=(), utterances=tuple(opened), read=Renamed(opened), files=paths)


def _opened(path: Path) -> NpzFile:
    return cast("NpzFile", np.load(cast("BinaryIO", _Kept(path)), allow_pickle=False))


def _member(path: Path, archive: NpzFile, name: str) -> Frames:
    """Return a member whose header fits its size: NumPy takes the memory that the header asks for before it reads."""
    try:
        zipped = cast("zipfile.ZipFile", archive.zip)
        member = zipped.NameToInfo.get(name) or zipped.getinfo(f"{name}.npy")
        with zipped.open(member) if _packed(member) else io.BytesIO(_stored_bytes(zipped, member)) as file:
            shape, turned, dtype = _asked(file)
            check_size(path, name, shape, dtype, labels=name in RESERVED)
            _check_header(shape, dtype, member.file_size)
            values = np.frombuffer(file.read(), dtype, math.prod(shape))
            return values.reshape(shape[::-1]).T if turned else values.reshape(shape)
    except (*_HEADER, OSError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error, struct.error) as error:
        raise DataError(f"{path}: '{name}' cannot be read: {error}") from error


def _packed(member: zipfile.ZipInfo) -> bool:
    return member.compress_type != zipfile.ZIP_STORED or bool(member.flag_bits & 1) or not hasattr(os, "pread")


def _stored_bytes(zipped: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a member that is stored as it is: the library's own reading takes six times as long."""
    file, start = cast("_Kept", zipped.fp).fileno(), member.header_offset + 30
    names = os.pread(file, 4, start - 4)  # the lengths of what stands before the numbers
    data = os.pread(file, member.file_size, start + sum(struct.unpack("<HH", names)))
    if zlib.crc32(data) != member.CRC:
        raise zipfile.BadZipFile("its bytes are not those that were written (CRC)")
    return data


def _check_header(shape: tuple[int, ...], dtype: DataType, size: int) -> None:
    """Raise ValueError when a header asks for objects, or for more than so many bytes hold."""
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are never loaded")
    if math.prod(shape) * dtype.itemsize > size:
        raise ValueError(f"its header asks for the shape {shape}, which its bytes do not fill")


def _asked(file: IO[bytes]) -> _Header:
    """Return the shape, the order and the type that a header asks for; ValueError before a long one is read."""
    version = npy.read_magic(file)
    size = file.read(2 if version == (1, 0) else 4)
    if (length := int.from_bytes(size, "little")) > _LONGEST_HEADER:
        raise ValueError(f"a header of {length:,} bytes")
    header = _parsed(length.to_bytes(2, "little") + file.read(length))
    if min(header[0], default=0) < 0:
        raise ValueError(f"its header asks for the shape {header[0]}")
    return header


@lru_cache(maxsize=4096)  # files of equal shape have equal headers
def _parsed(header: bytes) -> _Header:
    """Return what a header says; one at a time, since Python before 3.11.5 cannot parse in two threads at once."""
    with _PARSING:
        return npy.read_array_header_1_0(io.BytesIO(header))


def _read_npy(path: Path, stamp: Stamp, _: str) -> Frames | StoredMatrix:
    """Return a small file's matrix, or a large one's, which is read when it is asked for."""
    try:
        with path.open("rb") as file:
            if file.peek(4)[:4] == b"PK\3\4":
                raise DataError(f"{path}: an npz archive, not an npy file; give format: npz")
            shape, by_column, dtype = _asked(file)
            begin = file.tell()
            _check_header(shape, dtype, stamp.size - begin)
            if stamp.size > _SMALL:
                return StoredMatrix(path, stamp, begin, shape, dtype, by_column)
            values = np.frombuffer(file.read(), dtype, math.prod(shape))
        return values.reshape(shape, order="F" if by_column else "C")
    except (*_HEADER, OSError, EOFError) as error:
        raise DataError(f"{path}: not a readable npy file: {error}") from error
    finally:
        stamp.check(path)


# safetensors.

_Opened = tuple[Stamp, int, dict[str, Any]]  # where the tensors begin; of each its type, shape, and bytes from there
_KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}


def open_safetensors(path: Path) -> RawPosteriors:
    """Return a file's tensors under their names; its metadata may hold `phones` (a JSON list) and `frame_shift_s`."""
    safetensors = library("safetensors", path, "safetensors")
    try:
        stamp = Stamp.of(path)
        with safetensors.safe_open(path, framework="np") as file:
            names, metadata = tuple(file.keys()), file.metadata() or {}
        opened = _tensors_opened(path)
        stamp.check(path)
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise DataError(f"{path}: not a readable safetensors file: {error}") from error
    read = Reopened(path, _tensors_opened, _tensor, opened, stamp)
    return raw_posteriors(path, names, read, metadata.get("phones"), metadata.get("frame_shift_s"))


def _tensors_opened(path: Path) -> _Opened:
    with path.open("rb") as file:
        stamp, size = Stamp.of(file.fileno()), int.from_bytes(file.read(8), "little")
        return stamp, 8 + size, json.loads(file.read(size))


def _tensor(path: Path, opened: _Opened, name: str) -> StoredMatrix:
    stamp, begin, header = opened
    kind, shape, (first, _) = (header[name][key] for key in ("dtype", "shape", "data_offsets"))
    if kind == "BF16":
        raise DataError(f"{path}: '{name}' is of the type bfloat16, which NumPy lacks; save it as float16 or float32")
    if kind not in _KINDS:
        raise DataError(f"{path}: '{name}' cannot be read: it holds no real numbers but {kind}")
    check_size(path, name, shape, np.dtype(_KINDS[kind]))
    return StoredMatrix(path, stamp, begin + first, tuple(shape), np.dtype(_KINDS[kind]))

"""Matrices in npz (one array an utterance) and npy (one utterance); no pickled object is ever loaded."""

import io
import math
import mmap
import os
import zipfile
import zlib
from functools import lru_cache, partial
from pathlib import Path
from tokenize import TokenError
from typing import BinaryIO, cast

import numpy as np
from numpy.lib import format as npy
from numpy.lib.npyio import NpzFile

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Frames, RawPosteriors
from phonxling.load.matrices.labels import stored_labels, stored_shift
from phonxling.load.matrices.limits import check_size

_RESERVED = frozenset({"phones", "frame_shift_s"})
_HEADER = (ValueError, SyntaxError, TokenError)  # what NumPy raises for headers that are no Python
_SMALL = 1 << 22  # bytes: below that, reading a file takes less time than mapping it
_MAGIC = b"\x93NUMPY\1\0"  # of the version that NumPy writes


class _Mapped(mmap.mmap):
    """A file's bytes without an open file: zipfile asks before it seeks, and mmap answers only from Python 3.13 on."""

    def seekable(self) -> bool:
        return True


def open_npz(path: Path) -> RawPosteriors:
    """Return an archive's matrices under their names; `phones` labels the columns, `frame_shift_s` is in seconds."""
    try:
        mapped = _mapped(path)
        archive = np.load(cast("BinaryIO", mapped), allow_pickle=False)
    except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise DataError(f"{path}: not a readable npz file: {error}") from error
    if not isinstance(archive, NpzFile):
        raise DataError(f"{path}: not an npz archive; give format: npy")
    return RawPosteriors(
        source=str(path),
        labels=stored_labels(path, _member(path, archive, "phones")) if "phones" in archive.files else (),
        utterances=tuple(name for name in archive.files if name not in _RESERVED),
        read=partial(_released, path, archive, mapped),
        frame_shift=stored_shift(path, _member(path, archive, "frame_shift_s"))
        if "frame_shift_s" in archive.files
        else None,
    )


def open_npy(path: Path) -> RawPosteriors:
    """Return the one matrix of an npy file, under the file's name."""
    return RawPosteriors(source=str(path), labels=(), utterances=(path.stem,), read=lambda _: _read_npy(path))


def _mapped(path: Path) -> _Mapped:
    with path.open("rb") as file:
        return _Mapped(file.fileno(), 0, access=mmap.ACCESS_READ)


def _released(path: Path, archive: NpzFile, mapped: _Mapped, name: str) -> Frames:
    """Return a member, and let go of the file's pages: a process should not seem to hold all that it has read."""
    values = _member(path, archive, name)
    if hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)
    return values


def _member(path: Path, archive: NpzFile, name: str) -> Frames:
    try:
        _check_member(path, archive, name)
        values = archive[name]
    except (*_HEADER, OSError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{path}: '{name}' cannot be read: {error}") from error
    return np.asarray(values)


def _check_member(path: Path, archive: NpzFile, name: str) -> None:
    """Hold a member's header against its size: NumPy takes the memory that the header asks for before it reads."""
    zipped = archive.zip
    if not isinstance(zipped, zipfile.ZipFile):
        raise ValueError("the archive is closed")
    member = zipped.NameToInfo.get(name) or zipped.getinfo(f"{name}.npy")
    with zipped.open(member) as file:
        version = npy.read_magic(file)
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = header(file)
    check_size(path, name, shape, dtype)
    if int(np.prod(shape, dtype=object)) * dtype.itemsize > member.file_size:
        raise ValueError(f"its header asks for the shape {shape}, which its bytes do not fill")


def _read_npy(path: Path) -> Frames:
    try:
        values = _read_small(path)
        if values is None:
            values = np.load(path, allow_pickle=False, mmap_mode="r")
    except (*_HEADER, OSError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: not a readable npy file: {error}") from error
    if isinstance(values, NpzFile):
        values.close()
        raise DataError(f"{path}: an npz archive, not an npy file; give format: npz")
    return np.asarray(values)


def _read_small(path: Path) -> Frames | None:
    """Return a small file's matrix; None when it is large, or when NumPy is to say what is wrong with it."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        size = os.fstat(file).st_size
        data = os.read(file, size) if size <= _SMALL else b""
    finally:
        os.close(file)
    begin = 10 + int.from_bytes(data[8:10], "little")
    if not data.startswith(_MAGIC) or len(data) < begin:
        return None
    shape, by_column, dtype = _header(data[8:begin])
    values = math.prod(shape)
    if dtype.hasobject or min(shape, default=0) < 0 or begin + values * dtype.itemsize > len(data):
        return None
    return np.frombuffer(data, dtype, values, begin).reshape(shape, order="F" if by_column else "C")


@lru_cache(maxsize=4096)  # files of equal shape have equal headers
def _header(text: bytes) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    return npy.read_array_header_1_0(io.BytesIO(text))

"""Matrices in npz (one array an utterance) and npy (one utterance); no pickled object is ever loaded."""

import mmap
import zipfile
import zlib
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.lib import format as npy
from numpy.lib.npyio import NpzFile

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Frames, RawPosteriors
from phonxling.load.matrices.labels import stored_labels, stored_shift
from phonxling.load.matrices.limits import check_size

_RESERVED = frozenset({"phones", "frame_shift_s"})


class _Mapped(mmap.mmap):
    """A file's bytes without an open file: zipfile asks before it seeks, and mmap answers only from Python 3.13 on."""

    def seekable(self) -> bool:
        return True


def open_npz(path: Path) -> RawPosteriors:
    """Return an archive's matrices under their names; `phones` labels the columns, `frame_shift_s` is in seconds."""
    try:
        archive = np.load(cast("BinaryIO", _mapped(path)), allow_pickle=False)
    except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise DataError(f"{path}: not a readable npz file: {error}") from error
    if not isinstance(archive, NpzFile):
        raise DataError(f"{path}: not an npz archive; give format: npy")
    return RawPosteriors(
        source=str(path),
        labels=stored_labels(path, _member(path, archive, "phones")) if "phones" in archive.files else (),
        utterances=tuple(name for name in archive.files if name not in _RESERVED),
        read=partial(_member, path, archive),
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


def _member(path: Path, archive: NpzFile, name: str) -> Frames:
    try:
        _check_member(path, archive, name)
        values = archive[name]
    except (ValueError, OSError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{path}: '{name}' cannot be read: {error}") from error
    return np.asarray(values)


def _check_member(path: Path, archive: NpzFile, name: str) -> None:
    """Hold a member's header against its size: NumPy takes the memory that the header asks for before it reads."""
    zipped = archive.zip
    if not isinstance(zipped, zipfile.ZipFile):
        raise ValueError("the archive is closed")
    member = name if name in zipped.namelist() else f"{name}.npy"
    with zipped.open(member) as file:
        version = npy.read_magic(file)
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = header(file)
    check_size(path, name, shape, dtype)
    if int(np.prod(shape, dtype=object)) * dtype.itemsize > zipped.getinfo(member).file_size:
        raise ValueError(f"its header asks for the shape {shape}, which its bytes do not fill")


def _read_npy(path: Path) -> Frames:
    try:
        values = np.load(path, allow_pickle=False, mmap_mode="r")
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: not a readable npy file: {error}") from error
    if isinstance(values, NpzFile):
        values.close()
        raise DataError(f"{path}: an npz archive, not an npy file; give format: npz")
    return np.asarray(values)

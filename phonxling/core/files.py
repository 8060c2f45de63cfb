"""Files that are written whole or not at all."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from phonxling.core.errors import DataError


def write_bytes(path: Path, content: bytes, *, lasting: bool = False) -> None:
    """Write a file atomically, as `write_parts` does."""
    write_parts(path, [content], lasting=lasting)


def write_parts(path: Path, parts: Iterable[bytes], *, lasting: bool = False) -> None:
    """Write a file atomically, part after part: under another name in the same folder, then renamed.

    An interruption leaves nothing, nor does an error of whatever makes the parts.

    With `lasting`, the disk has it when this returns, and a loss of power leaves the file as it was or as it is now.

    Raises
    ------
    DataError
        If the folder cannot be made or written to, or the disk is full.
    """
    scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open_new(scratch) as file:
                file.writelines(parts)
            if lasting:
                _on_disk(scratch)
            scratch.replace(path)
            if lasting and os.name == "posix":
                _on_disk(path.parent)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from error


def open_new(path: Path) -> BinaryIO:
    """Open a new file; whatever has its name is removed, since writing into a link would change another file."""
    try:
        return path.open("xb")
    except FileExistsError:
        path.unlink()
        return path.open("xb")


def open_in_place(path: Path, flags: int) -> int:
    """Return a descriptor of a file that is written where it stands.

    OSError for a link of either kind, which would change a file elsewhere, and for a pipe, which may wait for ever.
    """
    flags |= os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags, 0o666)
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1:
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no file of its own; remove it", str(path))
    return descriptor


def real_path(path: Path) -> Path:
    """Return a path with all links followed; of links that lead back to themselves, as far as they can be."""
    return Path(os.path.realpath(path))  # pathlib's raises for the latter


def _on_disk(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def digest(path: Path) -> str:
    """Return a file's sha256; DataError when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error

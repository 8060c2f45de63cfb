"""Files that are written whole or not at all, and read only where they are regular ones."""

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterable
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

from phonxling.core.errors import DataError

State = tuple[int, int, int]  # size, nanoseconds of the last change, inode


def write_bytes(path: Path, content: bytes, *, lasting: bool = False) -> None:
    """Write a file atomically, as `write_parts` does."""
    write_parts(path, [content], lasting=lasting)


def write_parts(path: Path, parts: Iterable[bytes], *, lasting: bool = False) -> None:
    """Write a file atomically, part after part: under another name in the same folder, then renamed."""
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
    flags |= os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if path.is_symlink() or path.is_fifo():
        raise DataError(f"{path}: cannot be written: it is a link or a pipe; remove it")
    descriptor = os.open(path, flags, 0o666)
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1:
        os.close(descriptor)
        raise DataError(f"{path}: cannot be written: it is the same file as another one; remove it")
    return descriptor


def real_path(path: Path) -> Path:
    """Return a path with all links followed; of links that lead back to themselves, as far as they can be."""
    return Path(os.path.realpath(path))  # pathlib's raises for the latter


def _on_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_regular(path: Path) -> BufferedReader:
    """Open a file to read it; OSError for a pipe, a device or a socket, which may keep one waiting for ever."""
    waiting = getattr(os, "O_NONBLOCK", 0)
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | waiting))  # noqa: SIM115 - asked for open
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return file


def is_own(path: Path) -> bool:
    """Return whether a file is this user's; on Windows, which has no such numbers, each is."""
    return os.name != "posix" or path.stat().st_uid == os.geteuid()


def state_of(path: Path) -> State | None:
    """Return by what it is seen that a file was written to; None when there is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns, state.st_ino


def digest(path: Path) -> str:
    """Return a regular file's sha256; DataError when it cannot be read."""
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever somebody wrote
    """Return the value in a JSON file; OSError when it cannot be read, ValueError as for `parse_json`."""
    with open_regular(path) as file:
        return parse_json(file.read())


def parse_json(text: bytes | str) -> Any:  # noqa: ANN401
    """Return a JSON value; ValueError when it is none, goes too deep, or holds letters that no file can hold."""
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("too many brackets within brackets") from None
    except UnicodeEncodeError:
        raise ValueError("it holds half of a letter (a surrogate)") from None
    return value

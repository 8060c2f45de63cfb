"""Files that are written whole or not at all, and read only where they are regular ones."""

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any

from phonxling.core.errors import ConfigurationError, DataError

State = tuple[int, int, int]  # size, nanoseconds of the last change, inode


def write_bytes(path: Path, content: bytes) -> None:
    write_parts(path, [content])


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file, part after part, whole or not at all: under another name in the same folder, then renamed."""
    # In the same folder, since only within one file system a rename is atomic; the process’s number keeps two runs
    # apart.
    scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
    with report_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with scratch.open("xb") as file:
                file.writelines(parts)
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)


@contextmanager
def report_write_errors(path: Path) -> Iterator[None]:
    """Raise DataError that names a path where the system refuses to write it: the disk is full, there is no right."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}") from error


def write_new(path: Path, content: bytes) -> None:
    """Write a file that a user names; what is there already stays, and is refused unless it is the same."""
    if os.path.lexists(path):
        if path.is_file() and path.read_bytes() == content:
            return
        msg = "is there already, and is left as it is; choose another name, or move it away"
        raise ConfigurationError(f"{path}: {msg}")
    write_bytes(path, content)


def open_regular(path: Path) -> BufferedReader:
    """Open a file to read it; OSError for a pipe, a device or a socket, which may keep one waiting for ever."""
    # Opening a pipe without a writer would wait for ever; what was opened is looked at after that, so that nobody can
    # put another file there in between.
    waiting = getattr(os, "O_NONBLOCK", 0)
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | waiting))  # noqa: SIM115 - asked for open
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is not a regular file; write its content into one", str(path))
    return file


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


@cache
def source_digest() -> str:
    """Return the sha256 of this package's files and of their names: whoever edits one keeps nothing from before."""
    sha256, folder = hashlib.sha256(), Path(__file__).parent.parent
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            sha256.update(f"{path.relative_to(folder).as_posix()} {digest(path)}\n".encode())
    return sha256.hexdigest()


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever somebody wrote
    """Return the value in a JSON file; OSError when it cannot be read.

    ValueError when it is none, goes too deep, or holds letters that no file can hold.
    """
    with open_regular(path) as file:
        text = file.read()
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("too many brackets within brackets") from None
    except UnicodeEncodeError:
        raise ValueError("it holds half of a letter (a surrogate)") from None
    return value

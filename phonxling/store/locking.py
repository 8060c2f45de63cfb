"""One run a folder: a lock that the system takes back when its process ends, however it ends.

The lock is the system's, on the open file `.lock`, so a file that a killed run left behind locks nothing. What stands
in it tells others who has the folder. At the end the file is removed, then unlocked: whoever waits with it open finds
that it has its name no more, and takes the one that has.
"""

import errno
import json
import os
import platform
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.core.files import open_in_place, open_regular, read_json

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK = ".lock"
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})
_HELD = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})
_TRIES = 1000
_FIRST = 1 << 30  # Windows locks bytes that others cannot read: one far behind the text


@contextmanager
def locked(folder: Path, warn: Callable[[str], object]) -> Iterator[None]:
    """Have a folder to oneself, making it; what is empty at the end and was not there before goes again."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]  # the deepest first
    path = folder / LOCK
    descriptor = -1
    try:
        descriptor = _take(path, warn)
        yield
    except OSError as error:
        if descriptor >= 0:
            raise
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from error
    finally:
        if descriptor >= 0:
            _leave(path, descriptor)
        with suppress(OSError):  # one holds something, or was never made
            for empty in made:
                empty.rmdir()


def refuse_if_held(folder: Path) -> None:
    """Raise DataError when a run has this folder: for commands that read it."""
    try:
        file = open_regular(folder / LOCK)
    except OSError:
        return
    with file:
        try:
            _lock(file.fileno(), shared=True)
        except OSError as error:
            if error.errno in _HELD:
                raise DataError(_refusal(folder / LOCK)) from error


def _take(path: Path, warn: Callable[[str], object]) -> int:
    """Return the open, locked file; the one that has this name now, since the last holder may just have removed it."""
    folder = path.parent
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):  # another run, which has just ended, removes the folder or the file meanwhile
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except FileExistsError:  # something had the name: a file, or a folder that has gone since
                if not stat.S_ISDIR(folder.lstat().st_mode):
                    raise
            descriptor = open_in_place(path, os.O_RDWR)
            try:
                _lock(descriptor)
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    os.close(descriptor)
                    if error.errno in _HELD:
                        raise DataError(_refusal(path)) from error
                    raise
                warn(f"{folder}: its file system has no locks; see to it that no other run writes there")
            with suppress(OSError):  # the file has its name no more
                if os.path.samestat(path.stat(), os.fstat(descriptor)):
                    break
            os.close(descriptor)
    else:
        why = "other runs remove it again and again" if folder.exists() else "nothing can be written there"
        raise DataError(f"{path if folder.exists() else folder}: cannot be made, because {why}: choose another folder")
    about = {"process": os.getpid(), "host": platform.node(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, (json.dumps(about) + "\n").encode())
    except OSError:  # the disk is full, which is told before any work
        _leave(path, descriptor)
        raise
    return descriptor


def _lock(descriptor: int, *, shared: bool = False) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, _FIRST, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _leave(path: Path, descriptor: int) -> None:
    if sys.platform == "win32":  # which removes no open file
        os.close(descriptor)
        path.unlink(missing_ok=True)
        return
    with suppress(OSError):  # the folder may be gone or locked away; the lock goes all the same
        path.unlink(missing_ok=True)
    os.close(descriptor)


def _refusal(path: Path) -> str:
    try:
        holder = read_json(path)
        who = f"process {holder['process']} on {holder['host']}, since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        who = "which did not say who it is"
    return f"{path.parent}: another run is writing there ({who}); wait until it ends, or choose another folder"

"""Why a file cannot be read, in words, and what may have been meant."""

import difflib
import errno
import os
import stat
from itertools import islice
from pathlib import Path

from phonxling.core.errors import DataError

_REASONS = {
    errno.ENOENT: "no such file",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of it is a file, where a folder is needed",
    errno.ELOOP: "a symbolic link that leads back to itself",
    errno.EACCES: "you have no permission to read it",
    errno.ENAMETOOLONG: "the name is too long",
}
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_NEIGHBOURS = 10_000  # names that are compared with a missing one


def check_regular(path: Path) -> None:
    """Raise DataError when there is something that is no regular file: a pipe or a device may never end.

    Raises
    ------
    OSError, ValueError
        If nothing is there, or it cannot be reached.
    """
    kind = stat.S_IFMT(path.stat().st_mode)
    if kind in _KINDS:
        hint = "" if kind == stat.S_IFDIR else "; write what it gives into a file first"
        raise DataError(f"{path}: cannot be read: it is {_KINDS[kind]}{hint}")


def unreadable(path: Path, error: OSError | ValueError) -> DataError:
    """Return the error of a file that cannot be read, with the names that may have been meant."""
    hint = nearest(path) if isinstance(error, FileNotFoundError) else ""
    return DataError(f"{path}: cannot be read: {reason(error)}{hint}")


def reason(error: OSError | ValueError) -> str:
    """Return in words why a file could not be read."""
    if isinstance(error, ValueError):
        return "no file can be called so"
    return _REASONS.get(error.errno or 0, str(error.strerror or error))


def is_file(path: Path) -> bool:
    """Return whether a path is a file that can be reached; a name that no file system takes is none."""
    return os.path.isfile(path)  # noqa: PTH113 - pathlib's raises for names that are too long, and for locked folders


def nearest(path: Path) -> str:
    """Return what is there instead: files of similar names, or the folder up to which the path is right."""
    folder = next((parent for parent in path.parents if os.path.isdir(parent)), None)  # noqa: PTH112 - as for is_file
    if folder is None or not os.access(folder, os.R_OK):
        return ""
    missing = path.relative_to(folder).parts[0]
    near = difflib.get_close_matches(missing, [entry.name for entry in islice(folder.iterdir(), _NEIGHBOURS)], n=3)
    shown = f"; did you mean {' or '.join(near)}?" if near else ""
    return shown if folder == path.parent else f"; {folder} has no folder '{missing}'{shown}"

"""The files that an experiment reads: their content before anything is loaded, and whether it is still that after."""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from phonxling.core.errors import DataError, join_problems
from phonxling.core.files import digest

_State = tuple[int, int, int]  # size, nanoseconds of the last change, inode
_AT_ONCE = 4  # files: more readers make one disk slower
_SHOWN = 10


class Inputs:
    """The sha256 of each input as it was first read, and how the file looked then.

    Parameters
    ----------
    paths : iterable of Path
        Files, read at once, a few beside each other.

    Raises
    ------
    DataError
        If a file cannot be read.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._found: dict[Path, tuple[_State, str]] = {}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            wanted = list(dict.fromkeys(map(_plain, paths)))
            self._found |= zip(wanted, pool.map(_read, wanted), strict=True)

    def digest(self, path: Path) -> str:
        """Return the sha256 that a file had when it was first asked for."""
        plain = _plain(path)
        if plain not in self._found:
            self._found[plain] = _read(plain)
        return self._found[plain][1]

    def touched(self, paths: Iterable[Path]) -> list[Path]:
        """Return the files that are gone or look otherwise than when they were first read."""
        return [path for path in paths if _state(path) != self._found[_plain(path)][0]]

    def check(self) -> None:
        """Raise DataError when a file was written to since it was first read: all of them are named.

        That its content is the same now says nothing: a file that is copied anew over itself was cut short meanwhile.
        """
        changed = [str(path) for path in self.touched(self._found)]
        if changed:
            remedy = "Nothing was written. Wait until they are whole, then run again."
            raise DataError(join_problems("inputs changed while they were read:", changed, remedy, limit=_SHOWN))


def _plain(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - a link stays a link: what it leads to may change


def _read(path: Path) -> tuple[_State, str]:
    before = _state(path)
    return before or (-1, -1, -1), digest(path)


def _state(path: Path) -> _State | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns, state.st_ino

"""Finished results of tasks as files: one a task, under the key of its content, whole or not there."""

import hashlib
import io
import os
import shutil
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from phonxling.core.files import open_new
from phonxling.core.work import Record

_KIND = "phonxling-entry-1"
_ENDING = ".entry"
_MARGIN = 32 * 2**20  # bytes of the disk that are left for the results themselves
_README = """\
Finished work of phonxling: what a next run with the same inputs, settings and versions need not compute again.
Nothing here is a result, and no result depends on it. It may be deleted at any time when no run is writing here;
"phonxling run --fresh" ignores and replaces it.
"""
_FAULTS = (OSError, ValueError, KeyError, EOFError, MemoryError, zipfile.BadZipFile)


class Entries:
    """A folder of entries; what cannot be read back whole is not there, and removed.

    Parameters
    ----------
    folder : Path
        Made with the first entry.
    tell : callable
        Is told of entries that were removed.
    warn : callable
        Is told, once, that the disk holds no more entries.
    """

    def __init__(self, folder: Path, tell: Callable[[str], object], warn: Callable[[str], object]) -> None:
        self._folder, self.tell, self._warn = folder, tell, warn
        self._used: set[str] = set()
        self._full = False

    def has(self, key: str) -> bool:
        """Return whether a file of this key is there; whether it is whole, `read` tells."""
        try:
            return self._path(key).is_file()
        except OSError:  # a folder of another user's
            return False

    def read(self, key: str) -> Record | None:
        """Return the record of a key; None when there is none that is whole."""
        path = self._path(key)
        try:
            record = _unpacked(path.read_bytes(), key)
        except FileNotFoundError:
            return None
        except _FAULTS as error:
            self.tell(f"{path}: is no whole entry, so it is computed again ({error})")
            _remove(path)
            return None
        self._used.add(key)
        return record

    def prepare(self, key: str, record: Record) -> None:
        """Write a record, which is not there until it is confirmed; a disk without room stops keeping, not the run."""
        if self._full:
            return
        content = _packed(key, record)
        try:
            self._open()
            if shutil.disk_usage(self._folder).free < len(content) + _MARGIN:
                raise OSError("the disk is nearly full")
            with open_new(self._scratch(key)) as file:
                file.write(content)
        except OSError as error:
            self._give_up(error)

    def confirm(self, keys: Iterable[str]) -> list[str]:
        """Make prepared records entries, and return the keys of those that are."""
        confirmed = []
        for key in keys:
            with suppress(OSError):  # it could not be prepared, or keeping has stopped
                self._scratch(key).replace(self._path(key))
                self._used.add(key)
                confirmed.append(key)
        return confirmed

    def prune(self) -> int:
        """Remove what this run neither read nor wrote, and return the bytes that are left."""
        left = 0
        for path in files_of(self._folder):
            if path.name.removesuffix(_ENDING) in self._used:
                left += path.stat().st_size
            else:
                _remove(path)
        return left

    def _open(self) -> None:
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            with open_new(self._folder.parent / "README.txt") as file:
                file.write(_README.encode())

    def _give_up(self, error: OSError) -> None:
        """Keep nothing more, and leave the room that entries took to the results."""
        self._full = True
        self._used.clear()
        self.prune()
        why = error.strerror or str(error)
        self._warn(f"{self._folder}: finished work cannot be kept for a next run: {why}; the run goes on")

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_ENDING}"

    def _scratch(self, key: str) -> Path:
        return self._folder / f".{key}.{os.getpid()}.part"


def files_of(folder: Path) -> list[Path]:
    """Return the entries and scratch files of a folder, and nothing else that may be there: it could be a link."""
    return [*folder.glob(f"*{_ENDING}"), *folder.glob(".*.part")]


def _packed(key: str, record: Record) -> bytes:
    """Return an entry: a line with its kind, its key and the sha256 of the rest; then an npz of the arrays."""
    if any(array.dtype.hasobject for array in record.values()):
        raise ValueError("objects are never kept, since they would be pickled")
    buffer = io.BytesIO()  # NumPy before 2.2 would take `allow_pickle` for one more array
    np.savez(buffer, **{f"record {name}": array for name, array in record.items()})  # type: ignore[arg-type]
    content = buffer.getbuffer()
    return b"".join([f"{_KIND} {key} {hashlib.sha256(content).hexdigest()}\n".encode(), content])


def _unpacked(entry: bytes, key: str) -> Record:
    """Return the arrays of an entry; ValueError when it is no whole one of this key."""
    head, _, content = entry.partition(b"\n")
    if head.decode("ascii", "replace") != f"{_KIND} {key} {hashlib.sha256(content).hexdigest()}":
        raise ValueError("cut short, changed, or of another task")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return {name.removeprefix("record "): arrays[name] for name in arrays.files}


def _remove(path: Path) -> None:
    with suppress(OSError):  # it is another user's, or the disk is gone
        path.unlink(missing_ok=True)

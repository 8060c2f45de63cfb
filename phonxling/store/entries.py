"""Finished results of tasks as files: one a task, under the key of its content, signed; whole or not there."""

import hashlib
import io
import os
import shutil
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from phonxling.core.files import open_new, open_regular
from phonxling.core.work import Record
from phonxling.store.signing import Signatures

_KIND = "phonxling-entry-2"
_HEAD = 300  # bytes, in which the first line ends
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
    signatures : Signatures
        This user's: what nobody signed, or somebody else, is not there either.
    tell : callable
        Is told of entries that were removed.
    warn : callable
        Is told, once, that the disk holds no more entries.
    """

    def __init__(
        self, folder: Path, signatures: Signatures, *, tell: Callable[[str], object], warn: Callable[[str], object]
    ) -> None:
        self._folder, self._signatures, self.tell, self._warn = folder, signatures, tell, warn
        self._used: set[str] = set()
        self._full = False

    def has(self, key: str) -> bool:
        """Return whether there is an entry of this key that this user signed; whether it is whole, `read` tells."""
        try:
            with open_regular(self._path(key)) as file:
                signed, _, signature = file.readline(_HEAD).decode("ascii", "replace").rstrip("\n").rpartition(" ")
        except OSError:  # there is none, or it is another user's
            return False
        return signed.startswith(f"{_KIND} {key} ") and self._signatures.holds(signed, signature, self._folder)

    def read(self, key: str) -> Record | None:
        """Return the record of a key; None when there is none that is whole."""
        path = self._path(key)
        try:
            with open_regular(path) as file:
                record = self._unpacked(file.read(), key)
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
        content = self._packed(key, record)
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

    def _packed(self, key: str, record: Record) -> bytes:
        """Return an entry: a line of its kind, key, the sha256 of the rest, a signature; then an npz of the arrays."""
        content = _npz(record)
        signed = f"{_KIND} {key} {hashlib.sha256(content).hexdigest()}"
        return b"".join([f"{signed} {self._signatures.sign(signed)}\n".encode(), content])

    def _unpacked(self, entry: bytes, key: str) -> Record:
        """Return the arrays of an entry; ValueError when it is no whole one of this key that this user signed."""
        head, _, content = entry.partition(b"\n")
        signed, _, signature = head.decode("ascii", "replace").rpartition(" ")
        is_whole = signed == f"{_KIND} {key} {hashlib.sha256(content).hexdigest()}"
        if not is_whole or not self._signatures.holds(signed, signature, self._folder):
            raise ValueError("cut short, changed, or of another task or user")
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return {name.removeprefix("record "): arrays[name] for name in arrays.files}

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_ENDING}"

    def _scratch(self, key: str) -> Path:
        return self._folder / f".{key}.{os.getpid()}.part"


def files_of(folder: Path) -> list[Path]:
    """Return the entries and scratch files of a folder, and nothing else that may be there: it could be a link."""
    return [*folder.glob(f"*{_ENDING}"), *folder.glob(".*.part")]


def _npz(record: Record) -> memoryview:
    if any(array.dtype.hasobject for array in record.values()):
        raise ValueError("objects are never kept, since they would be pickled")
    buffer = io.BytesIO()  # NumPy before 2.2 would take `allow_pickle` for one more array
    np.savez(buffer, **{f"record {name}": array for name, array in record.items()})  # type: ignore[arg-type]
    return buffer.getbuffer()


def _remove(path: Path) -> None:
    with suppress(OSError):  # it is another user's, or the disk is gone
        path.unlink(missing_ok=True)

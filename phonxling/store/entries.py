"""Finished results of tasks as files: one a task, under the key of its content, signed; whole or not there."""

import errno
import hashlib
import hmac
import io
import json
import os
import secrets
import shutil
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from phonxling.core.errors import DataError
from phonxling.core.files import open_in_place, open_new, open_regular, parse_json, real_path
from phonxling.core.work import Record
from phonxling.load.text import is_file

# Signatures of what is stored for a next run, by a secret of this user: nobody else's work is taken for his.

_BYTES = 32


class Signatures:
    """Signs texts, and tells once when one was not signed by this user."""

    def __init__(self, secret: bytes, warn: Callable[[str], object]) -> None:
        self._secret, self._warn = secret, warn
        self._has_told = False

    def sign(self, text: str) -> str:
        """Return the signature of a text."""
        return hmac.digest(self._secret, text.encode(), "sha256").hex()

    def holds(self, text: str, signature: object, place: Path) -> bool:
        """Return whether a signature, as it is stored in a place, is this user's of this text."""
        if hmac.compare_digest(self.sign(text).encode(), str(signature).encode(errors="replace")):
            return True
        if not self._has_told:
            whose = "was changed, or stored by another user or on a machine with another home folder"
            self._warn(f"{place}: finished work there {whose}; it is not used, but computed again")
            self._has_told = True
        return False


def own_signatures(warn: Callable[[str], object]) -> Signatures:
    """Return this user's signatures; where no secret can be kept, ones that hold in this process alone, and tell so."""
    try:
        return Signatures(_own_secret(), warn)
    except OSError as error:
        why = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        remedy = "set XDG_DATA_HOME to a folder that only you can write to"
        warn(f"no next run will use the finished work of this one, since nothing marks it as yours: {why}; {remedy}")
        return Signatures(secrets.token_bytes(_BYTES), lambda _: None)


def _own_secret() -> bytes:
    path = _private_folder() / "secret"
    if not path.exists():
        _make(path)
    with open_regular(path) as file:
        state, secret = os.fstat(file.fileno()), file.read(_BYTES + 1)
    if os.name == "posix" and (state.st_uid != os.geteuid() or stat.S_IMODE(state.st_mode) & 0o077):
        raise PermissionError(errno.EPERM, "others may read it or own it; remove it", str(path))
    if len(secret) != _BYTES:
        raise OSError(errno.EINVAL, "it was changed; remove it", str(path))
    return secret


def _private_folder() -> Path:
    """Return where this user's data are, by the system's custom; OSError where there is no such place."""
    if sys.platform == "win32":
        place = os.environ.get("LOCALAPPDATA", "")
    else:
        home = os.environ.get("HOME", "")
        place = os.environ.get("XDG_DATA_HOME", "") or (home and f"{home}/.local/share")
    if not Path(place).is_absolute():
        raise OSError(errno.ENOENT, "there is no home folder")
    return Path(place) / "phonxling"


def _make(path: Path) -> None:
    """Make a secret, whole, that its user alone can read; of several runs that are first, one makes it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, scratch = tempfile.mkstemp(dir=path.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123
            file.write(secrets.token_bytes(_BYTES))
        try:
            os.link(scratch, path)
        except FileExistsError:
            return
        except OSError:  # the file system has no such links
            Path(scratch).replace(path)
    finally:
        Path(scratch).unlink(missing_ok=True)


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
    """A folder of entries; what cannot be read back whole is not there, and removed."""

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


# Which files an unfinished run may have left: written down before each is, in `.unfinished`, until all are done.

JOURNAL = ".unfinished"


def note(folder: Path, names: Iterable[str]) -> None:
    """Write down files, by their paths below the folder, that are about to be written or are of an earlier run."""
    lines = "".join(json.dumps(name) + "\n" for name in names)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(open_in_place(folder / JOURNAL, os.O_WRONLY | os.O_APPEND), "ab", buffering=0) as file:  # noqa: PTH123
            file.write(f"\n{lines}".encode())  # in one piece; a line that a killed run left half is ended first
    except OSError as error:
        raise DataError(f"{folder / JOURNAL}: cannot be written: {error.strerror}") from error


def noted(folder: Path) -> list[str]:
    """Return the files that were written down, each once; lines that are not whole are left."""
    try:
        with open_regular(folder / JOURNAL) as file:
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    return list(dict.fromkeys(name for line in lines if (name := _name(line))))


def _name(line: str) -> str:
    try:
        name = parse_json(line)
    except ValueError:
        return ""
    return name if isinstance(name, str) else ""


def remove_others(folder: Path, wanted: Iterable[str]) -> None:
    """Remove the files that were noted and are not wanted, with folders that are empty then; nothing outside."""
    try:
        root = real_path(folder)
        for name in set(noted(folder)).difference(wanted):
            _journal_remove(root / name, root)
    except OSError as error:
        raise DataError(f"{folder}: an earlier run's files cannot be removed: {error.strerror}") from error


def _journal_remove(path: Path, root: Path) -> None:
    if not is_file(path) and not os.path.islink(path):  # noqa: PTH114 - pathlib's raises for names that are too long
        return
    above = path.parent
    if real_path(above) == above and above.is_relative_to(root):  # no link leads there
        path.unlink()
        if above != root and not any(above.iterdir()):
            above.rmdir()


def end(folder: Path) -> None:
    """Say that all files are whole and listed."""
    (folder / JOURNAL).unlink(missing_ok=True)

"""Finished results of tasks as files: one a task, under the key of its content, signed; whole or not there.

An entry is a line, `kind key sha256 signature`, the sha256 that of the rest; then an npz of arrays, never of objects,
since those would be unpickled. Who knows the inputs knows the key, and a folder that comes from somebody else is its
user's own once it is unpacked: what tells his work from that of a stranger is the signature alone, HMAC-SHA256 by a
secret of this user, 32 random bytes in a file that nobody else can read. Of an entry that is cut short, changed, or of
another task or user, the task is done again.

An entry is first prepared, under another name, and confirmed when it is known that no input has changed meanwhile. A
disk without room ends the keeping, not the run.
"""

import errno
import hashlib
import hmac
import io
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

from phonxling.core.files import open_new, open_regular
from phonxling.core.work import Record

_BYTES = 32  # of a secret
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


class Signatures:
    """Signs texts, and tells once when one was not signed by this user."""

    def __init__(self, secret: bytes, warn: Callable[[str], object]) -> None:
        self._secret, self._warn = secret, warn
        self._has_told = False

    def sign(self, text: str) -> str:
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


def _own_folder() -> Path:
    """Return where what is remembered of this machine is kept; OSError when there is no such place."""
    home = os.environ.get("HOME", "")
    place = os.environ.get("XDG_DATA_HOME", "") or (home and f"{home}/.local/share")
    folder = Path(os.environ.get("LOCALAPPDATA", "") if sys.platform == "win32" else place)
    if not folder.is_absolute():
        raise OSError(errno.ENOENT, "there is no home folder")
    return folder / "phonxling"


def first_time(name: str) -> bool:
    """Return whether something is told for the first time on this machine, and remember that it was."""
    try:
        told = _own_folder() / f"told-{name}"
        told.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        told.touch(exist_ok=False)
    except FileExistsError:
        return False
    except OSError:  # nothing can be remembered here
        return True
    return True


def _own_secret() -> bytes:
    """Return the secret, which is made, whole, where there is none; OSError when it is nobody's or anybody's."""
    path = _own_folder() / "secret"
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, scratch = tempfile.mkstemp(dir=path.parent)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123
                file.write(secrets.token_bytes(_BYTES))
            try:
                with suppress(FileExistsError):  # of several runs that are first, one makes it
                    os.link(scratch, path)
            except OSError:  # the file system has no such links
                Path(scratch).replace(path)
        finally:
            Path(scratch).unlink(missing_ok=True)
    with open_regular(path) as file:
        state, secret = os.fstat(file.fileno()), file.read(_BYTES + 1)
    if os.name == "posix" and (state.st_uid != os.geteuid() or stat.S_IMODE(state.st_mode) & 0o077):
        raise PermissionError(errno.EPERM, "others may read it or own it; remove it", str(path))
    if len(secret) != _BYTES:
        raise OSError(errno.EINVAL, "it was changed; remove it", str(path))
    return secret


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
                return self._is_own(file.readline(_HEAD).removesuffix(b"\n"), f"{_KIND} {key} ")
        except OSError:  # there is none, or it is another user's
            return False

    def read(self, key: str) -> Record | None:
        """Return the record of a key; None when there is none that is whole."""
        path = self._path(key)
        try:
            with open_regular(path) as file:
                head, _, content = file.read().partition(b"\n")
            if not self._is_own(head, f"{_KIND} {key} {hashlib.sha256(content).hexdigest()}"):
                raise ValueError("cut short, changed, or of another task or user")
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                record = {name.removeprefix("record "): arrays[name] for name in arrays.files}
        except FileNotFoundError:
            return None
        except _FAULTS as error:
            self.tell(f"{path}: is no whole entry, so it is computed again ({error})")
            _remove(path)
            return None
        self._used.add(key)
        return record

    def prepare(self, key: str, record: Record) -> None:
        """Write a record, which is not there until it is confirmed."""
        if any(array.dtype.hasobject for array in record.values()):
            raise ValueError("objects are never kept, since they would be pickled")
        if self._full:
            return
        buffer = io.BytesIO()  # NumPy before 2.2 would take `allow_pickle` for one more array
        np.savez(buffer, **{f"record {name}": array for name, array in record.items()})  # type: ignore[arg-type]
        signed = f"{_KIND} {key} {hashlib.sha256(buffer.getbuffer()).hexdigest()}"
        try:
            if not self._folder.is_dir():
                self._folder.mkdir(parents=True, exist_ok=True)
                with open_new(self._folder.parent / "README.txt") as file:
                    file.write(_README.encode())
            if shutil.disk_usage(self._folder).free < buffer.tell() + _MARGIN:
                raise OSError("the disk is nearly full")
            with open_new(self._scratch(key)) as file:
                file.write(f"{signed} {self._signatures.sign(signed)}\n".encode())
                file.write(buffer.getbuffer())
        except OSError as error:  # the room that entries took is left to the results
            self._full = True
            self._used.clear()
            self.prune()
            why = error.strerror or str(error)
            self._warn(f"{self._folder}: finished work cannot be kept for a next run: {why}; the run goes on")

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

    def _is_own(self, head: bytes, beginning: str) -> bool:
        """Return whether the first line of an entry begins like this, and this user signed it."""
        signed, _, signature = head.decode("ascii", "replace").rpartition(" ")
        return signed.startswith(beginning) and self._signatures.holds(signed, signature, self._folder)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_ENDING}"

    def _scratch(self, key: str) -> Path:
        return self._folder / f".{key}.{os.getpid()}.part"


def files_of(folder: Path) -> list[Path]:
    """Return the entries and scratch files of a folder, and nothing else that may be there: it could be a link."""
    return [*folder.glob(f"*{_ENDING}"), *folder.glob(".*.part")]


def _remove(path: Path) -> None:
    with suppress(OSError):  # it is another user's, or the disk is gone
        path.unlink(missing_ok=True)

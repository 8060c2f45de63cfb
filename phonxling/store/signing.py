"""Signatures of what is stored for a next run, by a secret of this user: nobody else's work is taken for his."""

import errno
import hmac
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from phonxling.core.files import open_regular

_BYTES = 32


class Signatures:
    """Signs texts, and tells once when one was not signed by this user.

    Parameters
    ----------
    secret : bytes
        Known to this user alone.
    warn : callable
        Is told, once, that what is stored in a place was signed by somebody else, or by nobody.
    """

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

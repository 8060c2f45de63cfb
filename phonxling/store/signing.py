"""Signatures of finished work: HMAC-SHA256 by a secret of this user, 32 random bytes in a file that nobody else reads.

Who knows the inputs knows the key of what was computed from them, and a folder that comes from somebody else is its
user's own once it is unpacked: the signature alone tells his work from that of a stranger.
"""

import errno
import hmac
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from phonxling.core.files import open_regular

_BYTES = 32  # of a secret


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


def first_time(name: str) -> bool:
    """Return whether something is told for the first time on this machine, and remember that it was."""
    try:
        (_own_folder() / f"told-{name}").touch(exist_ok=False)
    except OSError as error:  # nothing can be remembered here, unless it is there
        return not isinstance(error, FileExistsError)
    return True


def _own_folder() -> Path:
    """Return where what is remembered of this machine is kept; OSError when there is no such place."""
    home = os.environ.get("HOME", "")
    place = os.environ.get("XDG_DATA_HOME", "") or (home and f"{home}/.local/share")
    folder = Path(os.environ.get("LOCALAPPDATA", "") if sys.platform == "win32" else place, "phonxling")
    if not folder.is_absolute():
        raise OSError(errno.ENOENT, "there is no home folder")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _own_secret() -> bytes:
    """Return the secret, which is made, whole, where there is none; OSError when it is nobody's or anybody's."""
    path = _own_folder() / "secret"
    if not path.exists():
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

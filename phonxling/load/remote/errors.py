"""Why an input could not be fetched, in words; what fsspec's file systems raise is of many kinds."""

import errno
import re
from collections.abc import Iterator

from phonxling.core.errors import DataError
from phonxling.load.remote.urls import Url

SECONDS = 30  # that a host may take for its first answer
_UNREACHABLE = frozenset(
    {"EndpointConnectionError", "ConnectTimeoutError", "ClientConnectorError", "ServerTimeoutError", "gaierror"}
    | {"ConnectionRefusedError", "FSTimeoutError", "TimeoutError", "ProxyConnectionError"}
)
_BROKEN = frozenset(
    {
        "ConnectionResetError",
        "ServerDisconnectedError",
        "ClientPayloadError",
        "IncompleteRead",
        "ResponseStreamingError",
    }
)
_NO_CREDENTIALS = frozenset({"NoCredentialsError", "PartialCredentialsError", "ProfileNotFound", "TokenRetrievalError"})
_FULL = (errno.ENOSPC, errno.EDQUOT)
_FOR_GOOD = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, NotImplementedError, ValueError)


class CutShortError(Exception):
    """Another number of bytes came than was promised."""


class NoAnswerError(DataError):
    """A host gives no answer: nothing else need be asked of it."""


def unfetched(url: Url | str, error: BaseException) -> DataError:
    """Return the error of an input that could not be fetched."""
    return DataError(f"{url}: cannot be fetched: {_words(error)}")


def is_lasting(error: BaseException) -> bool:
    """Return whether trying again is of no use."""
    status, names = _status(error), _names(error)
    if status is not None:
        return not is_busy(error)
    if names & _UNREACHABLE:
        return False
    disk = isinstance(error, OSError) and error.filename is not None
    return disk or isinstance(error, _FOR_GOOD) or bool(names & _NO_CREDENTIALS)


def is_busy(error: BaseException) -> bool:
    """Return whether a server answers that it cannot serve now."""
    status = _status(error)
    return status is not None and (status >= 500 or status in (408, 429))


def is_absent(error: BaseException) -> bool:
    """Return whether there is nothing to read: stores say that it is forbidden to those who may not list.

    On the web fsspec says of all that fails that it is not there; what the server said tells which it is.
    """
    status = _status(error)
    if status is not None:
        return status in (401, 403, 404, 410)
    return isinstance(error, FileNotFoundError | PermissionError) and not _names(error) & _UNREACHABLE


def _words(error: BaseException) -> str:
    """Return in words what went wrong."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return "the disk is full; free some, or choose another folder of results with --output"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"its copy {error.filename} cannot be written: {error.strerror}"
    names, status = _names(error), _status(error)
    if names & _NO_CREDENTIALS:
        return "no credentials were found; give them as its library wants them (see docs/scale.md)"
    if names & {"ClientSSLError", "SSLError"}:
        return f"no secure connection: {_text(error)}"
    if names & _UNREACHABLE:  # before what is missing: on the web, fsspec says of all that fails that it is not there
        return "the host cannot be reached"
    if isinstance(error, CutShortError):
        return f"cut short: {error}"
    if names & _BROKEN:
        return "cut short: the connection broke"
    if status in (401, 403) or (isinstance(error, PermissionError) and status is None):
        return "you have no permission to read it"
    if status in (404, 410) or (isinstance(error, FileNotFoundError) and status is None):
        return "there is no such bucket" if "specified bucket" in _text(error).lower() else "nothing is there"
    said = f"the server says {status}" if status is not None else type(error).__name__
    return f"{said}: {_text(error)}".rstrip(": ")


def _names(error: BaseException) -> set[str]:
    """Return the names of the error's classes and of those that caused it: libraries' own need not be imported."""
    return {kind.__name__ for each in _chain(error) for kind in type(each).__mro__}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _status(error: BaseException) -> int | None:
    told = (getattr(each, "status", None) for each in _chain(error))
    return next((status for status in told if isinstance(status, int)), None)


def _text(error: BaseException) -> str:
    """Return the first line of what an error says, without parameters of addresses: they may hold a signature."""
    line = next(iter(str(error).splitlines()), "")
    return re.sub(r"(://)[^/\s@]*@|\?[^\s'\")]*", r"\1", line)[:200]

"""fsspec's file system of an address; fsspec is imported only here, and only when there is an address."""

import importlib
import importlib.util
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from phonxling.core.errors import DataError
from phonxling.load.remote.errors import SECONDS, NoAnswerError, unfetched
from phonxling.load.remote.urls import Url

_Found = TypeVar("_Found")
About = Mapping[str, Any]


class System(Protocol):
    """What is used of fsspec's file systems, whose libraries have no types."""

    def info(self, path: str) -> About:
        """Return what is known of a file or folder."""

    def ls(self, path: str, *, detail: bool) -> Sequence[About]:
        """Return what is known of each file and folder in a folder."""

    def find(self, path: str, *, detail: bool) -> Mapping[str, About]:
        """Return what is known of each file below a folder."""

    def get_file(self, rpath: str, lpath: str, *, callback: object) -> None:
        """Copy a file to this machine."""


_INSTALL = "pip install 'phonxling[remote]'"
_OURS = ("s3", "s3a", "http", "https")  # what the extra brings besides fsspec itself


def open_system(url: Url, address: str) -> tuple[System, str]:
    """Return the file system of an address, and what the address is called in it.

    Raises
    ------
    DataError
        If fsspec, or the library of this kind of address, is not installed: what to install is said.
        If no file system is known by that name.
    """
    try:
        core = importlib.import_module("fsspec.core")
    except ImportError:
        raise DataError(f"{url}: inputs by URL need fsspec: {_INSTALL}") from None
    try:
        system, path = core.url_to_fs(address, **_settings(url.protocol))
    except ImportError as error:
        remedy = _INSTALL if url.protocol in _OURS else str(error)
        raise DataError(f"{url}: a library is missing for '{url.protocol}': {remedy}") from None
    except ValueError as error:
        if "not known" not in str(error):
            raise unfetched(url, error) from error
        raise DataError(f"{url}: no file system is called '{url.protocol}'; known: {_known()}") from None
    except Exception as error:  # whatever a library does that cannot be set up
        raise unfetched(url, error) from error
    system.invalidate_cache()
    return system, str(path)


def first_answer(url: Url, ask: Callable[[], _Found], seconds: float | None = None) -> _Found:
    """Return what a host answers; NoAnswerError when it takes too long, though its library would go on trying."""
    limit = SECONDS if seconds is None else seconds
    answers: list[_Found] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(ask())
        except BaseException as error:  # noqa: BLE001 - raised by who waits
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(limit)
    if errors:
        raise errors[0]
    if not answers:
        raise NoAnswerError(f"{url}: cannot be fetched: the host gives no answer within {limit:g} s")
    return answers[0]


def _settings(protocol: str) -> Mapping[str, Any]:
    """Return settings without which a download over the web ends after five minutes, where the user has none."""
    if protocol not in ("http", "https"):
        return {}
    own = importlib.import_module("fsspec.config").conf
    if "client_kwargs" in own.get(protocol, {}) or importlib.util.find_spec("aiohttp") is None:
        return {}
    limits = importlib.import_module("aiohttp").ClientTimeout(total=None, sock_connect=SECONDS, sock_read=60)
    return {"client_kwargs": {"timeout": limits}}


def _known() -> str:
    names = importlib.import_module("fsspec").available_protocols()
    return ", ".join(name for name in sorted(names) if name in {"abfs", "ftp", "gs", "hdfs", "https", "s3", "sftp"})

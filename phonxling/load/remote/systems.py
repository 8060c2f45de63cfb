"""fsspec's file systems and what they raise; fsspec is imported only here, and only when there is a URL."""

import re
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from phonxling.core.errors import DataError
from phonxling.load.remote.urls import Url

SECONDS = 60  # without a byte, after which a web server is given up
_INSTALL = "pip install 'phonxling[remote]'"
_ABSENT = (401, 403, 404, 410)  # a server's answers; stores forbid what is missing to those who may not list


def open_system(url: Url, address: str) -> tuple[Any, str]:
    """Return the file system of a URL, and what an address is called in it; DataError says what to install."""
    try:
        system, path = import_module("fsspec.core").url_to_fs(address, **_settings(url))
    except ImportError as error:
        if find_spec("fsspec") is None:
            raise DataError(f"{url}: inputs by URL need fsspec: {_INSTALL}") from None
        remedy = _INSTALL if url.web or url.protocol in ("s3", "s3a") else str(error)
        raise DataError(f"{url}: a library is missing for '{url.protocol}': {remedy}") from None
    system.invalidate_cache()
    return system, str(path)


def is_absent(error: Exception) -> bool:
    """Return whether there is nothing to read, or nothing that this user may read."""
    first = _first_cause(error)
    return isinstance(first, FileNotFoundError | PermissionError) or getattr(first, "status", None) in _ABSENT


def unfetched(url: Url | str, error: Exception) -> DataError:
    """Return the error of an input that cannot be fetched; without parameters of URLs, which may hold a signature."""
    first = _first_cause(error)
    status = getattr(first, "status", None)
    if status in (404, 410) or (isinstance(first, FileNotFoundError) and "bucket does not exist" not in str(first)):
        reason = "nothing is there"
    elif status in (401, 403) or (isinstance(first, PermissionError) and first.filename is None):
        reason = "you have no permission to read it"
    else:
        text = re.sub(r"(://)[^/\s@]*@|\?[^\s'\")]*", r"\1", " ".join(str(first).split()))[:200]
        reason = f"{type(first).__name__}: {text}".removesuffix(": ")
    return DataError(f"{url}: cannot be fetched: {reason}")


def _first_cause(error: BaseException) -> BaseException:
    """Return what went wrong: of every failure on the web, fsspec says FileNotFoundError."""
    cause = error.__cause__
    if cause is not None and type(cause).__module__.startswith("aiohttp"):
        return cause
    return error


def _settings(url: Url) -> dict[str, Any]:
    """Return settings without which a download over the web ends after five minutes, where the user has none."""
    own = import_module("fsspec.config").conf.get(url.protocol, {})
    if not url.web or "client_kwargs" in own or find_spec("aiohttp") is None:
        return {}
    limits = import_module("aiohttp").ClientTimeout(total=None, sock_connect=SECONDS, sock_read=SECONDS)
    return {"client_kwargs": {"timeout": limits}}

"""URLs of inputs: what is one, and which are refused because they may hold a secret."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import parse_qsl, unquote

from phonxling.core.errors import ConfigurationError

_Local = TypeVar("_Local", Path, Path | None, tuple[str, ...] | Path | None)
WEB: Final = ("http://", "https://")
HARMLESS: Final = frozenset(  # parameters of a web address that choose what is sent, and are no key to it
    {"alt", "dl", "download", "export", "format", "generation", "inline", "raw", "ref", "rev", "revision"}
    | {"version", "versionid"}
)
_REMEDY = "it would stand in the results; give credentials in fsspec's own configuration or in the environment"


@dataclass(frozen=True, slots=True)
class Url:
    """The URL of a file, a folder or a glob that is not on this machine; made by `parse_url`."""

    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def web(self) -> bool:
        """Whether `?` begins parameters and `%20` is a space."""
        return self.text.startswith(WEB)

    def split(self) -> tuple[str, str, str]:
        """Return (what holds the file, folder or glob; its name; the glob's parts from the first wildcard on)."""
        bare = (self.text.partition("?")[0] if self.web else self.text).rstrip("/")
        before, wildcard, _ = re.split(r"([*?[]|$)", bare, maxsplit=1)
        fixed = before.rpartition("/")[0] if wildcard else before
        around, _, name = fixed.rpartition("/")
        return around, name, bare.removeprefix(fixed).removeprefix("/")

    def decoded(self, part: str) -> str:
        return unquote(part) if self.web else part


def is_url(text: str) -> bool:
    return bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text))


def parse_url(text: str) -> Url | Path:
    """Return the URL that a text is; the path for `file://` and `local://`."""
    scheme, _, rest = text.partition("://")
    scheme, shown = scheme.lower(), f"'{_without_secrets(text)}'"
    is_web = scheme in ("http", "https")
    if re.search(r"[\x00-\x20\x7f\\]", text if is_web else text.replace(" ", "")):
        raise ValueError(f"{shown}: an address must not hold a control character, a backslash, or (on the web) a space")
    if scheme in ("file", "local"):
        host, slash, path = rest.partition("/")
        if host not in ("", "localhost") or not slash:
            raise ValueError(f"{shown}: a file of this machine is written file:///folder/name, with three slashes")
        return Path(f"/{path}")
    if not rest.strip("/"):
        raise ValueError(f"{shown} names no file")
    if "::" in rest:
        raise ValueError(f"{shown}: a chain of file systems ('::') is not available; unpack archives first")
    _refuse_secrets(rest, shown, is_web=is_web)
    url = Url(f"{scheme}://{rest}")
    if not url.split()[1] or url.split()[0].endswith(":"):
        raise ValueError(f"{shown}: the first part must be without wildcards")
    return url


def local(value: _Local | Url) -> _Local:
    """Return a setting that is no URL: URLs were replaced by paths of copies before anything is read."""
    if isinstance(value, Url):
        raise AssertionError(f"{value} was not fetched")
    return value


def path_or_url(source: str | Path) -> Path | Url:
    """Return a caller's path, or URL given as text; ConfigurationError for one that is refused."""
    if not is_url(str(source)):
        exists = os.path.exists(source)  # noqa: PTH110 - no error for long names
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/[^/]", str(source)) and not exists:
            raise ConfigurationError(f"{source}: is it an address? Give it as text: a Path drops one of its slashes")
        return Path(source)
    try:
        return parse_url(str(source))
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def _refuse_secrets(rest: str, shown: str, *, is_web: bool) -> None:
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    user, at, _ = host.rpartition("@")
    is_torn = "@" in rest and ":" in host and not re.fullmatch(r".*:\d*", host)  # a password with a slash in it
    if is_torn or (at and (":" in user or is_web)):
        raise ValueError(f"{shown} holds a user's name or password: {_REMEDY}")
    if is_web and "#" in rest:
        raise ValueError(f"{shown}: a web address of a file has no part after '#'")
    names = [name.casefold() for name, _ in parse_qsl(rest.partition("?")[2], keep_blank_values=True)]
    if is_web and not HARMLESS.issuperset(names):
        raise ValueError(f"{shown}: its parameters may be a key or a signature: {_REMEDY}")


def _without_secrets(text: str) -> str:
    scheme, _, rest = text.partition("://")
    shown = re.split(r"[?#]", rest.rpartition("@")[2])[0]
    return f"{scheme}://{shown if len(shown) <= 80 else f'{shown[:79]}…'}{'?…' if '?' in rest else ''}"

"""Inputs by URL: what is one, which may hold a secret, and copies of them on this machine, by fsspec.

fsspec's own caches do not do: on the web they tell no change, and of nested folders they keep no names.
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar
from urllib.parse import parse_qsl, unquote

from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError, install_command
from phonxling.load.text import BESIDE, LISTS, has_ending, shown_endings

if TYPE_CHECKING:
    from phonxling.core.posteriorgram import Rows

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


_SILENCE = 60  # seconds without a byte, after which a web server is given up
_STATES = re.compile("(content)?md5(hash)?|etag|crc32c|checksum|generation|versionid|(last)?modified|mtime|created")
_Files = dict[str, tuple[str, dict[str, Any]]]  # by the names of their copies: URL, what the file system tells


class LocalCopies:
    """Fetches inputs by URL to a folder where a next run finds them, or a temporary one; errors within name URLs."""

    def __init__(self, folder: Path | None = None, on_bytes: Callable[[int], object] = int) -> None:
        self.urls: dict[Path, str] = {}  # what each path of a copy stands for: a file, a folder, a glob
        self._folder, self._on_bytes = folder, on_bytes
        self._remove_temporary: Callable[[], object] = int  # does nothing

    def path(self, source: str | PathLike[str] | Url, endings: tuple[str, ...] = ()) -> Path:
        """Return the path of an input: one file, or a folder's files with these endings."""
        url = source if isinstance(source, Url) else path_or_url(source if isinstance(source, str) else Path(source))
        if isinstance(url, Path):
            return url
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="phonxling-"))
            self._remove_temporary = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        folder = self._folder.absolute() / hashlib.sha256(f"{url}\n{endings}".encode()).hexdigest()[:16]
        try:
            files = self._update(folder, url, endings)
        except DataError:
            raise
        except Exception as error:  # file systems raise errors of their own libraries
            cause = error.__cause__ or error  # of every failure on the web, fsspec says FileNotFoundError
            # Parameters of URLs may hold a signature.
            text = re.sub(r"(://)[^/\s@]*@|\?[^\s'\")]*", r"\1", " ".join(str(cause).split()))[:200]
            remedy = "check the address, your permission to read it, and the network"
            raise DataError(f"{url}: cannot be fetched: {type(cause).__name__}: {text}; {remedy}") from error
        around, name, pattern = url.split()
        place = folder / url.decoded(name) / url.decoded(pattern)
        self.urls |= {place: url.text, **{folder / name: own for name, (own, _) in files.items()}, folder: around}
        return place

    def remove_others(self) -> None:
        """Remove what earlier runs fetched and this one has no use for, and nothing else: the folder may be a link."""
        for folder in self._folder.absolute().glob("[0-9a-f]" * 16) if self._folder else ():
            if folder not in self.urls:
                shutil.rmtree(folder, ignore_errors=True)  # leaves links alone

    def named(self, text: str) -> str:
        for path, url in self.urls.items():
            text = text.replace(str(path), url.rstrip("/"))
        return text

    def keep_for(self, read: "Callable[[str], Rows]") -> "Callable[[str], Rows]":
        """Return a reader for later, whose errors name URLs; temporary copies stay as long as it does."""

        def read_copies(utterance: str) -> "Rows":
            with self:
                return read(utterance)

        self._remove_temporary = int  # weakref removes them once nothing refers to this object
        return read_copies if self.urls else read

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._remove_temporary()
        if isinstance(error, PhonxlingError) and self.named(str(error)) != str(error):
            raise type(error)(self.named(str(error))) from error

    def _update(self, folder: Path, url: Url, endings: tuple[str, ...]) -> _Files:
        """Return the files of a URL by name, once a folder holds whole copies of them and no other file."""
        files = _list_files(url, endings)
        stamps = self._stamps(folder, files)
        for copy in (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()):
            if copy.is_symlink() or stamps.get(copy, -1) != copy.stat().st_mtime_ns:
                copy.unlink()
        new = {copy: about for copy, (_, about) in zip(stamps, files.values(), strict=True) if not copy.exists()}
        if new:
            callbacks = import_module("fsspec.callbacks")
            all_files, each_file = callbacks.Callback(), callbacks.Callback()
            all_files.branched, each_file.relative_update = lambda *_, **__: each_file, self._on_bytes
            for copy in new:
                copy.parent.mkdir(parents=True, exist_ok=True)
            system, _ = _open_system(url.text)
            system.get([about["name"] for about in new.values()], [*map(str, new)], callback=all_files)
            whole = all(about.get("size") in (None, copy.stat().st_size) for copy, about in new.items())
            if not whole or self._stamps(folder, _list_files(url, endings)) != stamps:
                raise DataError(f"{url}: changed while it was fetched, or came incomplete; try again")
        for copy in new:  # only now: the time says that the copy is whole
            os.utime(copy, ns=(stamps[copy],) * 2)
        return files

    @staticmethod
    def _stamps(folder: Path, files: _Files) -> dict[Path, int]:
        """Return the time of each finished copy, in ns: made from what tells the file's state; else 0."""
        times = {}
        for name, (url, about) in files.items():
            states = {re.sub("[-_]", "", key.lower()): value for key, value in about.items() if value}
            state = [f"{key}={states[key]}" for key in sorted(states) if _STATES.fullmatch(key)]
            told = hashlib.sha256(f"copy {url} {about.get('size')} {state}".encode()).digest()
            times[folder / name] = int.from_bytes(told[:8], "big") % 10**18 if state else 0
        return times


def _open_system(address: str) -> tuple[Any, str]:
    options = {}
    try:
        if address.startswith(WEB):  # otherwise every download ends after five minutes
            options["timeout"] = import_module("aiohttp").ClientTimeout(sock_connect=_SILENCE, sock_read=_SILENCE)
        system, path = import_module("fsspec.core").url_to_fs(address, **options)
    except ImportError as error:
        remedy = f"{install_command('remote')} brings fsspec, S3 and the web"
        raise DataError(f"{address}: a library is missing; {remedy} ({error})") from None
    system.invalidate_cache()
    return system, str(path)


def _list_files(url: Url, endings: tuple[str, ...]) -> _Files:
    """Return the files to fetch by the names of their copies; DataError when there is none, or a name is unsafe."""
    around, top, pattern = url.split()
    system, path = _open_system(f"{around}/{top}" if pattern else url.text)
    about = {"type": "directory"} if pattern else system.info(path)
    if about["type"] == "directory" or (url.web and url.text.endswith("/")):
        files = _in_folder(url, endings, system, path)
    else:
        files = {url.decoded(top): (url.text, about)}
        for labels in (f"{top.rpartition('.')[0]}.{BESIDE}", *LISTS) if BESIDE in endings else ():
            _, path = _open_system(f"{around}/{labels}")
            if system.exists(path):
                files[url.decoded(labels)] = f"{around}/{labels}", system.info(path)
    for name, (own, _) in files.items():
        if name.lower().endswith(".scp"):
            remedy = "give the .ark files, as a folder without it or a glob"
            raise DataError(f"{own}: a list of places on the machine that wrote it cannot be read elsewhere; {remedy}")
        if re.search(r"[\x00-\x1f\x7f\\]", name) or {"", ".", ".."} & {*name.split("/")}:
            raise DataError(f"{own}: the name {name!r} would lead out of the folder of copies; rename the object")
    return files


def _in_folder(url: Url, endings: tuple[str, ...], system: Any, path: str) -> _Files:  # noqa: ANN401
    around, top, pattern = url.split()
    if not (pattern or endings):
        raise DataError(f"{url}: is a folder, and one file is needed")
    start, files = path.rstrip("/") + "/", {}
    fits = re.compile(import_module("fsspec.utils").glob_translate(start + pattern)).match
    for about in _below(system, path, pattern.count("/") + 1 if pattern and "**" not in pattern else sys.maxsize):
        below = about["name"].removeprefix(start)
        name = url.decoded(below)
        wanted = fits(about["name"]) if pattern else has_ending(name.rpartition("/")[2], endings)
        if (wanted and not (url.web and set("?#") & set(below))) or (name in LISTS and BESIDE in endings):
            files[f"{url.decoded(top)}/{name}"] = f"{around}/{top}/{below}", about
    if not files:
        raise DataError(f"{url}: {'nothing matches' if pattern else f'holds no {shown_endings(endings)} file'}")
    return files


def _below(system: Any, folder: str, depth: int) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - fsspec has no types
    """Yield what is told of the files below a folder; of fsspec's own ways to list them, most leave errors out."""
    for about in system.ls(folder, detail=True):
        if about["type"] != "directory" and not about["name"].endswith("/"):
            yield about
        elif depth > 1 and about["name"].rstrip("/") != folder.rstrip("/"):
            yield from _below(system, about["name"], depth - 1)

"""Inputs by URL fetched to copies on this machine, by fsspec: what has changed, each whole or not at all."""

import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Self

from phonxling.core.errors import DataError, PhonxlingError, install_command
from phonxling.core.files import digest
from phonxling.core.posteriorgram import Rows
from phonxling.load.labels import BESIDE, LISTS
from phonxling.load.paths import has_ending, shown_endings
from phonxling.load.urls import WEB, Url, path_or_url

_SILENCE = 60  # seconds without a byte, after which a web server is given up
_LONGEST_NAME = 255  # bytes
_STATES = re.compile(
    "(content)?md5(hash)?|etag|crc32c|checksum|digest|generation|versionid|"
    "(last)?modified|modify|mtime|updated|created|lastwritetime"
)


class _RemoteFile(NamedTuple):
    """A file to fetch; `state` is its tag, checksum or time (empty where its file system tells nothing)."""

    url: str
    path: str
    size: int | None
    state: str


class LocalCopies:
    """Fetches inputs by URL to a folder where a next run finds them, or a temporary one; errors within name URLs."""

    def __init__(
        self, folder: Path | None = None, on_bytes: Callable[[int], object] = int, sign: Callable[[str], str] = str
    ) -> None:
        self.urls: dict[Path, str] = {}  # what each path of a copy stands for: a file, a folder, a glob
        self._folder, self._on_bytes, self._sign = folder, on_bytes, sign
        self._remove_temporary: Callable[[], object] = int  # does nothing

    def path(self, source: str | Path | Url, endings: tuple[str, ...] = ()) -> Path:
        """Return the path of an input: one file, or a folder's files with these endings."""
        url = source if isinstance(source, Url) else path_or_url(source)
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
        self.urls |= {place: url.text, **{folder / name: file.url for name, file in files.items()}, folder: around}
        return place

    def remove_others(self) -> None:
        """Remove what earlier runs fetched and this one has no use for, and nothing else: the folder may be a link."""
        for folder in self._folder.absolute().glob("[0-9a-f]" * 16) if self._folder else ():
            if folder not in self.urls:
                shutil.rmtree(folder, ignore_errors=True)  # leaves links alone

    def named(self, text: str) -> str:
        """Return a text with URLs where it names copies."""
        for path, url in self.urls.items():
            text = text.replace(str(path), url.rstrip("/"))
        return text

    def keep_for(self, read: Callable[[str], Rows]) -> Callable[[str], Rows]:
        """Return a reader for later, whose errors name URLs; temporary copies stay as long as it does."""

        def read_copies(utterance: str) -> Rows:
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

    def _update(self, folder: Path, url: Url, endings: tuple[str, ...]) -> dict[str, _RemoteFile]:
        """Return the files of a URL by name, once a folder holds whole copies of them and nothing else."""
        files = _list_files(url, endings)
        changed = {folder / name: file for name, file in files.items()}
        for path in sorted(folder.rglob("*"), reverse=True):
            if path.is_dir() and not path.is_symlink():
                with suppress(OSError):  # it is not empty
                    path.rmdir()
            elif path in changed and self._is_finished(path, changed[path]):
                del changed[path]
            else:
                path.unlink()
        if changed:
            _download(url, changed, self._on_bytes)
            is_whole = all(file.size in (None, copy.stat().st_size) for copy, file in changed.items())
            if not is_whole or _list_files(url, endings) != files:
                raise DataError(f"{url}: changed while it was fetched, or came incomplete; try again")
        for copy, file in changed.items():  # only now: the stamp says that the copy is whole
            os.utime(copy, ns=(self._stamp(copy, file),) * 2)
        return files

    def _is_finished(self, copy: Path, file: _RemoteFile) -> bool:
        state = copy.lstat()
        is_regular = stat.S_ISREG(state.st_mode) and os.access(copy, os.R_OK)
        return bool(file.state) and is_regular and state.st_mtime_ns == self._stamp(copy, file)

    def _stamp(self, copy: Path, file: _RemoteFile) -> int:
        """Return the time that a finished copy is given, in ns: made from its content and the state, and signed."""
        signature = self._sign(f"copy {file.url} {file.size} {file.state} {digest(copy)}")
        return int.from_bytes(hashlib.sha256(signature.encode()).digest()[:8], "big") % 10**18


def _download(url: Url, files: Mapping[Path, _RemoteFile], on_bytes: Callable[[int], object]) -> None:
    callbacks = import_module("fsspec.callbacks")
    all_files, each_file = callbacks.Callback(), callbacks.Callback()
    all_files.branched, each_file.relative_update = lambda *_, **__: each_file, on_bytes
    for copy in files:
        copy.parent.mkdir(parents=True, exist_ok=True)
    system, _ = _open_system(url.text)
    system.get([file.path for file in files.values()], [*map(str, files)], callback=all_files)


def _open_system(address: str) -> tuple[Any, str]:
    """Return fsspec's file system for an address, and what the address is called in it."""
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


def _list_files(url: Url, endings: tuple[str, ...]) -> dict[str, _RemoteFile]:
    """Return the files to fetch by the names of their copies; DataError when there is none, or a name is unsafe."""
    around, name, pattern = url.split()
    system, path = _open_system(f"{around}/{name}" if pattern else url.text)
    about = {"type": "directory"} if pattern else system.info(path)
    if about["type"] == "directory" or (url.web and url.text.endswith("/")):
        files = _in_folder(url, endings, system, path)
    else:
        files = {url.decoded(name): _remote_file(url.text, about)}
        for labels in (f"{name.rpartition('.')[0]}.{BESIDE}", *LISTS) if BESIDE in endings else ():
            _, path = _open_system(f"{around}/{labels}")
            if system.exists(path):
                files[url.decoded(labels)] = _remote_file(f"{around}/{labels}", system.info(path))
    for copy_name, file in files.items():
        _check_name(copy_name, file.url)
    return files


def _in_folder(url: Url, endings: tuple[str, ...], system: Any, path: str) -> dict[str, _RemoteFile]:  # noqa: ANN401
    around, top, pattern = url.split()
    if not (pattern or endings):
        raise DataError(f"{url}: is a folder, and one file is needed")
    start, files = path.rstrip("/") + "/", {}
    matches = re.compile(import_module("fsspec.utils").glob_translate(start + pattern)).match
    for entry, about in _listed(system, path, pattern):
        below = entry.removeprefix(start)
        name = url.decoded(below)
        fits = matches(entry) if pattern else has_ending(name.rpartition("/")[2], endings)
        if (fits and not (url.web and set("?#") & set(below))) or (name in LISTS and BESIDE in endings):
            files[f"{url.decoded(top)}/{name}"] = _remote_file(f"{around}/{top}/{below}", about)
    if not files:
        raise DataError(f"{url}: {'nothing matches' if pattern else f'holds no {shown_endings(endings)} file'}")
    return files


def _listed(system: Any, path: str, pattern: str) -> Iterator[tuple[str, Mapping[str, Any]]]:  # noqa: ANN401
    """Yield the files below a folder, no deeper than a pattern reaches, and what their file system tells of each."""
    depth = pattern.count("/") + 1 if pattern and "**" not in pattern else None
    entries: Mapping[str, Mapping[str, Any]] = system.find(path, maxdepth=depth, withdirs=True, detail=True)
    with_entries = {entry.rstrip("/").rpartition("/")[0] for entry in entries}
    deepest = path.rstrip("/").count("/") + (depth or sys.maxsize)
    for entry, about in {path: {"type": "directory"}, **entries}.items():
        if about["type"] != "directory" and not entry.endswith("/"):
            yield entry, about
            continue
        if "." in entry.rpartition("/")[2]:  # object stores allow an object of a folder's name, which listings hide
            system.invalidate_cache()
            if system.info(entry)["type"] != "directory":
                raise DataError(f"{system.unstrip_protocol(entry)}: is a file and a folder at once; rename the object")
        if entry.rstrip("/") not in with_entries and entry.rstrip("/").count("/") < deepest:
            system.ls(entry)  # raises the reason for which `find` left out what is in it; or it is empty


def _remote_file(url: str, about: Mapping[str, Any]) -> _RemoteFile:
    states = {re.sub("[-_]", "", key.lower()): value for key, value in about.items() if value}
    state = " ".join(f"{key}={states[key]}" for key in sorted(states) if _STATES.fullmatch(key))
    return _RemoteFile(url, about["name"], about.get("size"), state)


def _check_name(name: str, url: str) -> None:
    """Raise DataError for a file that cannot have a copy here."""
    parts = name.split("/")
    if name.lower().endswith(".scp"):
        remedy = "give the .ark files, as a folder without it or a glob"
        raise DataError(f"{url}: a list of places on the machine that wrote it cannot be read from elsewhere; {remedy}")
    if re.search(r"[\x00-\x1f\x7f\\]", name) or {"", ".", ".."} & set(parts):
        raise DataError(f"{url}: the name {name!r} would lead out of the folder of copies; rename the object")
    if max(len(part.encode()) for part in parts) > _LONGEST_NAME:
        raise DataError(f"{url}: a name has at most {_LONGEST_NAME} bytes; rename the object")

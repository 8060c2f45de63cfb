"""Inputs by URL fetched to copies on this machine: what has changed, each whole or not at all."""

import hashlib
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Self

from phonxling.core.errors import DataError, PhonxlingError
from phonxling.core.posteriorgram import Rows
from phonxling.load.remote.copies import Copies
from phonxling.load.remote.listing import RemoteFile, Wanted, list_files
from phonxling.load.remote.systems import open_system, unfetched
from phonxling.load.remote.urls import Url, path_or_url


class LocalCopies:
    """Fetches inputs for as long as they are read; errors within name URLs, not copies.

    The copies stay in `folder` for the next time; without one they are temporary and removed at the end.

    Examples
    --------
    >>> with LocalCopies() as copies:
    ...     copies.path("data/gold.tsv", Wanted())
    PosixPath('data/gold.tsv')
    """

    def __init__(self, folder: Path | None = None, heard: Callable[[int], object] = lambda _: None) -> None:
        self._folder, self._temporary, self._heard = folder, folder is None, heard
        self.copies = Copies()

    def path(self, source: str | Path | Url, wanted: Wanted) -> Path:
        """Return the path of an input; DataError when it cannot be fetched, ConfigurationError when it is refused."""
        url = source if isinstance(source, Url) else path_or_url(source)
        if isinstance(url, Path):
            return url
        self._folder = self._folder or Path(tempfile.mkdtemp(prefix="phonxling-"))
        folder = self._folder.absolute() / hashlib.sha256(f"{url}\n{wanted!r}".encode()).hexdigest()[:16]
        try:
            place, files = _fetch(url, wanted, folder, self._heard)
        except DataError:
            raise
        except Exception as error:  # file systems raise errors of their own libraries
            raise unfetched(url, error) from error
        around = (url.fixed if url.pattern else url.bare).rpartition("/")[0]
        urls = {folder / file.name: file.url for file in files}
        self.copies = Copies(
            {**self.copies.files, folder / place: url.text, **urls}, {**self.copies.folders, folder: around}
        )
        return folder / place

    def remove_others(self) -> None:
        """Remove what earlier runs fetched and this one has no use for, and nothing else: the folder may be a link."""
        for path in self._folder.glob("*") if self._folder else ():
            if re.fullmatch("[0-9a-f]{16}", path.name) and path.absolute() not in self.copies.folders:
                shutil.rmtree(path, ignore_errors=True)  # leaves links alone

    def named(self, text: str) -> str:
        """Return a text with URLs where it names copies."""
        return self.copies.named(text)

    def keep_for(self, read: Callable[[str], Rows]) -> Callable[[str], Rows]:
        """Return a reader that is called later: temporary copies stay as long as it does."""
        if self._folder is None:
            return read
        reader = _Reader(read, self.copies)
        weakref.finalize(reader, shutil.rmtree, self._folder, ignore_errors=True)
        self._folder = None
        return reader

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._temporary and self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if isinstance(error, PhonxlingError) and self.named(str(error)) != str(error):
            raise type(error)(self.named(str(error))) from error


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads utterances of copies; its errors name URLs. It can go to another process, as what it calls can."""

    read: Callable[[str], Rows]
    copies: Copies

    def __call__(self, utterance: str) -> Rows:
        try:
            return self.read(utterance)
        except PhonxlingError as error:
            raise type(error)(self.copies.named(str(error))) from error


def _fetch(url: Url, wanted: Wanted, folder: Path, heard: Callable[[int], object]) -> tuple[str, list[RemoteFile]]:
    """Bring a folder of copies up to date."""
    place, files = list_files(url, wanted)
    needed = [file for file in files if not _is_current(file, folder)]
    _remove_others(folder, {folder / file.name for file in files} - {folder / file.name for file in needed})
    if needed:
        _download(url, needed, folder, heard)
        if list_files(url, wanted) != (place, files):
            raise DataError(f"{url}: changed while it was fetched; try again")
    for file in needed:  # only now: the time of a copy says that it is whole
        os.utime(folder / file.name, ns=(_time_of(file), _time_of(file)))
    return place, files


def _is_current(file: RemoteFile, folder: Path) -> bool:
    """Return whether there is a whole copy of a file in its present state, which nobody has touched."""
    try:
        return file.mark is not None and (folder / file.name).lstat().st_mtime_ns == _time_of(file)
    except OSError:
        return False


def _time_of(file: RemoteFile) -> int:
    """Return the time that a finished copy is given, before 2002: a number made from the state of the file.

    Whoever writes to the copy changes its time, and another state of the file has another one, so that nothing else
    need be recorded of copies.
    """
    state = hashlib.sha256(f"{file.size} {file.mark}".encode()).digest()
    return int.from_bytes(state[:8], "big") % 10**18


def _remove_others(folder: Path, kept: AbstractSet[Path]) -> None:
    """Remove all other copies: a reader of the folder would read files that are no longer behind the URL."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in kept:
            path.unlink()


def _download(url: Url, files: Sequence[RemoteFile], folder: Path, heard: Callable[[int], object]) -> None:
    callbacks = import_module("fsspec.callbacks")
    all_files, one_file = callbacks.Callback(), callbacks.Callback()
    all_files.branched = lambda *_, **__: one_file
    one_file.relative_update = heard
    system, _ = open_system(url, url.text)
    copies = [folder / file.name for file in files]
    for copy in copies:
        copy.parent.mkdir(parents=True, exist_ok=True)
    try:
        system.get([file.path for file in files], [str(copy) for copy in copies], callback=all_files)
    except Exception as error:  # file systems raise errors of their own libraries
        raise unfetched(files[0].url if len(files) == 1 else f"{url}: one of {len(files)} files", error) from error
    for file, copy in zip(files, copies, strict=True):
        size = copy.stat().st_size
        if file.size not in (None, size):
            raise DataError(f"{file.url}: cannot be fetched: cut short: {size:,} of {file.size:,} bytes came")

"""Copies on this machine of what addresses stand for, as they are at the moment, each whole or not there at all."""

import hashlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.load.remote.copies import Copy
from phonxling.load.remote.entries import Entry
from phonxling.load.remote.errors import CutShortError, is_busy, is_lasting, unfetched
from phonxling.load.remote.listing import list_objects
from phonxling.load.remote.records import Kept, add_record, finished, missing, read_records
from phonxling.load.remote.systems import System
from phonxling.load.remote.threads import each_of
from phonxling.load.remote.urls import Url
from phonxling.load.remote.wanted import Wanted

Heard = Callable[[int], object]
_ROUNDS = 4  # in which what was cut short, or has changed meanwhile, is fetched again
_PAUSE = 0.3  # seconds before the second round
_AT_ONCE = 8


def fetch(url: Url, wanted: Wanted, root: Path, heard: Heard) -> Copy:
    """Return a copy of what an address stands for now; what is there already and has not changed is not fetched.

    Parameters
    ----------
    url : Url
        The address of a file, a folder or a glob.
    wanted : Wanted
        Which files of a folder are needed.
    root : Path
        Where copies are kept.
    heard : callable (int)
        Hears how many more bytes have come.

    Raises
    ------
    DataError
        As for `list_objects`.
        If there is no room, or copies cannot be written.
        If an object is cut short or cannot be read after several tries, or changes all the while.
    """
    key = hashlib.sha256(f"{url}\n{wanted!r}".encode()).hexdigest()[:16]
    folder, record = root / key, root / f"{key}.jsonl"
    with _writing(url, root):
        folder.mkdir(parents=True, exist_ok=True)
        for scratch in root.glob(f"{key}.*.part"):
            scratch.unlink()
    kept = read_records(record)
    problems: dict[str, BaseException] = {}
    for tried in range(_ROUNDS + 1):  # the last looks whether what the one before fetched still holds
        time.sleep(_PAUSE * tried if problems else 0)
        try:
            system, entries, place = _listed(url, wanted)
        except DataError as error:
            if tried + 1 >= _ROUNDS or error.__cause__ is None or not is_busy(error.__cause__):
                raise
            problems = {str(url): error.__cause__}
            continue
        with _writing(url, root):
            _remove_others(folder, entries)
        needed = missing(entries, kept, folder)
        if not needed:
            return Copy(url, folder, folder / place, {folder / entry.name: entry.url for entry in entries})
        if tried == _ROUNDS:
            break
        _check_room(url, needed, root)
        problems = _fetch_all(system, needed, (folder, record, kept), heard)
        if problems and tried + 1 == _ROUNDS:
            break
    for where, problem in problems.items():
        raise unfetched(where, problem) from problem
    raise DataError(f"{url}: changes while it is fetched; try again later")


def _listed(url: Url, wanted: Wanted) -> tuple[System, Sequence[Entry], str]:
    """Return objects with what their file system says of each, also where a listing tells nothing: web pages do so."""
    system, listing = list_objects(url, wanted)
    bare = [entry for entry in listing.entries if entry.size is None and entry.mark is None]
    told: dict[Entry, Entry] = {}
    for entry, about in each_of(bare, lambda entry: system.info(entry.remote), _AT_ONCE):
        if isinstance(about, Exception):
            raise unfetched(entry.url, about) from about
        told[entry] = entry.measured(about)
    return system, [told.get(entry, entry) for entry in listing.entries], listing.place


def _fetch_all(
    system: System, needed: Sequence[Entry], where: tuple[Path, Path, dict[str, Kept]], heard: Heard
) -> dict[str, BaseException]:
    """Fetch objects and record them; return what went wrong with which, where trying again may help."""
    folder, record, kept = where
    stop, lock, numbers = threading.Event(), threading.Lock(), count()

    def tell(number: int) -> None:
        if stop.is_set():
            raise InterruptedError("stopped")
        with lock:
            heard(number)

    def ask(entry: Entry) -> Kept:
        return _fetch_one(system, entry, folder, next(numbers), tell)

    problems: dict[str, BaseException] = {}
    try:
        for entry, found in each_of(needed, ask, _AT_ONCE if getattr(system, "async_impl", False) else 1):
            if isinstance(found, Kept):
                kept[entry.name] = found
                with _writing(Url(entry.url), folder):
                    add_record(record, found)
            elif is_lasting(found):
                raise unfetched(entry.url, found) from found
            else:
                problems[entry.url] = found
    finally:
        stop.set()
    return problems


def _fetch_one(system: System, entry: Entry, folder: Path, number: int, tell: Heard) -> Kept:
    """Fetch one object under another name, hold its size against what was promised, and rename it."""
    from fsspec.callbacks import Callback

    scratch, copy = folder.parent / f"{folder.name}.{number}.part", folder / entry.name
    told = 0

    def hear(_: int | None, value: int, **__: object) -> None:
        nonlocal told
        told, more = value, value - told
        if more > 0:
            tell(more)

    try:
        system.get_file(entry.remote, str(scratch), callback=Callback(hooks={"bytes": hear}))
        size = scratch.stat().st_size
        if entry.size is not None and size != entry.size:
            raise CutShortError(f"{size:,} of {entry.size:,} bytes came")
        copy.parent.mkdir(parents=True, exist_ok=True)
        scratch.replace(copy)
        return finished(entry, copy)
    finally:
        scratch.unlink(missing_ok=True)


def _remove_others(folder: Path, entries: Sequence[Entry]) -> None:
    """Remove copies of objects that are no longer there: a reader of the folder would read them."""
    wanted = {folder / entry.name for entry in entries}
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in wanted:
            path.unlink()


def _check_room(url: Url, needed: Sequence[Entry], root: Path) -> None:
    size, free = sum(entry.size or 0 for entry in needed), shutil.disk_usage(root).free
    if size > free:
        room = f"its copy takes {size / 1e6:,.1f} MB, and {root} has {free / 1e6:,.1f} MB left"
        raise DataError(
            f"{url}: cannot be fetched: {room}; free some, or choose another folder of results with --output"
        )


@contextmanager
def _writing(url: Url, root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{url}: its copy cannot be written to {root}: {error.strerror}") from error

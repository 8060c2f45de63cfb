"""What of a run is kept for the next one, below `.cache`, and the sha256 of the content by which it is found.

The sha256 is equal for equal values, on every machine and in every process. Each part is written with its kind and its
length, so that no two values are written alike. A path stands for what its file holds. What could be equal without
being the same (an unknown type, a closure) is refused, never guessed from how it prints. Files are digested before
anything is loaded; whether they are still the same after that is told by how they look.

Of a stage (the tables, figures of a corpus, the page, a step of computing) it is stored which files were written from
what: one JSON a stage, trusted only when it is this user's file and the files are whole.

A step is a function over all its tasks, such as the alignments of a corpus. Its key is the content of all that its
records depend on: versions, function, common value and tasks. Records are written while they are computed, to one file:
of each the names, then the arrays, as .npy one after the other, never of objects, since those would be unpickled. The
step counts as finished when all its records are there and no file has changed meanwhile. A disk without room ends the
keeping, not the run.
"""

import dataclasses
import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import Any, BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError, join_problems
from phonxling.core.files import State, digest, is_own, open_new, open_regular, read_json, state_of
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.work import Common, Progress, Record, Task, Work
from phonxling.store.folder import CACHE, outputs
from phonxling.tables.files import write_json

Chunks = Iterator[bytes | memoryview]
FileDigest = Callable[[Path], str]
_OURS = __name__.partition(".")[0]
_AT_ONCE = 4  # files: more readers make one disk slower
_SHOWN = 10


def content_digest(value: object, files: FileDigest = digest) -> str:
    sha256 = hashlib.sha256()
    for chunk in _chunks(value, files):
        sha256.update(chunk)
    return sha256.hexdigest()


def _chunks(value: object, files: FileDigest) -> Chunks:  # noqa: C901 - a case for each kind
    match value:
        case np.ndarray() | np.generic():
            yield from _array(np.asarray(value))
        case Mapping():
            yield from _sequence("mapping", [part for pair in value.items() for part in pair], files)
        case set() | frozenset():
            yield from _sequence("set", sorted(content_digest(part, files) for part in value), files)
        case tuple() | list() if set(map(type, value)) == {str}:  # a million utterances' names, quickly
            yield from _run(f"strings of {_name(type(value))}", "".join(value))
            yield from _array(np.fromiter(map(len, value), np.int64, len(value)))
        case tuple() | list():
            yield from _sequence(_name(type(value)), value, files)
        case bytes():
            yield from _run("bytes", value)
        case Enum():
            yield from _run("enum", f"{_name(type(value))}.{value.name}")
        case None | bool() | int() | Fraction() | str():
            yield from _run(type(value).__name__, str(value))
        case float():
            yield from _run("float", value.hex())
        case Path():
            yield from _run("file", files(value))
        case FunctionType():
            if value.__module__.partition(".")[0] != _OURS or "<" in value.__qualname__:
                raise TypeError(f"a function that is no module's own of {_OURS}: {_name(value)}")
            yield from _run("function", _name(value))
        case _:
            yield from _sequence(_name(type(value)), list(_fields(value)), files)


def _fields(value: object) -> Iterator[object]:
    """Yield names and values of what a dataclass or a configuration was made from; what follows from that is left."""
    if configured := getattr(type(value), "model_fields", None):  # of a section of the configuration
        names = list(configured)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
    else:
        raise TypeError(f"a {_name(type(value))} has no content that could be compared")
    if isinstance(value, Posteriorgrams):
        unread = {"spelling", *(["read"] if value.files else [])}  # no task reads labels; and `read` reads these files
        names = [name for name in names if name not in unread]
    for name in names:
        yield name
        yield getattr(value, name)


def _sequence(kind: str, parts: Sequence[object], files: FileDigest) -> Chunks:
    yield f"{kind}*{len(parts)}:".encode()
    for part in parts:
        yield from _chunks(part, files)


def _array(array: NDArray[Any]) -> Chunks:
    if array.dtype.hasobject:
        raise TypeError("an array of objects has no content that could be compared")
    yield f"array {array.dtype.descr} {array.shape}:".encode()
    yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data if array.size else b""


def _name(named: type | FunctionType) -> str:
    return f"{named.__module__}.{named.__qualname__}"


def _run(kind: str, content: bytes | str) -> Chunks:
    content = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    yield f"{kind} {len(content)}:".encode()
    yield content


class Inputs:
    """The sha256 of each input as it was first read, and how the file looked then."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._found: dict[Path, tuple[State, str]] = {}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            wanted = list(dict.fromkeys(map(_plain, paths)))
            self._found |= zip(wanted, pool.map(_read, wanted), strict=True)

    def digest(self, path: Path) -> str:
        """Return the sha256 that a file had when it was first asked for."""
        plain = _plain(path)
        if plain not in self._found:
            self._found[plain] = _read(plain)
        return self._found[plain][1]

    def touched(self, paths: Iterable[Path]) -> list[Path]:
        """Return the files that are gone or look otherwise than when they were first read."""
        return [path for path in paths if state_of(path) != self._found[_plain(path)][0]]

    def check(self) -> None:
        """Raise DataError when a file was written to since it was first read: all of them are named."""
        changed = [str(path) for path in self.touched(self._found)]
        if changed:
            remedy = "Nothing was written. Wait until they are whole, then run again."
            raise DataError(join_problems("inputs changed while they were read:", changed, remedy, limit=_SHOWN))


def _plain(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - a link stays a link: what it leads to may change


def _read(path: Path) -> tuple[State, str]:
    before = state_of(path)
    return before or (-1, -1, -1), digest(path)


_LIBRARIES = (
    *("numpy", "numba", "scipy", "pandas", "scikit-learn", "umap-learn", "pynndescent", "panphon"),
    *("matplotlib", "jinja2"),
)


@cache
def versions() -> tuple[str, ...]:
    """Return the source's digest, the version of each library, of Python, and the kind of machine."""
    interpreter = f"python {sys.version_info.major}.{sys.version_info.minor}"
    machine = f"{platform.system()} {platform.machine()}"
    return own_source(), interpreter, machine, *(f"{name} {version(name)}" for name in _LIBRARIES)


@cache
def own_source() -> str:
    """Return the sha256 of this package's files, as they were when it was first asked for."""
    return source_digest(Path(__file__).parent.parent)


def source_digest(folder: Path) -> str:
    """Return the sha256 of a package's files: whoever edits one keeps nothing from before."""
    sha256 = hashlib.sha256()
    files = (path for path in folder.rglob("*") if "__pycache__" not in path.parts and path.is_file())
    for path in sorted(files):
        content = path.read_bytes()
        sha256.update(f"{path.relative_to(folder).as_posix()} {len(content)}:".encode())
        sha256.update(content)
    return sha256.hexdigest()


_LETTERS = 16  # of the name of a stage's file


class Stage(NamedTuple):
    """A finished stage: the sha256 of each file that it wrote, by its path below the results, and what it told."""

    files: Mapping[str, str]
    about: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stages:
    """The finished stages that a folder has on record, whose files are below the results' folder."""

    folder: Path
    results: Path

    def read(self, stage: str, key: str) -> Stage | None:
        """Return a stage that was done from this key's content and whose files are all as it wrote them, else None."""
        try:
            content, own = read_json(self.path(stage)), is_own(self.path(stage))
            done = Stage(dict(content["files"]), dict(content["about"]))
            if not own or content["key"] != key:
                return None
            whole = all(digest(self.results / name) == wanted for name, wanted in done.files.items())
        except (DataError, OSError, ValueError, KeyError, TypeError):  # nothing was stored, or a file is gone
            return None
        return done if whole else None

    def write(self, stage: str, key: str, files: Mapping[str, str], about: Mapping[str, Any] | None = None) -> None:
        """Store what a stage wrote, if that can be done."""
        body = {"key": key, "files": dict(files), "about": dict(about or {})}
        try:
            write_json(self.path(stage), body)
        except DataError:  # the disk is full: the results count, not what is stored for a next run
            with suppress(OSError):  # what cannot be removed is checked before it is trusted
                self.path(stage).unlink(missing_ok=True)

    def path(self, stage: str) -> Path:
        return self.folder / f"{content_digest(stage)[:_LETTERS]}.json"


@dataclass(frozen=True, eq=False)
class Parts:
    """What a run makes of its tables, part by part: a part that was made of the same before is left as it is."""

    stages: Stages
    tables: Mapping[str, str]
    names: list[str] = field(default_factory=list)
    reused: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)

    def unchanged(self, part: str, settings: object, tables: Iterable[str] | None = None) -> list[Path] | None:
        """Return the files of a part when they are as they would be made now; else None."""
        self.names.append(part)
        stage = self.stages.read(part, self._key(settings, tables))
        if stage is None:
            return None
        self.reused.append(part)
        self.named.update(stage.files)
        return [self.stages.results / name for name in stage.files]

    def add(self, part: str, settings: object, files: Iterable[Path], tables: Iterable[str] | None = None) -> None:
        made = outputs(self.stages.results, files)
        self.named.update(made)
        self.stages.write(part, self._key(settings, tables), made)

    def _key(self, settings: object, tables: Iterable[str] | None) -> str:
        chosen = sorted(self.tables) if tables is None else list(tables)
        return content_digest((versions(), settings, [(name, self.tables.get(name)) for name in chosen]))


def kept(names: Iterable[str]) -> str:
    """Return what is said of finished work that is used again."""
    return f"kept from an earlier run: {', '.join(names)}"


def kept_files(folder: Path) -> list[Path]:
    """Return what this package has stored in a folder, and nothing else that may be there: it could be a link."""
    return [*folder.glob(f"{'[0-9a-f]' * _LETTERS}*"), *folder.glob(".*.part")]


def forget(results: Path) -> None:
    """Remove what is stored of a folder's finished work; DataError when it cannot be."""
    folder = results / CACHE
    try:
        for path in (*kept_files(folder), *kept_files(folder / "tasks")):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be emptied: {error.strerror}") from error


Made = TypeVar("Made")
ENDING = ".arrays"
_MARGIN = 32 * 2**20  # bytes of the disk that are left for the results themselves
_README = """\
Finished work of phonxling: what a next run with the same inputs, settings and versions need not compute again.
Nothing here is a result, and no result depends on it. It may be deleted at any time when no run is writing here;
"phonxling run --fresh" ignores and replaces it.
"""


class Steps:
    """The finished steps of this run and of earlier ones, in a folder of results."""

    def __init__(self, results: Path, inputs: Inputs, progress: Progress) -> None:
        self._results, self._inputs, self._progress = results, inputs, progress
        self._folder = results / CACHE / "tasks"
        self._stages = Stages(self._folder, results)
        self._used: set[Path] = set()
        self._new: set[Path] = set()
        self._full = False
        self.number = self.reused = 0

    def records(
        self, executor: Work, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order: read from the store, or else run and stored."""
        files: set[Path] = set()
        key = self._key(function, (common, tasks), files)
        path = self._stages.path(key).with_suffix(ENDING)
        self.number += 1
        if key and self._stages.read(key, key):
            self._used.add(path)
            self.reused += path not in self._new
            yield from _stored(path, len(tasks))
            return
        scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
        kept = self._tried(self._begin, scratch) if key else None
        try:
            for record in executor.map(function, common, tasks):
                if kept is not None:
                    self._tried(self._add, kept, record)
                yield record
            if kept is not None and not self._inputs.touched(files):
                self._tried(self._finish, kept, scratch, path, key)
        finally:
            if kept is not None:
                with suppress(OSError):  # what was not written yet finds no room
                    kept.close()
                with suppress(OSError):
                    scratch.unlink(missing_ok=True)

    def _begin(self, scratch: Path) -> BinaryIO:
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            with open_new(self._folder.parent / "README.txt") as file:
                file.write(_README.encode())
        return open_new(scratch)

    def _add(self, file: BinaryIO, record: Record) -> None:
        if shutil.disk_usage(self._folder).free < sum(array.nbytes for array in record.values()) + _MARGIN:
            raise OSError("the disk is nearly full")
        for array in (np.array([*record], dtype=str), *record.values()):
            np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)

    def _finish(self, file: BinaryIO, scratch: Path, path: Path, key: str) -> None:
        file.close()
        scratch.replace(path)
        self._stages.write(key, key, {path.relative_to(self._results).as_posix(): digest(path)})
        self._used.add(path)
        self._new.add(path)

    def _tried(self, write: Callable[..., Made], *given: Any) -> Made | None:  # noqa: ANN401 - whatever is written
        """Return what a function returns; when it cannot write, None: the room that steps took is left to results."""
        try:
            return None if self._full else write(*given)
        except OSError as error:
            self._full = True
            self._used.clear()
            self._prune()
            why = error.strerror or str(error)
            self._progress.say(f"{self._folder}: finished work cannot be stored: {why}; the run goes on")
            return None

    def tidy(self) -> None:
        """Remove the steps that the run now finished did not need, and tell how much is left."""
        self._progress.detail(f"{self._prune() / 1e6:,.1f} MB of finished steps are kept for a next run")

    def _prune(self) -> int:
        left = 0
        for path in kept_files(self._folder):  # nothing else that may be there
            if path.with_suffix(ENDING) in self._used and path.suffix in {ENDING, ".json"}:
                left += path.stat().st_size
            else:
                with suppress(OSError):  # it is another user's, or the disk is gone
                    path.unlink(missing_ok=True)
        return left

    def _key(self, function: Callable[..., Record], given: object, files: set[Path]) -> str:
        """Return a step's key, "" when it holds what cannot be compared; what files it names is added to `files`."""

        def digest_of(path: Path) -> str:
            files.add(path)
            return self._inputs.digest(path)

        name = f"{function.__module__}.{function.__qualname__}"
        try:
            return content_digest((versions(), name, given), digest_of)
        except TypeError as error:
            self._progress.detail(f"{name}: not kept: {error}")
            return ""


def _stored(path: Path, number: int) -> Iterator[Record]:
    with open_regular(path) as file:
        for _ in range(number):
            names = np.lib.format.read_array(file, allow_pickle=False).tolist()
            yield {name: np.lib.format.read_array(file, allow_pickle=False) for name in names}


@dataclass(frozen=True)
class Tasks:
    """A `Work`: tasks run on an executor, unless a store has them; `tell` hears how many of how many are done."""

    executor: Work
    tell: Callable[[int, int], object]
    store: Steps | None = None

    @property
    def workers(self) -> int:
        return self.executor.workers

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        run = self.executor.map if self.store is None else partial(self.store.records, self.executor)
        for done, record in enumerate(run(function, common, tasks), start=1):
            self.tell(done, len(tasks))
            yield record

"""Steps of a run, kept for the next one: a function over all its tasks, such as the alignments of a corpus.

The key of a step is the content of all that its records depend on: versions, function, common value and tasks, where a
path stands for what its file held when the run first read it. Records are written while they are computed, to one
file: of each the names, then the arrays, as .npy one after the other, never of objects, since those would be unpickled.
The step counts as finished when all its records are there and no file has changed meanwhile. A disk
without room ends the keeping, not the run.

What is stored of finished work in a folder of results, below `.cache`.

Of a stage (the tables, figures of a corpus, the page, a step of computing) it is stored which files were written from
what: one JSON a stage, trusted only when it is this user's file and the files are whole.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import numpy as np

from phonxling.core.errors import DataError
from phonxling.core.files import digest, is_own, open_new, open_regular, read_json
from phonxling.core.work import Common, Progress, Record, Task, Work
from phonxling.store.content import Inputs, content_digest, versions
from phonxling.store.folder import CACHE, outputs
from phonxling.tables.files import write_json

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
        """Store what a part was made of, and what it is."""
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

"""Tasks run with progress, and with a store of finished ones: only what an earlier run has not finished is computed.

The key of a task is the content of all that its result depends on: versions, function, common value and task, where a
path stands for what its file held when the run first read it. What a task computed may be of a file that was written to
since then, so results are prepared, and confirmed while the files look as they did: now and then, since a look at
thousands of files takes time, and at the end.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from phonxling.core.work import Common, Record, Task, Work
from phonxling.store.content import Inputs, content_digest
from phonxling.store.entries import Entries
from phonxling.store.versions import versions

_PATIENCE = 20  # how many times as long as a look at the files took, the next one waits


class TaskStore:
    """The finished tasks of this run and of earlier ones."""

    def __init__(self, entries: Entries, inputs: Inputs) -> None:
        self._entries, self._inputs = entries, inputs
        self._new: set[str] = set()
        self.tasks = 0
        self.reused = 0

    def completed(
        self, executor: Work, function: Callable[[Common, Task], Record], *, common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order: read from the store, or else run and stored."""
        files: set[Path] = set()
        shared = self._key(function, common, files)
        keys = [shared and self._key(shared, task, files) for task in tasks]
        stored = [bool(key) and self._entries.has(key) for key in keys]
        missing = [task for task, is_stored in zip(tasks, stored, strict=True) if not is_stored]
        computed = executor.map(function, common, missing)
        self.tasks += len(keys)
        waiting: list[str] = []
        looked, took = time.perf_counter(), 0.0
        try:
            for key, task, is_stored in zip(keys, tasks, stored, strict=True):
                record = self._entries.read(key) if is_stored else None
                if record is not None:
                    self.reused += key not in self._new
                    yield record
                    continue
                record = next(executor.map(function, common, [task]) if is_stored else computed)
                if key:
                    self._entries.prepare(key, record)
                    waiting.append(key)
                if (begun := time.perf_counter()) - looked > _PATIENCE * took:
                    self._confirm(waiting, files)
                    looked = time.perf_counter()
                    took = looked - begun
                yield record
        finally:
            self._confirm(waiting, files)

    def _confirm(self, waiting: list[str], files: set[Path]) -> None:
        """Store what was prepared, if no file has changed."""
        if not self._inputs.touched(files):
            self._new.update(self._entries.confirm(waiting))
            waiting.clear()

    def _key(self, function: Callable[..., Record] | str, value: object, files: set[Path]) -> str:
        """Return a task's key, "" when it holds what cannot be compared; what files it names is added to `files`."""

        def digest(path: Path) -> str:
            files.add(path)
            return self._inputs.digest(path)

        name = function if isinstance(function, str) else f"{function.__module__}.{function.__qualname__}"
        try:
            return content_digest((versions(), name, value), digest)
        except TypeError as error:
            self._entries.tell(f"{name}: not kept: {error}")
            return ""


@dataclass(frozen=True)
class Tasks:
    """A `Work`: tasks run on an executor, unless a store has them; `tell` hears how many of how many are done."""

    executor: Work
    tell: Callable[[int, int], object]
    store: TaskStore | None = None

    @property
    def workers(self) -> int:
        return self.executor.workers

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        if self.store is None:
            records = self.executor.map(function, common, tasks)
        else:
            records = self.store.completed(self.executor, function, common=common, tasks=tasks)
        for done, record in enumerate(records, start=1):
            self.tell(done, len(tasks))
            yield record

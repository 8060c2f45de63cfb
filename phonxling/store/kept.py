"""Work whose finished tasks are kept: only what is missing is computed."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from phonxling.core.work import Record, Work
from phonxling.store.content import content_digest
from phonxling.store.entries import Entries
from phonxling.store.inputs import Inputs
from phonxling.store.versions import versions

Common = TypeVar("Common")
Task = TypeVar("Task")
_PATIENCE = 20  # how many times as long as a look at the files took, the next one waits


class Kept:
    """A `Work` that looks each task up, runs the missing ones on another Work, and keeps each as it arrives.

    A task's key is the content of the function's name, of what is common, of the task, and of `versions`. Results of
    tasks that read files are kept only while these are as they were when the inputs were read first.

    Parameters
    ----------
    work : Work
        Runs what is missing.
    entries : Entries
        Where finished tasks are.
    inputs : Inputs
        The content of the files that tasks name.
    tasks, reused : int, counted here
        How many there were, and how many of them an earlier run had finished.
    """

    def __init__(self, work: Work, entries: Entries, inputs: Inputs) -> None:
        self._work, self._entries, self._inputs = work, entries, inputs
        self._new: set[str] = set()
        self.tasks = 0
        self.reused = 0

    @property
    def workers(self) -> int:
        """How many tasks may run at once."""
        return self._work.workers

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order; kept ones are read."""
        files: set[Path] = set()
        shared = self._key(function, common, files)
        keys = [shared and self._key(shared, task, files) for task in tasks]
        there = [bool(key) and self._entries.has(key) for key in keys]
        missing = [task for task, kept in zip(tasks, there, strict=True) if not kept]
        computed = self._work.map(function, common, missing)
        self.tasks += len(keys)
        new = _New(self._entries, self._inputs, files)
        try:
            for key, task, kept in zip(keys, tasks, there, strict=True):
                found = self._entries.read(key) if kept else None
                if found is None:
                    alone = self._work.map(function, common, [task]) if kept else computed
                    yield new.add(key, next(alone))
                else:
                    self.reused += key not in self._new
                    yield found
        finally:
            self._new |= new.confirmed()

    def once(self, function: Callable[[Common], Record], common: Common) -> Record:
        """Return function(common), computed in this process and thread, unless it is kept."""
        files: set[Path] = set()
        key = self._key(function, common, files)
        self.tasks += 1
        found = self._entries.read(key) if key else None
        if found is None:
            new = _New(self._entries, self._inputs, files)
            found = new.add(key, self._work.once(function, common))
            self._new |= new.confirmed()
            return found
        self.reused += key not in self._new
        return found

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


class _New:
    """The tasks of one call that were computed now; kept once it is known that the files they read had not changed.

    Looking at very many files takes long, so this is done when it takes a small part of the time since the last look.
    """

    def __init__(self, entries: Entries, inputs: Inputs, files: set[Path]) -> None:
        self._entries, self._inputs, self._files = entries, inputs, files
        self._waiting: list[str] = []
        self._done: set[str] = set()
        self._looked, self._took = time.perf_counter(), 0.0

    def add(self, key: str, record: Record) -> Record:
        """Prepare a record, and return it; one without a key is not kept."""
        if key:
            self._entries.prepare(key, record)
            self._waiting.append(key)
        if time.perf_counter() - self._looked > _PATIENCE * self._took:
            self.confirmed()
        return record

    def confirmed(self) -> set[str]:
        """Keep what was prepared, if no file has changed; return the keys of all that is kept."""
        begun = time.perf_counter()
        if not self._inputs.touched(self._files):
            self._done.update(self._entries.confirm(self._waiting))
            self._waiting.clear()
        self._looked = time.perf_counter()
        self._took = self._looked - begun
        return self._done

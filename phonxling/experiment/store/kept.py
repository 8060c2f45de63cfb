"""Work whose finished tasks are kept: only what is missing is computed."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from phonxling.core.work import Record, Work
from phonxling.experiment.store.content import content_digest
from phonxling.experiment.store.entries import Entries
from phonxling.experiment.store.inputs import Inputs
from phonxling.experiment.store.versions import versions

Common = TypeVar("Common")
Task = TypeVar("Task")


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
        for key, task, kept in zip(keys, tasks, there, strict=True):
            found = self._entries.read(key) if kept else None
            if found is not None:
                self.reused += key not in self._new
                yield found
            else:
                alone = self._work.map(function, common, [task]) if kept else computed
                yield self._kept(key, next(alone), files)

    def once(self, function: Callable[[Common], Record], common: Common) -> Record:
        """Return function(common), computed in this process and thread, unless it is kept."""
        files: set[Path] = set()
        key = self._key(function, common, files)
        self.tasks += 1
        found = self._entries.read(key) if key else None
        if found is None:
            return self._kept(key, self._work.once(function, common), files)
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

    def _kept(self, key: str, record: Record, files: set[Path]) -> Record:
        if key and not self._inputs.touched(files) and self._entries.write(key, record):
            self._new.add(key)
        return record

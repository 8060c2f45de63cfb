"""Work in shards: one pure function, applied to many tasks, whose results come back in the order of the tasks."""

# Who runs the tasks, and whether finished ones are stored for a next run, is the business of whoever made the `Work`.
# For results to be the same, bit for bit, under any of them, a task must be the same one for any number of workers, and
# float results must be added up in the order of the tasks. OpenBLAS, and others, cut a matrix product into as many
# parts as they have threads, and the order of its sums goes with it: so products are computed by one thread.

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from phonxling.core.errors import ConfigurationError


class Progress(Protocol):
    """Follows a run; `frames` are new ones."""

    def begin(self, steps: int) -> None: ...
    def step(self, label: str) -> None: ...
    def shards(self, done: int, total: int) -> None: ...
    def frames(self, number: int) -> None: ...
    def say(self, message: str) -> None: ...


class SilentProgress:
    def begin(self, *_: object) -> None:
        """Say nothing, whatever happens."""

    step = shards = frames = say = begin


SILENT: Progress = SilentProgress()


class MessageRecord:
    """Passes everything on, and remembers what a user should know, so that a next run can say it again."""

    def __init__(self, listener: Progress) -> None:
        self.messages: list[str] = []
        self._say = listener.say
        self.begin, self.step = listener.begin, listener.step
        self.shards, self.frames = listener.shards, listener.frames

    def say(self, message: str) -> None:
        self.messages.append(message)
        self._say(message)


Record = Mapping[str, NDArray[Any]]
Common = TypeVar("Common")
Task = TypeVar("Task")
_AHEAD = 2  # tasks a thread that may be done, or under way, before they are asked for


class Work(Protocol):
    @property
    def workers(self) -> int: ...
    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order."""


@dataclass(frozen=True, slots=True)
class Threads:
    """So many tasks at once, by threads of this process: compiled loops and most of NumPy let go of Python's lock."""

    workers: int = 1

    def __post_init__(self) -> None:
        number: object = self.workers
        if not isinstance(number, int) or number < 1:
            raise ConfigurationError(f"workers: a whole number of at least 1 is needed, not {number!r}")

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        if min(self.workers, len(tasks)) < 2:
            yield from map(partial(function, common), tasks)
            return
        waiting: deque[Future[Record]] = deque()
        pool = ThreadPoolExecutor(self.workers)
        try:
            for task in tasks:
                # Few results wait at a time: they may be large, and whoever takes them may be slower.
                if len(waiting) == _AHEAD * self.workers:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(function, common, task))
            yield from (future.result() for future in waiting)
        finally:
            pool.shutdown(cancel_futures=True)


SERIAL: Work = Threads(1)
"""One task after the other, here."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Let matrix products be computed by one thread each, in the whole process, until this ends."""
    with _thread_pools(len(sys.modules)).limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _thread_pools(_modules: int) -> Any:  # noqa: ANN401 - it ships no types
    # Looking through all libraries of the process takes longer than a small score, and only imports bring new ones.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@cache
def one_thread_from_now_on() -> None:
    """Do so until the process ends: for those that do nothing but shards."""
    _thread_pools(len(sys.modules)).limit(limits=1, user_api="blas")


def make_shards(work: NDArray[np.int64], size: int) -> list[tuple[int, int]]:
    """Return shards: (first, last + 1) of runs of items that together take about `size` each; none for no items."""
    if not len(work):
        return []
    before = np.cumsum(work) - work
    # By sums of work, not by numbers of items: an item belongs to the shard in which its work begins.
    begins = np.flatnonzero(np.diff(before // size, prepend=-1))
    return list(pairwise([*begins.tolist(), len(work)]))


def join_records(records: Iterable[Record], room: Mapping[str, tuple[int, DTypeLike]]) -> dict[str, NDArray[Any]]:
    """Return the records' one-dimensional arrays, each name's in order, not to be written to."""
    joined, used = {name: np.empty(size, kind) for name, (size, kind) in room.items()}, dict.fromkeys(room, 0)
    for record in records:
        for name, array in joined.items():
            stop = used[name] + len(record[name])
            array[used[name] : stop], used[name] = record[name], stop
    for name, array in joined.items():
        joined[name] = array[: used[name]]
        joined[name].flags.writeable = False
    return joined

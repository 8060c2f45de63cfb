"""Shards run by threads of this process: compiled loops and most of NumPy let go of the interpreter's lock."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from phonxling.core.work import Common, Record, Task

_AHEAD = 2  # tasks a thread that may be done, or under way, before they are asked for


@dataclass(frozen=True, slots=True)
class Threads:
    """So many tasks at once, here; nothing is kept. Few results wait at a time, so that memory stays small.

    Examples
    --------
    >>> import numpy as np
    >>> def twice(factor, values):
    ...     return {"values": factor * values}
    >>> [found["values"].tolist() for found in Threads(2).map(twice, 2, [np.arange(2), np.arange(3)])]
    [[0, 2], [0, 2, 4]]
    """

    workers: int = 1

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order."""
        if min(self.workers, len(tasks)) < 2:
            yield from map(partial(function, common), tasks)
            return
        waiting: deque[Future[Record]] = deque()
        pool = ThreadPoolExecutor(self.workers)
        try:
            for task in tasks:
                if len(waiting) == _AHEAD * self.workers:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(function, common, task))
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)

    def once(self, function: Callable[[Common], Record], common: Common) -> Record:
        """Return function(common), computed in the thread that asks."""
        return function(common)

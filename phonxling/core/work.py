"""Work in shards: one pure function, applied to many tasks, whose results come back in the order of the tasks.

Who runs the tasks, and whether finished ones are kept for a next run, is the business of whoever made the `Work`. For
results to be the same, bit for bit, under any of them, a task must be the same one for any number of workers, and float
results must be added up in the order of the tasks.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

Record = Mapping[str, NDArray[Any]]
Common = TypeVar("Common")
Task = TypeVar("Task")


class Work(Protocol):
    """Runs functions over tasks."""

    @property
    def workers(self) -> int:
        """How many tasks may run at once."""
        ...

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order.

        The function is a module's own, without effects; what it is given, and the arrays that it returns by name, may
        travel between processes. The first error of a task, by order, is raised as it is.
        """
        ...

    def once(self, function: Callable[[Common], Record], common: Common) -> Record:
        """Return function(common), computed in this process and thread: for what cannot run beside itself."""
        ...


@dataclass(frozen=True, slots=True)
class Serial:
    """One task after the other, here; nothing is kept.

    Examples
    --------
    >>> import numpy as np
    >>> def twice(factor, values):
    ...     return {"values": factor * values}
    >>> [found["values"].tolist() for found in Serial().map(twice, 2, [np.arange(2), np.arange(3)])]
    [[0, 2], [0, 2, 4]]
    """

    @property
    def workers(self) -> int:
        """One."""
        return 1

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order."""
        return (function(common, task) for task in tasks)

    def once(self, function: Callable[[Common], Record], common: Common) -> Record:
        """Return function(common)."""
        return function(common)


SERIAL = Serial()

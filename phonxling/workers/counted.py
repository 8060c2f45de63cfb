"""Work whose shards are counted as they come, for whoever shows progress."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from phonxling.core.work import Common, Record, Task, Work


@dataclass(frozen=True, slots=True)
class Counted:
    """The work of another; `tell` hears how many of how many shards are done.

    Examples
    --------
    >>> from phonxling.core.work import SERIAL
    >>> told = Counted(SERIAL, lambda done, total: print(f"{done} of {total}"))
    >>> found = list(told.map(lambda common, task: {}, None, ["a", "b"]))
    1 of 2
    2 of 2
    """

    work: Work
    tell: Callable[[int, int], object]

    @property
    def workers(self) -> int:
        """How many tasks may run at once."""
        return self.work.workers

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order."""
        for number, record in enumerate(self.work.map(function, common, tasks), start=1):
            self.tell(number, len(tasks))
            yield record

    def once(self, function: Callable[[Common], Record], common: Common) -> Record:
        """Return function(common), computed in this process and thread."""
        return self.work.once(function, common)

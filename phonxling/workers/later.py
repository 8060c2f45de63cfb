"""Workers that are started, or joined, when first there is work for them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from phonxling.core.work import Common, Record, Task, Work


@dataclass(eq=False)
class Later:
    """The work of another, which `start` gives: a run that is refused, or has everything kept, submits no jobs.

    Examples
    --------
    >>> from phonxling.core.work import SERIAL
    >>> work = Later(lambda: print("started") or SERIAL)
    >>> found = list(work.map(lambda common, task: {}, None, ["a"]))
    >>> found = list(work.map(lambda common, task: {}, None, ["a", "b"]))
    started
    """

    start: Callable[[], Work]
    _work: Work | None = field(default=None, init=False)

    @property
    def workers(self) -> int:
        """How many tasks may run at once; one until the others are started."""
        return 1 if self._work is None else self._work.workers

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order; a single one is done here."""
        if len(tasks) < 2:
            yield from map(partial(function, common), tasks)
            return
        if self._work is None:
            self._work = self.start()
        yield from self._work.map(function, common, tasks)

    def once(self, function: Callable[[Common], Record], common: Common) -> Record:
        """Return function(common), computed in this process and thread."""
        return function(common)

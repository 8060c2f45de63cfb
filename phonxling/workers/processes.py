"""Who does the work, chosen by name, and the processes of this machine.

In processes, what does not let go of the interpreter's lock runs side by side too. They are started afresh (spawned),
when first there is work for them, and stay for the next step. What all tasks of a step share goes to each once. When
one is killed, another takes its place, and only what it was doing is done again. They look for garbage seldom, and end
with the process that started them, however that ends.
"""

import ctypes
import gc
import os
import signal
import sys
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError
from phonxling.core.work import Common, Record, Task, Threads, Work
from phonxling.settings.checks import did_you_mean
from phonxling.workers import SELDOM

if TYPE_CHECKING:
    from phonxling.settings.models import ClusterJobs

_AHEAD = 4  # tasks a process that may be done, or under way, before they are asked for
_TRIES = 3
_SIGNAL_AT_PARENTS_END = 1  # prctl's PR_SET_PDEATHSIG
_SPAWN = get_context("spawn")


@contextmanager
def chosen(
    scheduler: str, workers: int, say: Callable[[str], object], *, jobs: "ClusterJobs", folder: Path
) -> Iterator[Work]:
    """Yield who does the work: threads or processes of this machine, a Dask scheduler's address, or SLURM's jobs."""
    if scheduler == "threads":
        yield Threads(workers)
    elif scheduler == "processes":
        with Processes(workers, say) as processes:
            yield processes
    elif scheduler == "slurm" or "://" in scheduler:
        from phonxling.workers.cluster import Cluster, at_address, submitted  # brings asyncio

        own = partial(submitted, jobs, folder, say)
        with Cluster(own if scheduler == "slurm" else partial(at_address, scheduler), say) as cluster:
            yield cluster
    else:
        hint = did_you_mean(scheduler, ("threads", "processes", "slurm"))
        known = "threads, processes, slurm, or the address of a Dask scheduler (tls://host:8786)"
        raise ConfigurationError(f"--scheduler {scheduler}: must be {known}{hint}")


class _Worker:
    """A process, our end of the pipe to it, and the step whose common part it has."""

    def __init__(self) -> None:
        self.pipe, far_end = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_serve, args=(far_end,), daemon=True)
        self.process.start()
        far_end.close()  # so that the end of the process is heard of
        self._shared = b""

    def give(self, shared: bytes, task: object) -> None:
        with suppress(OSError):  # of one that is dead, which is heard of later
            if self._shared is not shared:
                self.pipe.send_bytes(shared)
                self._shared = shared
            self.pipe.send((False, task))


class Processes:
    """So many processes; a context manager, which ends them. `say` is told when one had to be replaced."""

    def __init__(self, workers: int, say: Callable[[str], object] = lambda _: None) -> None:
        self.workers, self._say = workers, say
        self._idle: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _end(self._idle)
        self._idle.clear()

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order."""
        if len(tasks) < 2:
            yield from map(partial(function, common), tasks)
            return
        shared = bytes(ForkingPickler.dumps((True, (function, common))))
        waiting, lost = deque(range(len(tasks))), Counter[int]()
        answers: dict[int, tuple[Record, Exception | None]] = {}
        busy: dict[Connection, tuple[_Worker, int]] = {}
        idle, self._idle = self._idle, []
        idle += [_Worker() for _ in range(min(self.workers, len(tasks)) - len(idle))]
        try:
            for place in range(len(tasks)):
                while place not in answers:
                    while idle and waiting and waiting[0] < place + _AHEAD * self.workers:
                        worker, given = idle.pop(), waiting.popleft()
                        worker.give(shared, tasks[given])
                        busy[worker.pipe] = worker, given
                    for pipe in cast("list[Connection]", connection.wait([*busy])):  # on Windows of another class
                        worker, given = busy.pop(pipe)
                        try:
                            answers[given] = pipe.recv()
                            idle.append(worker)
                        except (EOFError, OSError):
                            waiting.appendleft(given)
                            lost[given] += 1
                            idle.append(self._another(worker, lost[given]))
                record, error = answers.pop(place)
                if error is not None:
                    raise error
                yield record
        finally:
            _end([worker for worker, _ in busy.values()])  # what they do is of no use to anyone now
            self._idle += idle

    def _another(self, worker: _Worker, times: int) -> _Worker:
        """Return a process in the place of one that is gone; DataError at the third time that a task's was."""
        how = _end([worker], patience=5)
        if times == _TRIES:
            msg = f"a worker process was ended {_TRIES} times at the same task ({how})"
            raise DataError(f"{msg}; if memory ran out, use fewer --workers")
        self._say(f"a worker process was ended ({how}); another one does its task")
        return _Worker()


def _end(workers: list[_Worker], patience: float = 0) -> str:
    """End processes at once, or when they have had so many seconds to end; return how the last one ended by itself."""
    how = ""
    for worker in workers:
        worker.process.join(timeout=patience)
        code = worker.process.exitcode
        how = "it closed its pipe" if code is None else f"signal {-code}" if code < 0 else f"exit code {code}"
        worker.process.kill()
    for worker in workers:
        worker.process.join()
        worker.process.close()
        worker.pipe.close()
    return how


def _serve(pipe: Connection) -> None:
    """Do what comes through the pipe, the function with its common part or a task of it, until it is closed."""
    from phonxling.resample.p_values import one_thread_from_now_on  # brings SciPy

    begin()
    one_thread_from_now_on()
    function: Any = None
    common: Any = None
    with suppress(EOFError, OSError):
        while True:
            is_shared, content = pipe.recv()
            if is_shared:
                function, common = content
                continue
            answer: tuple[Record, Exception | None]
            try:
                answer = function(common, content), None
            except Exception as error:  # noqa: BLE001 - it is raised again, in the process that asked
                if not isinstance(error, PhonxlingError):
                    error.add_note("".join(traceback.format_exception(error)))
                answer = {}, error
            pipe.send(answer)


def begin() -> None:
    """Begin a process that works for another one, and ends with it; for a pool's `initializer`."""
    gc.set_threshold(*SELDOM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SIGNAL_AT_PARENTS_END, signal.SIGKILL)
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)

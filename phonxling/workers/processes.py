"""Shards run by processes of this machine: what does not let go of the interpreter's lock runs side by side too.

Processes are started afresh (spawned), when first there is work for them. What all tasks of a step share goes to each
once. When one is killed, another takes its place, and only what it was doing is done again.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Self, cast

from phonxling.core.errors import DataError, PhonxlingError, join_problems, shown
from phonxling.core.work import Common, Record, Task
from phonxling.workers.at_work import set_for_work

_AHEAD = 4  # tasks a process that may be done, or under way, before they are asked for
_TRIES = 3
_SIGNAL_AT_PARENTS_END = 1  # prctl's PR_SET_PDEATHSIG
_SHARED, _ONE = "shared", "one"  # what a message brings: the function and its common part, or a task
_SPAWN = get_context("spawn")
_Answer = tuple[Record, Exception | None]


@dataclass(eq=False)
class _Worker:
    """A process, our end of the pipe to it, and the step whose common part it has."""

    process: BaseProcess
    pipe: Connection
    step: object = None


@dataclass(eq=False)
class Processes:
    """So many processes; a context manager, which ends them. `say` is told when one had to be replaced."""

    workers: int
    say: Callable[[str], object] = field(default=lambda _: None)
    _idle: list[_Worker] = field(default_factory=list, init=False)

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
        step, busy = _Step(function, common, tasks), dict[Connection, _Worker]()
        idle, self._idle = self._idle, []
        idle += [_started() for _ in range(min(self.workers, len(tasks)) - len(idle))]
        try:
            for place in range(len(tasks)):
                while place not in step.answers:
                    step.give(idle, busy, place + _AHEAD * self.workers)
                    self._hear(step, idle, busy)
                record, error = step.answers.pop(place)
                if error is not None:
                    raise error
                yield record
        finally:
            _end([*busy.values()])  # what they do is of no use to anyone now
            self._idle += idle

    def _hear(self, step: "_Step", idle: list[_Worker], busy: dict[Connection, _Worker]) -> None:
        """Wait for a process that is done, or dead."""
        for pipe in cast("list[Connection]", connection.wait([*busy])):  # on Windows they are of another class
            worker = busy.pop(pipe)
            try:
                step.answers[step.given.pop(pipe)] = pipe.recv()
                idle.append(worker)
            except (EOFError, OSError):
                how = _end([worker], patience=5)
                step.lose(pipe, how)
                self.say(f"a worker process was ended ({how}); another one does its task")
                idle.append(_started())


class _Step:
    """The tasks of one call of `map`: which are waiting, who has which, and what came of those that are done."""

    def __init__(self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]) -> None:
        self.answers: dict[int, _Answer] = {}
        self.given: dict[Connection, int] = {}
        self._shared, self._tasks = ForkingPickler.dumps((_SHARED, function, common)), tasks
        self._waiting, self._lost = deque(range(len(tasks))), Counter[int]()

    def give(self, idle: list[_Worker], busy: dict[Connection, _Worker], until: int) -> None:
        """Give the next tasks, up to number `until`, to those who have none."""
        while idle and self._waiting and self._waiting[0] < until:
            worker, place = idle.pop(), self._waiting.popleft()
            self.given[worker.pipe], busy[worker.pipe] = place, worker
            with suppress(OSError):  # of one that is dead, which is heard of later
                if worker.step is not self:
                    worker.pipe.send_bytes(self._shared)
                    worker.step = self
                worker.pipe.send((_ONE, self._tasks[place]))

    def lose(self, pipe: Connection, how: str) -> None:
        """Put the task of a process that is gone first in the queue; DataError at the third time."""
        place = self.given.pop(pipe)
        self._lost[place] += 1
        if self._lost[place] == _TRIES:
            msg = f"a worker process was ended {_TRIES} times at the same task ({how})"
            raise DataError(f"{msg}; if memory ran out, use fewer --workers")
        self._waiting.appendleft(place)


def _started() -> _Worker:
    own_end, far_end = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(far_end,), daemon=True)
    process.start()
    far_end.close()  # so that the end of the process is heard of
    return _Worker(process, own_end)


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
    """Do what comes through the pipe, until it is closed."""
    from phonxling.resample.p_values import one_thread_from_now_on  # brings SciPy

    begin()
    one_thread_from_now_on()
    function: Any = None
    common: Any = None
    with suppress(EOFError, OSError):
        while True:
            what, *parts = pipe.recv()
            if what == _SHARED:
                function, common = parts
            else:
                pipe.send(_answer(partial(function, common), *parts))


def _answer(function: Callable[[Task], Record], task: Task) -> _Answer:
    try:
        return function(task), None
    except PhonxlingError as error:
        return {}, error
    except Exception as error:  # noqa: BLE001 - it is raised again, in the process that asked
        error.add_note("".join(traceback.format_exception(error)))
        return {}, error


def begin() -> None:
    """Begin a process that works for another one, and ends with it; for a pool's `initializer`."""
    set_for_work()
    end_with_parent()


def end_with_parent() -> None:
    """Make this process end when the one that started it does, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SIGNAL_AT_PARENTS_END, signal.SIGKILL)
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


# What became of SLURM's jobs: asked of the queue every few seconds, so that nobody waits for jobs that are over.

_ALIVE = frozenset(
    [
        "PENDING",
        "RUNNING",
        "CONFIGURING",
        "COMPLETING",
        "SUSPENDED",
        "REQUEUED",
        "REQUEUE_HOLD",
        "REQUEUE_FED",
        "RESIZING",
        "SIGNALING",
        "STAGE_OUT",
        "SPECIAL_EXIT",
        "STOPPED",
        "RESV_DEL_HOLD",
    ]
)
_OFTEN, _LONG, _SILENT = 4.0, 15.0, 300.0  # seconds from question to question; of waiting; without an answer
_SHOWN, _LINES, _LONGEST = 10, 8, 300  # jobs, lines of their output, letters of these
_GONE = "no longer known to SLURM"


@dataclass(eq=False)
class JobQueue:
    """The jobs of a run."""

    jobs: Sequence[str]
    folder: Path
    say: Callable[[str], object]
    _states: dict[str, str] = field(default_factory=dict, init=False)
    _asked: float = field(default=-_OFTEN, init=False)
    _answered: float = field(default_factory=time.monotonic, init=False)
    _problem: str = field(default="", init=False)
    _messages: set[str] = field(default_factory=set, init=False)

    def why_none(self, seconds: float) -> str:
        """Return why no worker will come, "" while one may; `seconds` is the time since there was one."""
        self._ask(seconds)
        if self._states and not any(map(_alive, self._states.values())):
            return self._all_over() if seconds > 0 else ""
        if seconds > _SILENT < time.monotonic() - self._answered:
            return f"the queue cannot be asked what became of the jobs: {self._problem}"
        return ""

    def _ask(self, seconds: float) -> None:
        if time.monotonic() - self._asked < _OFTEN:
            return
        self._asked = time.monotonic()
        states = self._now()
        if states is None:
            return
        self._answered = time.monotonic()
        self._states = states
        for job, state in states.items():
            if not _alive(state):
                self._tell(f"job {job}: {state}; its output: {self._output(job)}")
            elif seconds > _LONG and state.startswith("PENDING"):
                self._tell(f"job {job} waits in the queue: {state}")

    def _tell(self, message: str) -> None:
        if message not in self._messages:
            self._messages.add(message)
            self.say(message)

    def _now(self) -> dict[str, str] | None:
        """Return each job's state, and the reason where there is one; None when the queue does not answer."""
        command = ["squeue", "--noheader", "--states=all", f"--jobs={','.join(self.jobs)}", "--format=%i|%T|%r"]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603 - numbers
        except (OSError, subprocess.SubprocessError) as error:
            self._problem = str(error)
            return None
        if answer.returncode and "Invalid job id" not in answer.stderr:
            self._problem = shown(answer.stderr.strip(), _LONGEST)
            return None
        lines = [line.split("|") for line in answer.stdout.splitlines() if line.count("|") == 2]
        states = {job: state if reason == "None" else f"{state} ({reason})" for job, state, reason in lines}
        return {job: states.get(job, _GONE) for job in sorted(self.jobs, key=lambda job: (len(job), job))}

    def _all_over(self) -> str:
        headline = "all jobs have ended, and work is left:"
        jobs = [f"job {job}: {state}" for job, state in self._states.items()]
        return join_problems(
            headline,
            jobs,
            "\n".join([*self._tail(), "When jobs can run, run again: what is finished is kept."]),
            limit=_SHOWN,
        )

    def _tail(self) -> list[str]:
        """Return the end of what one of the jobs wrote."""
        for job in self.jobs:
            try:
                text = self._output(job).read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            if lines := [shown(line, _LONGEST) for line in text.splitlines() if line.strip()]:
                return [f"The end of {self._output(job)}:", *(f"  {line}" for line in lines[-_LINES:])]
        return ["They wrote nothing."]

    def _output(self, job: str) -> Path:
        return self.folder / f"slurm-{job}.out"


def _alive(state: str) -> bool:
    return state.partition(" ")[0] in _ALIVE

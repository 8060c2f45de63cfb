"""Shards run by a Dask cluster (extra `distributed`): machines that have this package, and see the same files."""

import platform
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import Any, Self

from phonxling.core.errors import ConfigurationError, DataError, OtherFileError, PhonxlingError
from phonxling.core.work import Common, Record, Task
from phonxling.workers.dask_library import TRIES, dask_library
from phonxling.workers.endpoint import PATIENCE, Endpoint, check_scheduler
from phonxling.workers.same_versions import check_here, check_workers, installed

_AHEAD = 3  # tasks a thread of the cluster that may be done, or under way, before they are asked for
_LOOK, _PAUSE = 5.0, 0.5  # seconds between two looks at who is at work; while nobody is


@dataclass(eq=False)
class Cluster:
    """The workers of a Dask scheduler, joined when first there is work for several; a context manager, which leaves it.

    So a run that is refused, or has everything stored, joins no cluster and submits no jobs.

    Parameters
    ----------
    scheduler : callable
        Returns a context manager that yields the scheduler, and ends what it began.
    say : callable
        Is told when work had to be done again.
    """

    scheduler: Callable[[], AbstractContextManager[Endpoint]]
    say: Callable[[str], object] = field(default=lambda _: None)
    _client: Any = field(default=None, init=False)
    _endpoint: Endpoint = field(default=Endpoint("", None, None, lambda _: ""), init=False)
    _last_worker: float = field(default=0.0, init=False)
    _leave: ExitStack = field(default_factory=ExitStack, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave.__exit__(kind, error, trace)

    @property
    def workers(self) -> int:
        """Threads of the workers that are there now; one until the cluster is joined."""
        return 1 if self._client is None else max(1, int(sum(self._client.nthreads().values())))

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order.

        Raises
        ------
        ConfigurationError
            If Dask is not installed, no scheduler answers, no worker is there, or workers have other versions.
        DataError
            If the cluster loses all workers, the same task, or its connection, again and again.
            If a worker has another file under the path of one that was read here.
        """
        if len(tasks) < 2:
            yield from map(partial(function, common), tasks)
            return
        if self._client is None:
            self._join()
        wanted = installed()
        calls = [_Call(function, task, wanted) for task in tasks]
        place, lost = 0, 0
        while place < len(calls):
            try:
                for record in self._results(calls[place:], common):
                    place, lost = place + 1, 0
                    yield record
            except (CancelledError, OSError) as error:  # what workers held, or the connection, is gone
                lost += 1
                self._refuse_loss(error, lost)
                self.say(f"the cluster has lost work ({type(error).__name__}); it is given again")

    def _join(self) -> None:
        """Become a client of the scheduler, which has a worker, all of them with our versions."""
        distributed = dask_library()
        endpoint = self._endpoint = self._leave.enter_context(self.scheduler())
        check_scheduler(endpoint)
        try:
            self._client = distributed.Client(
                endpoint.cluster, security=endpoint.security, timeout=PATIENCE, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"{endpoint.name}: cannot be joined: {error}") from None
        self._leave.callback(self._client.close)
        self._last_worker = time.monotonic()
        self._wait_for_worker(ConfigurationError)
        check_workers(self._client, endpoint.name)

    def _results(self, calls: "Sequence[_Call]", common: object) -> Iterator[Record]:
        distributed = import_module("distributed")
        self._wait_for_worker(DataError)
        waiting: deque[Any] = deque()
        most, step = _AHEAD * self.workers, uuid.uuid4().hex
        try:
            # To one worker, from which the others fetch it: sent to all, Dask waits for ever for one that is killed.
            (shared,) = self._client.scatter([common], hash=False)
        except KeyError as error:  # the scheduler's own, where that worker went meanwhile
            raise ConnectionError(f"the worker {error} has gone") from None
        try:
            for place, call in enumerate(calls):
                if len(waiting) >= most:
                    yield self._result(waiting.popleft())
                waiting.append(self._client.submit(call, shared, key=f"phonxling-{step}-{place}", pure=False))
            while waiting:
                yield self._result(waiting.popleft())
        except distributed.KilledWorker as error:
            msg = f"{self._endpoint.name}: {TRIES + 1} workers died of the same task"
            raise DataError(f"{msg}; if memory ran out, give each more of it: {error}") from None
        finally:
            self._client.cancel([*waiting], force=True)

    def _result(self, future: Any) -> Record:  # noqa: ANN401 - Dask has no types
        """Return a task's result; look now and then whether somebody is still at work."""
        while True:
            try:
                record: Record = future.result(timeout=_LOOK)
            except TimeoutError:  # ours alone: tasks raise other errors, see `_Call`
                self._wait_for_worker(DataError)
            else:
                return record

    def _wait_for_worker(self, kind: type[PhonxlingError]) -> None:
        """Wait until there is a worker; raise an error of this kind when none will come."""
        while True:
            present = bool(self._client.nthreads())
            now = time.monotonic()
            self._last_worker = now if present else self._last_worker
            if why := self._endpoint.why_none(now - self._last_worker):
                raise kind(f"{self._endpoint.name}: {why}")
            if present:
                return
            time.sleep(_PAUSE)

    def _refuse_loss(self, error: BaseException, times: int) -> None:
        """Raise DataError when the scheduler is gone, or this is one loss too many with nothing done between."""
        name, again = self._endpoint.name, "what is finished is kept: run again to go on"
        if self._client.status != "running":
            raise DataError(f"{name}: the scheduler is gone, or the network to it is cut ({error}); {again}") from None
        if times == TRIES:
            msg = f"{name}: the connection to workers, or what they held, was lost {times} times before a task was done"
            raise DataError(f"{msg} ({error}); {again}") from None


@dataclass(frozen=True)
class _Call:
    """A function and its task, which Dask does not look into, and the versions with which it is to be done."""

    function: Callable[[Any, Any], Record]
    task: Any
    wanted: dict[str, str]

    def __call__(self, common: object) -> Record:
        check_here(platform.node(), self.wanted)  # of a worker that came later
        try:
            return self.function(common, self.task)
        except OtherFileError as error:
            msg = "All machines must see the same files, with the same times, under the same paths."
            raise DataError(f"{_this_worker()}: {error}\n{msg}") from None
        except OSError as error:  # of the task, not of the connection, after which it would be given again
            raise DataError(f"{_this_worker()}: {error}") from error


def _this_worker() -> str:
    return f"{platform.node()}, the worker {import_module('distributed').get_worker().address}"

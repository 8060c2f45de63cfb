"""Shards run by a Dask cluster (extra `distributed`): machines that have this package, and see the same files."""

import platform
import signal
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from types import ModuleType, TracebackType
from typing import Any, Self

from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.work import Common, Record, Task
from phonxling.store.versions import own_source
from phonxling.version import __version__

_AHEAD = 3  # tasks a thread of the cluster that may be done, or under way, before they are asked for
_TRIES = 3
_PATIENCE = 30.0  # seconds for the scheduler to answer, and for a first worker
_VERSIONS = ("numpy", "numba", "scipy")  # on which numbers may rest to the last bit
_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1 GB",  # a task brings its utterances with it
    "distributed.scheduler.allowed-failures": _TRIES,
    "logging.distributed": "error",
}


def dask_library(name: str = "distributed") -> ModuleType:
    """Return Dask, or the part of this name, told to write nothing into the user's folders.

    ConfigurationError that says how to install it when it is not there.
    """
    interrupted = signal.getsignal(signal.SIGINT)
    try:
        dask: Any = import_module("dask.config")
        dask.PATH = __file__  # it copies its settings into the user's home, unless that is a file
        dask.set(_SETTINGS)
        return import_module(name)
    except ImportError as error:
        problem = f'a Dask cluster needs the extra "distributed" ({error.name} is not installed)'
        raise ConfigurationError(f'{problem}: pip install "phonxling[distributed]"') from None
    finally:
        if signal.getsignal(signal.SIGINT) is not interrupted:  # dask-jobqueue would end us without a word
            signal.signal(signal.SIGINT, interrupted)


@dataclass(eq=False)
class Cluster:
    """The workers of a Dask scheduler, joined when first there is work for several; a context manager, which leaves it.

    So a run that is refused, or has everything stored, joins no cluster and submits no jobs.

    Parameters
    ----------
    scheduler : str or callable
        `tcp://host:port`, `tls://…`; or what returns a context manager that starts a cluster of Dask's, and ends it.
    say : callable
        Is told when work had to be done again.
    patience : float, optional
        Seconds to wait for a first worker; None: for as long as it takes.
    """

    scheduler: str | Callable[[], AbstractContextManager[Any]]
    say: Callable[[str], object] = field(default=lambda _: None)
    patience: float | None = _PATIENCE
    _client: Any = field(default=None, init=False)
    _name: str = field(default="", init=False)
    _leave: ExitStack = field(default_factory=ExitStack, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave.close()

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
            If the cluster loses the same task, or its connection, again and again.
        """
        if len(tasks) < 2:
            yield from map(partial(function, common), tasks)
            return
        if self._client is None:
            self._client = self._joined()
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
                if lost == _TRIES:
                    raise DataError(f"{self._name}: the cluster loses its work again and again: {error}") from error
                self.say(f"the cluster has lost work ({type(error).__name__}); it is given again")

    def _joined(self) -> Any:  # noqa: ANN401 - Dask has no types
        """Return a client of the scheduler that has a worker, all of them with our versions."""
        distributed = dask_library()
        with ExitStack() as stack:
            scheduler = self.scheduler if isinstance(self.scheduler, str) else stack.enter_context(self.scheduler())
            name = self._name = str(getattr(scheduler, "scheduler_address", scheduler))
            try:
                client = distributed.Client(scheduler, timeout=_PATIENCE, set_as_default=False)
            except (OSError, TimeoutError, ValueError, KeyError, ImportError) as error:
                raise ConfigurationError(f"{name}: no Dask scheduler answers there: {error}") from None
            stack.callback(client.close)
            try:
                client.wait_for_workers(1, timeout=self.patience)
            except TimeoutError:
                problem = f"{name}: the scheduler has no worker after {self.patience:g} seconds"
                raise ConfigurationError(f"{problem}; start some (dask worker {name})") from None
            _check_versions(client, name)
            self._leave = stack.pop_all()
        return client

    def _results(self, calls: "Sequence[_Call]", common: object) -> Iterator[Record]:
        distributed = import_module("distributed")
        waiting: deque[Any] = deque()
        most, step = _AHEAD * self.workers, uuid.uuid4().hex
        (shared,) = self._client.scatter([common], broadcast=True, hash=False)
        try:
            for place, call in enumerate(calls):
                if len(waiting) >= most:
                    yield waiting.popleft().result()
                waiting.append(self._client.submit(call, shared, key=f"phonxling-{step}-{place}", pure=False))
            while waiting:
                yield waiting.popleft().result()
        except distributed.KilledWorker as error:
            msg = f"{self._name}: {_TRIES + 1} workers died of the same task"
            raise DataError(f"{msg}; if memory ran out, give each more of it: {error}") from None
        finally:
            self._client.cancel([*waiting], force=True)


@dataclass(frozen=True)
class _Call:
    """A function and its task, which Dask does not look into, and the versions with which it is to be done."""

    function: Callable[[Any, Any], Record]
    task: Any
    wanted: dict[str, str]

    def __call__(self, common: object) -> Record:
        if other := _differences(_installed_once(), self.wanted):  # of a worker that came later
            _refuse(platform.node(), [other])
        try:
            return self.function(common, self.task)
        except OSError as error:  # of the task, not of the connection, after which it would be given again
            raise DataError(f"{platform.node()}, a worker: {error}") from error


def _check_versions(client: Any, name: str) -> None:  # noqa: ANN401 - Dask has no types
    """Raise ConfigurationError when workers have other versions than this process."""
    own, problems = installed(), list[str]()
    with warnings.catch_warnings(action="ignore"):
        by_worker = client.run(installed, on_error="return")
    for worker, versions in by_worker.items():
        if isinstance(versions, BaseException):
            problems.append(f"{worker}: cannot be asked, is phonxling installed there? ({versions})")
        elif other := _differences(versions, own):
            problems.append(f"{worker}: {other}")
    _refuse(name, problems)


def _refuse(name: str, problems: list[str]) -> None:
    if problems:
        headline = f"{name}: workers have other versions, and might give other numbers:"
        raise ConfigurationError(join_problems(headline, problems, "Install the same on all machines.", limit=10))


def _differences(other: dict[str, str], here: dict[str, str]) -> str:
    return ", ".join(f"{name} {other.get(name)}, here {here[name]}" for name in here if other.get(name) != here[name])


def installed() -> dict[str, str]:
    """Return the versions on which numbers may rest, and the beginning of the sha256 of this package's source."""
    return {
        "phonxling": __version__,
        "its source": own_source()[:12],
        **{name: version(name) for name in _VERSIONS},
    }


@cache
def _installed_once() -> dict[str, str]:
    return installed()

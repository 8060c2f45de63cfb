"""Shards run by a Dask cluster (extra `distributed`): machines that have this package, and see the same files.

Workers that SLURM starts (extra `distributed`): jobs by dask-jobqueue, then the same path as any Dask cluster.

Scheduler and workers speak TLS with a certificate that is made for this run. The jobs read it, and write their output,
in a folder that is the user's alone.
"""

import asyncio
import os
import platform
import re
import shutil
import signal
import tempfile
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self

from phonxling.core.errors import ConfigurationError, DataError, OtherFileError, PhonxlingError, install_command
from phonxling.core.work import Common, Record, Task
from phonxling.settings.models import ClusterJobs
from phonxling.workers.compiled import check_here, check_workers, installed
from phonxling.workers.processes import JobQueue

# Dask (extra `distributed`), imported so that it writes nothing into the user's folders and prints nothing itself.

TRIES = 3  # how often a task, or the connection, may be lost
_SILENT = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1 GB",  # a task brings its utterances with it
    "distributed.scheduler.allowed-failures": TRIES,
    "distributed.scheduler.http.routes": [],  # pages for other programs, which nobody here reads
    "logging": dict.fromkeys(_SILENT, "critical"),  # what goes wrong is our message, not their tracebacks
}


def dask_library(name: str = "distributed") -> ModuleType:
    """Return Dask, or the part of this name; ConfigurationError that says how to install it when it is missing."""
    interrupted = signal.getsignal(signal.SIGINT)
    try:
        dask: Any = import_module("dask.config")
        dask.PATH = __file__  # it copies its settings into the user's home, unless that is a file
        dask.set(_SETTINGS)
        return import_module(name)
    except ImportError as error:
        raise missing(error) from None
    finally:
        if signal.getsignal(signal.SIGINT) is not interrupted:  # dask-jobqueue would end us without a word
            signal.signal(signal.SIGINT, interrupted)


def missing(error: ImportError) -> ConfigurationError:
    """Return how to install what a cluster needs."""
    problem = f'a Dask cluster needs the extra "distributed" ({error.name or "cryptography"} is not installed)'
    return ConfigurationError(f"{problem}: {install_command('distributed')}")


# Where a Dask scheduler is, and whether it answers: asked with a deadline of our own.

PATIENCE = 30.0  # seconds for a scheduler to answer, for its first worker, and for new ones when all are gone
_TLS = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT and …__CLIENT__KEY"


@dataclass(frozen=True)
class Endpoint:
    """A Dask scheduler."""

    name: str
    cluster: Any
    security: Any
    why_none: Callable[[float], str]

    @property
    def address(self) -> str:
        """The scheduler's address, such as `tls://10.0.0.1:8786`."""
        return str(getattr(self.cluster, "scheduler_address", self.cluster))


@contextmanager
def at_address(address: str) -> Iterator[Endpoint]:
    """Yield the scheduler at an address; that of `tls."""

    def why_none(seconds: float) -> str:
        late = f"the scheduler has had no worker for {PATIENCE:g} seconds; start some (dask worker {address})"
        return f"{late}, and run again: what is finished is kept" if seconds >= PATIENCE else ""

    security = dask_library().Security()
    if address.startswith("tls://") and not (security.tls_ca_file and security.tls_client_cert):
        problem = "tls:// needs certificates, which Dask is told of by its configuration or the environment"
        raise ConfigurationError(f"{address}: {problem}: {_TLS}, each the path of a file")
    yield Endpoint(address, address, security, why_none)


def check_scheduler(endpoint: Endpoint) -> None:
    """Raise ConfigurationError when no Dask scheduler answers in time."""
    try:
        kind = asyncio.run(asyncio.wait_for(_kind(endpoint), PATIENCE))
    except Exception as error:  # noqa: BLE001 - another program at this port may bring up anything
        why = f"nothing that it understands within {PATIENCE:g} seconds" if isinstance(error, TimeoutError) else error
        raise ConfigurationError(_silent(endpoint.name, why)) from None
    if kind != "Scheduler":
        raise ConfigurationError(_silent(endpoint.name, f"it is the port of a Dask {kind.lower()}"))


def _silent(address: str, why: object) -> str:
    problem = f"{address}: no Dask scheduler answers there: {why or type(why).__name__}"
    return f"{problem}\nGive the address that `dask scheduler` printed as “Scheduler at”, not that of its dashboard."


async def _kind(endpoint: Endpoint) -> str:
    """Return what kind of Dask's servers is at an address."""
    distributed = dask_library()
    arguments = endpoint.security.get_connection_args("client") if endpoint.security else {}
    connection = await distributed.comm.connect(endpoint.address, timeout=PATIENCE, **arguments)
    try:
        await connection.write({"op": "identity", "reply": True, "close": True})
        return str((await connection.read())["type"])
    finally:
        connection.abort()


_AHEAD = 3  # tasks a thread of the cluster that may be done, or under way, before they are asked for
_LOOK, _PAUSE = 5.0, 0.5  # seconds between two looks at who is at work; while nobody is


@dataclass(eq=False)
class Cluster:
    """The workers of a Dask scheduler, joined when first there is work for several; a context manager."""

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


# Workers that SLURM starts (extra `distributed`): jobs by dask-jobqueue, then the same path as any Dask cluster.

_PREFIX = "jobs-"
_ROLES = ("client", "scheduler", "worker")
_PLAIN = re.compile(r"[\w./+@:=,-]+")  # a path that neither a shell nor sbatch reads as anything else


def arguments(jobs: ClusterJobs, folder: Path) -> dict[str, object]:
    """Return the settings as dask-jobqueue names them: a process for each core."""
    settings = {
        "queue": jobs.queue,
        "account": jobs.account,
        "cores": jobs.cores,
        "processes": jobs.cores,
        "memory": jobs.memory,
        "walltime": jobs.walltime,
        "interface": jobs.interface,
        "python": jobs.python,
        "local_directory": jobs.scratch,
        "job_name": "phonxling",
        "job_extra_directives": [f"--output={folder}/slurm-%j.out", *jobs.directives],
        "job_script_prologue": list(jobs.prologue),
        "scheduler_options": {"dashboard": False, "dashboard_address": "127.0.0.1:0"},
        "worker_extra_args": ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"],
    }
    return {name: value for name, value in settings.items() if value is not None}


@contextmanager
def submitted(
    jobs: ClusterJobs, folder: Path, say: Callable[[str], object], queue: Callable[..., Any] | None = None
) -> Iterator[Endpoint]:
    """Yield the scheduler of so many jobs, which are cancelled at the end."""
    slurm: Any = dask_library("dask_jobqueue")
    with private_folder(jobs.folder, folder) as private, ExitStack() as ended:
        security = _certificate(private)
        cluster = ended.enter_context((queue or slurm.SLURMCluster)(security=security, **arguments(jobs, private)))
        if not cluster.scheduler_address.startswith("tls://"):
            raise AssertionError("the scheduler listens to everyone")
        _submit(cluster, jobs.jobs)
        waiting = JobQueue([str(job.job_id) for job in cluster.workers.values()], private, say)
        say(f"waiting for the first of {jobs.jobs} jobs to start; their output is in {private}")
        yield Endpoint("--scheduler slurm", cluster, security, waiting.why_none)


def _certificate(folder: Path) -> Any:  # noqa: ANN401 - Dask has no types
    """Return a certificate of this run, in files of a folder: scheduler, workers and client know each other by it."""
    distributed = dask_library()
    try:
        made = distributed.Security.temporary()
    except ImportError as error:
        raise missing(error) from None
    parts = {"ca_file": made.tls_ca_file, "cert": made.tls_worker_cert, "key": made.tls_worker_key}
    files = {part: folder / f"{part}.pem" for part in parts}
    for part, file in files.items():
        file.touch(0o600)
        file.write_text(parts[part], encoding="ascii")
    roles = {f"tls_{role}_{part}": str(files[part]) for role in _ROLES for part in ("cert", "key")}
    return distributed.Security(require_encryption=True, tls_ca_file=str(files["ca_file"]), **roles)


@contextmanager
def private_folder(shared: str | None, own: Path) -> Iterator[Path]:
    """Yield a new folder that only this user may look into; in our own place, what earlier ones left goes first."""
    parent = Path(os.path.expandvars(shared)).absolute() if shared else own.absolute()
    if not _PLAIN.fullmatch(str(parent)):
        remedy = "give the jobs a folder of their own, cluster: {folder: …}"
        raise ConfigurationError(f"{parent}: a job's script cannot name this path (spaces, quotes, %); {remedy}")
    parent.mkdir(parents=True, exist_ok=True)
    for old in () if shared else parent.glob(f"{_PREFIX}*"):
        shutil.rmtree(old, ignore_errors=True)
    private = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    try:
        yield private
    except BaseException:
        for file in private.iterdir():
            if file.suffix == ".pem" or not file.stat().st_size:
                file.unlink(missing_ok=True)
        with suppress(OSError):  # of one with output
            private.rmdir()
        raise
    shutil.rmtree(private, ignore_errors=True)


def _submit(cluster: Any, jobs: int) -> None:  # noqa: ANN401 - dask-jobqueue has no types
    async def submitted() -> None:
        await cluster
        outcomes = await asyncio.gather(*cluster.workers.values(), return_exceptions=True)
        for refusal in (outcome for outcome in outcomes if isinstance(outcome, BaseException)):
            raise refusal

    try:
        cluster.scale(jobs=jobs)
        cluster.sync(submitted)
    except (OSError, RuntimeError) as error:
        closed = import_module("distributed").Status.closed
        for job in cluster.workers.values():  # of one that never began the cluster would not believe that it is over
            job.status = closed
        why = str(error).rpartition("stderr:")[2].strip()  # of sbatch; else the whole error
        raise ConfigurationError(f"--scheduler slurm: jobs cannot be submitted: {why}") from None

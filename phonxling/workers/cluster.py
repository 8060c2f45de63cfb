"""Shards run by a Dask cluster (extra `distributed`): machines that have this package, and see the same files.

A cluster is a scheduler at an address, or one of this process, whose workers SLURM starts: jobs by dask-jobqueue, then
the same path. It is joined when first there is work for several. What all tasks of a step share goes to one worker,
from which the others fetch it. What is lost with a worker is given again; when nobody is at work, the scheduler, or the
queue of the jobs, is asked now and then whether somebody will be, so that nobody waits for what is over.
Workers must have the versions of this machine, or might give other numbers.

Scheduler and jobs speak TLS with a certificate that is made for this run. The jobs read it, and write their output, in
a folder that is the user's alone. Dask is imported so that it writes nothing into the user's folders and prints nothing
itself.
"""

import asyncio
import os
import platform
import re
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from phonxling.core.errors import (
    ConfigurationError,
    DataError,
    OtherFileError,
    PhonxlingError,
    install_command,
    join_problems,
    shown,
)
from phonxling.core.work import Common, Record, Task, one_thread_from_now_on
from phonxling.settings.models import ClusterJobs
from phonxling.store.tasks import own_source
from phonxling.version import __version__

TRIES = 3  # how often a task, or the connection, may be lost
PATIENCE = 30.0  # seconds for a scheduler to answer, for its first worker, and for new ones when all are gone
_AHEAD = 3  # tasks a thread of the cluster that may be done, or under way, before they are asked for
_LOOK, _PAUSE = 5.0, 0.5  # seconds between two looks at who is at work; while nobody is
_OFTEN, _NO_ANSWER = 4.0, 300.0  # seconds from question to question; without an answer
_SHOWN, _LINES, _LONGEST = 10, 8, 300  # jobs, lines of their output, letters of these
_ALIVE = re.compile(
    "(PENDING|RUNNING|CONFIGURING|COMPLETING|SUSPENDED|REQUEUED|REQUEUE_HOLD|REQUEUE_FED|RESIZING|SIGNALING|STAGE_OUT|"
    "SPECIAL_EXIT|STOPPED|RESV_DEL_HOLD) "
)
_LIBRARIES = ("numpy", "numba", "scipy")  # on which numbers may rest to the last bit
_PREFIX = "jobs-"
_ROLES = ("client", "scheduler", "worker")
_PLAIN = re.compile(r"[\w./+@:=,-]+")  # a path that neither a shell nor sbatch reads as anything else
_TLS = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT and …__CLIENT__KEY"
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
    problem = f'a Dask cluster needs the extra "distributed" ({error.name or "cryptography"} is not installed)'
    return ConfigurationError(f"{problem}: {install_command('distributed')}")


class Endpoint(NamedTuple):
    """A Dask scheduler: its name in messages, its address or cluster, and why no worker comes after so many seconds."""

    name: str
    cluster: Any
    security: Any
    why_none: Callable[[float], str]


@contextmanager
def at_address(address: str) -> Iterator[Endpoint]:
    """Yield the scheduler at an address; one of `tls://` by the certificates that Dask is told of."""

    def why_none(seconds: float) -> str:
        late = f"the scheduler has had no worker for {PATIENCE:g} seconds; start some (dask worker {address})"
        return f"{late}, and run again: what is finished is kept" if seconds >= PATIENCE else ""

    security = dask_library().Security()
    if address.startswith("tls://") and not (security.tls_ca_file and security.tls_client_cert):
        problem = "tls:// needs certificates, which Dask reads from its configuration or the environment"
        raise ConfigurationError(f"{address}: {problem}: {_TLS}, each the path of a file")
    yield Endpoint(address, address, security, why_none)


def _check_scheduler(endpoint: Endpoint) -> None:
    """Raise ConfigurationError when no Dask scheduler answers in time."""
    try:
        kind = asyncio.run(asyncio.wait_for(_kind(endpoint), PATIENCE))
        why = "" if kind == "Scheduler" else f"it is the port of a Dask {kind.lower()}"
    except Exception as error:  # noqa: BLE001 - another program at this port may bring up anything
        late = f"nothing that it understands within {PATIENCE:g} seconds"
        why = late if isinstance(error, TimeoutError) else str(error) or type(error).__name__
    if why:
        problem = f"{endpoint.name}: no Dask scheduler answers there: {why}"
        remedy = "Give the address that `dask scheduler` printed as “Scheduler at”, not that of its dashboard."
        raise ConfigurationError(f"{problem}\n{remedy}")


async def _kind(endpoint: Endpoint) -> str:
    """Return what kind of Dask's servers is at an address."""
    arguments = endpoint.security.get_connection_args("client") if endpoint.security else {}
    address = str(getattr(endpoint.cluster, "scheduler_address", endpoint.cluster))
    connection = await dask_library().comm.connect(address, timeout=PATIENCE, **arguments)
    try:
        await connection.write({"op": "identity", "reply": True, "close": True})
        return str((await connection.read())["type"])
    finally:
        connection.abort()


class Cluster(ExitStack):
    """The workers of a Dask scheduler, joined when first there is work for several; a context manager."""

    def __init__(
        self, scheduler: Callable[[], AbstractContextManager[Endpoint]], say: Callable[[str], object] = lambda _: None
    ) -> None:
        super().__init__()
        self._scheduler, self._say = scheduler, say
        self._endpoint = Endpoint("", None, None, lambda _: "")
        self._client: Any = None
        self._last_worker = 0.0

    @property
    def workers(self) -> int:
        """Threads of the workers that are there now; one until the cluster is joined."""
        return 1 if self._client is None else max(1, int(sum(self._client.nthreads().values())))

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        """Yield function(common, task) of each task, in their order; DataError for what is lost again and again."""
        if len(tasks) < 2:
            yield from map(partial(function, common), tasks)
            return
        if self._client is None:
            self._join()
        wanted = installed()
        calls = [partial(_called, function, wanted, task) for task in tasks]  # Dask does not look into these
        place, lost = 0, 0
        while place < len(calls):
            try:
                for record in self._results(calls[place:], common):
                    place, lost = place + 1, 0
                    yield record
            except (CancelledError, OSError) as error:  # what workers held, or the connection, is gone
                lost += 1
                self._refuse_loss(error, lost)
                self._say(f"the cluster has lost work ({type(error).__name__}); it is given again")

    def _join(self) -> None:
        """Become a client of the scheduler, which has a worker, all of them with our versions."""
        distributed = dask_library()
        endpoint = self._endpoint = self.enter_context(self._scheduler())
        _check_scheduler(endpoint)
        try:
            self._client = distributed.Client(
                endpoint.cluster, security=endpoint.security, timeout=PATIENCE, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"{endpoint.name}: cannot be joined: {error}") from None
        self.callback(self._client.close)
        self._last_worker = time.monotonic()
        self._wait_for_worker(ConfigurationError)
        check_workers(self._client, endpoint.name)

    def _results(self, calls: Sequence[Callable[..., Record]], common: object) -> Iterator[Record]:
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
                return future.result(timeout=_LOOK)  # type: ignore[no-any-return]
            except TimeoutError:  # ours alone: tasks raise other errors, see `_called`
                self._wait_for_worker(DataError)

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


def _called(function: Callable[[Common, Task], Record], wanted: dict[str, str], task: Task, common: Common) -> Record:
    check_here(platform.node(), wanted)  # of a worker that came later
    one_thread_from_now_on()  # so that products sum in the order in which they do here
    try:
        return function(common, task)
    except (OtherFileError, OSError) as error:  # of the task, not of the connection: it would be given again
        here = f"{platform.node()}, the worker {import_module('distributed').get_worker().address}"
        same = "\nAll machines must see the same files, with the same times, under the same paths."
        raise DataError(f"{here}: {error}{same * isinstance(error, OtherFileError)}") from error


def installed() -> dict[str, str]:
    """Return the versions on which numbers may rest, and the beginning of the sha256 of this package's source."""
    own = {"phonxling": __version__, "its source": own_source()[:12]}
    return own | {name: version(name) for name in _LIBRARIES}


def check_workers(client: Any, name: str) -> None:  # noqa: ANN401 - Dask has no types
    """Raise ConfigurationError when workers of a scheduler have other versions than this process."""
    own, problems = installed(), list[str]()
    with warnings.catch_warnings(action="ignore"):
        by_worker = client.run(installed, on_error="return")
    for worker, versions in by_worker.items():
        if isinstance(versions, BaseException):
            problems.append(f"{worker}: cannot be asked, is phonxling installed there? ({versions})")
        elif other := _differences(versions, own):
            problems.append(f"{worker}: {other}")
    _refuse(name, problems)


def check_here(worker: str, wanted: dict[str, str]) -> None:
    """Raise ConfigurationError when this process, a worker, has other versions than are wanted."""
    if other := _differences(_installed_once(), wanted):
        _refuse(worker, [other])


_installed_once = cache(installed)


def _refuse(name: str, problems: list[str]) -> None:
    if problems:
        headline = f"{name}: workers have other versions, and might give other numbers:"
        raise ConfigurationError(join_problems(headline, problems, "Install the same on all machines.", limit=10))


def _differences(other: dict[str, str], here: dict[str, str]) -> str:
    return ", ".join(f"{name} {other.get(name)}, here {here[name]}" for name in here if other.get(name) != here[name])


def arguments(jobs: ClusterJobs, folder: Path) -> dict[str, object]:
    """Return the settings as dask-jobqueue names them: a process for each core."""
    same = ("queue", "account", "cores", "memory", "walltime", "interface", "python")
    settings = {
        **{name: getattr(jobs, name) for name in same},
        "processes": jobs.cores,
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
    slurm: Any = dask_library("dask_jobqueue")
    with private_folder(jobs.folder, folder) as private, ExitStack() as ended:
        security = _certificate(private)
        cluster = ended.enter_context((queue or slurm.SLURMCluster)(security=security, **arguments(jobs, private)))
        if not cluster.scheduler_address.startswith("tls://"):
            raise AssertionError("the scheduler listens to everyone")
        _submit(cluster, jobs.jobs)
        waiting = JobQueue([str(job.job_id) for job in cluster.workers.values()], private)
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
    for part, text in parts.items():
        file = folder / f"{part}.pem"
        file.touch(0o600)
        file.write_text(text, encoding="ascii")
    roles = {f"tls_{role}_{part}": f"{folder}/{part}.pem" for role in _ROLES for part in ("cert", "key")}
    return distributed.Security(require_encryption=True, tls_ca_file=f"{folder}/ca_file.pem", **roles)


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


class JobQueue:
    """The jobs of a run, and what SLURM's queue says became of them."""

    def __init__(self, jobs: Sequence[str], folder: Path) -> None:
        self._jobs, self._folder = sorted(jobs, key=lambda job: (len(job), job)), folder
        self._states: dict[str, str] = {}
        self._asked, self._answered = -_OFTEN, time.monotonic()
        self._problem = ""

    def why_none(self, seconds: float) -> str:
        """Return why no worker will come, "" while one may; `seconds` is the time since there was one."""
        if time.monotonic() - self._asked >= _OFTEN:
            self._ask()
        if self._states and not any(_ALIVE.match(f"{state} ") for state in self._states.values()):
            return self._all_over() if seconds > 0 else ""
        if seconds > _NO_ANSWER < time.monotonic() - self._answered:
            return f"the queue cannot be asked what became of the jobs: {self._problem}"
        return ""

    def _ask(self) -> None:
        self._asked = time.monotonic()
        command = ["squeue", "--noheader", "--states=all", f"--jobs={','.join(self._jobs)}", "--format=%i|%T|%r"]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603 - numbers
        except (OSError, subprocess.SubprocessError) as error:
            self._problem = str(error)
            return
        if answer.returncode and "Invalid job id" not in answer.stderr:
            self._problem = shown(answer.stderr.strip(), _LONGEST)
            return
        self._answered = time.monotonic()
        lines = [line.split("|") for line in answer.stdout.splitlines() if line.count("|") == 2]
        states = {job: state if reason == "None" else f"{state} ({reason})" for job, state, reason in lines}
        self._states = {job: states.get(job, "no longer known to SLURM") for job in self._jobs}

    def _all_over(self) -> str:
        tail = ["They wrote nothing."]
        for file in (self._folder / f"slurm-{job}.out" for job in reversed(self._jobs)):
            with suppress(OSError):
                text = file.read_text(encoding="utf-8", errors="replace")
                if lines := [shown(line, _LONGEST) for line in text.splitlines() if line.strip()]:
                    tail = [f"The end of {file}:", *(f"  {line}" for line in lines[-_LINES:])]
        jobs = [f"job {job}: {state}" for job, state in self._states.items()]
        remedy = "\n".join([*tail, "When jobs can run, run again: what is finished is kept."])
        return join_problems("all jobs have ended, and work is left:", jobs, remedy, limit=_SHOWN)

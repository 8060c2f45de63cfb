"""Workers that SLURM starts (extra `distributed`): jobs by dask-jobqueue, then the same path as any Dask cluster.

Scheduler and workers speak TLS with a certificate that is made for this run. The jobs read it, and write their output,
in a folder that is the user's alone.
"""

import asyncio
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from phonxling.core.errors import ConfigurationError
from phonxling.settings.cluster import ClusterJobs
from phonxling.workers.dask_library import dask_library, missing
from phonxling.workers.endpoint import Endpoint
from phonxling.workers.queue import JobQueue

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
    """Yield the scheduler of so many jobs, which are cancelled at the end.

    What jobs write goes into `folder`, unless the settings name another. `queue` is another of
    dask-jobqueue's clusters than SLURM's, with the same settings.

    ConfigurationError when dask-jobqueue is not installed, or jobs cannot be submitted.
    """
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
    """Yield a new folder that only this user may look into; in our own place, what earlier ones left goes first.

    When all goes well it is removed; else the jobs' output stays, to tell what went wrong.
    """
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

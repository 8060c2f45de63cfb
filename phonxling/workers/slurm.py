"""Workers that SLURM starts (extra `distributed`): jobs by dask-jobqueue, then the same path as any Dask cluster."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from phonxling.core.errors import ConfigurationError
from phonxling.settings.cluster import ClusterJobs
from phonxling.workers.cluster import dask_library


def arguments(jobs: ClusterJobs) -> dict[str, object]:
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
        "job_extra_directives": list(jobs.directives),
        "job_script_prologue": list(jobs.prologue),
        "scheduler_options": {"dashboard": False, "dashboard_address": "127.0.0.1:0"},
    }
    return {name: value for name, value in settings.items() if value is not None}


@contextmanager
def submitted(
    jobs: ClusterJobs, say: Callable[[str], object], queue: Callable[..., Any] | None = None
) -> Iterator[Any]:
    """Yield Dask's cluster of so many jobs, which are cancelled at the end.

    `queue` is another of dask-jobqueue's clusters than SLURM's, with the same settings.

    ConfigurationError when dask-jobqueue is not installed, or jobs cannot be submitted.
    """
    slurm: Any = dask_library("dask_jobqueue")
    with (queue or slurm.SLURMCluster)(**arguments(jobs)) as cluster:
        _submit(cluster, jobs.jobs)
        say(f"waiting for the first of {jobs.jobs} jobs to start")
        yield cluster


def _submit(cluster: Any, jobs: int) -> None:  # noqa: ANN401 - dask-jobqueue has no types
    async def submitted() -> None:
        await cluster
        await asyncio.gather(*cluster.workers.values())  # raises what the queue said, if a job was refused

    try:
        cluster.scale(jobs=jobs)
        cluster.sync(submitted)
    except (OSError, RuntimeError) as error:
        closed = import_module("distributed").Status.closed
        for job in cluster.workers.values():  # of one that never began the cluster would not believe that it is over
            job.status = closed
        raise ConfigurationError(f"--scheduler slurm: jobs cannot be submitted: {error}") from error

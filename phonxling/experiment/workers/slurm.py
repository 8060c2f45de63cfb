"""Workers that SLURM starts (extra `distributed`): jobs by dask-jobqueue, then the same path as any Dask cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from phonxling.core.errors import ConfigurationError
from phonxling.experiment.configuration.cluster import ClusterJobs
from phonxling.experiment.workers.cluster import Cluster, dask_library


def arguments(jobs: ClusterJobs) -> dict[str, object]:
    """Return the settings as dask-jobqueue names them: a process for each core."""
    return {
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
        "scheduler_options": {"dashboard_address": None},
    }


@contextmanager
def started(
    jobs: ClusterJobs, say: Callable[[str], object], kind: str = "SLURMCluster", **more: object
) -> Iterator[Cluster]:
    """Yield the workers of so many jobs, which are cancelled at the end; waits for the first of them.

    ConfigurationError when dask-jobqueue is not installed, or jobs cannot be submitted.
    """
    queues: Any = dask_library("dask_jobqueue")
    given = {name: value for name, value in arguments(jobs).items() if value is not None}
    try:
        with getattr(queues, kind)(**{**given, **more}) as cluster:
            cluster.scale(jobs=jobs.jobs)
            say(f"waiting for the first of {jobs.jobs} jobs to start")
            with Cluster(cluster, say, patience=None) as work:
                yield work
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"--scheduler slurm: jobs cannot be submitted: {error}") from error

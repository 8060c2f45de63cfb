"""From the command line to who does the work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from phonxling.core.errors import ConfigurationError
from phonxling.core.work import Threads, Work
from phonxling.settings.checks import did_you_mean
from phonxling.settings.cluster import ClusterJobs
from phonxling.workers.cluster import Cluster
from phonxling.workers.processes import Processes
from phonxling.workers.slurm import submitted

THREADS, PROCESSES, SLURM = "threads", "processes", "slurm"


@contextmanager
def chosen(scheduler: str, workers: int, jobs: ClusterJobs, say: Callable[[str], object]) -> Iterator[Work]:
    """Yield who does the work: threads or processes of this machine, a Dask scheduler's address, or SLURM's jobs.

    A cluster is joined, and jobs are submitted, when first there is work for several.

    Raises
    ------
    ConfigurationError
        If the scheduler is none of these. Of the work, when it begins: if the scheduler does not answer or has no
        workers of these versions, or the extra that it needs is not installed.
    """
    if scheduler == THREADS:
        yield Threads(workers)
    elif scheduler == PROCESSES:
        with Processes(workers, say) as processes:
            yield processes
    elif scheduler == SLURM or "://" in scheduler:
        with _cluster(scheduler, jobs, say) as cluster:
            yield cluster
    else:
        hint = did_you_mean(scheduler, (THREADS, PROCESSES, SLURM))
        known = "threads, processes, slurm, or the address of a Dask scheduler (tcp://host:8786)"
        raise ConfigurationError(f"--scheduler {scheduler}: must be {known}{hint}")


def _cluster(scheduler: str, jobs: ClusterJobs, say: Callable[[str], object]) -> Cluster:
    if scheduler == SLURM:
        return Cluster(partial(submitted, jobs, say), say, patience=None)
    return Cluster(scheduler, say)

"""From the command line to who does the work."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from phonxling.core.errors import ConfigurationError
from phonxling.core.threads import Threads
from phonxling.core.work import Work
from phonxling.settings.checks import did_you_mean
from phonxling.settings.cluster import ClusterJobs
from phonxling.workers.later import Later
from phonxling.workers.processes import Processes

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
        with ExitStack() as stack:
            yield Later(lambda: stack.enter_context(_cluster(scheduler, jobs, say)))
    else:
        hint = did_you_mean(scheduler, (THREADS, PROCESSES, SLURM))
        known = "threads, processes, slurm, or the address of a Dask scheduler (tcp://host:8786)"
        raise ConfigurationError(f"--scheduler {scheduler}: must be {known}{hint}")


def _cluster(scheduler: str, jobs: ClusterJobs, say: Callable[[str], object]) -> AbstractContextManager[Work]:
    from phonxling.workers.cluster import Cluster
    from phonxling.workers.slurm import started

    return started(jobs, say) if scheduler == SLURM else Cluster(scheduler, say)

"""From the command line to who does the work."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from phonxling.core.errors import ConfigurationError
from phonxling.core.work import Threads, Work
from phonxling.settings.checks import did_you_mean
from phonxling.settings.models import ClusterJobs
from phonxling.workers.processes import Processes

if TYPE_CHECKING:
    from phonxling.workers.cluster import Endpoint


# what speaks to clusters is imported where one is asked for: it brings asyncio

THREADS, PROCESSES, SLURM = "threads", "processes", "slurm"


@contextmanager
def chosen(
    scheduler: str, workers: int, say: Callable[[str], object], *, jobs: ClusterJobs, folder: Path
) -> Iterator[Work]:
    """Yield who does the work: threads or processes of this machine, a Dask scheduler's address, or SLURM's jobs."""
    if scheduler == THREADS:
        yield Threads(workers)
    elif scheduler == PROCESSES:
        with Processes(workers, say) as processes:
            yield processes
    elif scheduler == SLURM or "://" in scheduler:
        from phonxling.workers.cluster import Cluster

        with Cluster(_starter(scheduler, say, jobs=jobs, folder=folder), say) as cluster:
            yield cluster
    else:
        hint = did_you_mean(scheduler, (THREADS, PROCESSES, SLURM))
        known = "threads, processes, slurm, or the address of a Dask scheduler (tls://host:8786)"
        raise ConfigurationError(f"--scheduler {scheduler}: must be {known}{hint}")


def _starter(
    scheduler: str, say: Callable[[str], object], *, jobs: ClusterJobs, folder: Path
) -> Callable[[], AbstractContextManager["Endpoint"]]:
    if scheduler == SLURM:
        from phonxling.workers.cluster import submitted

        return partial(submitted, jobs, folder, say)
    from phonxling.workers.cluster import at_address

    return partial(at_address, scheduler)

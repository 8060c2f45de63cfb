"""Who does the work, chosen by name; and how a process begins that works for another one."""

import gc
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from phonxling.core.errors import ConfigurationError
from phonxling.core.work import Threads, Work
from phonxling.settings.checks import did_you_mean
from phonxling.workers import SELDOM

if TYPE_CHECKING:
    from phonxling.settings.models import ClusterJobs


@contextmanager
def chosen(
    scheduler: str, workers: int, say: Callable[[str], object], *, jobs: "ClusterJobs", folder: Path
) -> Iterator[Work]:
    """Yield who does the work: threads of this machine, a Dask scheduler's address, or SLURM's jobs."""
    if scheduler == "threads":
        yield Threads(workers)
    elif scheduler == "slurm" or "://" in scheduler:
        from phonxling.workers.cluster import Cluster, at_address, submitted  # brings asyncio

        own = partial(submitted, jobs, folder, say)
        with Cluster(own if scheduler == "slurm" else partial(at_address, scheduler), say) as cluster:
            yield cluster
    else:
        hint = did_you_mean(scheduler, ("threads", "slurm"))
        known = "threads, slurm, or the address of a Dask scheduler (tls://host:8786)"
        raise ConfigurationError(f"--scheduler {scheduler}: must be {known}{hint}")


def begin() -> None:
    """Begin a process that works for another one, and ends with it; for a pool's `initializer`."""
    gc.set_threshold(*SELDOM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)

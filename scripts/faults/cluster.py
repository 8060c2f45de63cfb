"""A Dask cluster on loopback, whose workers are there to be killed; its nannies start others in their place."""

import sys
import time
from subprocess import PIPE, Popen
from typing import Self

_SOURCE = """
import sys, dask
dask.config.set({"distributed.admin.tick.limit": "1h", "logging.distributed": "critical"})
from distributed import Client, LocalCluster

if __name__ == "__main__":
    with LocalCluster(int(sys.argv[1]), threads_per_worker=1, host="127.0.0.1", dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            print(cluster.scheduler_address, flush=True)
            for _ in sys.stdin:
                client.wait_for_workers(int(sys.argv[1]))
                pids = client.run(__import__("os").getpid)
                print(*pids.values(), flush=True)
"""


class Cluster:
    """So many workers, a process each."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._process = Popen([sys.executable, "-c", _SOURCE, str(workers)], stdin=PIPE, stdout=PIPE, text=True)  # noqa: S603 - ourselves
        self.address = self._hear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def pids(self) -> tuple[int, ...]:
        """Return the workers' processes, when all are there."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        while True:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
            found = tuple(map(int, self._hear().split()))
            if len(found) == self._workers:
                return found
            time.sleep(0.5)

    def _hear(self) -> str:
        assert self._process.stdout is not None  # noqa: S101
        return self._process.stdout.readline().strip()

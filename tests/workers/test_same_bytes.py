"""A small experiment with everything that is done in shards: the same tables, byte for byte, whoever does the work."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest
from running import tables_of
from small_experiment import make_experiment

from phonxling.alignment import corpus
from phonxling.analyses import chance_levels as chance
from phonxling.core.work import SERIAL, Record, Threads, Work
from phonxling.count import tokens
from phonxling.tables.files import table_bytes
from phonxling.workers.cluster import Cluster, at_address, dask_library

SETTINGS = [
    "alignment={costs: learned, method: expected, temperature: 0.1}",
    "scoring={costs: panphon}",
    "learning={rounds: 3}",
    "uncertainty={resamples: 12}",
    "information={permutations: 5}",
    "chance={replicates: 2}",
]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_experiment(tmp_path_factory.mktemp("same"))


def tables(config: Path, work: Work) -> dict[str, bytes]:
    return {name: table_bytes(table) for name, table in tables_of(config, *SETTINGS, work=work).items()}


@pytest.fixture(scope="module")
def serial(config: Path) -> dict[str, bytes]:
    """In shards of the usual size: each corpus is one."""
    return tables(config, SERIAL)


@pytest.fixture(scope="module")
def small_shards(serial: dict[str, bytes]) -> Iterator[None]:
    """Let few utterances be a shard, so that a small corpus has several; the serial run was before."""
    assert serial
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "_CELLS", 700)
        patch.setattr(corpus, "_EXPECTED_CELLS", 700)
        patch.setattr(tokens, "_FRAMES", 500)
        patch.setattr(chance, "_CELLS", 700)
        yield


@contextmanager
def threads(number: int) -> Iterator[Work]:
    yield Threads(number)


class Murderous:
    """Work on a cluster, one of whose workers is killed as by kill -9 when the tenth result has come."""

    def __init__(self, cluster: Cluster, workers: list[int]) -> None:
        self.cluster, self.victims, self.results = cluster, workers, 0
        self.workers = cluster.workers

    def map(self, function: Callable[..., Record], common: object, tasks: Sequence[object]) -> Iterator[Record]:
        for record in self.cluster.map(function, common, tasks):
            self.results += 1
            if self.results == 10:
                os.kill(self.victims[0], signal.SIGKILL)
            yield record


@contextmanager
def cluster() -> Iterator[Work]:
    distributed = dask_library()
    with (
        patch.dict(os.environ),  # its workers are started with variables that it leaves behind
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as local,
        Cluster(partial(at_address, local.scheduler_address)) as work,
        distributed.Client(local, set_as_default=False) as client,
    ):
        before = client.run(os.getpid)
        yield Murderous(work, [*before.values()])
        assert {*client.run(os.getpid).values()} != {*before.values()}


WHO: dict[str, Callable[[], AbstractContextManager[Work]]] = {
    "2 threads": lambda: threads(2),
    "7 threads": lambda: threads(7),
    "2 workers of a cluster, one killed": cluster,
}


@pytest.mark.slow
@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("who", WHO)
def test_whoever_does_the_work_writes_the_same_bytes(who: str, config: Path, serial: dict[str, bytes]) -> None:
    with WHO[who]() as work:
        found = tables(config, work)
    assert {name: found[name] == serial[name] for name in serial} == dict.fromkeys(serial, True)
    assert found.keys() == serial.keys()

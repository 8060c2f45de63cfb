"""The same bytes whoever does the work, and however many."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest
from running import dask_cluster, tables_of
from small_experiment import make_experiment

from phonxling.alignment import corpus
from phonxling.analyses import chance
from phonxling.core.work import SERIAL, Threads, Work
from phonxling.posteriors import joint as posteriors
from phonxling.results.dask import DaskWork
from phonxling.results.tables import table_digest

SETTINGS = ["information={permutations: 5}", "chance={replicates: 2}"]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_experiment(tmp_path_factory.mktemp("same"))


def tables(config: Path, work: Work) -> dict[str, str]:
    found = tables_of(config, *SETTINGS, work=work)
    return {name: table_digest(name, table) for name, table in found.items() if "/" not in name}


@pytest.fixture(scope="module")
def serial(config: Path) -> dict[str, str]:
    """In shards of the usual size: each corpus is one."""
    return tables(config, SERIAL)


@pytest.fixture(scope="module")
def small_shards(serial: dict[str, str]) -> Iterator[None]:
    """Let few utterances be a shard, so that a small corpus has several; the serial run was before."""
    assert serial
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "_CELLS", 700)
        patch.setattr(posteriors, "_FRAMES", 500)
        patch.setattr(chance, "_CELLS", 700)
        yield


@contextmanager
def dask_workers() -> Iterator[Work]:
    with dask_cluster(2) as local, DaskWork(local.scheduler_address) as work:
        yield work


WHO: dict[str, Callable[[], AbstractContextManager[Work]]] = {
    "2 threads": lambda: nullcontext(Threads(2)),
    "7 threads": lambda: nullcontext(Threads(7)),
    "2 workers of Dask": dask_workers,
}


@pytest.mark.slow
@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("who", WHO)
def test_whoever_does_the_work_writes_the_same_bytes(who: str, config: Path, serial: dict[str, str]) -> None:
    with WHO[who]() as work:
        found = tables(config, work)
    assert {name: found[name] == serial[name] for name in serial} == dict.fromkeys(serial, True)
    assert found.keys() == serial.keys()

"""The same bytes however many workers there are, with one thread a product; work that is postponed."""

import math
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any
from unittest.mock import patch

import numba
import numpy as np
import pytest
from running import tables_of
from small_experiment import make_experiment

from phonxling.alignment import corpus
from phonxling.analyses import chance
from phonxling.core.compiled import compiled_when_called
from phonxling.core.work import SERIAL, Record, Threads, Work
from phonxling.count import tokens
from phonxling.tables.files import table_bytes
from phonxling.workers.cluster import Cluster, at_address, dask_library

SETTINGS = [
    "alignment={costs: panphon-weighted}",
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


def squared(number: int) -> int:
    return number * number


def defined(given: object, postponed: bool = True) -> Any:  # noqa: ANN401 - of Numba, which has no types
    if not postponed:
        return numba.njit(given)(squared)
    with compiled_when_called():
        return numba.njit(given)(squared)


@pytest.mark.parametrize("given", ["i4(i8)", ["i4(i8)", "f4(f8)"], (numba.int16,), numba.float32(numba.int32)])
@pytest.mark.parametrize("argument", [3, 70_000, 2.5, np.int16(9)])
def test_a_function_has_its_signatures_and_results_when_it_is_called(given: object, argument: float) -> None:
    """A result that is too large for a signature's type is cut off to it, so other types are other results."""
    ours, at_once = defined(given), defined(given, postponed=False)
    assert (ours.signatures, len(at_once.signatures)) == ([], len(given) if isinstance(given, list) else 1)
    assert outcome(ours, argument) == outcome(at_once, argument)
    assert ours.signatures == at_once.signatures
    assert outcome(ours, argument) == outcome(at_once, argument)


def outcome(function: Any, argument: float) -> object:  # noqa: ANN401
    try:
        return function(argument)
    except TypeError:
        return TypeError


def test_it_is_compiled_when_another_function_needs_it() -> None:
    inner = defined("i4(i8)")
    outer = numba.njit(lambda number: inner(number) + 1)
    assert outer(70_000) == inner(70_000) + 1 == defined("i4(i8)", postponed=False)(70_000) + 1
    assert inner.signatures == [(numba.int64,)]


with compiled_when_called():

    @numba.njit(["i4(i4)", "i8(i8)"])
    def factorial(number: int) -> int:
        return number * factorial(number - 1) if number > 1 else 1


def test_a_function_may_call_itself_and_be_compiled_again() -> None:
    for _ in range(2):
        assert (factorial(np.int32(5)), factorial(20), len(factorial.signatures)) == (120, math.factorial(20), 2)
        factorial.recompile()


def test_threads_that_call_it_at_once_have_one_result() -> None:
    function, together = defined("i4(i8)"), Barrier(4)

    def called(_: int) -> int:
        together.wait()
        return int(function(70_000))

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(called, range(4))) == {defined("i4(i8)", postponed=False)(70_000)}


def test_what_has_no_signature_is_numbas_and_so_is_njit_in_the_end() -> None:
    original = numba.njit
    with compiled_when_called():
        functions = [numba.njit(squared), numba.njit(fastmath=True)(squared), numba.njit()(squared)]
    assert numba.njit is original
    assert [function(2.5) for function in functions] == [6.25] * 3
    assert functions[1].targetoptions["fastmath"] is True

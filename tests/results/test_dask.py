"""Work on the workers of a Dask scheduler on this machine: order, errors, lost workers, schedulers of no use."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import dask_cluster
from support import error_of
from tasks import die_always, refuse_odd, sum_of, times

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.load.posteriors import load_raw_posteriors
from phonxling.results import dask
from phonxling.results.dask import DaskWork

pytestmark = pytest.mark.slow
Local = Any  # Dask's LocalCluster, which has no types


@pytest.fixture(scope="module")
def local() -> Iterator[Local]:
    with dask_cluster(2) as found:
        yield found


@pytest.fixture
def work(local: Local) -> Iterator[DaskWork]:
    """Join once both workers are there: another test may have ended one, and a new one takes its time."""
    local.wait_for_workers(2, timeout=120)
    with DaskWork(local.scheduler_address) as joined:
        yield joined


def test_results_come_in_order_and_from_the_workers(work: DaskWork) -> None:
    found = list(work.map(times, 3, range(20)))
    assert [int(record["product"][0]) for record in found] == list(range(0, 60, 3))
    assert os.getpid() not in {int(record["process"][0]) for record in found}
    assert work.workers == 2


def test_what_all_workers_held_is_made_again(work: DaskWork) -> None:
    """Both are killed, one after the other, so that what tasks share is on none of them."""
    results = work.map(times, 3, range(30))
    found = [next(results)]
    for worker in {int(record["process"][0]) for record in work.map(times, 1, range(8))}:
        os.kill(worker, signal.SIGKILL)
    found += results
    assert [int(record["product"][0]) for record in found] == list(range(0, 90, 3))


def test_the_first_error_by_order_is_raised_as_it_is(work: DaskWork) -> None:
    results = work.map(refuse_odd, None, [0, 3, 9, 2])
    assert next(results)["number"].tolist() == [0]
    with pytest.raises(DataError, match=r"^3 is odd$"):
        next(results)


def test_a_task_that_always_kills_is_given_up(local: Local, work: DaskWork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local.scheduler, "allowed_failures", 0)
    with pytest.raises(DataError, match=r"workers died of the same task.*run again to go on"):
        list(work.map(die_always, None, range(4)))


def test_workers_of_another_version_are_refused(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "__version__", "0.0.9")
    said = error_of(ConfigurationError, DaskWork, local.scheduler_address)
    assert "workers have other versions, and might give other numbers" in said
    assert ", here 0.0.9" in said


def test_another_file_on_a_worker(work: DaskWork, tmp_path: Path) -> None:
    for name in ("u1", "u2"):
        np.save(tmp_path / f"{name}.npy", np.eye(3))
    raw = replace(load_raw_posteriors(tmp_path, labels=("a", "b", "c")), utterances=())
    np.save(tmp_path / "u2.npy", np.eye(3)[::-1])
    first, last = error_of(DataError, list, work.map(sum_of, raw, ["u1", "u2"])).splitlines()
    assert f"{tmp_path / 'u2.npy'}: was changed while it was read: 200 bytes of " in first
    assert last == "All machines must see the same files, with the same times, at the same paths"


def test_a_scheduler_that_ends_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "_PATIENCE", 10)  # which is how long it is looked for again
    with dask_cluster(1) as local, DaskWork(local.scheduler_address) as work:
        results = work.map(times, 3, range(200))
        next(results)
        local.close()
        with pytest.raises(DataError, match=r"the scheduler is gone.*what is finished is kept: run again to go on"):
            list(results)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://127.0.0.1:8786"])
def test_an_address_where_no_scheduler_answers(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "_PATIENCE", 1)
    with pytest.raises(ConfigurationError, match=f"^{address}: no Dask scheduler with workers answers there: "):
        DaskWork(address)

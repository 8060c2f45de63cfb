"""Work on a Dask cluster of this machine: order, errors, lost workers, and clusters that cannot be used."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tasks import die_always, look_into, refuse_odd, times

import phonxling as px
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.workers import cluster as cluster_module
from phonxling.workers.cluster import Cluster, dask_library

Local = Any  # Dask's LocalCluster, which has no types
SAID: list[str] = []


@pytest.fixture(scope="module")
def local() -> Iterator[Local]:
    with dask_library().LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as found:
        yield found


@pytest.fixture(scope="module")
def joined(local: Local) -> Iterator[Cluster]:
    with Cluster(local.scheduler_address, SAID.append) as cluster:
        yield cluster


@pytest.fixture
def work(local: Local, joined: Cluster) -> Cluster:
    """Give the cluster once both workers are there: another test may have ended one, and a new one takes its time."""
    local.wait_for_workers(2, timeout=120)
    return joined


def join(cluster: Cluster) -> None:
    with cluster:
        list(cluster.map(times, 1, [1, 2]))


def test_without_work_for_several_nobody_is_asked() -> None:
    with Cluster("tcp://127.0.0.1:1") as cluster:
        assert [int(record["product"][0]) for record in cluster.map(times, 3, [2])] == [6]
        assert cluster.workers == 1


def test_results_come_in_order_and_from_the_workers(work: Cluster) -> None:
    found = list(work.map(times, 3, range(20)))
    assert [int(record["product"][0]) for record in found] == list(range(0, 60, 3))
    assert os.getpid() not in {int(record["process"][0]) for record in found}
    assert work.workers == 2


def test_what_all_workers_held_is_given_again(work: Cluster) -> None:
    """Both are killed, so that the common part is nowhere but here."""
    results = work.map(times, 3, range(30))
    found = [next(results)]
    for worker in {int(record["process"][0]) for record in work.map(times, 1, range(8))}:
        os.kill(worker, signal.SIGKILL)
    found += results
    assert [int(record["product"][0]) for record in found] == list(range(0, 90, 3))
    assert SAID[-1].startswith("the cluster has lost work (")


def test_the_first_error_by_order_is_raised_as_it_is(work: Cluster) -> None:
    results = work.map(refuse_odd, None, [0, 3, 9, 2])
    assert next(results)["number"].tolist() == [0]
    with pytest.raises(DataError, match=r"^3 is odd$"):
        next(results)


def test_a_file_that_workers_do_not_see_is_no_lost_work(work: Cluster, tmp_path: Path) -> None:
    SAID.clear()
    with pytest.raises(DataError, match=r", a worker: \[Errno 2\] No such file or directory: .*gone\.npy'$"):
        list(work.map(look_into, None, [tmp_path / "gone.npy"] * 3))
    assert SAID == []


def test_a_task_that_always_kills_is_given_up(work: Cluster, local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local.scheduler, "allowed_failures", 0)
    with pytest.raises(DataError, match=r"workers died of the same task; if memory ran out, give each more"):
        list(work.map(die_always, None, range(4)))


def test_workers_of_another_version_are_refused(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "__version__", "0.0.9")
    with pytest.raises(ConfigurationError) as caught:
        join(Cluster(local.scheduler_address))
    first, *others = str(caught.value).splitlines()
    assert first == f"{local.scheduler_address}: workers have other versions, and might give other numbers:"
    assert all(f"phonxling {px.__version__}, here 0.0.9" in line for line in others[:-1])
    assert others[-1] == "Install the same on all machines."


def test_workers_of_another_source_are_refused(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "own_source", lambda: "0123456789abcdef")
    with pytest.raises(ConfigurationError, match=r"tcp://\S+: its source [0-9a-f]{12}, here 0123456789ab\n"):
        join(Cluster(local.scheduler_address))


def test_a_worker_of_another_version_that_came_later_is_refused(work: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "own_source", lambda: "0123456789abcdef")
    with pytest.raises(ConfigurationError, match="workers have other versions, and might give other numbers"):
        list(work.map(times, 3, range(4)))


def test_a_scheduler_without_workers_is_refused() -> None:
    empty = dask_library().LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0")
    with empty, pytest.raises(ConfigurationError, match=r"no worker after 0\.2 seconds; start some"):
        join(Cluster(empty.scheduler_address, patience=0.2))


def test_an_address_where_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_PATIENCE", 0.3)
    for address in ("tcp://127.0.0.1:1", "nonsense://127.0.0.1:8786"):
        with pytest.raises(ConfigurationError, match=f"^{address}: no Dask scheduler answers there: "):
            join(Cluster(address))


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask.config", None)
    with pytest.raises(ConfigurationError, match=r'pip install "phonxling\[distributed\]"$'):
        join(Cluster("tcp://127.0.0.1:1"))


def test_nothing_is_written_into_the_users_home(tmp_path: Path) -> None:
    """In a process of its own, since Dask looks at the home folder when it is imported."""
    import subprocess

    code = "from phonxling.workers.cluster import dask_library; dask_library('dask_jobqueue')"
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment)  # noqa: S603 - our own
    assert list(tmp_path.iterdir()) == []

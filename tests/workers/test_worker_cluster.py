"""Work on a Dask cluster of this machine: order, errors, lost workers, and clusters that cannot be used."""

import http.server
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from running import python
from support import error_of
from tasks import die_always, look_into, refuse_odd, sum_of, times

import phonxling as px
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.load.posteriors import load_raw_posteriors
from phonxling.workers import cluster as endpoint_module
from phonxling.workers.cluster import Cluster, at_address, dask_library

pytestmark = pytest.mark.slow
Local = Any  # Dask's LocalCluster, which has no types
SAID: list[str] = []


def cluster_at(address: str, say: Callable[[str], object] = SAID.append) -> Cluster:
    return Cluster(partial(at_address, address), say)


@pytest.fixture(scope="module")
def local() -> Iterator[Local]:
    with dask_library().LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as found:
        yield found


@pytest.fixture(scope="module")
def joined(local: Local) -> Iterator[Cluster]:
    with cluster_at(local.scheduler_address) as cluster:
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
    with cluster_at("tcp://127.0.0.1:1") as cluster:
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


def test_a_worker_that_goes_while_it_is_given_the_common_part(work: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    list(work.map(times, 1, [1, 2]))  # joined before the fault
    errors = iter([KeyError("tcp://127.0.0.1:9")])  # what Dask's scheduler raised then
    scatter = work._client.scatter

    def scattered(*values: object, **options: object) -> object:
        for error in errors:
            raise error
        return scatter(*values, **options)

    monkeypatch.setattr(work._client, "scatter", scattered)
    assert [int(record["product"][0]) for record in work.map(times, 3, range(4))] == [0, 3, 6, 9]
    assert SAID[-1] == "the cluster has lost work (ConnectionError); it is given again"


def test_the_first_error_by_order_is_raised_as_it_is(work: Cluster) -> None:
    results = work.map(refuse_odd, None, [0, 3, 9, 2])
    assert next(results)["number"].tolist() == [0]
    with pytest.raises(DataError, match=r"^3 is odd$"):
        next(results)


def test_a_file_that_workers_do_not_see_is_no_lost_work(work: Cluster, tmp_path: Path) -> None:
    SAID.clear()
    with pytest.raises(DataError, match=r", the worker tcp://\S+: \[Errno 2\] No such file .*gone\.npy'$"):
        list(work.map(look_into, None, [tmp_path / "gone.npy"] * 3))
    assert SAID == []


def test_a_task_that_always_kills_is_given_up(work: Cluster, local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local.scheduler, "allowed_failures", 0)
    with pytest.raises(
        DataError, match=r"died of the same task; if memory ran out, give each|lost 3 times before a task"
    ):
        list(work.map(die_always, None, range(4)))


def test_workers_of_another_version_are_refused(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "__version__", "0.0.9")
    first, *others = error_of(ConfigurationError, join, cluster_at(local.scheduler_address)).splitlines()
    assert first == f"{local.scheduler_address}: workers have other versions, and might give other numbers:"
    assert all(f"phonxling {px.__version__}, here 0.0.9" in line for line in others[:-1])
    assert others[-1] == "Install the same on all machines."


def test_workers_of_another_source_are_refused(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "own_source", lambda: "0123456789abcdef")
    with pytest.raises(ConfigurationError, match=r"tcp://\S+: its source [0-9a-f]{12}, here 0123456789ab\n"):
        join(cluster_at(local.scheduler_address))


def test_a_worker_of_another_version_that_came_later_is_refused(work: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "own_source", lambda: "0123456789abcdef")
    with pytest.raises(ConfigurationError, match="workers have other versions, and might give other numbers"):
        list(work.map(times, 3, range(4)))


@pytest.fixture
def own_environment() -> Iterator[None]:
    """Take back the variables with which Dask starts workers, and which it leaves behind."""
    with patch.dict(os.environ):
        yield


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "PATIENCE", 0.5)


@pytest.mark.usefixtures("hasty")
def test_a_scheduler_without_workers_is_refused() -> None:
    empty = dask_library().LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0")
    with empty, pytest.raises(ConfigurationError, match=r"has had no worker for 0\.5 seconds; start some"):
        join(cluster_at(empty.scheduler_address))


@pytest.mark.usefixtures("hasty", "own_environment")
def test_a_run_whose_workers_all_go_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phonxling.workers.cluster._LOOK", 0.2)
    alone = dask_library().LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with alone, cluster_at(alone.scheduler_address) as cluster:
        results = cluster.map(times, 3, range(1000))
        assert int(next(results)["product"][0]) == 0
        alone.scale(0)
        with pytest.raises(DataError, match=r"has had no worker for 0\.5 seconds; start some"):
            list(results)


@contextmanager
def silent() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@contextmanager
def web() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("other", [silent, web])
def test_the_port_of_another_program(other: Callable[[], Any]) -> None:
    with other() as port, pytest.raises(ConfigurationError) as caught:
        join(cluster_at(f"tcp://127.0.0.1:{port}"))
    first, last = str(caught.value).splitlines()
    assert first.startswith(f"tcp://127.0.0.1:{port}: no Dask scheduler answers there: ")
    assert last == "Give the address that `dask scheduler` printed as “Scheduler at”, not that of its dashboard."


def test_the_port_of_a_worker(local: Local) -> None:
    worker = next(iter(local.scheduler.workers))
    with pytest.raises(ConfigurationError, match="no Dask scheduler answers there: it is the port of a Dask worker"):
        join(cluster_at(worker))


@pytest.mark.usefixtures("hasty")
def test_an_address_where_nobody_answers() -> None:
    for address in ("tcp://127.0.0.1:1", "nonsense://127.0.0.1:8786"):
        with pytest.raises(ConfigurationError, match=f"^{address}: no Dask scheduler answers there: "):
            join(cluster_at(address))


def test_tls_needs_certificates() -> None:
    with pytest.raises(ConfigurationError, match=r"^tls://127\.0\.0\.1:1: tls:// needs certificates"):
        join(cluster_at("tls://127.0.0.1:1"))


@pytest.mark.usefixtures("hasty", "own_environment")
def test_tls_with_the_users_certificates(tmp_path: Path) -> None:
    distributed = dask_library()
    security = distributed.Security.temporary()
    parts = {"ca-file": security.tls_ca_file, "client.cert": security.tls_client_cert}
    parts["client.key"] = security.tls_client_key
    for name, text in parts.items():
        (tmp_path / name).write_text(text, encoding="ascii")
    theirs = {f"distributed.comm.tls.{name}": str(tmp_path / name) for name in parts}
    secret = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, security=security, protocol="tls://", dashboard_address="127.0.0.1:0"
    )
    with secret:
        with dask_library("dask.config").set(theirs), cluster_at(secret.scheduler_address) as cluster:
            assert [int(record["product"][0]) for record in cluster.map(times, 3, [1, 2])] == [3, 6]
        with pytest.raises(ConfigurationError, match="no Dask scheduler answers there"):
            join(cluster_at(secret.scheduler_address.replace("tls", "tcp")))


def test_another_file_on_a_worker(work: Cluster, tmp_path: Path) -> None:
    for name in ("u1", "u2"):
        np.save(tmp_path / f"{name}.npy", np.eye(3))
    raw = replace(load_raw_posteriors(tmp_path, labels=("a", "b", "c")), utterances=())
    np.save(tmp_path / "u2.npy", np.eye(3)[::-1])
    first, last = error_of(DataError, list, work.map(sum_of, raw, ["u1", "u2"])).splitlines()
    assert f": {tmp_path / 'u2.npy'}: was changed while it was read: 200 bytes of " in first
    assert ", the worker tcp://" in first
    assert last == "All machines must see the same files, with the same times, under the same paths."


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask.config", None)
    with pytest.raises(ConfigurationError, match=r'pip install "phonxling\[distributed\]"$'):
        join(cluster_at("tcp://127.0.0.1:1"))


def test_nothing_is_written_into_the_users_home(tmp_path: Path) -> None:
    """In a process of its own, since Dask looks at the home folder when it is imported."""

    code = "from phonxling.workers.cluster import dask_library; dask_library('dask_jobqueue')"
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    python("-c", code, check=True, cwd=tmp_path, env=environment)
    assert list(tmp_path.iterdir()) == []

"""Work in processes of this machine: order, errors, and processes that are killed."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

import pytest
from tasks import die_always, die_once, fail, give_work_without_end, how_it_is_set, refuse_odd, times

from phonxling.core.errors import DataError
from phonxling.workers import SELDOM
from phonxling.workers.processes import Processes

pytestmark = pytest.mark.slow

SAID: list[str] = []


@pytest.fixture(scope="module")
def work() -> Iterator[Processes]:
    with Processes(2, SAID.append) as processes:
        yield processes


@pytest.fixture
def idle() -> Iterator[Processes]:
    """Processes that no other test has left busy or ended: for tests that count them."""
    with Processes(2, SAID.append) as processes:
        yield processes


def test_results_come_in_order_and_from_other_processes(idle: Processes) -> None:
    found = list(idle.map(times, 3, range(20)))
    assert [int(record["product"][0]) for record in found] == list(range(0, 60, 3))
    processes = {int(record["process"][0]) for record in found}
    assert len(processes) == 2
    assert os.getpid() not in processes


def test_processes_stay_for_the_next_step(idle: Processes) -> None:
    first, second = ({int(record["process"][0]) for record in idle.map(times, 2, range(8))} for _ in range(2))
    assert first == second


def test_processes_look_for_garbage_seldom(work: Processes) -> None:
    assert all(tuple(found["garbage"]) == SELDOM for found in work.map(how_it_is_set, None, range(4)))


def test_of_no_task_or_one_nothing_is_sent(work: Processes) -> None:
    assert list(work.map(times, 3, [])) == []
    (found,) = work.map(times, 3, [5])
    assert (found["product"].tolist(), found["process"].tolist()) == ([15], [os.getpid()])


def test_what_a_killed_process_was_doing_is_done_again(idle: Processes) -> None:
    results = idle.map(times, 3, range(20))
    found = [next(results) for _ in range(3)]
    os.kill(int(found[-1]["process"][0]), signal.SIGKILL)
    found += results
    assert [int(record["product"][0]) for record in found] == list(range(0, 60, 3))
    assert len({int(record["process"][0]) for record in found}) == 3
    assert SAID[-1] == "a worker process was ended (signal 9); another one does its task"


def test_a_process_that_dies_in_the_middle_of_a_task(work: Processes, tmp_path: Path) -> None:
    assert [int(record["number"][0]) for record in work.map(die_once, tmp_path, range(8))] == list(range(8))
    assert (tmp_path / "died").exists()


def test_a_task_that_always_kills_is_given_up(work: Processes) -> None:
    with pytest.raises(DataError, match=r"ended 3 times at the same task \(signal 9\); if memory ran out, use fewer"):
        list(work.map(die_always, None, range(8)))
    assert len(list(work.map(times, 1, range(4)))) == 4  # and the next step goes on


def test_the_first_error_by_order_is_raised_as_it_is(work: Processes) -> None:
    results = work.map(refuse_odd, None, [0, 3, 9, 2])
    assert next(results)["number"].tolist() == [0]
    with pytest.raises(DataError, match=r"^3 is odd$"):
        next(results)


def test_a_fault_of_the_program_tells_where_it_was(work: Processes) -> None:
    with pytest.raises(ZeroDivisionError, match="task 0") as caught:
        list(work.map(fail, None, [0, 1]))
    assert "in fail" in "".join(caught.value.__notes__)


def test_steps_within_steps(work: Processes) -> None:
    outer = work.map(times, 1, range(3))
    next(outer)
    assert [int(record["product"][0]) for record in work.map(times, 2, range(3))] == [0, 2, 4]
    assert [int(record["product"][0]) for record in outer] == [1, 2]


def test_no_process_is_left() -> None:
    with Processes(2) as own:
        (first, *_) = processes = {int(record["process"][0]) for record in own.map(times, 1, range(6))}
    assert processes
    for process in (first, *processes):
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system ends it so on Linux alone")
def test_a_process_that_never_returns_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    import fcntl

    starter = get_context("spawn").Process(target=give_work_without_end, args=(tmp_path,))
    starter.start()
    while not all((tmp_path / f"{number} is held").exists() for number in range(2)):
        assert starter.is_alive()
        time.sleep(0.05)
    starter.kill()
    for number in range(2):
        with (tmp_path / f"{number}").open() as file:
            for _ in range(600):
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(0.1)
            else:
                pytest.fail("a worker process outlives the run")
    starter.join()

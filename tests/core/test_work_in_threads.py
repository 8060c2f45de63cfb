"""Work in threads: results in the order of the tasks, the first error by order, and few tasks ahead."""

import threading

import numpy as np
import pytest
from tasks import refuse_odd

from phonxling.core.errors import DataError
from phonxling.core.work import SERIAL, Record, Threads, Work

EVERYONE: list[Work] = [SERIAL, Threads(1), Threads(2), Threads(7)]


def product(factor: int, number: int) -> Record:
    return {"product": np.array(factor * number)}


@pytest.mark.parametrize("work", EVERYONE)
@pytest.mark.parametrize("number", [0, 1, 2, 40])
def test_results_come_in_the_order_of_the_tasks(work: Work, number: int) -> None:
    assert [int(found["product"]) for found in work.map(product, 3, range(number))] == list(range(0, 3 * number, 3))


@pytest.mark.parametrize("work", EVERYONE)
def test_the_first_error_by_order_is_raised_after_what_comes_before_it(work: Work) -> None:
    found = work.map(refuse_odd, None, [0, 2, 5, 7, 4])
    assert [int(next(found)["number"][0]) for _ in range(2)] == [0, 2]
    with pytest.raises(DataError, match=r"^5 is odd$"):
        next(found)


def test_few_tasks_are_begun_before_their_results_are_asked_for() -> None:
    begun: list[int] = []
    lock = threading.Lock()

    def note(_: None, number: int) -> Record:
        with lock:
            begun.append(number)
        return {}

    results = Threads(2).map(note, None, range(1000))
    for _ in range(4):
        next(results)
    assert len(begun) <= 8
    assert len(list(results)) == 996
    assert sorted(begun) == list(range(1000))


def test_a_single_task_is_done_here() -> None:
    for work in EVERYONE:
        (record,) = work.map(lambda _, __: {"thread": np.array(threading.get_ident())}, None, [None])
        assert record["thread"] == threading.get_ident()

"""Work in shards and threads: sums, orders, and what is carried on."""

import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tasks import refuse_odd

from phonxling.core.errors import DataError
from phonxling.core.work import SERIAL, Record, Threads, Work, make_shards

sizes = st.lists(st.integers(0, 50), max_size=30)


@given(sizes, sizes, st.integers(1, 100))
def test_shards_cover_all_in_order_and_stay_when_more_comes(work: list[int], more: list[int], size: int) -> None:
    found, longer = (make_shards(np.array(values, dtype=np.int64), size) for values in (work, work + more))
    assert [place for first, last in found for place in range(first, last)] == list(range(len(work)))
    assert all(first < last and sum(work[first : last - 1]) < size for first, last in found)
    assert found[:-1] == longer[: max(len(found) - 1, 0)]


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

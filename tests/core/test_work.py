"""Work in shards and threads: sums, orders, and what is carried on."""

import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tasks import refuse_odd

import phonxling as px
from phonxling.core.errors import DataError
from phonxling.core.work import SERIAL, Record, Threads, Work, make_shards

MATRICES = [
    px.ConfusionMatrix(gold=["a"], predicted=["a", "b"], counts=[[2, 1]]),
    px.ConfusionMatrix(gold=["b"], predicted=["b"], counts=[[3, 0], [1, 0]]),
]
JOINTS = [
    px.JointDistribution(rows=["a"], columns=["x"], mass=[[0.5]]),
    px.JointDistribution(rows=["b"], columns=["x", "y"], mass=[[1, 2]]),
]


@pytest.mark.parametrize("parts", [MATRICES, JOINTS])
def test_sum_is_plus(parts: list[px.ConfusionMatrix] | list[px.JointDistribution]) -> None:
    assert sum(parts) == parts[0] + parts[1]  # type: ignore[operator]  # both are of one type
    assert sum(parts[:1]) == parts[0]
    with pytest.raises(TypeError):
        sum(parts, 1)  # type: ignore[arg-type]  # a count is no matrix


sizes = st.lists(st.integers(0, 50), max_size=30)


@given(sizes, st.integers(1, 100))
def test_runs_cover_everything_once_and_in_order(work: list[int], size: int) -> None:
    found = make_shards(np.array(work, dtype=np.int64), size)
    assert [place for first, last in found for place in range(first, last)] == list(range(len(work)))
    assert all(first < last for first, last in found)


@given(sizes, st.integers(1, 100))
def test_no_run_is_much_larger_than_asked(work: list[int], size: int) -> None:
    for first, last in make_shards(np.array(work, dtype=np.int64), size):
        assert sum(work[first : last - 1]) < size


@given(sizes, sizes, st.integers(1, 100))
def test_what_comes_later_does_not_move_earlier_runs(work: list[int], more: list[int], size: int) -> None:
    before, after = (make_shards(np.array(values, dtype=np.int64), size) for values in (work, work + more))
    assert before[:-1] == after[: max(len(before) - 1, 0)]


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

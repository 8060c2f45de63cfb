"""Runs of utterances: together they are the corpus, and each is as large as it was asked to be."""

import numpy as np
from hypothesis import given, strategies as st

from phonxling.core.work import runs

sizes = st.lists(st.integers(0, 50), max_size=30)


@given(sizes, st.integers(1, 100))
def test_runs_cover_everything_once_and_in_order(work: list[int], size: int) -> None:
    found = runs(np.array(work, dtype=np.int64), size)
    assert [place for first, last in found for place in range(first, last)] == list(range(len(work)))
    assert all(first < last for first, last in found)


@given(sizes, st.integers(1, 100))
def test_no_run_is_much_larger_than_asked(work: list[int], size: int) -> None:
    for first, last in runs(np.array(work, dtype=np.int64), size):
        assert sum(work[first : last - 1]) < size


@given(sizes, sizes, st.integers(1, 100))
def test_what_comes_later_does_not_move_earlier_runs(work: list[int], more: list[int], size: int) -> None:
    before, after = (runs(np.array(values, dtype=np.int64), size) for values in (work, work + more))
    assert before[:-1] == after[: max(len(before) - 1, 0)]

"""Boundaries of phones and how many meet: against a bipartite matching, and by hand."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences
from phonxling.count.kernel import Boundaries, boundaries, meetings

places = st.lists(st.integers(0, 30), max_size=9).map(sorted)


def at(utterances: list[list[int]]) -> Boundaries:
    offsets = np.cumsum([0, *map(len, utterances)])
    return Boundaries(offsets, np.array([time / 100 for times in utterances for time in times]))


@given(st.lists(st.tuples(places, places), min_size=1, max_size=3), st.integers(0, 5))
def test_as_many_meet_as_a_maximum_matching_pairs(utterances: list[tuple[list[int], list[int]]], far: int) -> None:
    wanted = []
    for gold, predicted in utterances:
        near = np.array([[abs(g - p) <= far for p in predicted] for g in gold]).reshape(len(gold), len(predicted))
        wanted.append(int((maximum_bipartite_matching(csr_array(near)) >= 0).sum()) if near.size else 0)
    gold, predicted = (at([pair[side] for pair in utterances]) for side in (0, 1))
    assert meetings(gold, predicted, far / 100).tolist() == wanted
    assert meetings(predicted, gold, far / 100).tolist() == wanted


def spoken(*utterances: list[tuple[float, float]]) -> PhoneSequences:
    spans = [span for utterance in utterances for span in utterance]
    return PhoneSequences(
        utterances=tuple(f"u{place}" for place in range(len(utterances))),
        offsets=np.cumsum([0, *map(len, utterances)]),
        codes=[0] * len(spans),
        start=[start for start, _ in spans],
        end=[end for _, end in spans],
        inventory=Inventory(("a",)),
    )


def test_a_boundary_where_phones_touch_and_two_around_a_pause() -> None:
    found = boundaries(spoken([(0.1, 0.2), (0.2005, 0.3), (0.5, 0.6)], [], [(0, 0.4)], [(0.0, 0.1), (0.1, 0.3)]))
    assert found.times.tolist() == [0.2, 0.3, 0.5, 0.1]
    assert found.numbers.tolist() == [3, 0, 0, 1]


def test_a_difference_of_just_the_tolerance_meets_whatever_its_last_bit() -> None:
    assert 0.14 - 0.12 > 0.02
    assert meetings(at([[12]]), at([[14]]), 0.02).tolist() == [1]
    assert meetings(at([[12]]), at([[15]]), 0.02).tolist() == [0]


def test_without_times_there_are_no_boundaries() -> None:
    with pytest.raises(ValueError, match="no times"):
        boundaries(PhoneSequences(utterances=("u",), offsets=[0, 1], codes=[0], inventory=Inventory(("a",))))

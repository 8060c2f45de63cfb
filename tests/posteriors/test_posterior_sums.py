"""Sums of posteriors by label and of rows, and boundaries that meet: against plain loops."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_posteriors import posteriors_of, timed_phones
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from phonxling.alignment.counting_kernel import Boundaries, count_matches, find_boundaries
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.posteriors.joint import joint_distribution, token_posteriors

PHONES = Inventory(("a", "b", "c"))
COLUMNS = (2, -1, 0, 1, 0)
TIMES = [(0.02, 0.05), (0.05, 0.11), (0.13, 0.14)]  # frames 2–4, 5–10 and 13; 0, 1, 11, 12, 14 and 15 are outside


def dyadic(frames: int = 16) -> NDArray[np.float64]:
    """Rows whose values half precision holds exactly: sixteenths that sum to 1."""
    generator = np.random.default_rng(4)
    return np.array([np.bincount(generator.integers(0, 5, 16), minlength=5) / 16 for _ in range(frames)])


def corpus(values: NDArray[np.generic], utterances: int = 1, blank: int | None = None) -> Posteriorgrams:
    return posteriors_of([values] * utterances, PHONES, columns=np.array(COLUMNS), blank=blank)


def segments(utterances: int = 1) -> PhoneSequences:
    return timed_phones([[(code, *span) for code, span in zip("aba", TIMES, strict=True)]] * utterances, PHONES)


def plain(values: NDArray[np.float64]) -> tuple[list[list[float]], list[list[float]]]:
    """Each token's mass by phone, and when a frame gives all it has outside silence to its likeliest phone."""
    mass, decided = np.zeros((3, 3)), np.zeros((3, 3))
    for token, frames in enumerate((range(2, 5), range(5, 11), range(13, 14))):
        for t in frames:
            by_phone = [sum(values[t, c] for c in range(5) if COLUMNS[c] == phone) for phone in range(3)]
            mass[token] += by_phone
            decided[token, by_phone.index(max(by_phone))] += sum(by_phone)  # the first of equals
    return mass.tolist(), decided.tolist()


@pytest.mark.parametrize(
    "kind", ["f2", "f4", "f8", ">f2", ">f4", "longdouble", "fortran", "strided", "read-only", "i8"]
)
def test_every_type_of_number_gives_the_same_sums(kind: str) -> None:
    values = np.eye(5)[[0, 2, 3, 4] * 4] if kind == "i8" else dyadic()
    stored: NDArray[np.generic] = {
        "fortran": lambda: np.asfortranarray(values),
        "strided": lambda: np.repeat(values, 2, axis=0)[::2],
        "read-only": lambda: np.broadcast_to(values, (1, *values.shape))[0],
    }.get(kind, lambda: values.astype(kind))()
    found = token_posteriors(corpus(stored, blank=1), segments())
    mass, (first, second, third) = plain(values)  # of a, b, and a again
    assert found.mass.tolist() == mass
    decided = joint_distribution(corpus(stored, blank=1), segments(), unit="frame", hard=True)
    assert decided.mass.tolist() == [(np.array(first) + third).tolist(), second, [0, 0, 0]]
    assert found.blank_share == values[:, 1].sum() / 16
    assert found.without_frame.tolist() == [0, 0, 0]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("frame", [0, 5, 11, 15])  # inside and outside of the tokens
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([np.nan, 0, 0, 0, 1], "holds a value that is not finite"),
        ([np.inf, -np.inf, 0, 0, 1], "holds a value that is not finite"),
        ([-6e-8, 0, 0, 0, 1], "holds a negative value"),  # the least that half precision knows
        ([0, 0, 0, 0, 0.9895], "does not sum to 1"),
        ([0, 0, 0, 0, 1.0105], "does not sum to 1"),
    ],
)
def test_a_row_that_is_no_distribution_is_named_wherever_it_stands(
    kind: type[np.floating], frame: int, row: list[float], message: str
) -> None:
    values = dyadic().astype(kind)
    values[frame] = row
    for count in (token_posteriors, joint_distribution):
        with pytest.raises(DataError, match=rf"memory: utterance 'u0', frame {frame} {message}"):
            count(corpus(values), segments())


def test_two_bad_rows_of_one_pair_do_not_make_up_for_each_other() -> None:
    values = dyadic()
    values[5], values[6] = values[5] * 1.5, values[6] * 0.5
    with pytest.raises(DataError, match=r"frame 5 does not sum to 1.* 1 more such"):
        token_posteriors(corpus(values), segments())


def test_a_frame_that_two_intervals_share_by_rounding_is_the_later_ones() -> None:
    values = np.eye(5)[[0, 2, 3]]
    gold, tiny = segments(), 1e-7
    times = {"start": np.array([0, 0.015 - tiny, 0.03]), "end": np.array([0.015 + tiny, 0.03, 0.03])}
    found = token_posteriors(corpus(values), PhoneSequences(**{**gold.__dict__, **times}))
    assert found.mass.tolist() == [[0, 0, 1], [1, 1, 0]]  # the second frame's centre is at 0.015 s


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
    assert count_matches(gold, predicted, far / 100).tolist() == wanted
    assert count_matches(predicted, gold, far / 100).tolist() == wanted


def test_a_boundary_where_phones_touch_and_two_around_a_pause() -> None:
    spans = [[(0.1, 0.2), (0.2005, 0.3), (0.5, 0.6)], [], [(0, 0.4)], [(0.0, 0.1), (0.1, 0.3)]]
    found = find_boundaries(timed_phones([[("a", *span) for span in row] for row in spans], PHONES))
    assert found.times.tolist() == [0.2, 0.3, 0.5, 0.1]
    assert found.numbers.tolist() == [3, 0, 0, 1]


def test_a_difference_of_just_the_tolerance_meets_whatever_its_last_bit() -> None:
    assert 0.14 - 0.12 > 0.02
    assert count_matches(at([[12]]), at([[14]]), 0.02).tolist() == [1]
    assert count_matches(at([[12]]), at([[15]]), 0.02).tolist() == [0]

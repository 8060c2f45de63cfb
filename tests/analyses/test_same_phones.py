"""Which reference phone a target phone is the same as, and what is expected of it then."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.alignment.costs import cost_table
from phonxling.analyses.expected_confusions import expected_confusions
from phonxling.analyses.same_phones import listed_phones, nearest_phones_within
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory
from phonxling.load.resources import panphon_features

TARGET, REFERENCE, HEARD = ["a", "b", "c"], ["x", "y", "b"], ["x", "y", "b", "z"]
SAME = {"a": "x", "b": "b", "c": "x"}
counts = st.lists(st.lists(st.sampled_from([0, 1, 2, 5]), min_size=4, max_size=4), min_size=3, max_size=3)


def gold(phones: list[str], tokens: list[int]) -> ConfusionMatrix:
    return ConfusionMatrix(phones, ["p"], [[number] for number in tokens])


@given(counts, counts)
def test_cells_with_counterparts_by_fractions(mine: list[list[int]], theirs: list[list[int]]) -> None:
    target, reference = ConfusionMatrix(TARGET, HEARD, mine), ConfusionMatrix(REFERENCE, HEARD, theirs)
    found = expected_confusions(target, reference, predicted="all", same=SAME)
    rows = {y: theirs[REFERENCE.index(SAME[y])] for y in TARGET}
    kept = [y for y in TARGET if sum(mine[TARGET.index(y)]) and sum(rows[y])]
    assert list(found.gold) == kept
    total = sum(sum(mine[TARGET.index(y)]) for y in kept)
    for y, x, seen, hoped, left in found.to_frame().itertuples(index=False):
        own, other = mine[TARGET.index(y)], rows[y]
        wanted = Fraction(sum(own), total) * Fraction(other[HEARD.index(x)], sum(other))
        assert (seen, hoped) == pytest.approx((float(Fraction(own[HEARD.index(x)], total)), float(wanted)))
        assert left == pytest.approx(seen - hoped, abs=1e-12)
    if kept:
        assert found.residual.sum(axis=1) == pytest.approx(np.zeros(len(kept)), abs=1e-12)
    common = expected_confusions(target, reference, same=SAME)
    assert list(common.predicted) == list(dict.fromkeys(SAME[y] for y in common.gold))


@given(counts, st.permutations(["a", "b", "c"]))
def test_a_language_beside_itself_diverges_by_nothing_whatever_its_phones_are_called(
    mine: list[list[int]], order: list[str]
) -> None:
    one = ConfusionMatrix(TARGET, HEARD, mine)
    names = [phone.upper() for phone in TARGET]
    other = ConfusionMatrix([*names[::-1]], HEARD, mine[::-1])
    for same, reference in ((None, one), ({phone: phone.upper() for phone in order}, other)):
        found = expected_confusions(one, reference, predicted="all", same=same)
        if found.target.sum():
            assert found.kullback_leibler() == pytest.approx(0, abs=1e-12)
            assert found.jensen_shannon() == pytest.approx(0, abs=1e-12)
            assert np.abs(found.residual).max() < 1e-12


@given(counts, counts)
def test_the_exact_choice_is_the_default(mine: list[list[int]], theirs: list[list[int]]) -> None:
    target, reference = ConfusionMatrix(TARGET, HEARD, mine), ConfusionMatrix(["b", "a", "z"], HEARD, theirs)
    first = expected_confusions(target, reference)
    second = expected_confusions(target, reference, same=listed_phones(target, reference, {}))
    assert first.to_frame().equals(second.to_frame())
    assert (first.left_out, first.gold) == (second.left_out, second.gold)


TOY = CostTable(
    gold=Inventory(("a", "b", "c")),
    predicted=Inventory(("a", "x", "y")),
    substitution=np.array([[0, 0, 5], [3, 1, 1], [2, 2, 4]]),
    deletion=np.ones(3),
    insertion=np.ones(3),
    denominator=10,
    name="toy",
)


@pytest.mark.parametrize(
    ("distance", "target", "reference", "same"),
    [
        (0.0, [1, 1, 1], [7, 2, 3], {"a": "a"}),
        (0.1, [1, 1, 1], [7, 2, 3], {"a": "a", "b": "y"}),
        (0.2, [1, 1, 1], [7, 2, 3], {"a": "a", "b": "y", "c": "a"}),
        (1.0, [1, 0, 0], [0, 1, 0], {"a": "x"}),  # a phone without tokens is nobody's counterpart
        (1.0, [1, 1, 1], [0, 0, 0], {}),
    ],
)
def test_its_own_symbol_first_then_the_nearest_and_of_equal_ones_the_neighbour_on_the_chart(
    distance: float, target: list[int], reference: list[int], same: dict[str, str]
) -> None:
    sides = gold(["a", "b", "c"], target), gold(["a", "x", "y"], reference)
    assert nearest_phones_within(*sides, TOY, distance=distance) == same


def test_one_of_24_features_is_within_a_24th() -> None:
    target, reference = gold(["ɛ̃", "ɓ"], [1, 1]), gold(["b", "ɛ"], [1, 1])
    costs = cost_table("panphon", target.gold, reference.gold, panphon_features())
    assert nearest_phones_within(target, reference, costs, distance=1 / 24) == {"ɛ̃": "ɛ", "ɓ": "b"}
    assert nearest_phones_within(target, reference, costs, distance=1 / 24 - 1e-6) == {}


def test_a_table_adds_to_the_symbols_and_may_take_away() -> None:
    target, reference = gold(["a", "b", "c", "d"], [1, 1, 1, 0]), gold(["a", "b", "z"], [1, 1, 0])
    assert listed_phones(target, reference, {}) == {"a": "a", "b": "b"}
    assert listed_phones(target, reference, {"a": "∅", "b": "a", "c": "z", "d": "a"}) == {"b": "a"}

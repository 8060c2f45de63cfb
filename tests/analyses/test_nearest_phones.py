"""The most frequent confusion and the nearest phone of each phone, by sorting and by hand."""

import numpy as np
import pytest
from alignment_oracle import made_costs
from hypothesis import given, strategies as st

import phonxling as px
from phonxling.analyses import expected
from phonxling.analyses.phones import nearest_phones, top_confusions
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable, cost_table
from phonxling.core.inventory import Inventory
from phonxling.core.spelling import CHART
from phonxling.load.resources import panphon_features

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("b", "x", "a", "y", "z"))
BESIDE = {"e": "ɛ", "eɪ": "ɪ", "o": "ʌ", "ɾ": "l", "a": "ɑ", "ĩ": "i"}
LETTERS = "".join(CHART.values())
numbers = st.lists(st.integers(0, 5), min_size=15, max_size=15)


def matrix_of(values: list[int]) -> ConfusionMatrix:
    counts = np.zeros((4, 6))
    counts[:3, :5] = np.reshape(values, (3, 5))
    counts[:3, 5] = 2
    counts[3, :5] = 1
    return ConfusionMatrix(GOLD, HEARD, counts)


def costs_of(values: list[int]) -> CostTable:
    return made_costs([*values, *[1] * 8], gold=GOLD, predicted=HEARD, denominator=5)


@given(numbers)
def test_most_frequent_confusions(counts: list[int]) -> None:
    matrix = matrix_of(counts)
    for side, own, others in (("gold", GOLD, HEARD), ("predicted", HEARD, GOLD)):
        found, number = top_confusions(matrix, side)  # type: ignore[arg-type]
        table = matrix.substitutions if side == "gold" else matrix.substitutions.T
        for row, phone in enumerate(own):
            cells = [(-table[row, column], column) for column, other in enumerate(others) if other != phone]
            least, column = min(cells)
            assert found[row] == (others.phones[column] if least else "")
            assert number[row] == -least


@given(numbers)
def test_nearest_phones_by_features(costs: list[int]) -> None:
    for side, own, others in (("gold", GOLD, HEARD), ("predicted", HEARD, GOLD)):
        found = nearest_phones(costs_of(costs), panphon_features(), side)  # type: ignore[arg-type]
        table = np.reshape(costs, (3, 5)) if side == "gold" else np.reshape(costs, (3, 5)).T
        for row, phone in enumerate(own):
            steps = [abs(LETTERS.index(phone[0]) - LETTERS.index(other[0])) for other in others]
            cells = [(table[row, n], steps[n], n) for n, other in enumerate(others) if other != phone]
            assert found[row] == others.phones[min(cells)[2]]


def test_every_table_has_the_same_nearest_phone_the_neighbour_on_the_chart_of_equally_near_ones() -> None:
    """PanPhon has e as near to ʌ as to ɛ and to i, and eɪ as near to several: ties are common."""
    phones, inventory = Inventory(("e", "eɪ", "o", "ɾ", "a", "ĩ")), Inventory(("i", "l", "n", "ɑ", "ɔ", "ɛ", "ɪ", "ʌ"))
    features = panphon_features()
    costs = cost_table("panphon", phones, inventory, features)
    with_itself, tied = expected.nearest_phones(phones, inventory, features), 0
    for place, phone in enumerate(phones):
        prices = [costs.cost(phone, other) for other in inventory]
        tied += prices.count(min(prices)) > 1
        assert nearest_phones(costs, features)[place] == with_itself[phone][0] == BESIDE[phone]
        assert prices[inventory.code(BESIDE[phone])] == min(prices)
    assert tied > 1


@pytest.mark.parametrize(
    ("inventory", "nearest"),
    [(None, {"p": "b", "a": "i", "?": ""}), (["b", "i", "t", "ɑ"], {"p": "b", "a": "ɑ", "?": ""})],
)
def test_a_phone_stands_beside_the_nearest_one_of_the_other_side(
    inventory: list[str] | None, nearest: dict[str, str]
) -> None:
    """By hand: p and b differ in voice, p and t in place; a has more of ɑ than of i. Unit costs know no features."""
    settings = ["alignment.costs=unit", "corpora.score.gold.unknown=keep"]
    found = px.score([["p", "a"], ["a", "?"]], [["b", "i"], ["i"]], inventory=inventory, settings=settings)
    phones = found.phones.set_index(["side", "phone"])["nearest"]
    assert {phone: phones["gold", phone] for phone in nearest} == nearest
    assert {phone: phones["predicted", phone] for phone in "bi"} == {"b": "p", "i": "a"}

"""Correspondences: τ_b by counting pairs, and the lists of confusions and of nearest phones by sorting."""

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from alignment_oracle import made_costs
from hypothesis import given, strategies as st
from numpy.typing import ArrayLike
from running import read_tsv
from scipy.stats import kendalltau

import phonxling as px
from phonxling.alignment.costs import cost_table
from phonxling.analyses.one_to_one import nearest_phones, overall_tau, phone_taus, top_confusions
from phonxling.analyses.same_phones import nearest_in, nearest_phones_within
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.inventory import CHART, Inventory
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


def costs_of(values: ArrayLike, gold: Inventory = GOLD, heard: Inventory = HEARD, denominator: int = 5) -> CostTable:
    numbers = [*np.ravel(values), *[1] * (len(gold) + len(heard))]
    return made_costs(numbers, gold=gold, predicted=heard, denominator=denominator)


def tau_b(first: list[float], second: list[float]) -> float:
    agree = tied_first = tied_second = either = 0
    for (a, b), (c, d) in combinations(zip(first, second, strict=True), 2):
        one, two = (a > c) - (a < c), (b > d) - (b < d)
        agree += one * two
        tied_first += one == 0
        tied_second += two == 0
        either += 1
    below = math.sqrt((either - tied_first) * (either - tied_second))
    return agree / below if below else math.nan


def taus(matrix: ConfusionMatrix, costs: CostTable) -> tuple[np.ndarray, float]:
    """Return τ_b by gold phone, and overall."""
    of = matrix.substitutions[..., None], matrix.same_symbol(), costs
    return phone_taus(*of)[:, 0], float(overall_tau(*of)[0])


@given(numbers, numbers)
def test_tau_by_counting_pairs(counts: list[int], costs: list[int]) -> None:
    matrix, table = matrix_of(counts), costs_of(costs)
    each, overall = taus(matrix, table)
    every: tuple[list[float], list[float]] = ([], [])
    for row, phone in enumerate(GOLD):
        total = sum(counts[5 * row : 5 * row + 5])
        others = [column for column, heard in enumerate(HEARD) if heard != phone]
        probability = [counts[5 * row + column] / total if total else 0.0 for column in others]
        similarity = [1 - costs[5 * row + column] / 5 for column in others]
        assert each[row] == pytest.approx(tau_b(probability, similarity) if total else math.nan, nan_ok=True)
        for column, share, alike in zip(others, probability, similarity, strict=True) if total else ():
            if any(counts[column::5]):  # predicted at all
                every[0].append(share)
                every[1].append(alike)
    assert overall == pytest.approx(tau_b(*every), nan_ok=True)


def test_tau_of_a_large_matrix_is_scipys() -> None:
    generator = np.random.default_rng(0)
    gold, heard = [f"g{n}" for n in range(25)], [f"h{n}" for n in range(30)]
    counts, costs = generator.poisson(2, (25, 30)), generator.integers(0, 24, (25, 30))
    table = costs_of(costs, Inventory(tuple(gold)), Inventory(tuple(heard)), 24)
    share = counts / counts.sum(axis=1, keepdims=True)
    each, overall = taus(ConfusionMatrix(gold, heard, counts), table)
    assert overall == pytest.approx(kendalltau(share.ravel(), -costs.ravel()).statistic)
    assert overall == pytest.approx(tau_b(share.ravel().tolist(), (-costs).ravel().tolist()))
    assert abs(overall) < 0.1
    assert len(each) == 25


@given(numbers, st.integers(0, 6))
def test_most_frequent_confusions(counts: list[int], k: int) -> None:
    found = top_confusions(matrix_of(counts), k)
    for row, phone in enumerate(GOLD):
        cells = [(-counts[5 * row + column], column) for column, heard in enumerate(HEARD) if heard != phone]
        assert found[row] == [HEARD.phones[column] for count, column in sorted(cells) if count][:k]


@given(numbers, st.integers(0, 6))
def test_nearest_phones_by_features(costs: list[int], k: int) -> None:
    found = nearest_phones(costs_of(costs), k)
    for row, phone in enumerate(GOLD):
        steps = [abs(LETTERS.index(phone[0]) - LETTERS.index(heard[0])) for heard in HEARD]
        cells = [
            (costs[5 * row + column], steps[column], column) for column in range(5) if HEARD.phones[column] != phone
        ]
        assert found[row] == [HEARD.phones[column] for *_, column in sorted(cells)][:k]


def test_every_table_has_the_same_nearest_phone_the_neighbour_on_the_chart_of_equally_near_ones() -> None:
    """PanPhon has e as near to ʌ as to ɛ and to i, and eɪ as near to several: ties are common."""
    phones, inventory = Inventory(("e", "eɪ", "o", "ɾ", "a", "ĩ")), Inventory(("i", "l", "n", "ɑ", "ɔ", "ɛ", "ɪ", "ʌ"))
    features = panphon_features()
    costs = cost_table("panphon", phones, inventory, features)
    in_missed = {phone: other for phone, (other, _) in nearest_in(phones, inventory, features).items()}
    tokens = [[1]] * len(phones), [[1]] * len(inventory)
    target, reference = (ConfusionMatrix(side, ["x"], n) for side, n in zip((phones, inventory), tokens, strict=True))
    as_pairs = nearest_phones_within(target, reference, costs, distance=1)
    tied = 0
    for place, phone in enumerate(phones):
        prices = [costs.cost(phone, other) for other in inventory]
        tied += prices.count(min(prices)) > 1
        assert nearest_phones(costs, 1)[place] == [in_missed[phone]] == [as_pairs[phone]] == [BESIDE[phone]]
        assert prices[inventory.code(BESIDE[phone])] == min(prices)
    assert tied > 1


def test_lists_may_hold_the_phone_itself(small_run: Path) -> None:
    """The confusions sorted by count, and features by distance, each of ties in the order of the inventory."""
    folder = small_run / "results" / "yoruba"
    table, cells = read_tsv(folder / "correspondences.tsv"), read_tsv(folder / "confusions.tsv")
    phones = read_tsv(folder / "phones.tsv")
    predicted = phones.loc[phones["side"] == "predicted", "phone"].tolist()
    cells = cells[(cells["gold"] != "∅") & (cells["predicted"] != "∅")]
    own = table[table["given"] == "gold"]
    itself = 0
    for phone, rows in own.groupby("phone"):
        counts = cells[cells["gold"] == phone].set_index("predicted")["count"]
        wanted = sorted(counts.index, key=lambda x: (-counts[x], predicted.index(x)))[:5]
        assert [x for x in rows["heard_as"] if x] == wanted
        shares = [p for p, x in zip(rows["heard_as_share"], rows["heard_as"], strict=True) if x]
        assert [float(p) for p in shares] == pytest.approx([counts[x] / counts.sum() for x in wanted])
        costs = px.feature_costs([phone], predicted)
        near = sorted(predicted, key=lambda x: (x != phone, costs.cost(phone, x), predicted.index(x)))[:5]
        assert [x for x in rows["most_similar"] if x] == near
        itself += near[0] == phone
        assert phone not in {*rows["confused_with"], *rows["nearest"]}
    assert itself > 2

"""Rates against hand-worked examples and a plain dynamic programme over fractions."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from alignment_oracle import made_costs
from hypothesis import given, settings, strategies as st

from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.error_rate import (
    Operations,
    aligned_error_rate,
    operations,
    skill,
    utterance_rates,
    weighted_phone_error_rate,
)
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists
from phonxling.count.confusions import count_confusions, count_operations
from phonxling.experiment.aligning import feature_costs

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("b", "x", "a"))
Corpus = list[tuple[list[str], list[str]]]
corpora = st.lists(
    st.tuples(st.lists(st.sampled_from(GOLD.phones), max_size=6), st.lists(st.sampled_from(HEARD.phones), max_size=6)),
    max_size=5,
)


tables = st.lists(st.integers(0, 60), min_size=15, max_size=15).map(
    partial(made_costs, gold=GOLD, predicted=HEARD, denominator=48)
)


def unit(gold: Inventory, heard: Inventory) -> CostTable:
    different = [[int(g != p) for p in heard] for g in gold]
    ones = np.ones(len(gold)), np.ones(len(heard))
    return CostTable(
        gold=gold, predicted=heard, substitution=different, deletion=ones[0], insertion=ones[1], denominator=1, name="u"
    )


def matrix_of(corpus: Corpus, costs: CostTable) -> ConfusionMatrix:
    names = [f"u{number}" for number in range(len(corpus))]
    gold = from_lists(names, [list(g) for g, _ in corpus], GOLD)
    return count_confusions(align_sequences(gold, from_lists(names, [list(p) for _, p in corpus], HEARD), costs))


def least(gold: list[str], heard: list[str], costs: CostTable) -> Fraction:
    best = {(0, 0): Fraction(0)}
    for i in range(len(gold) + 1):
        for j in range(len(heard) + 1):
            ways = []
            if i and j:
                ways.append(best[i - 1, j - 1] + costs.cost(gold[i - 1], heard[j - 1]))
            if i:
                ways.append(best[i - 1, j] + costs.cost(gold[i - 1], None))
            if j:
                ways.append(best[i, j - 1] + costs.cost(None, heard[j - 1]))
            if ways:
                best[i, j] = min(ways)
    return best[len(gold), len(heard)]


@settings(deadline=None)
@given(corpora, tables)
def test_the_pooled_rate_is_the_sum_of_least_costs_over_gold_phones(corpus: Corpus, costs: CostTable) -> None:
    found = weighted_phone_error_rate(matrix_of(corpus, costs), costs)
    tokens = sum(len(gold) for gold, _ in corpus)
    if not tokens:
        assert math.isnan(found)
        return
    total = sum((least(gold, heard, costs) for gold, heard in corpus), Fraction(0))
    assert found == pytest.approx(float(total / tokens), rel=1e-12)


@settings(deadline=None)
@given(corpora)
def test_under_unit_costs_both_rates_are_levenshteins(corpus: Corpus) -> None:
    costs = unit(GOLD, HEARD)
    matrix = matrix_of(corpus, costs)
    tokens = sum(len(gold) for gold, _ in corpus)
    edits = sum((least(gold, heard, costs) for gold, heard in corpus), Fraction(0))
    if tokens:
        assert aligned_error_rate(matrix) == pytest.approx(float(edits / tokens))
        assert weighted_phone_error_rate(matrix, costs) == pytest.approx(aligned_error_rate(matrix))
    else:
        assert math.isnan(aligned_error_rate(matrix))
    assert operations(matrix).errors == edits


@settings(deadline=None)
@given(corpora, tables)
def test_each_utterance_with_gold_has_a_rate(corpus: Corpus, costs: CostTable) -> None:
    cost = [least(gold, heard, costs) for gold, heard in corpus]
    tokens = [len(gold) for gold, _ in corpus]
    each = utterance_rates(np.array([float(paid) for paid in cost]), np.array(tokens, dtype=np.int64))
    rates = [float(paid / number) for paid, number in zip(cost, tokens, strict=True) if number]
    assert each[~np.isnan(each)].tolist() == pytest.approx(rates)
    assert np.isnan(each).tolist() == [number == 0 for number in tokens]


@settings(deadline=None)
@given(corpora, tables)
def test_operations_of_the_matrix_are_the_sum_over_utterances(corpus: Corpus, costs: CostTable) -> None:
    names = [f"u{number}" for number in range(len(corpus))]
    gold = from_lists(names, [list(g) for g, _ in corpus], GOLD)
    aligned = align_sequences(gold, from_lists(names, [list(p) for _, p in corpus], HEARD), costs)
    found = operations(count_confusions(aligned))
    summed = count_operations(aligned).sum(axis=0).tolist()
    assert [found.correct, found.substitutions, found.deletions, found.insertions] == summed
    assert found.gold_tokens == sum(len(g) for g, _ in corpus)


def test_weighted_rate_by_hand() -> None:
    """Gold a b a against a p: a→a costs 0, b→p one feature of 24 (voice), the last a is deleted at 1."""
    costs = feature_costs(["a", "b"], ["a", "p"])
    matrix = ConfusionMatrix(["a", "b"], ["a", "p"], [[1, 0, 1], [0, 1, 0], [0, 0, 0]])
    assert weighted_phone_error_rate(matrix, costs) == pytest.approx((0 + 1 / 24 + 1) / 3)
    assert aligned_error_rate(matrix) == pytest.approx(2 / 3)
    assert operations(matrix) == Operations(correct=1, substitutions=1, deletions=1, insertions=0)


def test_phones_of_equal_features_cost_nothing_but_are_no_match() -> None:
    """Definition 2: identity of symbols, not the cost, says whether a phone is correct; panphon cannot tell r and ɾ."""
    costs = feature_costs(["r"], ["ɾ"])
    matrix = ConfusionMatrix(["r"], ["ɾ"], [[4]])
    assert weighted_phone_error_rate(matrix, costs) == 0
    assert aligned_error_rate(matrix) == 1
    assert operations(matrix).substitutions == 4


def test_insertions_count_in_the_numerator_only() -> None:
    one = Inventory(("a",))
    matrix = ConfusionMatrix(one, one, [[1, 0], [3, 0]])
    assert aligned_error_rate(matrix) == 3
    assert weighted_phone_error_rate(matrix, unit(one, one)) == 3


def test_without_gold_there_is_no_rate() -> None:
    one = Inventory(("a",))
    matrix = ConfusionMatrix(one, one, [[0, 0], [3, 0]])
    assert math.isnan(aligned_error_rate(matrix))
    assert math.isnan(weighted_phone_error_rate(matrix, unit(one, one)))


def test_costs_between_other_phones_are_refused() -> None:
    turned = Inventory(("b", "a"))
    with pytest.raises(ValueError, match="not between"):
        weighted_phone_error_rate(ConfusionMatrix(["a", "b"], ["a"], [[1], [1]]), unit(turned, Inventory(("a",))))


@given(st.floats(0, 3), st.floats(0.01, 2))
def test_skill(rate: float, chance: float) -> None:
    assert skill(rate, chance) == pytest.approx((chance - rate) / chance)
    assert skill(chance, chance) == 0
    assert skill(0.0, chance) == 1
    assert (skill(rate, chance) < 0) == (rate > chance)
    assert math.isnan(skill(rate, 0.0))
    assert math.isnan(skill(rate, math.nan))

"""Rates against hand-worked examples and a plain dynamic programme over fractions, and their intervals."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from alignment_oracle import made_costs
from hypothesis import given, settings, strategies as st
from scipy import stats

import phonxling as px
from phonxling.alignment.confusions import count_confusions, count_operations
from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.costs import Operations, operations, weighted_phone_error_rate
from phonxling.core.arrays import divide
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists
from phonxling.stats.jackknife import clusters_of

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("b", "x", "a"))
Corpus = list[tuple[list[str], list[str]]]
corpora = st.lists(
    st.tuples(st.lists(st.sampled_from(GOLD.phones), max_size=6), st.lists(st.sampled_from(HEARD.phones), max_size=6)),
    max_size=5,
)
unit = partial(px.feature_costs, name="unit")
tables = st.lists(st.integers(0, 60), min_size=15, max_size=15).map(
    partial(made_costs, gold=GOLD, predicted=HEARD, denominator=48)
)


def aligned_error_rate(matrix: ConfusionMatrix) -> float:
    """Return the errors of the alignment behind a matrix over its gold phones."""
    counted = operations(matrix)
    return float(divide(counted.substitutions + counted.deletions + counted.insertions, counted.gold_tokens))


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
@given(corpora, tables | st.just(unit(GOLD, HEARD)))
def test_rates_are_least_costs_over_gold_phones_pooled_and_by_utterance(corpus: Corpus, costs: CostTable) -> None:
    names = [f"u{number}" for number in range(len(corpus))]
    sides = ((GOLD, [list(g) for g, _ in corpus]), (HEARD, [list(p) for _, p in corpus]))
    aligned = align_sequences(*(from_lists(names, phones, inventory) for inventory, phones in sides), costs)
    matrix, tokens = count_confusions(aligned), [len(gold) for gold, _ in corpus]
    each = [least(gold, heard, costs) for gold, heard in corpus]
    pooled = float(sum(each, Fraction(0)) / sum(tokens)) if sum(tokens) else math.nan
    assert weighted_phone_error_rate(matrix, costs) == pytest.approx(pooled, rel=1e-12, nan_ok=True)
    if costs.name == "unit":
        assert aligned_error_rate(matrix) == pytest.approx(pooled, nan_ok=True)
    rates = divide(np.array([float(paid) for paid in each]), np.array(tokens, dtype=np.int64))
    wanted = [float(paid / number) if number else math.nan for paid, number in zip(each, tokens, strict=True)]
    assert rates.tolist() == pytest.approx(wanted, nan_ok=True)
    found, summed = operations(matrix), count_operations(aligned).sum(axis=0).tolist()
    assert [found.correct, found.substitutions, found.deletions, found.insertions] == summed
    assert found.gold_tokens == sum(tokens)


def test_weighted_rate_by_hand() -> None:
    """Gold a b a against a p: a→a costs 0, b→p one feature of 24 (voice), the last a is deleted at 1."""
    costs = px.feature_costs(["a", "b"], ["a", "p"])
    matrix = ConfusionMatrix(["a", "b"], ["a", "p"], [[1, 0, 1], [0, 1, 0], [0, 0, 0]])
    assert weighted_phone_error_rate(matrix, costs) == pytest.approx((0 + 1 / 24 + 1) / 3)
    assert aligned_error_rate(matrix) == pytest.approx(2 / 3)
    assert operations(matrix) == Operations(correct=1, substitutions=1, deletions=1, insertions=0)
    with pytest.raises(ValueError, match="not between"):
        weighted_phone_error_rate(matrix, px.feature_costs(["b", "a"], ["a", "p"]))


def test_phones_of_equal_features_cost_nothing_but_are_no_match() -> None:
    """Definition 2: identity of symbols, not the cost, says whether a phone is correct; panphon cannot tell r and ɾ."""
    matrix = ConfusionMatrix(["r"], ["ɾ"], [[4]])
    assert weighted_phone_error_rate(matrix, px.feature_costs(["r"], ["ɾ"])) == 0
    assert aligned_error_rate(matrix) == 1
    assert operations(matrix).substitutions == 4


GENERATOR = np.random.default_rng(7)
TOKENS = GENERATOR.integers(20, 60, 50).astype(float)
ERRORS = GENERATOR.binomial(TOKENS.astype(int), 0.3).astype(float)
STACK = ConfusionStack(
    utterances=tuple(map(str, range(50))),
    gold=Inventory(("a",)),
    predicted=Inventory(("a", "b")),
    offsets=np.arange(0, 101, 2),
    cells=np.tile([0, 1], 50),
    counts=np.column_stack([TOKENS - ERRORS, ERRORS]).ravel(),
)


def test_a_rate_has_the_limits_of_a_t_interval_of_its_logarithm() -> None:
    """Of clusters with equal tokens a left-out rate is a left-out mean, whose jackknife is the t interval."""
    errors = np.array([3.0, 9, 5, 4, 7, 8, 6, 2])
    found = clusters_of(np.full(8, 20.0), np.arange(8)).ratio(errors, np.full(8, 20.0), "rate")
    left = np.log([(errors.sum() - one) / 140 for one in errors])
    reach = stats.t(7).ppf(0.975) * np.sqrt(7 / 8 * ((left - left.mean()) ** 2).sum())
    rate = errors.sum() / 160
    assert (found.value, found.low, found.high) == pytest.approx((rate, rate * np.exp(-reach), rate * np.exp(reach)))
    own = px.jackknife(aligned_error_rate, STACK, kind="rate")
    wanted = clusters_of(TOKENS).ratio(ERRORS, TOKENS, "rate")
    assert (own.value, own.low, own.high) == pytest.approx((wanted.value, wanted.low, wanted.high))


def test_an_entropy_of_ones_own_stands_around_its_jackknife_estimate() -> None:
    speakers = [f"s{number % 12}" for number in range(50)]
    found = px.jackknife(px.conditional_entropy, STACK, speakers=speakers, corrected=True)
    kept = [np.array([float(name != f"s{left}") for name in speakers]) for left in range(12)]
    without = [px.conditional_entropy(STACK.total(weights)) for weights in kept]
    assert found.value == pytest.approx(12 * px.conditional_entropy(STACK.total()) - 11 * np.mean(without))
    assert (found.low + found.high) / 2 == pytest.approx(found.value)
    with pytest.raises(ValueError, match="3 speakers for 50 utterances"):
        px.jackknife(px.conditional_entropy, STACK, speakers=["a", "b", "c"])

"""Learned costs: the formula computed another way, one-to-one correspondences found, what learning says of itself."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import phonxling as px
from phonxling.alignment.costs import pmi_costs
from phonxling.analyses.fitting import Learning, fit
from phonxling.core.costs import CostTable
from phonxling.core.sequences import from_lists

PHONES = ("p", "t", "k", "m", "n", "s", "l", "a", "i", "u", "e", "o")
SWAPPED = {"p": "a", "a": "p", "s": "u", "u": "s"}  # featurally as distant as can be


def corpus_of(gold: list[list[str]], heard: list[list[str]]) -> px.Corpus:
    names = [f"u{number}" for number in range(len(gold))]
    inventory = px.Inventory(PHONES)
    return px.Corpus(gold=from_lists(names, gold, inventory), predicted=from_lists(names, heard, inventory))


def recogniser(
    seed: int, utterances: int, swap: dict[str, str], noise: float
) -> tuple[list[list[str]], list[list[str]], list[set[tuple[int, int]]]]:
    """Return gold, predictions, and which gold place each prediction stands for: with deletions and insertions."""
    generator = np.random.default_rng(seed)
    gold, heard, links = [], [], []
    for _ in range(utterances):
        said, said_as, true = list(generator.choice(PHONES, generator.integers(8, 25))), [], set()
        for place, phone in enumerate(said):
            if generator.random() > noise / 2:
                true.add((place, len(said_as)))
                guess = str(generator.choice(PHONES)) if generator.random() < noise else swap.get(phone, phone)
                said_as.append(guess)
            if generator.random() < noise / 2:
                said_as.append(str(generator.choice(PHONES)))
        gold.append(said)
        heard.append(said_as)
        links.append(true)
    return gold, heard, links


def found_links(corpus: px.Corpus, costs: CostTable) -> list[set[tuple[int, int]]]:
    aligned = px.align_corpus(corpus, costs)
    links = []
    for number in range(len(corpus.utterances)):
        first, second, here = 0, 0, set()
        for gold, heard in aligned.pairs_of(number):
            here |= {(first, second)} if px.symbols.GAP not in (gold, heard) else set()
            first, second = first + (gold != px.symbols.GAP), second + (heard != px.symbols.GAP)
        links.append(here)
    return links


def share_right(found: list[set[tuple[int, int]]], true: list[set[tuple[int, int]]]) -> float:
    hits = sum(len(one & other) for one, other in zip(found, true, strict=True))
    return 2 * hits / sum(len(one) + len(other) for one, other in zip(found, true, strict=True))


def rate(corpus: px.Corpus, costs: CostTable) -> float:
    return px.weighted_phone_error_rate(px.count_confusions(px.align_corpus(corpus, costs)), costs)


def by_the_formula(pairs: list[tuple[str, str]], gold: str, heard: str, alpha: float) -> float:
    """Definition 4, from a list of aligned pairs."""
    together, rows, columns = Counter(pairs), Counter(g for g, _ in pairs), Counter(p for _, p in pairs)
    count, expected = together[gold, heard], rows[gold] * columns[heard] / len(pairs)
    npmi = math.log((count + alpha) / (expected + alpha)) / math.log((len(pairs) + alpha) / (count + alpha))
    return (1 - npmi) / 2


@pytest.mark.parametrize("alpha", [0.1, 0.5, 2.0])
def test_one_round_is_the_formula_over_the_aligned_pairs(alpha: float) -> None:
    corpus = corpus_of(*recogniser(5, 40, SWAPPED, 0.3)[:2])
    start = px.feature_costs(PHONES, PHONES)
    aligned = px.align_corpus(corpus, start)
    pairs = [pair for number in range(len(corpus.utterances)) for pair in aligned.pairs_of(number)]
    costs = px.costs.learn_costs(corpus, smoothing=alpha, rounds=1).costs
    for gold in (*PHONES, None):
        for heard in (*PHONES, None):
            if gold or heard:
                wanted = by_the_formula(pairs, gold or px.symbols.GAP, heard or px.symbols.GAP, alpha)
                assert abs(float(costs.cost(gold, heard)) - wanted) <= 0.5e-4 + 1e-12


@given(st.lists(st.lists(st.integers(0, 500), min_size=3, max_size=3), min_size=2, max_size=5), st.floats(0.01, 10))
def test_costs_lie_between_0_and_1_and_more_pairs_of_the_same_sums_cost_less(
    counts: list[list[int]], alpha: float
) -> None:
    table = np.array(counts, dtype=np.float64)
    costs = pmi_costs(table, alpha)
    assert costs.min() >= 0
    assert costs.max() <= 1
    moved = table.copy()
    moved[0, 0], moved[1, 1] = moved[0, 0] + 1, moved[1, 1] + 1
    if moved[0, 1] > 0 and moved[1, 0] > 0:
        moved[0, 1], moved[1, 0] = moved[0, 1] - 1, moved[1, 0] - 1
        assert pmi_costs(moved, alpha)[0, 0] <= costs[0, 0]


def test_independent_and_uncounted_phones_cost_a_half() -> None:
    assert np.allclose(pmi_costs(np.outer([10.0, 30.0], [20.0, 60.0]) / 4, 0.5), 0.5)
    assert np.allclose(pmi_costs(np.zeros((2, 2)), 0.5), 0.5)
    assert pmi_costs(np.array([[7.0]]), 0.5).tolist() == [[0.0]]


def test_learning_finds_a_distant_one_to_one_correspondence_that_features_do_not() -> None:
    gold, heard, true = recogniser(2, 150, SWAPPED, 0.2)
    corpus = corpus_of(gold, heard)
    panphon, found = px.feature_costs(PHONES, PHONES), px.costs.learn_costs(corpus)
    assert found.converged
    for phone, partner in SWAPPED.items():
        prices = {other: found.costs.cost(phone, other) for other in PHONES}
        assert min(prices, key=lambda other: prices[other]) == partner
        assert prices[partner] < Fraction(1, 5)
        assert min(PHONES, key=lambda other: panphon.cost(phone, other)) == phone
    learned, features = (share_right(found_links(corpus, costs), true) for costs in (found.costs, panphon))
    assert learned > 0.9 > 0.75 > features


def test_rounds_are_recorded_and_end_when_no_alignment_changes() -> None:
    corpus = corpus_of(*recogniser(3, 60, SWAPPED, 0.3)[:2])
    found = px.costs.learn_costs(corpus)
    assert [done.number for done in found.rounds] == list(range(1, len(found.rounds) + 1))
    assert found.rounds[0].changed == 60
    assert all(done.changed > 0 for done in found.rounds[:-1])
    assert (found.rounds[-1].changed, found.converged) == (0, True)
    assert found.rounds[0].rate == rate(corpus, px.feature_costs(PHONES, PHONES))
    assert found.rounds[-1].rate == pytest.approx(rate(corpus, found.costs), rel=1e-12)
    short = px.costs.learn_costs(corpus, rounds=2)
    assert (len(short.rounds), short.converged, short.start, short.smoothing) == (2, False, "panphon", 0.5)
    assert [done.changed for done in short.rounds] == [done.changed for done in found.rounds[:2]]


def test_changed_utterances_are_counted_one_by_one() -> None:
    corpus = corpus_of(*recogniser(9, 50, SWAPPED, 0.4)[:2])
    first, second = px.feature_costs(PHONES, PHONES), px.costs.learn_costs(corpus, rounds=1).costs
    before, after = (px.align_corpus(corpus, costs) for costs in (first, second))
    wanted = sum(before.pairs_of(number) != after.pairs_of(number) for number in range(50))
    assert 0 < wanted < 50
    assert px.costs.learn_costs(corpus, rounds=2).rounds[1].changed == wanted


def test_gap_costs_that_are_given_stay_and_others_are_learned() -> None:
    corpus = corpus_of(*recogniser(3, 60, {}, 0.3)[:2])
    given_costs = px.costs.learn_costs(corpus, insertion=0.75, deletion=dict.fromkeys(PHONES, 0.6)).costs
    assert {given_costs.cost(None, phone) for phone in PHONES} == {Fraction(3, 4)}
    assert {given_costs.cost(phone, None) for phone in PHONES} == {Fraction(3, 5)}
    learned = px.costs.learn_costs(corpus).costs
    assert (learned.insertion_name, learned.deletion_name) == ("learned", "learned")
    assert len({learned.cost(None, phone) for phone in PHONES}) > 3


def test_a_rate_on_the_learning_data_flatters_and_a_cross_fitted_one_does_not() -> None:
    """Noise: predictions that have nothing to do with the gold."""
    generator = np.random.default_rng(6)
    rows = [[list(generator.choice(PHONES, 12)) for _ in range(30)] for _ in range(2)]
    corpus = corpus_of(*rows)
    start = px.feature_costs(PHONES, PHONES)
    learning = Learning(start=start, insertion=None, deletion=None, rounds=20, smoothing=0.5)
    half = np.arange(30, dtype=np.int8) % 2
    fitted = fit(learning, corpus.gold, corpus.predicted, half)
    crossed = fitted.cost(fitted.path(corpus.gold, corpus.predicted)).sum() / 360
    flattered = rate(corpus, px.costs.learn_costs(corpus).costs)
    assert flattered < 0.95 * crossed


def test_each_half_is_aligned_under_the_costs_of_the_other() -> None:
    corpus = corpus_of(*recogniser(8, 21, SWAPPED, 0.3)[:2])
    start = px.feature_costs(PHONES, PHONES)
    half = (np.random.default_rng(1).random(21) < 0.5).astype(np.int8)
    fitted = fit(
        Learning(start=start, insertion=None, deletion=None, rounds=9, smoothing=0.5),
        corpus.gold,
        corpus.predicted,
        half,
    )
    aligned = fitted.path(corpus.gold, corpus.predicted)
    paid = fitted.cost(aligned)
    for side in (0, 1):
        table = px.costs.learn_costs(corpus.select(np.flatnonzero(half != side)), rounds=9).costs
        part = px.align_corpus(corpus.select(np.flatnonzero(half == side)), table)
        for place, number in enumerate(np.flatnonzero(half == side)):
            assert aligned.pairs_of(number) == part.pairs_of(place)
            assert Fraction(int(aligned.cost[number]), aligned.denominator) == Fraction(
                int(part.cost[place]), part.denominator
            )
            assert paid[number] == pytest.approx(part.cost[place] / part.denominator, rel=1e-12)


@given(st.integers(1, 4), st.integers(0, 50))
@settings(max_examples=20)
def test_workers_do_not_matter(workers: int, seed: int) -> None:
    corpus = corpus_of(*recogniser(seed, 12, SWAPPED, 0.4)[:2])
    one, more = (px.costs.learn_costs(corpus, workers=number).costs for number in (1, workers))
    assert np.array_equal(one.numerators(), more.numerators())


def test_wrong_settings_and_an_empty_corpus() -> None:
    corpus = corpus_of([[], []], [[], []])
    assert {*px.costs.learn_costs(corpus).costs.with_gaps()[:-1, :-1].ravel()} == {0.5}
    for wrong in ({"smoothing": 0.0}, {"smoothing": math.inf}, {"rounds": 0}):
        with pytest.raises(px.ConfigurationError, match="a smoothing above 0 and a round"):
            px.costs.learn_costs(corpus, **wrong)
    start = px.feature_costs(PHONES, PHONES)
    learning = Learning(start=start, insertion=None, deletion=None, rounds=1, smoothing=0.5)
    with pytest.raises(ValueError, match="halves"):
        fit(learning, corpus.gold, corpus.predicted, None)

"""Alignments chosen utterance by utterance from several: each utterance's is that of its part, costs included."""

from fractions import Fraction

import numpy as np
import pytest

import phonxling as px
from phonxling.alignment.corpus import choose, choose_paths
from phonxling.core.confusion import ExpectedAlignments
from phonxling.core.sequences import from_lists

PHONES = ("a", "b", "c")
WHICH = np.array([1, 0, 0, 1, 1, 0])


@pytest.fixture(scope="module")
def corpus() -> px.Corpus:
    generator = np.random.default_rng(2)
    rows = [[list(generator.choice(PHONES, generator.integers(0, 6))) for _ in WHICH] for _ in range(2)]
    names, phones = [f"u{number}" for number in range(len(WHICH))], px.Inventory(PHONES)
    return px.Corpus(gold=from_lists(names, rows[0], phones), predicted=from_lists(names, rows[1], phones))


def tables() -> list[px.values.CostTable]:
    return [px.feature_costs(PHONES, PHONES), px.feature_costs(PHONES, PHONES, "unit", insertion=0.3, deletion=0.7)]


def test_each_path_is_that_of_its_part(corpus: px.Corpus) -> None:
    parts = [px.align_corpus(corpus, costs) for costs in tables()]
    chosen = choose_paths(parts, WHICH)
    for number, part in enumerate(WHICH):
        assert chosen.pairs_of(number) == parts[part].pairs_of(number)
        cost = Fraction(int(parts[part].cost[number]), parts[part].denominator)
        assert Fraction(int(chosen.cost[number]), chosen.denominator) == cost


def test_each_expectation_is_that_of_its_part(corpus: px.Corpus) -> None:
    parts = [px.costs.align_expected(corpus, costs, 0.2) for costs in tables()]
    chosen = choose(parts, WHICH)
    assert isinstance(chosen, ExpectedAlignments)
    for number, part in enumerate(WHICH):
        assert chosen.counts.matrix_of(number) == parts[part].counts.matrix_of(number)
        assert chosen.ambiguity[number] == parts[part].ambiguity[number]
        cost = parts[part].cost[number] / parts[part].denominator
        assert chosen.cost[number] / chosen.denominator == pytest.approx(cost, rel=1e-12)


def test_one_part_is_returned_and_unlike_ones_are_refused(corpus: px.Corpus) -> None:
    first, second = (px.align_corpus(corpus, costs) for costs in tables())
    assert choose([first], np.zeros(6, np.int8)) is first
    other = px.align_corpus(corpus.select(np.arange(5)), tables()[0])
    with pytest.raises(ValueError, match="same utterances and phones"):
        choose([first, other], WHICH)
    with pytest.raises(ValueError, match="best and expected"):
        choose([second, px.costs.align_expected(corpus, tables()[0])], WHICH)

"""What constants cost without aligning, against aligning them; alignments whose paths are not kept, in parts."""

import numpy as np
import pytest
from alignment_oracle import full_table, made_costs
from hypothesis import given, strategies as st
from support import corpus_of

from phonxling.alignment import corpus as shards
from phonxling.alignment.confusions import stack_confusions
from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.chance import ChanceSettings, chance_levels, constant_costs, count_aligned, recode_predictions
from phonxling.core.costs import CostTable, Ties
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import Corpus, PhoneSequences
from phonxling.stats.jackknife import clusters_of

GOLD, PREDICTED = Inventory(("a", "b", "e")), Inventory(("b", "e", "o"))
sides = st.tuples(
    st.lists(st.sampled_from(GOLD.phones), max_size=7), st.lists(st.sampled_from(PREDICTED.phones), max_size=7)
)
costs = st.lists(st.integers(0, 4), min_size=15, max_size=15).map(
    lambda numbers: made_costs(numbers, gold=GOLD, predicted=PREDICTED, denominator=3)
)


def paired(pairs: list[tuple[list[str], list[str]]]) -> Corpus:
    return corpus_of(*([pair[side] for pair in pairs] for side in (0, 1)), (GOLD, PREDICTED))


def constant(corpus: Corpus, code: int) -> PhoneSequences:
    return recode_predictions(corpus.predicted, np.full(len(corpus.predicted.codes), code))


@given(st.lists(sides, max_size=4), costs)
def test_constants_cost_what_a_full_table_says(pairs: list[tuple[list[str], list[str]]], costs: CostTable) -> None:
    paid = constant_costs(paired(pairs), costs, range(1, 3))
    for phone, row in zip(PREDICTED.phones[1:], paid.tolist(), strict=True):
        wanted = [float(full_table(gold, [phone] * len(heard), costs)[0]) for gold, heard in pairs]
        assert row == wanted


def test_costs_of_more_phones_than_the_corpus_has() -> None:
    corpus = paired([(["a", "e"], ["o"])])
    wide = made_costs(
        range(24), gold=Inventory(("a", "b", "c", "e")), predicted=Inventory(("b", "c", "e", "o")), denominator=7
    )
    drawn = [constant(corpus, code) for code in range(3)]
    aligned = [float(align_sequences(corpus.gold, one, wide).cost[0]) / 7 for one in drawn]
    assert constant_costs(corpus, wide, range(3))[:, 0].tolist() == aligned


CORPUS = paired([(["a", "b", "e", "a"], ["b", "o"]), (["b"], ["e", "b", "b"]), ([], ["o"]), (["e", "e"], ["e"])])
MADE = made_costs([1, 3, 2, 0, 4, 2, 3, 1, 4, 2, 1, 3, 2, 2, 1], gold=GOLD, predicted=PREDICTED, denominator=2)


def test_the_level_of_a_constant_is_of_its_alignments() -> None:
    settings = ChanceSettings(("constant",), 1, 1, clusters_of(np.array([4.0, 1, 0, 2])), np.array([np.nan]))
    (level,) = chance_levels(CORPUS, settings, costs=MADE)
    paid = {}
    for code, phone in enumerate(PREDICTED):
        aligned = align_sequences(CORPUS.gold, constant(CORPUS, code), MADE)
        paid[phone] = aligned.cost / MADE.denominator
    assert level.phone == min(paid, key=lambda phone: float(paid[phone].sum()))
    assert level.cost == pytest.approx(paid[level.phone], rel=1e-12)
    assert level.rate == pytest.approx(float(np.sum(paid[level.phone])) / 7)


@pytest.mark.parametrize("ties", ["identical", "nist", "late"])
@pytest.mark.parametrize("utterances", [0, 1, 60])
def test_parts_are_counted_as_the_whole(ties: Ties, utterances: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(7)
    costs = made_costs(random.integers(0, 9, 15), gold=GOLD, predicted=PREDICTED, denominator=4, ties=ties)
    rows = [
        tuple(random.choice(side.phones, random.integers(0, 9)).tolist() for side in (GOLD, PREDICTED))
        for _ in range(utterances)
    ]
    corpus = paired(rows)
    aligned = align_sequences(corpus.gold, corpus.predicted, costs)
    wanted = stack_confusions(aligned)
    monkeypatch.setattr(shards, "_PART", 100)  # cells: a few pairs
    monkeypatch.setattr(shards, "_WORTH", 1)
    cost, stack = count_aligned(corpus.gold, corpus.predicted, costs)
    assert cost.tolist() == (aligned.cost / 4).tolist()
    assert stack.utterances == wanted.utterances
    for name in ("offsets", "cells", "counts"):
        assert np.array_equal(getattr(stack, name), getattr(wanted, name)), name

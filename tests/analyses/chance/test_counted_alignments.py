"""Pairs that are aligned in parts, whose paths are not kept: the costs and confusions of all alignments at once."""

import numpy as np
import pytest
from alignment_oracle import made_costs

from phonxling.alignment import corpus, corpus as shards
from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.chance import count_aligned
from phonxling.core.costs import Ties
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences, from_lists
from phonxling.count.confusions import stack_confusions

GOLD, HEARD = Inventory(("a", "b", "c", "d")), Inventory(("b", "c", "x", "a"))


def sequences(inventory: Inventory, utterances: int, seed: int) -> PhoneSequences:
    generator = np.random.default_rng(seed)
    rows = [generator.choice(inventory.phones, generator.integers(0, 9)).tolist() for _ in range(utterances)]
    return from_lists([f"u{number}" for number in range(utterances)], rows, inventory)


@pytest.mark.parametrize("ties", ["identical", "nist", "late"])
@pytest.mark.parametrize("utterances", [0, 1, 60])
def test_parts_are_counted_as_the_whole(ties: Ties, utterances: int, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(7).integers(0, 9, 24).tolist()
    costs = made_costs(numbers, gold=GOLD, predicted=HEARD, denominator=4, ties=ties)
    gold, predicted = sequences(GOLD, utterances, 1), sequences(HEARD, utterances, 2)
    aligned = align_sequences(gold, predicted, costs)
    wanted = stack_confusions(aligned)
    monkeypatch.setattr(corpus, "_PART", 100)  # cells: a few pairs
    monkeypatch.setattr(shards, "_WORTH", 1)
    cost, stack = count_aligned(gold, predicted, costs)
    assert cost.tolist() == (aligned.cost / 4).tolist()
    assert stack.utterances == wanted.utterances
    for name in ("offsets", "cells", "counts"):
        assert np.array_equal(getattr(stack, name), getattr(wanted, name)), name

"""Other programs on the same pairs: the same distances under unit costs and under sclite's."""

import kaldialign
import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.costs import cost_table
from phonxling.core.confusion import OPERATIONS
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists
from phonxling.count.confusions import count_operations


@pytest.fixture(scope="module", params=["ab", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZæɑɒɔəɛɜɪʊʌ"])
def pairs(request: pytest.FixtureRequest) -> list[tuple[list[str], list[str]]]:
    """1,000 pairs: half of them unrelated, half of them one the other with errors; some longer than a word of 64."""
    generator = np.random.default_rng(len(request.param))
    letters = list(request.param)

    def row(size: int) -> list[str]:
        return [str(letter) for letter in generator.choice(letters, size)]

    def heard(gold: list[str]) -> list[str]:
        kept = [letter for letter in gold if generator.random() > 0.1]
        return [letter if generator.random() > 0.2 else str(generator.choice(letters)) for letter in kept]

    unrelated = [(row(n), row(m)) for n, m in generator.integers(0, 90, (500, 2))]
    golds = [row(n) for n in generator.integers(0, 130, 500)]
    return [*unrelated, *((gold, heard(gold)) for gold in golds)]


def operations(pairs: list[tuple[list[str], list[str]]], costs: str) -> tuple[list[int], list[dict[str, int]]]:
    names = [f"u{number}" for number in range(len(pairs))]
    gold, predicted = (from_lists(names, [pair[side] for pair in pairs]) for side in (0, 1))
    letters = Inventory(tuple(sorted({*gold.inventory, *predicted.inventory})))
    aligned = align_sequences(gold, predicted, cost_table(costs, letters, letters, None))
    counted = [dict(zip(OPERATIONS, row, strict=True)) for row in count_operations(aligned).tolist()]
    return aligned.cost.tolist(), counted


def test_rapidfuzz_gives_the_same_unit_distances(pairs: list[tuple[list[str], list[str]]]) -> None:
    assert operations(pairs, "unit")[0] == [Levenshtein.distance(gold, heard) for gold, heard in pairs]


def test_kaldialign_gives_the_same_unit_distances(pairs: list[tuple[list[str], list[str]]]) -> None:
    cost, counted = operations(pairs, "unit")
    assert cost == [kaldialign.edit_distance(gold, heard)["total"] for gold, heard in pairs]
    assert cost == [row["substitution"] + row["deletion"] + row["insertion"] for row in counted]


def test_kaldialign_gives_the_same_distances_under_sclite_costs(pairs: list[tuple[list[str], list[str]]]) -> None:
    theirs = [kaldialign.edit_distance(gold, heard, sclite_mode=True) for gold, heard in pairs]
    assert operations(pairs, "sclite")[0] == [4 * row["sub"] + 3 * (row["ins"] + row["del"]) for row in theirs]

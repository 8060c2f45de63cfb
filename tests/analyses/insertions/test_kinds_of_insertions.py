"""Insertions between their gold neighbours, told apart by walking through the pairs."""

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from made_alignments import GOLD, ROWS, TOY, Pair, alignments_of

from phonxling.analyses.contexts import KINDS, inserted_between, kinds_of
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import GAP, Inventory
from phonxling.count.confusions import gold_neighbours

VOWELS, UNKNOWN = {"a", "i"}, {"ʘ"}


def around(row: list[Pair], place: int) -> tuple[str, str]:
    """Return the gold phones before and after a place; # at the edge."""
    before = [gold for gold, _ in row[:place] if gold != GAP]
    behind = [gold for gold, _ in row[place + 1 :] if gold != GAP]
    return (before or ["#"])[-1], (behind or ["#"])[0]


def kind_of(phone: str, left: str, right: str) -> str:
    """Return the kind of one insertion, by cases."""
    sides = {left, right}
    if phone in sides:
        return "repeated_neighbour"
    if sides == {"#"}:
        return "empty_gold"
    if ({phone} | sides) & UNKNOWN:
        return "unclassified"
    if phone in VOWELS:
        if sides & VOWELS:
            return "vowel_beside_vowel"
        return "vowel_at_edge" if "#" in sides else "vowel_between_consonants"
    if sides <= VOWELS:
        return "consonant_between_vowels"
    return "consonant_at_edge" if "#" in sides else "consonant_beside_consonant"


def inserted(rows: list[list[Pair]]) -> Iterator[tuple[int, str, str, str]]:
    for utterance, row in enumerate(rows):
        for place, (gold, predicted) in enumerate(row):
            if gold == GAP:
                yield utterance, predicted, *around(row, place)


@given(ROWS)
def test_neighbours_are_the_gold_phones_on_either_side(rows: list[list[Pair]]) -> None:
    left, right = gold_neighbours(alignments_of(rows))
    names = [*GOLD, "#"]
    wanted = [around(row, place) for row in rows for place in range(len(row))]
    assert [(names[a], names[b]) for a, b in zip(left, right, strict=True)] == wanted


@given(ROWS)
def test_every_insertion_is_of_the_one_kind_that_its_neighbours_make_it(rows: list[list[Pair]]) -> None:
    aligned = alignments_of(rows)
    found = kinds_of(inserted_between(aligned), aligned.gold_inventory, aligned.predicted_inventory, TOY)
    assert [KINDS[kind] for kind in found] == [kind_of(*triple) for _, *triple in inserted(rows)]


def test_a_table_that_cannot_tell_vowels_classifies_nothing() -> None:
    table = FeatureTable(
        name="own", digest="", features=("round",), segments=("a", "n"), values=[[1], [-1]], weights={}
    )
    places = np.array([0, 1]), np.array([0, 0]), np.array([0, 1])
    found = kinds_of(places, Inventory(("n",)), Inventory(("a", "n")), table)
    assert [KINDS[kind] for kind in found] == ["unclassified", "repeated_neighbour"]

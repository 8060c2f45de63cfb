"""Alignment with a cost of opening gaps, against an enumeration of every alignment that shares no code with it."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from alignment_quality.best_alignments import BestAlignments
from hypothesis import given, settings
from hypothesis import strategies as st

from phonxling.alignment.affine import align_affine
from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.costs.named import cost_table
from phonxling.core.alignment import Alignments
from phonxling.core.costs import CostTable, Ties
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists

PHONES = ("a", "b", "c")
Links = frozenset[tuple[int, int]]
words = st.lists(st.sampled_from(PHONES), max_size=5)
numbers = st.integers(0, 6)


@st.composite
def tables(draw: st.DrawFn) -> CostTable:
    sides = Inventory(PHONES), Inventory(PHONES)
    return CostTable(
        gold=sides[0],
        predicted=sides[1],
        substitution=np.array(draw(st.lists(numbers, min_size=9, max_size=9))).reshape(3, 3),
        deletion=np.array(draw(st.lists(numbers, min_size=3, max_size=3))),
        insertion=np.array(draw(st.lists(numbers, min_size=3, max_size=3))),
        opening=draw(numbers),
        denominator=4,
        name="made",
        ties=draw(st.sampled_from(["late", "identical", "nist"])),
    )


def every_alignment(n: int, m: int) -> Iterator[Links]:
    """Every set of links that do not cross."""
    for size in range(min(n, m) + 1):
        for above in combinations(range(n), size):
            for below in combinations(range(m), size):
                yield frozenset(zip(above, below, strict=True))


def runs(alone: list[int], linked: list[int]) -> int:
    """In how many stretches between two linked positions there are positions without a partner."""
    return len({sum(link < place for link in linked) for place in alone})


def worth(first: list[str], second: list[str], links: Links, costs: CostTable) -> tuple[Fraction, int]:
    """The cost of an alignment, and less what the ties ask for."""
    alone = [
        sorted(set(range(len(word))) - {link[side] for link in links}) for side, word in enumerate((first, second))
    ]
    paid = sum((costs.cost(first[i], second[j]) for i, j in links), Fraction(0))
    paid += sum((costs.cost(first[i], None) for i in alone[0]), Fraction(0))
    paid += sum((costs.cost(None, second[j]) for j in alone[1]), Fraction(0))
    opened = sum(runs(alone[side], [link[side] for link in links]) for side in (0, 1))
    wanted = {
        "late": sum(alone[0]) + sum(alone[1]),
        "identical": sum(first[i] == second[j] for i, j in links),
        "nist": 0,
    }
    return paid + opened * Fraction(costs.opening, costs.denominator), -wanted[costs.ties]


def links_of(aligned: Alignments) -> Links:
    links, i, j = [], 0, 0
    for above, below in aligned.pairs_of(0):
        links += [(i, j)] if "∅" not in (above, below) else []
        i, j = i + (above != "∅"), j + (below != "∅")
    return frozenset(links)


def align(first: list[str], second: list[str], costs: CostTable) -> Alignments:
    sides = [
        from_lists(["u"], [word], inventory) for word, inventory in ((first, costs.gold), (second, costs.predicted))
    ]
    return align_affine(*sides, costs)


@given(words, words, tables())
@settings(max_examples=150)
def test_the_path_is_the_best_of_all_alignments(first: list[str], second: list[str], costs: CostTable) -> None:
    aligned = align(first, second, costs)
    least = min(worth(first, second, links, costs) for links in every_alignment(len(first), len(second)))
    assert worth(first, second, links_of(aligned), costs) == least
    assert Fraction(int(aligned.cost[0]), aligned.denominator) == least[0]
    assert [g for g, _ in aligned.pairs_of(0) if g != "∅"] == first
    assert [p for _, p in aligned.pairs_of(0) if p != "∅"] == second


@given(words, words, tables(), st.data())
@settings(max_examples=100)
def test_the_share_is_one_over_the_number_of_best_alignments(
    first: list[str], second: list[str], costs: CostTable, data: st.DataObject
) -> None:
    all_of_them = {links: worth(first, second, links, costs) for links in every_alignment(len(first), len(second))}
    best = {links for links, value in all_of_them.items() if value == min(all_of_them.values())}
    chosen = data.draw(st.sampled_from(sorted(all_of_them, key=sorted)))
    codes = [[PHONES.index(phone) for phone in word] for word in (first, second)]
    share = BestAlignments(costs).share(codes[0], codes[1], chosen)
    assert share == (Fraction(1, len(best)) if chosen in best else 0)


@given(st.lists(st.tuples(words, words), min_size=1, max_size=4), st.sampled_from(["identical", "nist"]))
def test_without_opening_the_cost_is_that_of_the_plain_kernel(
    pairs: list[tuple[list[str], list[str]]], ties: Ties
) -> None:
    phones = Inventory(PHONES)
    costs = cost_table("unit", phones, phones, None, ties=ties)
    names = [str(number) for number in range(len(pairs))]
    gold, predicted = (from_lists(names, [pair[side] for pair in pairs], phones) for side in (0, 1))
    plain, affine = align_sequences(gold, predicted, costs), align_affine(gold, predicted, costs)
    assert plain.cost.tolist() == affine.cost.tolist()
    if ties == "identical":
        assert (plain.operations == 0).sum() == (affine.operations == 0).sum()


def test_one_long_gap_is_cheaper_than_two_short_ones() -> None:
    phones = Inventory(("a", "b"))
    apart = CostTable(
        gold=phones, predicted=phones, substitution=[[0, 9], [9, 0]], deletion=[1, 1], insertion=[1, 1],
        opening=1, denominator=1, name="made",
    )  # fmt: skip
    aligned = align(["a", "b", "a", "b"], ["a", "b"], apart)
    # a·b· would open two gaps (4); "a b" at one end opens one (3)
    assert aligned.cost[0] == 3
    assert aligned.pairs_of(0) in (
        [("a", "a"), ("b", "b"), ("a", "∅"), ("b", "∅")],
        [("a", "∅"), ("b", "∅"), ("a", "a"), ("b", "b")],
    )


def test_late_gaps_are_those_of_the_end() -> None:
    phones = Inventory(("a",))
    costs = cost_table("unit", phones, phones, None, ties="late")
    aligned = align_sequences(from_lists(["u"], [["a"] * 4]), from_lists(["u"], [["a"] * 2]), costs)
    assert aligned.pairs_of(0) == [("a", "a"), ("a", "a"), ("a", "∅"), ("a", "∅")]


def test_words_too_long_for_the_packed_costs_are_refused() -> None:
    phones = Inventory(("a",))
    costs = cost_table("unit", phones, phones, None, ties="late")
    long, short = from_lists(["u"], [["a"] * 70_000]), from_lists(["u"], [["a"]])
    with pytest.raises(DataError, match=r"overflow for an utterance of 70,001 phones"):
        align_sequences(long, short, costs)


def test_an_opening_cost_must_fit() -> None:
    phones = Inventory(("a",))
    with pytest.raises(ValueError, match="opening a gap must lie in 0"):
        CostTable(
            gold=phones,
            predicted=phones,
            substitution=[[0]],
            deletion=[1],
            insertion=[1],
            opening=-1,
            denominator=1,
            name="x",
        )

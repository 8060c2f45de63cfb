"""The kernel where it takes another way: long and short alphabets, words of 64 phones, wide bands, memory."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from alignment_oracle import full_table, price

from phonxling.alignment.confusions import count_confusions
from phonxling.alignment.corpus import align_in_parts, align_sequences, least_costs, unit_cost
from phonxling.core.costs import CostTable, Ties
from phonxling.core.errors import DataError
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.sequences import PhoneSequences, from_lists

Numbers = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Row = list[str]


def phones(number: int, first: int = 0) -> Inventory:
    return Inventory(tuple(f"p{code}" for code in range(first, first + number)))


def unit(gold: Inventory, predicted: Inventory, cost: int = 1) -> CostTable:
    different = np.array([[g != p for p in predicted] for g in gold], dtype=int)
    gaps = np.full(len(gold), cost), np.full(len(predicted), cost)
    return costs_of(gold, predicted, different * cost, gaps, "nist", cost)


def costs_of(
    gold: Inventory, predicted: Inventory, pairs: Numbers, gaps: tuple[Numbers, Numbers], ties: Ties, denominator: int
) -> CostTable:
    return CostTable(
        gold=gold,
        predicted=predicted,
        substitution=pairs,
        deletion=gaps[0],
        insertion=gaps[1],
        denominator=denominator,
        name="test",
        ties=ties,
    )


def drawn(inventory: Inventory, size: int, generator: np.random.Generator) -> Row:
    return [inventory.phones[code] for code in generator.integers(0, len(inventory), size)]


def misheard(gold: Row, heard: Inventory, share: float, generator: np.random.Generator) -> Row:
    """Return gold with errors: of each 5, 3 substitutions, 1 deletion, 1 insertion."""
    out: Row = []
    for phone, chance in zip(gold, generator.random(len(gold)) / share, strict=True):
        if not 0.6 <= chance < 0.8:
            out.append(str(generator.choice(heard.phones)) if chance < 0.6 or phone not in heard else phone)
        if 0.8 <= chance < 1:
            out.append(str(generator.choice(heard.phones)))
    return out


def check(gold: list[Row], predicted: list[Row], costs: CostTable) -> None:
    """Cost, path and counts are those of the full table."""
    names = [f"u{number}" for number in range(len(gold))]
    aligned = align_sequences(from_lists(names, gold, costs.gold), from_lists(names, predicted, costs.predicted), costs)
    counted: Counter[tuple[str, str]] = Counter()
    for number, (first, second) in enumerate(zip(gold, predicted, strict=True)):
        cost, pairs = full_table(first, second, costs)
        assert aligned.pairs_of(number) == pairs
        assert Fraction(int(aligned.cost[number]), costs.denominator) == cost
        counted.update(pairs)
    matrix = count_confusions(aligned)
    rows, columns = (*costs.gold, GAP), (*costs.predicted, GAP)
    assert {(rows[g], columns[p]): matrix.counts[g, p] for g, p in np.argwhere(matrix.counts)} == counted


@pytest.mark.parametrize("ties", ["identical", "nist", "kaldi"])
@pytest.mark.parametrize("symbols", [2, 200])
@pytest.mark.parametrize(
    ("gaps", "paired"), [((0, 1), (0, 48)), ((20, 20), (0, 48)), ((5, 40), (0, 48)), ((1, 9), (0, 1))]
)  # in the last many pairs cost the same
def test_random_tables_equal_the_full_table(
    ties: Ties, symbols: int, gaps: tuple[int, int], paired: tuple[int, int]
) -> None:
    generator = np.random.default_rng([symbols, *gaps])
    gold, heard = phones(symbols), phones(symbols, symbols // 3)  # asymmetric, and not 0 on the diagonal
    paid = generator.integers(gaps[0], gaps[1] + 1, symbols), generator.integers(gaps[0], gaps[1] + 1, symbols)
    pairs = generator.integers(paired[0], paired[1] + 1, (symbols, symbols))
    costs = costs_of(gold, heard, pairs, paid, ties, 48)
    rows = [drawn(gold, generator.integers(0, 12), generator) for _ in range(60)]
    check(rows, [misheard(row, heard, 0.5, generator) for row in rows], costs)


@pytest.mark.parametrize("ties", ["identical", "nist", "kaldi"])
def test_narrow_bands_of_even_and_odd_numbers_of_rows(ties: Ties) -> None:
    generator = np.random.default_rng(11)
    gold, heard = phones(9), phones(9, 2)
    gaps = generator.integers(20, 49, 9), generator.integers(20, 49, 9)
    costs = costs_of(gold, heard, generator.integers(0, 30, (9, 9)), gaps, ties, 48)
    rows = [drawn(gold, n, generator) for n in (49, 50, 51, 52)]
    check(rows, [misheard(row, heard, 0.1, generator) for row in rows], costs)


@pytest.mark.parametrize("symbols", [2, pytest.param(70, marks=pytest.mark.slow)])
def test_unit_costs_at_the_ends_of_a_word(symbols: int) -> None:
    generator = np.random.default_rng(symbols)
    gold, heard = phones(symbols), phones(symbols, 1)
    sizes = [*itertools.product([0, 1, 64, 65], repeat=2), (64, 150), (150, 65)]
    rows = [drawn(gold, n, generator) for n, _ in sizes]
    check(rows, [drawn(heard, m, generator) for _, m in sizes], unit(gold, heard))


def test_unit_costs_are_known_by_their_numbers() -> None:
    gold, heard = phones(3), phones(3, 1)
    same = unit(gold, heard, 5)
    assert unit_cost(same) == 5
    one = np.full(3, 5)
    assert unit_cost(costs_of(gold, heard, same.substitution, (one, one), "identical", 5)) == 0
    assert unit_cost(costs_of(gold, heard, same.substitution, (one, one + 1), "nist", 5)) == 0
    assert unit_cost(costs_of(gold, heard, np.full((3, 3), 5), (one, one), "nist", 5)) == 0
    assert unit_cost(costs_of(gold, heard, same.substitution * 2, (one, one), "nist", 5)) == 0
    assert unit_cost(costs_of(gold, heard, np.zeros((3, 3)), (one * 0, one * 0), "nist", 5)) == 0


def test_unrelated_and_unequal_pairs_widen_the_band_to_the_full_table() -> None:
    generator = np.random.default_rng(5)
    gold = phones(6)
    gaps = generator.integers(2, 9, 6), generator.integers(1, 9, 6)
    costs = costs_of(gold, gold, generator.integers(0, 48, (6, 6)), gaps, "identical", 48)
    sizes = [(90, 90), (90, 15), (15, 90), (1, 120), (120, 1), (120, 0)]
    check([drawn(gold, n, generator) for n, _ in sizes], [drawn(gold, m, generator) for _, m in sizes], costs)


def long_pair(size: int, symbols: int) -> tuple[PhoneSequences, PhoneSequences, CostTable]:
    generator, inventory = np.random.default_rng(size), phones(symbols)
    row = drawn(inventory, size, generator)
    heard = misheard(row, inventory, 0.25, generator)
    pairs, gaps = generator.integers(2, 24, (symbols, symbols)), np.full(symbols, 48)
    np.fill_diagonal(pairs, 0)
    costs = costs_of(inventory, inventory, pairs, (gaps, gaps), "identical", 48)
    return from_lists(["u"], [row], inventory), from_lists(["u"], [heard], inventory), costs


def test_a_pair_of_20_000_phones_needs_memory_for_its_band_alone() -> None:
    gold, predicted, costs = long_pair(20_000, 40)
    aligned = align_sequences(gold, predicted, costs, largest_band=100_000_000)  # the full table has 400 million cells
    pairs = aligned.pairs_of(0)
    assert price(pairs, costs) == Fraction(int(aligned.cost[0]), 48)
    assert [g for g, _ in pairs if g != GAP] == gold.phones_of(0)
    assert [p for _, p in pairs if p != GAP] == predicted.phones_of(0)


@pytest.mark.parametrize("gap", [0, 1])
@pytest.mark.parametrize("sizes", [(1, 300_000), (300_000, 1), (0, 300_000)])
def test_one_phone_against_very_many(gap: int, sizes: tuple[int, int]) -> None:
    inventory = phones(3)
    gaps = np.full(3, gap)
    costs = costs_of(inventory, inventory, 1 - np.eye(3, dtype=int), (gaps, gaps), "identical", 1)
    gold, predicted = (
        PhoneSequences(utterances=("u",), offsets=[0, size], codes=np.arange(size) % 3, inventory=inventory)
        for size in sizes
    )
    aligned = align_sequences(gold, predicted, costs, largest_band=1_000_000)
    assert aligned.cost[0] == gap * (max(sizes) - min(sizes))
    assert np.array_equal(aligned.gold[aligned.gold < 3], gold.codes)
    assert np.array_equal(aligned.predicted[aligned.predicted < 3], predicted.codes)


def test_pairs_that_need_too_much_memory_are_refused_by_name() -> None:
    inventory = phones(2)
    gold = from_lists(["short", "long", "longer"], [["p0"], ["p0"] * 300, ["p1"] * 400], inventory)
    predicted = from_lists(["short", "long", "longer"], [["p0"], ["p1"] * 300, ["p0"] * 500], inventory)
    free = costs_of(inventory, inventory, np.ones((2, 2)), (np.zeros(2), np.zeros(2)), "identical", 1)
    for aligned in (align_sequences, lambda *given, **most: list(align_in_parts(*given, **most))):
        with pytest.raises(DataError, match=r"'longer' \(and 1 more\) is too long .* 400 gold and 500 .*0.05 MB; cut"):
            aligned(gold, predicted, free, largest_band=50_000)
    paid = costs_of(inventory, inventory, 1 - np.eye(2), (np.ones(2), np.ones(2)), "identical", 1)
    assert align_sequences(gold, gold, paid, largest_band=50_000).cost.tolist() == [0, 0, 0]


def test_two_sides_that_no_utterance_has_are_refused_before_anything_is_aligned() -> None:
    inventory = phones(2)
    long = PhoneSequences(
        utterances=("u",), offsets=[0, 200_000], codes=np.zeros(200_000, np.uint8), inventory=inventory
    )
    costs = costs_of(inventory, inventory, 1 - np.eye(2), (np.ones(2), np.ones(2)), "identical", 1)
    for aligned in (align_sequences, least_costs):
        with pytest.raises(DataError, match="'u' is too long to align: 200,000 gold and 200,000 predicted phones make"):
            aligned(long, long, costs)


def test_costs_that_overflow_are_refused() -> None:
    inventory = phones(2)
    gold = PhoneSequences(utterances=("u",), offsets=[0, 10**8], codes=np.zeros(10**8, np.uint8), inventory=inventory)
    most = np.full(2, 2**31 - 1)
    costs = costs_of(inventory, inventory, np.full((2, 2), 2**31 - 1), (most, most), "identical", 7)
    with pytest.raises(DataError, match="over the denominator 7 overflow for an utterance of 200,000,000 phones; give"):
        align_sequences(gold, gold, costs)

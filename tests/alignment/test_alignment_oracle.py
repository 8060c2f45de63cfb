"""Alignments against all there are, other programs, and exact integers; shards, and which of equal ones is chosen."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import kaldialign
import numpy as np
import pytest
from alignment_oracle import Pairs, made_costs, price
from hypothesis import given, strategies as st
from rapidfuzz.distance import Levenshtein
from support import more

import phonxling as px
from phonxling.alignment import corpus as corpus_module
from phonxling.alignment.confusions import count_operations
from phonxling.alignment.corpus import Pairs as ShardPairs, align_sequences, pair_shards
from phonxling.core.confusion import Alignments
from phonxling.core.costs import LARGEST_COST, CostTable, Ties, cost_table, over_one_denominator
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.sequences import PhoneSequences, from_lists
from phonxling.core.work import Threads

GOLD, HEARD = Inventory(("a", "b", "c", "d")), Inventory(("b", "c", "x", "a"))


def table(numbers: Sequence[int], denominator: int, ties: Ties) -> CostTable:
    return made_costs(numbers, gold=GOLD, predicted=HEARD, denominator=denominator, ties=ties)


def run(gold: list[list[str]], predicted: list[list[str]], costs: CostTable, workers: int = 1) -> Alignments:
    names = [f"u{number}" for number in range(len(gold))]
    return align_sequences(from_lists(names, gold, GOLD), from_lists(names, predicted, HEARD), costs, Threads(workers))


def every_alignment(gold: Sequence[str], predicted: Sequence[str]) -> Iterator[Pairs]:
    if not gold and not predicted:
        yield []
    if gold and predicted:
        yield from ([*rest, (gold[-1], predicted[-1])] for rest in every_alignment(gold[:-1], predicted[:-1]))
    if predicted:
        yield from ([*rest, (GAP, predicted[-1])] for rest in every_alignment(gold, predicted[:-1]))
    if gold:
        yield from ([*rest, (gold[-1], GAP)] for rest in every_alignment(gold[:-1], predicted))


def rank(pairs: Pairs, costs: CostTable) -> tuple[Fraction, int, list[int]]:
    """Definition 3: least cost, most identical, then from the end a pair before an insertion before a deletion.

    Kaldi's rule takes from the end an insertion before a deletion before a pair.
    """
    identical = sum(g == p for g, p in pairs) if costs.ties == "identical" else 0
    pair = 3 if costs.ties == "kaldi" else 0
    order = [1 if g == GAP else 2 if p == GAP else pair for g, p in reversed(pairs)]
    return price(pairs, costs), -identical, order


numbers = st.lists(st.integers(0, 6), min_size=24, max_size=24)
ties = st.sampled_from(["identical", "nist", "kaldi"])
short = st.lists(st.sampled_from(GOLD.phones), max_size=4)
short_heard = st.lists(st.sampled_from(HEARD.phones), max_size=4)


@given(short, short_heard, numbers, ties)
@more(5)
def test_the_chosen_alignment_ranks_first_among_all(
    gold: list[str], predicted: list[str], values: list[int], rule: Ties
) -> None:
    costs = table(values, 7, rule)
    found = run([gold], [predicted], costs)
    wanted = min(every_alignment(gold, predicted), key=lambda pairs: rank(pairs, costs))
    assert found.pairs_of(0) == wanted
    assert Fraction(int(found.cost[0]), found.denominator) == price(wanted, costs)


def test_every_number_of_workers_gives_the_same_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(8)
    costs = table([*generator.integers(0, 48, 16), *([24] * 8)], 48, "identical")
    gold = [list(generator.choice(GOLD.phones, generator.integers(0, 40))) for _ in range(500)]
    predicted = [list(generator.choice(HEARD.phones, generator.integers(0, 40))) for _ in gold]
    whole = run(gold, predicted, costs)
    monkeypatch.setattr(corpus_module, "_CELLS", 20_000)  # some ten shards
    others = [run(gold, predicted, costs, workers) for workers in (1, 2, 7)]
    for other in others:
        for name in ("offsets", "gold", "predicted", "cost"):
            assert np.array_equal(getattr(whole, name), getattr(other, name))


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


def aligned(pairs: list[tuple[list[str], list[str]]], costs: str, ties: Ties | None = None) -> Alignments:
    names = [f"u{number}" for number in range(len(pairs))]
    gold, predicted = (from_lists(names, [pair[side] for pair in pairs]) for side in (0, 1))
    letters = Inventory(tuple(sorted({*gold.inventory, *predicted.inventory})))
    return align_sequences(gold, predicted, cost_table(costs, letters, letters, None, ties=ties))


def test_rapidfuzz_gives_the_same_unit_distances(pairs: list[tuple[list[str], list[str]]]) -> None:
    found = aligned(pairs, "unit")
    assert found.cost.tolist() == [Levenshtein.distance(gold, heard) for gold, heard in pairs]
    assert found.cost.tolist() == count_operations(found)[:, 1:].sum(axis=1).tolist()


def test_kaldialign_gives_the_same_paths_by_kaldis_rule(pairs: list[tuple[list[str], list[str]]]) -> None:
    found = aligned(pairs, "unit", "kaldi")
    for number, pair in enumerate(pairs):
        assert found.pairs_of(number) == kaldialign.align(*pair, GAP)


def test_kaldialign_gives_the_same_distances_under_sclite_costs(pairs: list[tuple[list[str], list[str]]]) -> None:
    theirs = [kaldialign.edit_distance(gold, heard, sclite_mode=True) for gold, heard in pairs]
    assert aligned(pairs, "sclite").cost.tolist() == [4 * row["sub"] + 3 * (row["ins"] + row["del"]) for row in theirs]


def array(values: list[Fraction]) -> np.ndarray:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


@given(st.lists(st.fractions(0, 3, max_denominator=60), min_size=1, max_size=8))
def test_small_fractions_stay_exact_over_the_least_denominator(values: list[Fraction]) -> None:
    (whole,), denominator, note = over_one_denominator([array(values)])
    if not note:
        assert [Fraction(int(number), denominator) for number in whole] == values
        assert np.gcd.reduce([denominator, *whole]) == 1  # no smaller one would do


@given(st.lists(st.fractions(0, 5000), min_size=1, max_size=8))
def test_any_costs_fit_32_bits_and_are_nearest_to_what_was_given(values: list[Fraction]) -> None:
    (whole,), denominator, note = over_one_denominator([array(values)])
    assert max(denominator, whole.max()) <= LARGEST_COST
    error = max(abs(Fraction(int(number), denominator) - value) for number, value in zip(whole, values, strict=True))
    assert error <= (Fraction(1, 2 * denominator) if note else 0)
    if note and denominator not in (1_000_000, 100_000):
        assert error <= Fraction(1, 10**14)  # long decimals of simple fractions


def test_rounding_and_long_decimals_of_simple_fractions_are_said() -> None:
    fine = px.feature_costs(["a"], ["b"], insertion=Fraction(1, 2**31))
    assert (fine.note.startswith("costs rounded to multiples of 1/1000000"), fine.cost(None, "b")) == (True, 0)
    gaps = {"b": 23 / 24, "d": 2 / 3, "z": 45.5 / 48}  # as panphon's own gap costs are where a program prints them
    costs = px.feature_costs(["a"], list(gaps), insertion=gaps, deletion=Fraction("0.9791666666666666"))
    assert (costs.denominator, costs.cost(None, "d"), costs.cost("a", None)) == (96, Fraction(2, 3), Fraction(47, 48))
    assert costs.note.startswith("costs rounded to multiples of 1/96")


def shards(pairs: int) -> list[ShardPairs]:
    """Return the shards of so many pairs of 99 phones, which have 10,000 cells each."""
    side = PhoneSequences(
        utterances=tuple(map(str, range(pairs))),
        offsets=np.arange(pairs + 1) * 99,
        codes=np.arange(pairs * 99) % 2,
        inventory=Inventory(("a", "b")),
    )
    return pair_shards(side, side, 50_000_000)


def test_more_utterances_leave_the_shards_before_as_they_were() -> None:
    few, more = shards(3_000), shards(3_010)
    for one, other in zip(few[:-1], more[:-1], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))

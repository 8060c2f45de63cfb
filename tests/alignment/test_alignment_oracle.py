"""The kernel against two oracles that share no code with it: all alignments written out, and a table of fractions."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from alignment_oracle import Pairs, full_table, made_costs, price
from hypothesis import given, settings, strategies as st

from phonxling.alignment import corpus as corpus_module
from phonxling.alignment.corpus import align_sequences
from phonxling.core.confusion import Alignments
from phonxling.core.costs import CostTable, Ties
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.sequences import from_lists
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
    """Definition 3: least cost, most identical, then from the end a pair before an insertion before a deletion."""
    identical = sum(g == p for g, p in pairs) if costs.ties == "identical" else 0
    order = [1 if g == GAP else 2 if p == GAP else 0 for g, p in reversed(pairs)]
    return price(pairs, costs), -identical, order


numbers = st.lists(st.integers(0, 6), min_size=24, max_size=24)
ties = st.sampled_from(["identical", "nist"])
short = st.lists(st.sampled_from(GOLD.phones), max_size=4)
short_heard = st.lists(st.sampled_from(HEARD.phones), max_size=4)


@given(short, short_heard, numbers, ties)
@settings(max_examples=300, deadline=None)
def test_the_chosen_alignment_ranks_first_among_all(
    gold: list[str], predicted: list[str], values: list[int], rule: Ties
) -> None:
    costs = table(values, 7, rule)
    aligned = run([gold], [predicted], costs)
    wanted = min(every_alignment(gold, predicted), key=lambda pairs: rank(pairs, costs))
    assert aligned.pairs_of(0) == wanted
    assert Fraction(int(aligned.cost[0]), aligned.denominator) == price(wanted, costs)


@pytest.mark.parametrize("rule", ["identical", "nist"])
@pytest.mark.parametrize(
    ("lowest", "highest", "least_gap"),
    [(0, 48, 48), (0, 48, 12), (0, 48, 1), (0, 48, 0), (3, 3, 2), (0, 1, 1)],
)
def test_thousands_of_pairs_equal_the_full_table(rule: Ties, lowest: int, highest: int, least_gap: int) -> None:
    generator = np.random.default_rng([lowest, highest, least_gap])
    values = np.concatenate(
        [generator.integers(lowest, highest + 1, 16), least_gap + generator.integers(0, 9, 8)]
    ).tolist()
    costs = table(values, 48, rule)
    gold = [list(generator.choice(GOLD.phones, generator.integers(0, 14))) for _ in range(400)]
    predicted = [_noisy(phones, generator) for phones in gold]
    aligned = run(gold, predicted, costs)
    for number, (first, second) in enumerate(zip(gold, predicted, strict=True)):
        cost, pairs = full_table(first, second, costs)
        assert aligned.pairs_of(number) == pairs
        assert Fraction(int(aligned.cost[number]), 48) == cost


def test_a_band_that_must_widen_gives_the_full_table() -> None:
    generator = np.random.default_rng(5)
    costs = table([*generator.integers(0, 48, 16), *([5] * 8)], 48, "identical")
    gold = [list(generator.choice(GOLD.phones, 150)) for _ in range(4)]
    predicted = [list(generator.choice(HEARD.phones, size)) for size in (150, 20, 300, 1)]
    aligned = run(gold, predicted, costs)
    for number, (first, second) in enumerate(zip(gold, predicted, strict=True)):
        assert aligned.pairs_of(number) == full_table(first, second, costs)[1]


def test_every_number_of_workers_gives_the_same_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(8)
    costs = table([*generator.integers(0, 48, 16), *([24] * 8)], 48, "identical")
    gold = [list(generator.choice(GOLD.phones, generator.integers(0, 40))) for _ in range(500)]
    predicted = [_noisy(phones, generator) for phones in gold]
    whole = run(gold, predicted, costs)
    monkeypatch.setattr(corpus_module, "_CELLS", 20_000)  # some ten shards
    others = [run(gold, predicted, costs, workers) for workers in (1, 2, 7)]
    for other in others:
        for name in ("offsets", "gold", "predicted", "cost"):
            assert np.array_equal(getattr(whole, name), getattr(other, name))


def test_empty_sequences_and_an_empty_corpus() -> None:
    costs = table([1] * 24, 1, "identical")
    aligned = run([[], ["a"], []], [["x"], [], []], costs)
    assert [aligned.pairs_of(number) for number in range(3)] == [[(GAP, "x")], [("a", GAP)], []]
    assert len(run([], [], costs)) == 0


def _noisy(phones: list[str], generator: np.random.Generator) -> list[str]:
    heard: list[str] = []
    for phone in phones:
        chance = generator.random()
        if chance < 0.15:
            continue
        heard.append(phone if chance < 0.6 and phone in HEARD else str(generator.choice(HEARD.phones)))
        if chance > 0.9:
            heard.append(str(generator.choice(HEARD.phones)))
    return heard

"""Expected alignment against all sets of aligned pairs written out, exact polynomials in the cost, and closed forms."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from alignment_oracle import made_costs
from hypothesis import given, strategies as st
from support import more

import phonxling as px
from phonxling.alignment import corpus as expected_module
from phonxling.alignment.corpus import align_sequences, expect_sequences
from phonxling.core.confusion import ExpectedAlignments
from phonxling.core.costs import CostTable
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences, from_lists
from phonxling.core.work import Threads
from phonxling.count.confusions import count_confusions, count_costs, count_operations, stack_confusions

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("a", "x", "b"))
NONE = 3
DENOMINATOR = 7
Numbers = Sequence[int]  # codes of phones
Cells = list[tuple[int, int]]
Weight = Callable[[int], float | Fraction]


table = partial(made_costs, gold=GOLD, predicted=HEARD, denominator=DENOMINATOR)


def expect(
    pairs: Sequence[tuple[Numbers, Numbers]], costs: CostTable, temperature: float = 0.0, workers: int = 1
) -> ExpectedAlignments:
    names = [f"u{number}" for number in range(len(pairs))]
    gold = from_lists(names, [[GOLD.phones[code] for code in first] for first, _ in pairs], GOLD)
    predicted = from_lists(names, [[HEARD.phones[code] for code in second] for _, second in pairs], HEARD)
    return expect_sequences(gold, predicted, costs, temperature, Threads(workers))


def edit(costs: CostTable, gold: int, predicted: int) -> int:
    return int(costs.numerators()[gold, predicted])


def every_set(gold: Numbers, predicted: Numbers) -> Iterator[Cells]:
    """Yield the edits of every alignment: each way to choose as many gold as predicted phones, in order."""
    for size in range(min(len(gold), len(predicted)) + 1):
        for rows in itertools.combinations(range(len(gold)), size):
            for columns in itertools.combinations(range(len(predicted)), size):
                paired = [(gold[i], predicted[j]) for i, j in zip(rows, columns, strict=True)]
                deleted = [(code, NONE) for i, code in enumerate(gold) if i not in rows]
                yield paired + deleted + [(NONE, code) for j, code in enumerate(predicted) if j not in columns]


def average(
    alignments: list[Cells], costs: CostTable, weight: Weight
) -> tuple[dict[tuple[int, int], float | Fraction], float | Fraction, float]:
    """Return expected counts, expected cost and entropy, weighing an alignment by its cost beyond the least."""
    prices = [sum(edit(costs, *cell) for cell in cells) for cells in alignments]
    weights = [weight(price - min(prices)) for price in prices]
    total = sum(weights)
    counts: dict[tuple[int, int], float | Fraction] = {}
    for share, cells in zip(weights, alignments, strict=True):
        for cell in cells:
            counts[cell] = counts.get(cell, 0) + share / total
    cost = sum(share * price for share, price in zip(weights, prices, strict=True)) / total
    bits = -sum(float(share / total) * math.log2(share / total) for share in weights if share)
    return counts, cost, bits


def dense(counts: dict[tuple[int, int], float | Fraction]) -> np.ndarray:
    filled = np.zeros((4, 4))
    for cell, count in counts.items():
        filled[cell] = float(count)
    return filled


codes = st.lists(st.integers(0, 2), max_size=5)
values = st.integers(0, 30).flatmap(lambda top: st.lists(st.integers(0, top), min_size=15, max_size=15))


@given(codes, codes, values)
@more(4)
def test_counts_are_the_uniform_average_over_all_optimal_alignments(
    gold: list[int], predicted: list[int], numbers: list[int]
) -> None:
    costs = table(numbers)
    found = expect([(gold, predicted)], costs)
    counts, least, bits = average(
        list(every_set(gold, predicted)), costs, lambda excess: Fraction(1 if excess == 0 else 0)
    )
    assert np.allclose(count_confusions(found).counts, dense(counts), rtol=0, atol=1e-14)
    assert (count_confusions(found).counts > 0).tolist() == (dense(counts) > 0).tolist()
    assert found.cost[0] == least
    assert found.ambiguity[0] == pytest.approx(bits, abs=1e-13)


@given(codes, codes, values, st.sampled_from([1e-3, 0.02, 0.3, 2.0, 50.0]))
@more(4)
def test_counts_are_the_average_under_the_temperature(
    gold: list[int], predicted: list[int], numbers: list[int], tau: float
) -> None:
    costs = table(numbers)
    found = expect([(gold, predicted)], costs, tau)
    counts, cost, bits = average(
        list(every_set(gold, predicted)), costs, lambda excess: math.exp(-excess / DENOMINATOR / tau)
    )
    assert np.allclose(count_confusions(found).counts, dense(counts), rtol=0, atol=1e-10)
    assert found.cost[0] == pytest.approx(cost, abs=1e-10)
    assert found.ambiguity[0] == pytest.approx(bits, abs=1e-10)


def summed(gold: Numbers, predicted: Numbers, costs: CostTable, place: Callable[[int, int], int]) -> list[list[int]]:
    """Return for each pair of prefixes Σ 2^place(cost, number of its phones) over its alignments, exactly.

    By inclusion and exclusion: leaving out the last gold phone, or the last predicted one, less both.
    """
    found = [[0] * (len(predicted) + 1) for _ in range(len(gold) + 1)]
    found[0][0] = 1
    for i, j in itertools.product(range(len(gold) + 1), range(len(predicted) + 1)):
        deleted, inserted = edit(costs, gold[i - 1], NONE) if i else 0, edit(costs, NONE, predicted[j - 1]) if j else 0
        if i:
            found[i][j] += found[i - 1][j] << place(deleted, 1)
        if j:
            found[i][j] += found[i][j - 1] << place(inserted, 1)
        if i and j:
            found[i][j] += found[i - 1][j - 1] << place(edit(costs, gold[i - 1], predicted[j - 1]), 2)
            found[i][j] -= found[i - 1][j - 1] << place(deleted + inserted, 2)
    return found


def test_longer_pairs_equal_exact_integer_polynomials() -> None:
    """Long enough for the band of τ = 0 to be widened, with gaps that cost little."""
    generator = np.random.default_rng(11)
    for trial in range(12):
        top = (2, 8)[trial % 2]
        numbers = [*generator.integers(0, top, 9), *generator.integers(trial % 3, 3, 6)]
        costs = table([int(number) for number in numbers])
        gold, predicted = ([int(code) for code in generator.integers(0, 3, size)] for size in (16, 8 + 2 * trial))
        field = len(gold) + len(predicted) + 2  # bits that hold how many alignments have a cost
        before, after = (
            summed(*sides, costs, lambda cost, _, bits=field: bits * cost)
            for sides in ((gold, predicted), (gold[::-1], predicted[::-1]))
        )
        total, mask = before[-1][-1], (1 << field) - 1
        least = next(cost for cost in itertools.count() if total >> field * cost & mask)
        number = total >> field * least & mask
        counts: Counter[tuple[int, int]] = Counter()
        for i, j in itertools.product(range(len(gold)), range(len(predicted))):
            through = before[i][j] * after[len(gold) - i - 1][len(predicted) - j - 1]
            spent = least - edit(costs, gold[i], predicted[j])
            counts[gold[i], predicted[j]] += through >> field * spent & mask if spent >= 0 else 0
        found = expect([(gold, predicted)], costs)
        assert found.cost[0] == least
        assert found.ambiguity[0] == pytest.approx(math.log2(number), rel=1e-14)
        for (row, column), tied in counts.items():
            assert count_confusions(found).counts[row, column] == pytest.approx(tied / number, rel=1e-13)


@pytest.mark.parametrize(("length", "top"), [(40, 9), (60, 600), (120, 5)])
def test_temperatures_at_which_weights_are_powers_of_two_are_exact(length: int, top: int) -> None:
    """At τ = 1/(denominator · ln 2) an edit weighs 2^−cost, so Python's integers hold every mass exactly."""
    generator = np.random.default_rng(length)
    costs = table([int(number) for number in generator.integers(0, top, 15)])
    gold = [int(code) for code in generator.integers(0, 2, length)]
    predicted = [int(code) for code in generator.integers(0, 3, length + 7)]
    place = length // 3
    gold[place] = 2  # the only c, so its row of counts is the posterior of this place
    before, after = (
        summed(*sides, costs, lambda cost, phones: top * phones - cost)
        for sides in ((gold, predicted), (gold[::-1], predicted[::-1]))
    )
    total = before[-1][-1]
    found = expect([(gold, predicted)], costs, 1 / (DENOMINATOR * math.log(2)))
    wanted = np.zeros(3)
    for j, code in enumerate(predicted):
        mass = before[place][j] * after[length - place - 1][len(predicted) - j - 1]
        wanted[code] += Fraction(mass << 2 * top - edit(costs, 2, code), total)
    assert np.allclose(count_confusions(found).counts[2, :3], wanted, rtol=1e-11, atol=1e-300)
    # P(A) = 2^−cost / Z, so the entropy is log2 Z + E[cost]
    scale = top * (length + len(predicted))
    assert found.ambiguity[0] == pytest.approx(log2(total) - scale + found.cost[0], abs=1e-9)


@pytest.mark.parametrize(("length", "some", "rate"), [(1000, 24, 0.1), (1000, 1, 2.4), (1000, 1, math.inf)])
def test_great_numbers_of_alignments_against_great_costs(length: int, some: int, rate: float) -> None:
    """Either a's are aligned at no cost in 2^1994 ways, or some c's after them with b's before them, in few.

    At the first two rates both weigh about the same, so neither may leave the floats on the way.
    """
    apart = 10**6
    costs = table([0, 0, apart, 0, 0, 0, apart, 0, 0, 0, 0, 300, 0, 0, 275])
    found = expect([([2] * some + [0] * length, [0] * length + [2] * some)], costs, 1 / (rate * DENOMINATOR))
    lines = {k: 2 * math.log(math.comb(some, k)) - rate * 575 * (some - k) for k in range(1, some)}
    lines |= {some: 0.0, 0: math.log(2) * log2(math.comb(2 * length, length)) - rate * 575 * some}
    total = float(np.logaddexp.reduce(list(lines.values())))
    shares = {k: math.exp(line - total) for k, line in lines.items()}
    counts = count_confusions(found).counts
    assert counts[2, 2] == pytest.approx(sum(k * share for k, share in shares.items()), rel=1e-10)
    assert counts[0, 0] == pytest.approx(shares[0] * length / 2, rel=1e-10)
    excess = sum(575 * (some - k) * share for k, share in shares.items())
    assert found.cost[0] == pytest.approx(excess, rel=1e-10)
    spread = excess * rate if excess else 0.0
    assert found.ambiguity[0] == pytest.approx((total + spread) / math.log(2), rel=1e-10)


def log2(number: int) -> float:
    shift = max(0, number.bit_length() - 100)
    return math.log2(number >> shift) + shift


UNIT = table([0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1])


def test_thousands_of_equal_phones_have_more_alignments_than_a_float_can_count() -> None:
    found = expect([([0] * 2000, [0] * 1000), ([0] * 2000, [0] * 2000)], UNIT)
    assert found.ambiguity[0] == pytest.approx(log2(math.comb(2000, 1000)), rel=1e-14)
    assert found.ambiguity[1] == 0
    counts = found.counts.matrix_of(0).counts
    assert counts[0, 0] == pytest.approx(1000, rel=1e-11)
    assert counts[0, NONE] == pytest.approx(1000, rel=1e-11)
    assert found.cost.tolist() == [1000, 0]


@pytest.mark.parametrize("tau", [0.0, 0.1])
def test_costs_of_nothing_make_all_alignments_alike(tau: float) -> None:
    """C(n + m, n) sets of pairs, with nm / (n + m) pairs on average."""
    found = expect([([0] * 700, [1] * 500)], table([0] * 15), tau)
    assert found.ambiguity[0] == pytest.approx(log2(math.comb(1200, 500)), rel=1e-13)
    assert count_confusions(found).counts[0, 1] == pytest.approx(700 * 500 / 1200, rel=1e-11)


@given(codes, codes, values)
@more(3)
def test_great_heat_makes_all_alignments_alike(gold: list[int], predicted: list[int], numbers: list[int]) -> None:
    found = expect([(gold, predicted)], table(numbers), 1e12)
    assert found.ambiguity[0] == pytest.approx(math.log2(math.comb(len(gold) + len(predicted), len(gold))), abs=1e-9)


@given(codes, codes, values, st.sampled_from([5e-324, 1e-300, 1e-9, 1e-4]))
@more(3)
def test_cold_comes_near_the_exact_limit(gold: list[int], predicted: list[int], numbers: list[int], tau: float) -> None:
    cold, limit = (expect([(gold, predicted)], table(numbers), each) for each in (tau, 0.0))
    assert np.allclose(count_confusions(cold).counts, count_confusions(limit).counts, rtol=0, atol=1e-12)
    assert cold.ambiguity[0] == pytest.approx(limit.ambiguity[0], abs=1e-12)


long_codes = st.lists(st.integers(0, 2), max_size=60)


@given(st.lists(st.tuples(long_codes, long_codes), max_size=5), values, st.sampled_from([0.0, 0.01, 0.3, 5.0]))
@more(3)
def test_a_phones_counts_are_its_tokens(
    pairs: list[tuple[list[int], list[int]]], numbers: list[int], tau: float
) -> None:
    costs = table(numbers)
    found = expect(pairs, costs, tau)
    for utterance, (gold, predicted) in enumerate(pairs):
        matrix = found.counts.matrix_of(utterance)
        assert matrix.tokens.tolist() == pytest.approx([gold.count(code) for code in range(3)], abs=1e-11)
        assert matrix.predicted_tokens.tolist() == pytest.approx(
            [predicted.count(code) for code in range(3)], abs=1e-11
        )
    assert np.allclose(count_costs(found, costs), found.cost, rtol=1e-11)
    operations = count_operations(found)
    assert operations.sum(axis=0)[:3].sum() == pytest.approx(sum(len(gold) for gold, _ in pairs))
    assert np.allclose(stack_confusions(found).total().counts, count_confusions(found).counts)
    assert (found.ambiguity >= 0).all()


@given(st.lists(st.tuples(long_codes, long_codes), min_size=1, max_size=5), values)
@more(3)
def test_an_only_optimal_alignment_counts_as_it_stands(
    pairs: list[tuple[list[int], list[int]]], numbers: list[int]
) -> None:
    costs = table(numbers)
    found = expect(pairs, costs)
    names = [f"u{number}" for number in range(len(pairs))]
    gold = from_lists(names, [[GOLD.phones[code] for code in first] for first, _ in pairs], GOLD)
    predicted = from_lists(names, [[HEARD.phones[code] for code in second] for _, second in pairs], HEARD)
    path = align_sequences(gold, predicted, costs)
    assert found.cost.tolist() == path.cost.tolist()
    for utterance, bits in enumerate(found.ambiguity):
        if bits == 0:
            assert found.counts.matrix_of(utterance) == stack_confusions(path).matrix_of(utterance)
            assert count_operations(found)[utterance].tolist() == count_operations(path)[utterance].tolist()


def test_the_order_of_a_deletion_and_an_insertion_makes_no_other_alignment() -> None:
    """Substituting costs more than both gaps: the one alignment pairs nothing, in whatever order."""
    found = expect([([0, 0], [1, 1])], table([9] * 9 + [1] * 6))
    assert found.ambiguity.tolist() == [0]
    assert count_confusions(found).substitutions.sum() == 0


def test_empty_sequences_and_an_empty_corpus() -> None:
    for tau in (0.0, 0.5):
        found = expect([([], []), ([0, 1], []), ([], [2])], UNIT, tau)
        assert found.ambiguity.tolist() == [0, 0, 0]
        assert found.cost.tolist() == [0, 2, 1]
        assert found.counts.matrix_of(1).deletions.tolist() == [1, 1, 0]
        assert len(expect([], UNIT, tau)) == 0
    nobody = Inventory(())
    nothing = CostTable(
        gold=nobody, predicted=nobody, substitution=np.zeros((0, 0)), deletion=[], insertion=[], denominator=1, name="n"
    )
    assert expect_sequences(from_lists(["u"], [[]]), from_lists(["u"], [[]]), nothing).cost.tolist() == [0]


@pytest.mark.parametrize("tau", [0.0, 0.2])
def test_any_number_of_workers_gives_the_same_bits(tau: float, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    pairs = [
        (
            [int(code) for code in generator.integers(0, 3, size)],
            [int(code) for code in generator.integers(0, 3, other)],
        )
        for size, other in generator.integers(0, 40, (150, 2))
    ]
    costs = table([int(number) for number in generator.integers(0, 9, 15)])
    one = expect(pairs, costs, tau)
    monkeypatch.setattr(expected_module, "_EXPECTED_CELLS", 5_000)  # some ten shards
    others = [expect(pairs, costs, tau, workers) for workers in (1, 2, 5)]
    for other in others:
        assert one.cost.tobytes() == other.cost.tobytes()
        assert one.ambiguity.tobytes() == other.ambiguity.tobytes()
        assert one.counts.cells.tobytes() == other.counts.cells.tobytes()
        assert one.counts.counts.tobytes() == other.counts.counts.tobytes()
        assert count_confusions(one) == count_confusions(other)


def test_rules_for_ties_have_no_part() -> None:
    corpus = px.Corpus(gold=from_lists(["u"], [["a", "e", "a"]]), predicted=from_lists(["u"], [["e", "a"]]))
    found = [
        px.count_confusions(
            px.costs.align_expected(corpus, px.feature_costs(["a", "e"], ["a", "e"], "unit", ties=ties))
        )
        for ties in ("identical", "nist")
    ]
    assert found[0] == found[1]


def test_wrong_temperatures_and_sides_are_refused() -> None:
    for tau in (-1.0, math.nan, math.inf):
        with pytest.raises(ConfigurationError, match="the temperature must be a finite number ≥ 0"):
            expect([([0], [0])], UNIT, tau)
    with pytest.raises(ValueError, match="same utterances"):
        expect_sequences(from_lists(["u"], [["a"]], GOLD), from_lists(["v"], [["a"]], HEARD), UNIT)


def test_a_pair_that_needs_too_much_memory_is_refused_before_it_is_taken() -> None:
    long = PhoneSequences(utterances=("u",), offsets=[0, 13_000], codes=np.zeros(13_000), inventory=Inventory(("a",)))
    unit = px.feature_costs(["a"], ["a"], "unit")
    with pytest.raises(DataError, match="utterance 'u' is too long for expected alignment"):
        expect_sequences(long, long, unit)

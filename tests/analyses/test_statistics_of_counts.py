"""Statistics of confusion counts, of many matrices at once, against the measures of one matrix."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import kendalltau

from phonxling.analyses.entropy import Gaps, conditional_entropy, confusion_information, marginal_entropy
from phonxling.analyses.statistic import CountSettings, Statistic, draws, values
from phonxling.analyses.statistics import STATISTICS
from phonxling.core.arrays import offsets_of
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory
from phonxling.resample.entropies import cluster_cells
from phonxling.resample.intervals import resampling
from phonxling.resample.replicates import Halving

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("a", "b", "x"))
COSTS = CostTable(
    gold=GOLD,
    predicted=HEARD,
    substitution=[[0, 3, 1], [2, 0, 4], [1, 6, 2]],
    deletion=[7, 8, 9],
    insertion=[6, 9, 10],
    denominator=10,
    name="test",
)


@st.composite
def stacks(draw: st.DrawFn, least: int = 1) -> ConfusionStack:
    cells = st.integers(0, 14)  # 15 is (∅, ∅)
    rows = draw(st.lists(st.dictionaries(cells, st.integers(1, 20), max_size=6), min_size=least, max_size=8))
    return ConfusionStack(
        utterances=tuple(f"u{number}" for number in range(len(rows))),
        gold=GOLD,
        predicted=HEARD,
        offsets=offsets_of([len(row) for row in rows]),
        cells=np.array([cell for row in rows for cell in sorted(row)], dtype=np.int64),
        counts=np.array([row[cell] for row in rows for cell in sorted(row)], dtype=np.float64),
    )


def tau(matrix: ConfusionMatrix) -> float:
    rows = matrix.substitutions.sum(axis=1) > 0
    used = ~matrix.same_symbol() & rows[:, None] & matrix.substitutions.any(axis=0)
    shares = matrix.substitutions / np.maximum(matrix.substitutions.sum(axis=1, keepdims=True), 1)
    return float(kendalltau(shares[used], -COSTS.substitution[used]).statistic) if used.sum() > 1 else np.nan


def one_by_one(matrix: ConfusionMatrix, gaps: Gaps) -> dict[str, float]:
    return {
        "conditional_entropy": conditional_entropy(matrix, "miller-madow", gaps=gaps),
        "conditional_entropy_given_predicted": conditional_entropy(
            matrix, "miller-madow", given="predicted", gaps=gaps
        ),
        "mutual_information": confusion_information(matrix, "miller-madow", gaps=gaps),
        "entropy_gold": marginal_entropy(matrix, "gold", "miller-madow", gaps=gaps),
        "correspondence_tau": tau(matrix),
    }


@given(stacks(), st.sampled_from(["exclude", "include"]))
def test_measures_are_those_of_the_matrix(stack: ConfusionStack, gaps: Gaps) -> None:
    half = np.arange(len(stack), dtype=np.int8) % 2
    whole = cluster_cells(
        stack, resampling(len(stack), ["one"] * len(stack), resamples=0, seed=1), gaps=gaps == "include"
    )
    found = values(STATISTICS, stack, CountSettings(half, gaps == "include", COSTS), whole)
    assert tuple(found) == tuple(one.key for one in STATISTICS)
    wanted = one_by_one(stack.total(), gaps)
    assert {name: found[name] for name in wanted} == pytest.approx(wanted, abs=1e-9, nan_ok=True)


@settings(max_examples=30)
@given(stacks(least=2), st.integers(0, 5), st.booleans())
def test_draws_are_measures_of_what_was_drawn(stack: ConfusionStack, seed: int, by_speaker: bool) -> None:
    speakers = [f"s{number % 3}" for number in range(len(stack))] if by_speaker else None
    drawn = resampling(len(stack), speakers, resamples=6, seed=seed)
    half = (drawn.clusters % 2).astype(np.int8)
    found = draws(STATISTICS, stack, drawn, CountSettings(half, False, COSTS))
    for replicate in range(6):
        weights = drawn.weights[replicate, drawn.clusters].astype(float)
        wanted = one_by_one(stack.total(weights), "exclude")
        wanted["correspondence_tau"] = np.nan  # which has no interval, and so no draws
        assert {name: found[name][replicate] for name in wanted} == pytest.approx(wanted, abs=1e-9, nan_ok=True)


def test_replicates_are_scored_by_assignments_of_the_other_half_of_the_same_replicate() -> None:
    """Utterance u hears a as y, v (the other half) hears a as x and y: what is drawn of v decides what is matched."""
    stack = ConfusionStack(
        utterances=("u", "v"), gold=GOLD, predicted=HEARD, offsets=[0, 1, 3], cells=[2, 1, 2], counts=[3.0, 1.0, 2.0]
    )
    drawn = resampling(2, None, resamples=40, seed=1)
    halving = Halving(np.array([0, 1]), np.array([3, 3]))
    found = draws(STATISTICS, stack, drawn, CountSettings(np.array([0, 1], np.int8), halving=halving))
    for (first, second), value in zip(drawn.weights.tolist(), found["one_to_one_accuracy"], strict=True):
        # both drawn: 3 of u are matched by the assignment of v, and 2 of v's by that of u; else there is one half only
        assert value == pytest.approx(5 / 6) if first and second else np.isnan(value)
    assert np.isnan(found["correspondence_tau"]).all()


def test_without_halves_nothing_is_cross_fitted() -> None:
    stack = ConfusionStack(utterances=("u",), gold=GOLD, predicted=HEARD, offsets=[0, 1], cells=[0], counts=[3.0])
    clusters = cluster_cells(stack, resampling(1, None, resamples=0, seed=1))
    found = values(STATISTICS, stack, CountSettings(np.zeros(1, np.int8)), clusters)
    assert np.isnan(found["one_to_one_accuracy"])


def test_where_inventories_are_large_the_first_draws_alone_are_made() -> None:
    stack = ConfusionStack(
        utterances=("u", "v"), gold=GOLD, predicted=HEARD, offsets=[0, 1, 3], cells=[2, 1, 2], counts=[3.0, 1.0, 2.0]
    )
    tokens = Statistic(name="correct", of=lambda counts: counts.attested.sum(axis=0))
    few = replace(tokens, most_draws=lambda gold, predicted: gold * predicted)
    drawn, settings = resampling(2, None, resamples=200, seed=1), CountSettings(np.zeros(2, np.int8))
    every, first = (draws([one], stack, drawn, settings)["correct"] for one in (tokens, few))
    made = len(GOLD) * len(HEARD)
    assert first[:made].tolist() == every[:made].tolist()
    assert np.isnan(first[made:]).all()
    share = draws([few], stack, drawn.share(3, 4), settings)["correct"]  # draws 3, 7, 11, …
    assert share[: len(range(3, made, 4))].tolist() == every[3:made:4].tolist()
    assert np.isnan(share[len(range(3, made, 4)) :]).all()


@given(st.integers(1, 30), st.integers(1, 9), st.integers(0, 5))
def test_shares_of_the_replicates_are_the_same_replicates(replicates: int, of: int, seed: int) -> None:
    whole = resampling(7, None, resamples=replicates, seed=seed)
    drawn = [whole.share(part, of) for part in range(of)]
    assert sum(share.replicates for share in drawn) == replicates
    for part, share in enumerate(drawn):
        assert share.weights.tolist() == whole.weights[part::of].tolist()
    kept = resampling(7, None, resamples=replicates, seed=seed)
    assert kept.weights.shape == (replicates, 7)
    assert kept.share(0, of).weights.tolist() == drawn[0].weights.tolist()

"""Replicates' matrices against sums of the utterances' own."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.core.arrays import offsets_of
from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import Inventory
from phonxling.resample import replicates, weights as resample
from phonxling.resample.jackknife import cluster_cells
from phonxling.resample.replicates import Halving, cell_counts, replicate_counts
from phonxling.resample.weights import Resampling, resampling

GOLD, HEARD = Inventory(("a", "b")), Inventory(("a", "x", "y"))


@st.composite
def stacks(draw: st.DrawFn) -> ConfusionStack:
    cells = st.integers(0, 10)  # 11 is (∅, ∅)
    rows = draw(st.lists(st.dictionaries(cells, st.integers(1, 20), max_size=5), min_size=1, max_size=9))
    return ConfusionStack(
        utterances=tuple(f"u{number}" for number in range(len(rows))),
        gold=GOLD,
        predicted=HEARD,
        offsets=offsets_of([len(row) for row in rows]),
        cells=np.array([cell for row in rows for cell in sorted(row)], dtype=np.int64),
        counts=np.array([row[cell] / 4 for row in rows for cell in sorted(row)]),
    )


def whole(stack: ConfusionStack) -> ConfusionStack:
    return replace(stack, counts=(4 * stack.counts).astype(np.int32))


def all_counts(stack: ConfusionStack, drawn: Resampling) -> np.ndarray:
    return np.concatenate(list(replicate_counts(stack, drawn)), axis=2)


@given(stacks(), st.booleans(), st.integers(0, 5))
def test_each_replicate_is_the_sum_of_what_it_drew(stack: ConfusionStack, by_speaker: bool, seed: int) -> None:
    speakers = [f"s{number % 3}" for number in range(len(stack))] if by_speaker else None
    drawn = resampling(len(stack), speakers, resamples=20, seed=seed)
    counts = all_counts(stack, drawn)
    assert counts.shape == (3, 4, 20)
    for replicate in range(20):
        weights = drawn.weights[replicate, drawn.clusters].astype(float)
        assert counts[:, :, replicate].tolist() == stack.total(weights).counts.tolist()
    assert (all_counts(whole(stack), drawn) == 4 * counts).all()


@pytest.mark.parametrize(
    "count", [40_000, 3_000_000_000]
)  # the first fits 16 bits, what is drawn of it does not; the second does not fit 32
def test_large_counts_are_added_without_overflow(count: int) -> None:
    stack = ConfusionStack(
        utterances=("u", "v"),
        gold=GOLD,
        predicted=HEARD,
        offsets=np.array([0, 1, 2]),
        cells=np.array([0, 0]),
        counts=np.array([count, 7]),
    )
    drawn = resampling(2, None, resamples=50, seed=3)
    wanted = [count * int(first) + 7 * int(second) for first, second in drawn.weights[:, drawn.clusters]]
    assert all_counts(stack, drawn)[0, 0].tolist() == wanted
    assert 2 * count in wanted
    assert cluster_cells(stack, resampling(2, ["s", "s"], resamples=5, seed=1)).table[0, 0] == count + 7


def test_sums_of_16_bits_are_added_up_before_they_overflow() -> None:
    counts = 9_000 - np.arange(20)
    stack = ConfusionStack(
        utterances=tuple(map(str, counts)),
        gold=GOLD,
        predicted=HEARD,
        offsets=np.arange(21),
        cells=np.zeros(20, np.int64),
        counts=counts,
    )
    drawn = resampling(20, None, resamples=50, seed=3)
    assert int(drawn.weights.max()) * 9_000 < 2**16 < counts.sum()
    assert all_counts(stack, drawn)[0, 0].tolist() == (drawn.weights.astype(np.int64) @ counts).tolist()


@pytest.mark.parametrize("cell", [-1, 12])
def test_cells_outside_of_the_matrices_are_refused(cell: int) -> None:
    with pytest.raises(ValueError, match="cells must be from 0 to 11"):
        replace(many(), cells=np.full(120, cell))


def many() -> ConfusionStack:
    generator = np.random.default_rng(2)
    return ConfusionStack(
        utterances=tuple(f"u{number}" for number in range(40)),
        gold=GOLD,
        predicted=HEARD,
        offsets=np.arange(41) * 3,
        cells=np.concatenate([np.sort(generator.choice(11, 3, replace=False)) for _ in range(40)]),
        counts=generator.random(120),  # expected counts: sums depend on the order
    )


@pytest.mark.parametrize(("limit", "most"), [("_LARGEST", 40 * 9), ("_TOGETHER", 1), ("_TOGETHER", 7)])
def test_how_many_replicates_are_together_changes_nothing(
    limit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = resampling(40, None, resamples=300, seed=8)
    expected = all_counts(many(), drawn)
    monkeypatch.setattr(replicates, limit, most)
    assert (all_counts(many(), drawn) == expected).all()


def test_halves_are_dealt_in_each_draw_and_counted_apart() -> None:
    """Clusters drawn go, in the order of dealing, into the half that has fewer tokens: by a plain loop."""
    drawn, stack = resampling(40, [f"s{number % 7}" for number in range(40)], resamples=30, seed=8), many()
    generator = np.random.default_rng(2)
    halving = Halving(generator.permutation(7), generator.integers(1, 9, 7))
    cells = np.unique(stack.cells)
    found = np.concatenate(list(cell_counts(stack, drawn, cells, halving)), axis=2)
    for replicate, weights in enumerate(drawn.weights.astype(int)):
        filled, half = [0, 0], np.zeros(7, int)
        for cluster in halving.order:
            half[cluster] = int(filled[1] < filled[0])
            filled[half[cluster]] += weights[cluster] * halving.tokens[cluster]
        for side in (0, 1):
            own = np.where(half == side, weights, 0)[drawn.clusters].astype(float)
            assert (found[:, side, replicate] == stack.total(own).counts.ravel()[cells]).all()


@given(st.integers(0, 5000), st.integers(1, 3), st.integers(0, 3))
def test_sums_over_replicates_are_products_of_weights_and_values(clusters: int, number: int, replicates: int) -> None:
    drawn, values = resampling(clusters, None, resamples=replicates, seed=4), np.random.default_rng(5)
    by_cluster = [values.random(clusters) for _ in range(number)]
    expected = [[math.fsum(row * value) for row in drawn.weights.astype(float)] for value in by_cluster]
    assert drawn.drawn_sums(*by_cluster) == pytest.approx(np.array(expected).reshape(number, replicates), rel=1e-13)


def test_weights_that_are_drawn_again_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, again = (resampling(40, None, resamples=50, seed=8) for _ in range(2))
    cost, tokens = np.random.default_rng(3).random((2, 40))
    expected, counts = kept.ratio(cost, tokens), all_counts(many(), kept)
    monkeypatch.setattr(resample, "_KEPT", 0)
    assert again.ratio(cost, tokens) == expected
    assert (all_counts(many(), again) == counts).all()
    assert "weights" not in again.__dict__  # nothing was kept
    assert (np.concatenate(list(again.parts(7))) == kept.weights).all()


def test_other_utterances_of_the_same_clusters_have_the_same_weights_kept_once() -> None:
    drawn = resampling(6, ["a", "b", "a", "c", "b", "c"], resamples=20, seed=3)
    some = drawn.at(np.array([5, 0, 0]))
    assert some.weights is drawn.weights
    assert some.clusters.tolist() == [2, 0, 0]


def test_another_number_of_utterances_is_refused() -> None:
    with pytest.raises(ValueError, match="3 utterances are resampled, and counts are of 40"):
        next(replicate_counts(many(), resampling(3, None, resamples=5, seed=1)))


def test_weights_of_other_clusters_than_those_dealt_are_refused() -> None:
    halving = Halving(np.arange(3), np.array([5, 5, 5]))
    with pytest.raises(ValueError, match="weights of 1 clusters, and 3 are dealt to halves"):
        halving.deal(np.ones((1, 2), np.uint8))

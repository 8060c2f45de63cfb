"""Replicates' matrices and sums, and those without each cluster, against loops over utterances, cells and tokens."""

import math
from collections import defaultdict
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_alignments import stack_of_cells

from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import Inventory
from phonxling.resample import entropies, intervals, replicates
from phonxling.resample.entropies import cluster_cells, entropy_sums, left_out_sums
from phonxling.resample.intervals import Resampling, resampling
from phonxling.resample.replicates import (
    Halving,
    TokenGroups,
    cell_counts,
    cluster_sums,
    replicate_counts,
    replicate_sums,
)

GOLD, HEARD = Inventory(("a", "b")), Inventory(("a", "x", "y"))
COLUMNS = len(HEARD) + 1
SPEAKERS = ["b", "a", "b", "c", "a"]


stack_of = partial(stack_of_cells, gold=GOLD, predicted=HEARD)


def rows_of(*counts: int, least: int = 0) -> st.SearchStrategy[list[dict[int, int]]]:
    """Draw up to nine utterances, some without cells; 11 is (∅, ∅)."""
    cells = st.dictionaries(st.integers(0, 10), st.sampled_from(counts), max_size=5)
    return st.lists(cells, min_size=least, max_size=9)


def many() -> ConfusionStack:
    """Return 40 utterances of three cells each."""
    generator = np.random.default_rng(2)
    cells = [generator.choice(11, 3, replace=False).tolist() for _ in range(40)]
    return stack_of([dict(zip(own, generator.integers(1, 9, 3).tolist(), strict=True)) for own in cells])


def all_counts(stack: ConfusionStack, drawn: Resampling) -> np.ndarray:
    return np.concatenate(list(replicate_counts(stack, drawn)), axis=2)


@given(rows_of(1, 6, 19, 20, least=1), st.booleans(), st.integers(0, 5))
def test_each_replicate_is_the_sum_of_what_it_drew(rows: list[dict[int, int]], by_speaker: bool, seed: int) -> None:
    speakers = [f"s{number % 3}" for number in range(len(rows))] if by_speaker else None
    stack, drawn = stack_of(rows), resampling(len(rows), speakers, resamples=20, seed=seed)
    counts = all_counts(stack, drawn)
    assert counts.shape == (3, 4, 20)
    for replicate in range(20):
        weights = drawn.weights[replicate, drawn.clusters].astype(float)
        assert counts[:, :, replicate].tolist() == stack.total(weights).counts.tolist()


@pytest.mark.parametrize(
    "counts",
    [[40_000, 7], [3_000_000_000, 7], [*range(8_980, 9_000)]],
    ids=["drawn twice no 16 bits", "no 32 bits", "sums no 16 bits"],
)
def test_large_counts_are_added_without_overflow(counts: list[int]) -> None:
    stack = stack_of([{0: count} for count in counts])
    drawn = resampling(len(counts), None, resamples=50, seed=3)
    assert drawn.weights.max() > 1
    assert all_counts(stack, drawn)[0, 0].tolist() == (drawn.weights.astype(np.int64) @ counts).tolist()
    together = resampling(len(counts), ["s"] * len(counts), resamples=5, seed=1)
    assert cluster_cells(stack, together).table[0, 0] == sum(counts)


@pytest.mark.parametrize("cell", [-1, 12])
def test_cells_outside_of_the_matrices_are_refused(cell: int) -> None:
    with pytest.raises(ValueError, match="cells must be from 0 to 11"):
        stack_of([{cell: 1}])


def test_counts_that_are_not_whole_are_refused() -> None:
    with pytest.raises(ValueError, match="counts must be whole numbers"):
        replace(stack_of([{0: 1}]), counts=np.array([1.5]))


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
    monkeypatch.setattr(intervals, "_KEPT", 0)
    assert again.ratio(cost, tokens) == expected
    assert (all_counts(many(), again) == counts).all()
    assert "weights" not in again.__dict__  # nothing was kept
    assert (np.concatenate(list(again.parts(7))) == kept.weights).all()


def test_other_utterances_of_the_same_clusters_have_the_same_weights_kept_once() -> None:
    drawn = resampling(6, ["a", "b", "a", "c", "b", "c"], resamples=20, seed=3)
    some = drawn.at(np.array([5, 0, 0]))
    assert some.weights is drawn.weights
    assert some.clusters.tolist() == [2, 0, 0]


def test_other_numbers_of_utterances_or_clusters_are_refused() -> None:
    with pytest.raises(ValueError, match="3 utterances are resampled, and counts are of 40"):
        next(replicate_counts(many(), resampling(3, None, resamples=5, seed=1)))
    with pytest.raises(ValueError, match="weights of 1 clusters, and 3 are dealt to halves"):
        Halving(np.arange(3), np.array([5, 5, 5])).deal(np.ones((1, 2), np.uint8))


@pytest.mark.parametrize("together", [1, 4, 1 << 20])
@given(rows_of(1, 2, 15, 16, 17, 70_000), st.booleans(), st.booleans(), st.booleans())
def test_counts_of_clusters_are_those_of_loops_and_so_are_sums_without_each(
    together: int, rows: list[dict[int, int]], by_speaker: bool, gaps: bool, turned: bool
) -> None:
    stack = stack_of(rows)
    speakers = [f"s{number * 2 % 3}" for number in range(len(rows))] if by_speaker else None
    drawn = resampling(len(rows), speakers, resamples=0, seed=1)
    cells = cluster_cells(stack, drawn, gaps=gaps)
    cells = replace(cells, turned=turned)
    expected = np.zeros((cells.clusters, *cells.shape))
    for cluster, row in zip(drawn.clusters, rows, strict=True):
        for cell, count in row.items():
            gold, heard = divmod(cell, COLUMNS)
            if gaps or (gold < len(GOLD) and heard < len(HEARD)):
                expected[(cluster, heard, gold) if turned else (cluster, gold, heard)] += count
    assert cells.table == pytest.approx(expected.sum(axis=0))
    found, by_row = np.zeros(expected.shape), defaultdict(list)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(entropies, "_TOGETHER", together)
        for some in cells.parts():
            found[some.cluster, some.row, some.column] = some.tokens
            row, (tokens, twice) = some.by_row(some.tokens, 2 * some.tokens)
            assert (twice == 2 * tokens).all()
            for one, number in zip(row.tolist(), tokens.tolist(), strict=True):
                by_row[one].append(number)
    assert found == pytest.approx(expected)
    for row, sums in enumerate(expected.sum(axis=2).T):
        assert by_row[row] == pytest.approx(sums[sums > 0].tolist())
    without = np.moveaxis(cells.table - expected, 0, -1)
    without[without < 1e-9] = 0
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(entropies, "_CLUSTERS", 2)
        for first, one in zip(range(0, len(expected), 2), left_out_sums(cells), strict=False):
            wanted = entropy_sums(without[..., first : first + 2], corrected=True)
            for name in ("tokens", "rows", "columns", "cells"):
                assert getattr(one, name) == pytest.approx(getattr(wanted, name), abs=1e-6), name
            assert one.seen is not None
            assert wanted.seen is not None
            assert np.array_equal(one.seen, wanted.seen)


# Sums of what tokens hold


@pytest.fixture
def tokens() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(40, 3)), rng.integers(0, 5, 40)  # in no order of utterances


def test_replicates_are_weighted_sums_of_their_clusters(tokens: tuple[np.ndarray, np.ndarray]) -> None:
    values, owner = tokens
    drawn = resampling(5, SPEAKERS, resamples=200, seed=3)
    found = replicate_sums(cluster_sums(values, owner, drawn), drawn)
    assert found.shape == (200, 3)
    names = sorted(set(SPEAKERS))
    for row, weights in zip(found, drawn.weights, strict=True):
        copies = [weights[names.index(SPEAKERS[utterance])] * value for value, utterance in zip(values, owner)]  # noqa: B905
        assert row == pytest.approx(sum(copies), abs=1e-9)


@pytest.mark.parametrize("dense", [0, 4, 100])
@pytest.mark.parametrize("together", [1, 20, 1000])
def test_groups_are_summed_apart(
    tokens: tuple[np.ndarray, np.ndarray], dense: int, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicates, "_DENSE", dense)
    monkeypatch.setattr("phonxling.count.confusions._TOGETHER", together)
    values, owner = tokens
    group = np.arange(40) % 4
    drawn = resampling(5, SPEAKERS, resamples=150, seed=3)
    found = TokenGroups(group, 6, owner, drawn).drawn(values)
    assert found.shape == (150, 6, 3)
    assert (found[:, 4:] == 0).all()
    for place in range(4):
        own = replicate_sums(cluster_sums(values[group == place], owner[group == place], drawn), drawn)
        np.testing.assert_allclose(found[:, place], own, atol=1e-9)


@pytest.mark.parametrize("together", [1, 20, 1000])
@pytest.mark.parametrize("utterances", [5, 450])
def test_without_each_part_the_others_remain(together: int, utterances: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phonxling.count.confusions._TOGETHER", together)
    generator = np.random.default_rng(2)
    values, owner, group = generator.random((300, 2)), generator.integers(0, utterances, 300), np.arange(300) % 3
    counts, drawn = generator.random(300), resampling(utterances, None, resamples=2, seed=1)
    found = TokenGroups(group, 4, owner, drawn).left_out(values, counts)
    assert found.shape == (min(utterances, 200), 4, 2)
    for part, of_part in enumerate(found):
        for place in range(4):
            rest = (owner % len(found) != part) & (group == place)
            np.testing.assert_allclose(of_part[place], counts[rest] @ values[rest], atol=1e-12)


@pytest.mark.parametrize("speakers", [None, ["a", "b", "a", "c", "b", "c", "a"]])
def test_means_of_replicates_are_means_of_copied_tokens(speakers: list[str] | None) -> None:
    generator = np.random.default_rng(1)
    rows, codes = generator.dirichlet(np.ones(4), 60), generator.integers(0, 5, 60)
    utterances = np.sort(generator.integers(0, 7, 60))
    for number in (0, 30):
        drawn = resampling(7, speakers, resamples=number, seed=3)
        found = TokenGroups(codes, 6, utterances, drawn).drawn_means(rows)
        assert found.shape == (number, 6, 4)
    for replicate, weights in enumerate(drawn.weights):
        copies = np.repeat(np.arange(60), weights[drawn.clusters[utterances]])
        for phone in range(6):
            own = rows[copies[codes[copies] == phone]]
            wanted = own.mean(axis=0) if len(own) else np.full(4, np.nan)
            assert found[replicate, phone] == pytest.approx(wanted, nan_ok=True)

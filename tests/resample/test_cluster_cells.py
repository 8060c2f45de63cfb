"""Counts of clusters, and their sums by row, against dictionaries that are filled a cell at a time."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.core.arrays import offsets_of
from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import Inventory
from phonxling.resample import jackknife
from phonxling.resample.entropy_sums import EntropySums, entropy_sums
from phonxling.resample.jackknife import ClusterCells, cluster_cells, left_out_sums
from phonxling.resample.weights import resampling

GOLD, HEARD = Inventory(("a", "b")), Inventory(("a", "x", "y"))
COLUMNS = len(HEARD) + 1
AT_ONCE = 2  # clusters that are left out together
Cells = dict[tuple[int, int, int], float]


@st.composite
def stacks(draw: st.DrawFn) -> ConfusionStack:
    """Return up to nine utterances, some without cells; counts are few or many, or fractions."""
    cells, counts = st.integers(0, 10), st.sampled_from([1, 2, 15, 16, 17, 70_000])  # 11 is (∅, ∅)
    rows = draw(st.lists(st.dictionaries(cells, counts, max_size=5), max_size=9))
    part = draw(st.sampled_from([1, 3]))
    numbers = np.array([row[cell] for row in rows for cell in sorted(row)], dtype=np.int64)
    return ConfusionStack(
        utterances=tuple(f"u{number}" for number in range(len(rows))),
        gold=GOLD,
        predicted=HEARD,
        offsets=offsets_of([len(row) for row in rows]),
        cells=np.array([cell for row in rows for cell in sorted(row)], dtype=np.int64),
        counts=numbers if part == 1 else numbers / part,
    )


def by_hand(stack: ConfusionStack, clusters: list[int], *, gaps: bool, turned: bool) -> Cells:
    counted: Cells = defaultdict(float)
    for utterance, cluster in enumerate(clusters):
        for place in range(stack.offsets[utterance], stack.offsets[utterance + 1]):
            row, column = divmod(int(stack.cells[place]), COLUMNS)
            if gaps or (row < len(GOLD) and column < len(HEARD)):
                counted[(cluster, column, row) if turned else (cluster, row, column)] += float(stack.counts[place])
    return counted


def found(cells: ClusterCells) -> Cells:
    rows: Cells = {}
    for part in cells.parts():
        for cluster, row, column, tokens in zip(part.cluster, part.row, part.column, part.tokens, strict=True):
            rows[int(cluster), int(row), int(column)] = float(tokens)
    return rows


@pytest.fixture(params=[1, 4, 1 << 20])
def together(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jackknife, "_TOGETHER", request.param)
    monkeypatch.setattr(jackknife, "_CLUSTERS", AT_ONCE)


@pytest.mark.usefixtures("together")
@given(stacks(), st.booleans(), st.booleans(), st.booleans())
def test_cells_of_clusters(stack: ConfusionStack, by_speaker: bool, gaps: bool, turned: bool) -> None:
    speakers = [f"s{number * 2 % 3}" for number in range(len(stack))] if by_speaker else None
    drawn = resampling(len(stack), speakers, resamples=0, seed=1)
    cells = cluster_cells(stack, drawn, gaps=gaps)
    cells = cells.transposed() if turned else cells
    expected = by_hand(stack, drawn.clusters.tolist(), gaps=gaps, turned=turned)
    assert found(cells) == pytest.approx(expected)
    tables = np.zeros((cells.clusters, *cells.shape))
    for place, tokens in expected.items():
        tables[place] = tokens
    assert cells.table == pytest.approx(tables.sum(axis=0))
    rows: Counter[tuple[int, int]] = Counter()
    for (cluster, row, _), tokens in expected.items():
        rows[cluster, row] += tokens
    summed = [part.by_row(part.tokens, 2 * part.tokens) for part in cells.parts()]
    every = sorted(rows)
    assert [row for part, _ in summed for row in part.tolist()] == [row for _, row in every]
    for factor in (1, 2):
        tokens = [number for _, sums in summed for number in sums[factor - 1].tolist()]
        assert tokens == pytest.approx([factor * rows[place] for place in every])
    if len(tables):
        without = np.stack([np.where(cells.table - table < 1e-9, 0, cells.table - table) for table in tables], axis=-1)
        parts = left_out_sums(cells, corrected=True)
        for first, part in zip(range(0, len(tables), AT_ONCE), parts, strict=True):
            same_sums(part, entropy_sums(without[..., first : first + AT_ONCE], corrected=True))


def same_sums(one: EntropySums, other: EntropySums) -> None:
    for name in ("tokens", "rows", "columns", "cells"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-6), name
    assert one.seen is not None
    assert other.seen is not None
    for mine, theirs in zip(one.seen, other.seen, strict=True):
        assert mine.tolist() == theirs.tolist()

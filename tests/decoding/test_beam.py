"""Prefix beam search against the sum over all paths, and its times against all paths of its labels."""

import math
from collections import defaultdict
from itertools import groupby, product

import numpy as np
import pytest
from hypothesis import given, strategies as st

import phonxling as px
from phonxling.core.arrays import Floats
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.decoding.decode import beam_runs, beam_search, label_frames

Labels = tuple[int, ...]
FRAMES = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(0, 5), min_size=columns, max_size=columns).filter(any), min_size=1, max_size=5
    )
)
ROWS = FRAMES.map(lambda weights: np.array([np.array(row) / sum(row) for row in weights]))
NETWORKS = ROWS.flatmap(lambda rows: st.tuples(st.just(rows), st.integers(0, rows.shape[1] - 1)))


def labels_of(path: tuple[int, ...], blank: int) -> Labels:
    return tuple(column for column, _ in groupby(path) if column != blank)


def all_paths(rows: Floats, blank: int) -> dict[Labels, list[tuple[float, tuple[int, ...]]]]:
    """Every path that is possible, with its probability, by the labels that it says."""
    paths = defaultdict(list)
    for path in product(range(rows.shape[1]), repeat=len(rows)):
        probability = math.prod(rows[frame, column] for frame, column in enumerate(path))
        if probability > 0:
            paths[labels_of(path, blank)].append((probability, path))
    return paths


@given(NETWORKS)
def test_a_beam_that_holds_all_sums_all_paths(network: tuple[Floats, int]) -> None:
    rows, blank = network
    exact = {labels: math.fsum(p for p, _ in paths) for labels, paths in all_paths(rows, blank).items()}
    found = [(tuple(labels), math.exp(log)) for labels, log in beam_search(rows, blank, 1500)]
    assert dict(found) == pytest.approx(exact)
    assert len(found) == len(exact)
    assert [p for _, p in found] == sorted((p for _, p in found), reverse=True)


@given(NETWORKS, st.integers(1, 6))
def test_a_narrow_beam_gives_lower_bounds(network: tuple[Floats, int], beam: int) -> None:
    rows, blank = network
    exact = {labels: math.fsum(p for p, _ in paths) for labels, paths in all_paths(rows, blank).items()}
    found = beam_search(rows, blank, beam)
    assert 1 <= len(found) <= beam
    assert len({tuple(labels) for labels, _ in found}) == len(found)
    for labels, log in found:
        assert math.exp(log) <= exact[tuple(labels)] * (1 + 1e-9)


@given(NETWORKS)
def test_times_are_those_of_the_best_path_of_the_labels(network: tuple[Floats, int]) -> None:
    rows, blank = network
    for labels, paths in all_paths(rows, blank).items():
        owner = label_frames(np.maximum(rows, 1e-300), np.array(labels, np.int64), blank)
        path = tuple(blank if place < 0 else labels[place] for place in owner.tolist())
        assert labels_of(path, blank) == labels
        best = max(p for p, _ in paths)
        assert math.prod(rows[frame, column] for frame, column in enumerate(path)) == pytest.approx(best)


@given(NETWORKS)
def test_confidences_are_means_over_the_frames(network: tuple[Floats, int]) -> None:
    rows, blank = network
    runs = beam_runs(rows, blank, 8)
    assert runs.symbol.tolist() == beam_search(rows, blank, 8)[0][0]
    for column, first, last, confidence in zip(*runs, strict=True):
        assert confidence == pytest.approx(rows[first:last, column].mean())
    assert (runs.first[1:] >= runs.last[:-1]).all()


def test_the_beam_finds_what_the_best_path_misses() -> None:
    rows = np.array([[0.4, 0.6]] * 2)
    made = {"source": "here", "utterances": ("u",), "inventory": px.Inventory(("a",)), "columns": [0, -1], "blank": 1}
    network = Posteriorgrams(**made, read=lambda _: rows, frame_shift=0.5)  # type: ignore[arg-type]
    assert px.decode(network).phones_of(0) == []  # blank, blank has 0.36; a 0.64, by three paths
    found = px.decode(network, "beam")
    assert found.phones_of(0) == ["a"]
    assert found.start is not None
    assert found.end is not None
    assert (found.start.tolist(), found.end.tolist()) == ([0.0], [0.5])  # of two equal paths the earlier one
    assert found.confidence is not None
    assert found.confidence.tolist() == [0.4]


def test_no_frame_says_nothing() -> None:
    assert beam_search(np.zeros((0, 3)), 2, 4) == [([], 0.0)]
    assert len(beam_runs(np.zeros((0, 3)), 2, 4).symbol) == 0

"""UMAP: umap-learn's coordinates to the last bit, its parts by their formulas, and maps of several seeds at once."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from phonxling.analyses.map import umap
from phonxling.analyses.map.projection import principal_plane, umap_planes
from phonxling.analyses.map.umap_kernel import distances, memberships

Floats = NDArray[np.float64]


def cloud(points: int, seed: int, width: int = 9) -> Floats:
    return np.sqrt(np.random.default_rng(seed).dirichlet(np.full(width, 0.3), points) / 2)


def sorted_distances(points: int, near: int, seed: int) -> NDArray[np.float32]:
    apart = np.random.default_rng(seed).gamma(2, size=(points, near)).astype(np.float32)
    return np.sort(apart, axis=1)


@pytest.mark.parametrize("from_nearest", [True, False])
def test_memberships_of_a_point_sum_to_the_logarithm_of_its_neighbours(from_nearest: bool) -> None:
    apart = sorted_distances(7, 12, 1)
    found = memberships(apart, from_nearest)
    nearest = apart[:, :1] if from_nearest else 0 * apart[:, :1]
    assert found[:, 1:].sum(axis=1) == pytest.approx(np.full(7, math.log2(12)), abs=2e-5)
    widths = -(apart - nearest)[:, 2:] / np.log(found[:, 2:])
    assert widths == pytest.approx(np.repeat(widths[:, :1], 10, axis=1), rel=1e-4)
    assert (found <= 1).all()
    assert (found[:, 0] == 1).all() == from_nearest


def test_neighbours_at_one_distance_and_at_none_belong_to_a_point_fully() -> None:
    assert memberships(np.zeros((2, 4), np.float32), True).tolist() == [[1.0] * 4] * 2
    assert memberships(np.array([[0, 3, 3]], np.float32), True).tolist() == [[1.0] * 3]


def test_distances_by_a_loop() -> None:
    points, others = cloud(5, 1).astype(np.float32), cloud(3, 2).astype(np.float32)
    expected = [[math.dist(one, other) for other in others] for one in points]
    assert distances(points, others) == pytest.approx(np.array(expected), rel=1e-6)


def test_others_begin_in_the_middle_of_their_neighbours_or_at_their_equal() -> None:
    fitted = np.array([[0, 0], [4, 0], [0, 8]], np.float32)
    near, strengths = np.array([[2, 0], [1, 0]]), np.array([[0.5, 0.25], [1, 0.9]], np.float32)
    assert umap._among(fitted, near, strengths) == pytest.approx(np.array([[0, 16 / 3], [4, 0]]))


def test_maps_of_several_seeds_are_those_of_each_alone() -> None:
    points, others = cloud(30, 1), cloud(6, 2)
    together = umap_planes(points, others, 7, [3, 4, 5])
    for seed, plane in zip([3, 4, 5], together, strict=True):
        (alone,) = umap_planes(points, others, 7, [seed])
        assert np.array_equal(alone.fitted, plane.fitted)
        assert np.array_equal(alone.placed, plane.placed)
    assert not np.array_equal(together[0].fitted, together[1].fitted)


def test_there_may_be_nobody_to_place() -> None:
    (plane,) = umap_planes(cloud(10, 1), np.zeros((0, 9)), 3, [1])
    assert plane.placed.shape == (0, 2)
    assert np.isfinite(plane.fitted).all()


def learned(points: Floats, others: Floats, near: int, seed: int) -> tuple[Floats, Floats]:
    """Return umap-learn's coordinates."""
    from umap import UMAP

    begin = principal_plane(points, others[:0]).fitted.astype(np.float32)
    a, b = umap._CURVE
    fitted = UMAP(n_neighbors=near, init=begin, random_state=seed, n_jobs=1, a=a, b=b).fit(points)
    return fitted.embedding_, fitted.transform(others)


CASES = {
    "a cloud": (cloud(60, 1), cloud(12, 2), 9),
    "two neighbours": (cloud(25, 3), cloud(4, 4), 2),
    "all neighbours": (cloud(12, 5), cloud(4, 6), 11),
    "points twice": (np.repeat(cloud(20, 7), 2, axis=0), cloud(5, 8), 6),
    "others among the points": (cloud(30, 9), np.concatenate([cloud(30, 9)[:4], cloud(3, 1)]), 6),
    "corners": (np.eye(8), np.eye(8)[:3] * 0.9, 4),
    "two groups": (np.concatenate([cloud(20, 1), 5 + cloud(20, 2)]), cloud(3, 3), 5),
}


@pytest.mark.slow  # umap-learn compiles itself for many seconds
@pytest.mark.parametrize("case", CASES)
def test_coordinates_are_umap_learns(case: str) -> None:
    points, others, near = CASES[case]
    for seed, plane in zip([20, 21], umap_planes(points, others, near, [20, 21]), strict=True):
        fitted, placed = learned(points, others, near, seed)
        assert np.array_equal(plane.fitted, fitted)
        assert np.array_equal(plane.placed, placed)


@pytest.mark.slow
def test_the_curve_is_umap_learns() -> None:
    from umap.umap_ import find_ab_params

    assert pytest.approx(find_ab_params(spread=1.0, min_dist=0.1), rel=1e-6) == umap._CURVE

"""How far a picture can be trusted, and the nearest phones: by formulas written out, and by loops."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_posteriors import phone_means
from numpy.typing import NDArray
from scipy.stats import spearmanr

from phonxling.analyses.map import distance_correlation, distances_between, nearest_phones, neighbourhood_trust
from phonxling.configuration.models import Metric

Floats = NDArray[np.float64]
METRICS: tuple[Metric, ...] = ("hellinger", "aitchison")


def penalty(points: Floats, plane: Floats, near: int) -> int:
    """Venna and Kaski's: by how many ranks the nearest in the picture lie beyond the nearest in full space."""
    total = 0
    for own in range(len(points)):
        others = [other for other in range(len(points)) if other != own]
        full, pictured = (
            sorted(others, key=lambda other, side=side: math.dist(side[own], side[other])) for side in (points, plane)
        )
        total += sum(max(full.index(other) + 1 - near, 0) for other in pictured[:near])
    return total


@pytest.mark.parametrize(("phones", "near"), [(4, 1), (5, 2), (9, 4), (11, 5), (30, 5)])
def test_trustworthiness(phones: int, near: int) -> None:
    generator = np.random.default_rng(phones)
    points, plane = generator.normal(size=(phones, 6)), generator.normal(size=(phones, 2))
    scale = 2 / (phones * near * (2 * phones - 3 * near - 1))
    assert neighbourhood_trust(points, plane) == pytest.approx(1 - scale * penalty(points, plane, near))


def test_distance_correlation_is_spearmans() -> None:
    generator = np.random.default_rng(2)
    points, plane = generator.normal(size=(12, 5)), generator.normal(size=(12, 2))
    pairs = [(one, other) for one in range(12) for other in range(one)]
    before, after = ([math.dist(side[one], side[other]) for one, other in pairs] for side in (points, plane))
    assert distance_correlation(points, plane) == pytest.approx(spearmanr(before, after).statistic)


def test_too_few_phones_or_equal_distances_have_no_number() -> None:
    three = np.eye(3)
    assert math.isnan(neighbourhood_trust(three, np.eye(3)[:, :2]))
    assert math.isnan(distance_correlation(np.eye(2), np.eye(2)))
    assert math.isnan(distance_correlation(three, np.array([[0.0, 0], [1, 0], [5, 0]])))
    assert math.isnan(distance_correlation(np.random.default_rng(0).dirichlet(np.ones(3), 4), np.zeros((4, 2))))
    assert math.isnan(neighbourhood_trust(np.zeros((0, 3)), np.zeros((0, 2))))


def written_out(p: list[float], q: list[float], metric: Metric) -> float:
    """Each metric's own formula, not by way of points."""
    if metric == "aitchison":
        logs = [math.log((a + 1e-3) / (b + 1e-3)) for a, b in zip(p, q, strict=True)]
        pairs = [(one - other) ** 2 for one in logs for other in logs]
        return math.sqrt(sum(pairs) / (2 * len(logs)))
    return math.sqrt(max(0.0, 1 - sum(math.sqrt(a * b) for a, b in zip(p, q, strict=True))))


_row = st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any)


@pytest.mark.parametrize("metric", METRICS)
@given(first=st.lists(_row, min_size=1, max_size=4), second=st.lists(_row, min_size=1, max_size=4))
def test_distances_by_their_formulas(metric: Metric, first: list[list[int]], second: list[list[int]]) -> None:
    p, q = ([[value / sum(row) for value in row] for row in rows] for rows in (first, second))
    found = distances_between(np.array(p), np.array(q), metric)
    assert found.shape == (len(p), len(q))
    for row, one in zip(found, p, strict=True):
        assert row == pytest.approx([written_out(one, other, metric) for other in q], abs=1e-7)
    assert (found <= 1 + 1e-12).all() or metric == "aitchison"
    assert np.array_equal(distances_between(np.array(q), np.array(p), metric), found.T)


@pytest.mark.parametrize("metric", METRICS)
def test_the_nearest_reference_phone_by_a_loop(metric: Metric) -> None:
    generator = np.random.default_rng(1)
    target = phone_means(generator.dirichlet(np.full(5, 0.5), 4), prefix="t")
    reference = phone_means(generator.dirichlet(np.full(5, 0.5), 6), prefix="r")
    nearest, distance = nearest_phones(target, reference, metric)
    for mine, code, far in zip(target.means, nearest, distance, strict=True):
        each = [written_out([*mine], [*theirs], metric) for theirs in reference.means]
        assert code == each.index(min(each))
        assert far == pytest.approx(min(each), abs=1e-9)


def test_no_phone_of_a_language_is_its_own_neighbour_and_ties_keep_the_order() -> None:
    language = phone_means(np.eye(3))
    nearest, distance = nearest_phones(language, language, "hellinger")
    assert (nearest.tolist(), distance.tolist()) == ([1, 0, 0], [1, 1, 1])
    other = phone_means(np.eye(3))
    assert nearest_phones(language, other, "hellinger")[0].tolist() == [0, 1, 2]

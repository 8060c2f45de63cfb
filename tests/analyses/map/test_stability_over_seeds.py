"""Pictures laid over each other: what moving, scaling, turning and mirroring cannot change, and a worked number."""

import math

import numpy as np
import pytest

from phonxling.analyses.map import agreements


@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_a_picture_agrees_fully_with_itself_moved_scaled_turned_and_mirrored(mirror: float) -> None:
    generator = np.random.default_rng(3)
    plane, angle = generator.normal(size=(20, 2)), 0.7
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    assert agreements(plane, [4 * plane @ turn * [1, mirror] + 9]) == pytest.approx([1.0])


def test_agreement_is_the_squared_sum_of_singular_values() -> None:
    """Of the two pictures centred and of norm 1: the trace of the best turn (Peres-Neto & Jackson 2001)."""
    generator = np.random.default_rng(1)
    first, second = generator.normal(size=(2, 15, 2))
    scaled = [(one - one.mean(axis=0)) / np.linalg.norm(one - one.mean(axis=0)) for one in (first, second)]
    expected = np.linalg.svd(scaled[0].T @ scaled[1], compute_uv=False).sum() ** 2
    assert agreements(first, [second]) == pytest.approx([expected])

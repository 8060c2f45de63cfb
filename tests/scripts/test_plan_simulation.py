"""Plans on simulated speakers: components come back, and tests find what they are said to find."""

import numpy as np
import pytest
from simulations import plan

pytestmark = pytest.mark.slow


def test_tests_find_the_least_difference_of_a_pilot_as_often_as_planned() -> None:
    rows = [line.strip("| ").split(" | ") for line in plan.lines(100)]
    pilots = np.array([row[2:7] for row in rows if row[0] in {"error rate", "difference of systems"}], dtype=float)
    assert len(pilots) == 10
    assert np.all(np.abs(pilots[:, :2] - 1) < 0.35)  # the mean of some, over the truth
    assert pilots[:, 2:].mean() > 87
    needed = np.array([[float(row[place]) for place in (2, 4)] for row in rows if len(row) == 5 and row[0].isdigit()])
    assert needed.shape == (4, 2)
    assert 75 < needed.mean() < 85
    designs = [row for row in rows if len(row) == 11 and row[0].isdigit()]
    assert len(designs) == 12
    found, none = (
        np.array([[float(row[place]) for place in (first, first + 4)] for row in designs]) for first in (3, 6)
    )
    plugged = np.array([[float(row[place]) for place in (5, 9)] for row in designs])
    assert 75 < found.mean() < 85
    assert np.all(np.abs(found - 80) < 15)  # 100 pilots: a standard error of 4
    assert plugged.mean() < 72
    assert 3 < none.mean() < 7

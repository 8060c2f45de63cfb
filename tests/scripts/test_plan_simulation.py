"""Plans on simulated speakers: components come back, and tests find what they are said to find."""

import numpy as np
import pytest
from simulations import plan

pytestmark = pytest.mark.slow


def test_tests_find_the_least_difference_as_often_as_planned() -> None:
    rows = [line.strip("| ").split(" | ") for line in plan.lines(200)]
    pilots = np.array([row[2:7] for row in rows if row[0] in {"error rate", "difference of systems"}], dtype=float)
    assert len(pilots) == 10
    assert np.all(np.abs(pilots[:, :2] - 1) < 0.25)  # the mean of some, over the truth
    assert pilots[:, 2:].mean() > 87
    designs = np.array([row for row in rows if row[0].isdigit()], dtype=float)
    assert len(designs) == 8
    powers, alarms = designs[:, [3, 6]], designs[:, [4, 7]]
    assert np.all(np.abs(powers - 80) < 10)  # 200 simulations: a standard error of 2.8
    assert abs(powers.mean() - 80) < 3
    assert 3 < alarms.mean() < 7

"""Standard errors, limits on their scales, and tests of differences: against SciPy's t tests."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from phonxling.stats.student import (
    Kind,
    effective_clusters,
    student_limits,
    too_few,
)


@pytest.mark.parametrize(
    ("kind", "value", "low", "high"),
    [
        ("number", -1.2, lambda reach: -1.2 - reach, lambda reach: -1.2 + reach),
        ("share", 0.2, lambda reach: expit(logit(0.2) - reach / 0.16), lambda reach: expit(logit(0.2) + reach / 0.16)),
        ("rate", 1.3, lambda reach: 1.3 * np.exp(-reach / 1.3), lambda reach: 1.3 * np.exp(reach / 1.3)),
        ("skill", -0.4, lambda reach: 1 - 1.4 * np.exp(reach / 1.4), lambda reach: 1 - 1.4 * np.exp(-reach / 1.4)),
    ],
)
def test_where_a_left_out_value_is_outside_the_scale_the_error_is_taken_on_the_raw_one(
    kind: Kind, value: float, low: Callable[[float], float], high: Callable[[float], float]
) -> None:
    """One left-out value is at the end of the range, or beyond; −1.2 has no end, and is the check of the check."""
    end = {"number": -1.3, "share": 0.0, "rate": 0.0, "skill": 1.0}[kind]
    left_out = np.array([end, value, value, value, value])
    reach = stats.t.ppf(0.95, 2.4) * 4 / 5 * abs(end - value)
    found = student_limits(np.array([value]), left_out[None], np.ones((1, 5)), np.array([3.4]), level=0.9, kind=kind)
    assert np.ravel(found) == pytest.approx([low(reach), high(reach)])


@pytest.mark.parametrize(
    ("sizes", "effective", "few"),
    [
        ([1.0] * 4, 4, True),
        ([8.0, 3, 3, 3, 3], 4, False),  # one of five has 40 %
        ([9.0, 3, 3, 3, 3], 49 / 13, True),
        ([3.0, 0, 3, 0, 3], 3, True),
    ],
)
def test_which_clusters_are_too_few(sizes: list[float], effective: float, few: bool) -> None:
    own = np.array(sizes)
    assert effective_clusters(own) == pytest.approx(effective)
    assert too_few(np.count_nonzero(own), effective_clusters(own)) == few

"""Standard errors, limits on their scales, and tests of differences: against SciPy's t tests."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from scipy.special import expit, logit

from phonxling.core.arrays import Floats
from phonxling.stats.student import (
    EstimateSpread,
    Kind,
    contrast,
    effective_clusters,
    jackknife_error,
    spread_of_difference,
    student_limits,
    too_few,
)

samples = st.lists(st.floats(-5, 5), min_size=5, max_size=12).map(np.array).filter(lambda own: np.ptp(own) > 0.01)


def spread_of_mean(own: Floats) -> EstimateSpread:
    return EstimateSpread.of(((own.sum() - own) / (len(own) - 1))[None], np.ones((1, len(own))))


@given(samples, samples)
def test_two_samples_are_tested_as_by_welch(first: Floats, second: Floats) -> None:
    found = contrast(
        first.mean() - second.mean(), spread_of_difference(spread_of_mean(first), spread_of_mean(second)), 0.9
    )
    wanted = stats.ttest_ind(first, second, equal_var=False)
    limits = wanted.confidence_interval(0.9)
    assert found.p[0] == pytest.approx(wanted.pvalue, rel=1e-6)
    assert (found.low[0], found.high[0]) == pytest.approx((limits.low, limits.high), rel=1e-6, abs=1e-9)
    assert (found.p[0] < 0.1) == (found.low[0] > 0 or found.high[0] < 0)


@given(samples, st.integers(0, 99))
def test_pairs_are_tested_as_by_student(own: Floats, seed: int) -> None:
    apart = own + np.random.default_rng(seed).normal(size=len(own))
    assert contrast(apart.mean(), spread_of_mean(apart), 0.95).p[0] == pytest.approx(stats.ttest_1samp(apart, 0).pvalue)


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


@pytest.mark.parametrize(("kind", "end"), [("rate", 0.0), ("share", 0.0), ("share", 1.0), ("skill", 1.0)])
def test_there_are_no_limits_at_an_end_of_the_range_nor_where_nothing_varies(kind: Kind, end: float) -> None:
    for value, left_out in ((end, np.linspace(0.1, 0.5, 5)), (0.3, np.full(5, 0.3 + 1e-12))):
        found = student_limits(
            np.array([value]), left_out[None], np.ones((1, 5)), np.array([5.0]), level=0.95, kind=kind
        )
        assert np.isnan(found).all()


def test_clusters_without_tokens_are_none() -> None:
    left_out = np.array([[0.1, 0.3, 0.2, 7.0, 0.25], [0.5, math.nan, math.nan, math.nan, math.nan]])
    sizes = np.array([[1.0, 2, 3, 0, 4], [9, 0, 0, 0, 0]])
    error = jackknife_error(left_out, sizes)
    assert error[0] == pytest.approx(stats.sem([0.1, 0.3, 0.2, 0.25]) * 3)
    assert math.isnan(error[1])


@pytest.mark.parametrize(
    ("sizes", "effective", "few"),
    [
        ([1.0] * 5, 5, False),
        ([1.0] * 4, 4, True),
        ([8.0, 3, 3, 3, 3], 4, False),  # one of five has 40 %
        ([9.0, 3, 3, 3, 3], 49 / 13, True),
        ([3.0, 0, 3, 0, 3], 3, True),
        ([0.0] * 9, 0, True),
    ],
)
def test_which_clusters_are_too_few(sizes: list[float], effective: float, few: bool) -> None:
    own = np.array(sizes)
    assert effective_clusters(own) == pytest.approx(effective)
    assert too_few(np.count_nonzero(own), effective_clusters(own)) == few
    left_out = np.random.default_rng(1).random((1, len(own)))
    spread = EstimateSpread.of(left_out, own[None])
    assert spread.few.tolist() == [few]
    assert np.isnan(contrast(0.3, spread, 0.95).p[0]) == few
    assert EstimateSpread.of(left_out, own[None], none=True).few.all()

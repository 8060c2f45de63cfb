"""Corrected p-values, and numbers across languages: against SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

from phonxling.analyses.languages import mean_spread, rank_correlation
from phonxling.stats.p_values import adjust_p_values


def test_false_discovery_is_that_of_scipy_over_what_was_tested() -> None:
    p = np.random.default_rng(2).random(200).round(2) ** 3
    assert adjust_p_values(p).tolist() == pytest.approx(stats.false_discovery_control(p, method="bh").tolist())
    found = adjust_p_values([0.01, np.nan, 0.02, 0.03, 0.5])
    assert found == pytest.approx([0.04, np.nan, 0.04, 0.04, 0.5], nan_ok=True)


def test_a_mean_by_languages_is_students_and_one_by_families_has_families_as_clusters() -> None:
    values = np.random.default_rng(1).normal(size=12)
    mean, spread, families = mean_spread(values, [""] * 12)
    assert (mean, families) == (pytest.approx(values.mean()), 0)
    assert math.sqrt(spread.variance[0]) == pytest.approx(stats.sem(values))
    assert spread.freedom[0] == 11
    doubled = np.repeat(values, 3)  # languages of a family that are alike add nothing
    _, again, families = mean_spread(doubled, [str(n) for n in range(12) for _ in range(3)])
    assert families == 12
    assert again.variance[0] == pytest.approx(spread.variance[0])
    assert again.freedom[0] == pytest.approx(11)


def test_a_rank_correlation_is_scipys_with_an_interval_around_it() -> None:
    generator = np.random.default_rng(2)
    x = generator.integers(0, 6, 20).astype(float)  # with ties
    y = x + generator.normal(size=20)
    rho, low, high, p = rank_correlation(x, y, 0.95)
    expected = stats.spearmanr(x, y)
    assert (rho, p) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
    assert -1 < low < rho < high < 1
    assert np.isnan(rank_correlation(np.ones(20), y, 0.95)).all()

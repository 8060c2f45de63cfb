"""Numbers over languages against worked examples of papers, other programs and slow oracles."""

import math

import numpy as np
import pytest
import scipy.stats

from phonxling.resample.across import heterogeneity, mean_spread, rank_correlation, rank_limits
from phonxling.resample.student import Kind, error_of, student_limits

# Colditz et al. (1994), 13 trials of the BCG vaccine: cases and others with, and without; the example of Viechtbauer
# (2010), J. Stat. Softw. 36(3), whose metafor gives τ² = 0.3132 (REML), 0.3088 (DL), 0.3181 (PM) of the log risk ratio.
BCG = np.array(
    [
        (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
        (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232),
        (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825),
    ],
    dtype=float,
)  # fmt: skip
A, B, C, D = BCG.T
LOG_RISK = np.log(A / (A + B)) - np.log(C / (C + D))
VARIANCE = 1 / A - 1 / (A + B) + 1 / C - 1 / (C + D)


def test_the_worked_example_has_the_numbers_of_metafor() -> None:
    found = heterogeneity(LOG_RISK, VARIANCE, 0.95)
    assert found.tau2 == pytest.approx(0.3181, abs=5e-5)
    weights = 1 / (VARIANCE + found.tau2)
    assert (weights * (LOG_RISK - found.mean) ** 2).sum() == pytest.approx(12)  # what Paule and Mandel solve
    assert found.mean == pytest.approx(-0.7150, abs=5e-4)  # metafor, method="PM"
    assert found.i2 == pytest.approx(0.9223, abs=3e-3)  # that of REML; PM's differs in the third digit


def test_values_that_differ_by_sampling_alone_are_one_value() -> None:
    values, variances = np.array([0.5, 0.52, 0.48, 0.51]), np.full(4, 0.01)
    found = heterogeneity(values, variances, 0.9)
    assert (found.tau2, found.i2) == (0, 0)
    assert found.shrunken[0] == pytest.approx(values.mean())
    assert found.reach == pytest.approx(scipy.stats.t.ppf(0.95, 3) * math.sqrt(0.01 / 4))  # the factor is at least 1
    far = heterogeneity(values * 1e6, variances, 0.9)
    assert far.shrunken[0] == pytest.approx(values * 1e6)  # nothing is drawn in where sampling is nothing


def test_a_mean_by_languages_is_students_and_one_by_families_has_families_as_clusters() -> None:
    values = np.random.default_rng(1).normal(size=12)
    mean, spread, families = mean_spread(values, [""] * 12)
    assert (mean, families) == (pytest.approx(values.mean()), 0)
    assert math.sqrt(spread.variance[0]) == pytest.approx(scipy.stats.sem(values))
    assert spread.freedom[0] == 11
    doubled = np.repeat(values, 3)  # languages of a family that are alike add nothing
    _, again, families = mean_spread(doubled, [str(n) for n in range(12) for _ in range(3)])
    assert families == 12
    assert again.variance[0] == pytest.approx(spread.variance[0])
    assert again.freedom[0] == pytest.approx(11)


def test_ranks_are_sure_where_values_are_far_apart_and_open_where_they_are_alike() -> None:
    def limits(values: list[float]) -> list[tuple[int, int]]:
        arrays = (np.array(values), np.full(len(values), 0.01), np.full(len(values), 30.0))
        first, last = rank_limits(*arrays, level=0.95, generator=np.random.default_rng(1))
        return list(zip(first.tolist(), last.tolist(), strict=True))

    assert limits([5, 1, 3]) == [(3, 3), (1, 1), (2, 2)]
    assert limits([1, 1.01, 9]) == [(1, 2), (1, 2), (3, 3)]


def test_a_rank_correlation_is_scipys_with_an_interval_around_it() -> None:
    generator = np.random.default_rng(2)
    x = generator.integers(0, 6, 20).astype(float)  # with ties
    y = x + generator.normal(size=20)
    rho, low, high, p = rank_correlation(x, y, 0.95)
    expected = scipy.stats.spearmanr(x, y)
    assert (rho, p) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
    assert -1 < low < rho < high < 1
    assert np.isnan(rank_correlation(np.ones(20), y, 0.95)).all()


@pytest.mark.parametrize(("kind", "value"), [("number", -1.2), ("share", 0.2), ("rate", 1.3), ("skill", -0.4)])
def test_the_error_behind_limits_is_the_one_that_made_them(kind: Kind, value: float) -> None:
    limits = student_limits(value, 0.08, freedom=3.4, level=0.9, kind=kind)
    assert error_of(value, limits, freedom=3.4, level=0.9, kind=kind) == pytest.approx(0.08)


def test_limits_at_an_end_have_no_error() -> None:
    assert np.isnan(error_of(0.0, (0.0, 0.1), freedom=3.0, level=0.95, kind="rate"))

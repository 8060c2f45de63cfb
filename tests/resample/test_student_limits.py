"""Differences by the bootstrap's standard error, against the t-tests of means, which they must come to."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from phonxling.resample.p_values import adjusted
from phonxling.resample.student import between, contrast, spread
from phonxling.resample.weights import resampling

R = 6_000


def means(values: np.ndarray, seed: int) -> np.ndarray:
    """Return bootstrap draws of the mean, [R, 1]."""
    weights = resampling(len(values), None, resamples=R, seed=seed).weights.astype(float)
    return (weights @ values / len(values))[:, None]


def test_pairs_give_the_paired_t_test_of_means() -> None:
    generator = np.random.default_rng(1)
    first = generator.normal(0.0, 1.0, 12)
    second = first + generator.normal(0.4, 0.6, 12)
    wanted = stats.ttest_rel(first, second)
    found = contrast(np.array([first.mean() - second.mean()]), spread(means(first, 3) - means(second, 3), 12), 0.95)
    assert found.p[0] == pytest.approx(wanted.pvalue, rel=0.1)
    limits = wanted.confidence_interval(0.95)
    assert [found.low[0], found.high[0]] == pytest.approx([limits.low, limits.high], rel=0.05)


def test_independent_samples_give_welchs_test_of_means() -> None:
    generator = np.random.default_rng(2)
    first, second = generator.normal(0.0, 1.0, 9), generator.normal(1.0, 2.0, 30)
    wanted = stats.ttest_ind(first, second, equal_var=False)
    both = between(spread(means(first, 4), 9), spread(means(second, 5), 30))
    found = contrast(np.array([first.mean() - second.mean()]), both, 0.95)
    assert both.freedom[0] == pytest.approx(wanted.df, rel=0.05)
    assert found.p[0] == pytest.approx(wanted.pvalue, rel=0.1)


@given(st.floats(-3, 3), st.floats(0.01, 4), st.integers(2, 50), st.floats(0.5, 0.99))
def test_p_and_limits_agree(difference: float, variance: float, clusters: int, level: float) -> None:
    drawn = np.sqrt(variance) * np.array([[-1.0], [1.0]])
    found = contrast(np.array([difference]), spread(drawn, clusters), level)
    outside = not found.low[0] <= 0 <= found.high[0]
    if abs(found.p[0] - (1 - level)) > 1e-9:
        assert (found.p[0] < 1 - level) == outside


def test_draws_that_do_not_differ_and_one_cluster_give_no_test() -> None:
    same = np.full((50, 1), 0.25)
    moving = np.random.default_rng(3).normal(size=(50, 1))
    for found in (spread(same, 20), spread(same + moving * 1e-14, 20), spread(moving, 1)):
        assert np.isnan(contrast(np.array([0.1]), found, 0.95).p).all()
    assert np.isnan(between(spread(same, 20), spread(moving, 20)).variance).all()


def test_replicates_without_a_value_are_left_out_and_counted() -> None:
    drawn = np.random.default_rng(4).normal(size=(100, 1))
    holed = np.vstack([drawn, np.full((25, 1), np.nan)])
    assert spread(holed, 10).variance[0] == pytest.approx(spread(drawn, 10).variance[0])
    assert spread(holed, 10).lost[0] == pytest.approx(0.2)


def test_correction_is_over_what_was_tested() -> None:
    assert adjusted([0.01, np.nan, 0.02, 0.03, 0.5]).tolist() == pytest.approx(
        [0.04, np.nan, 0.04, 0.04, 0.5], nan_ok=True
    )
    assert adjusted([0.03, 0.01, 0.02, np.nan], "holm").tolist() == pytest.approx(
        [0.04, 0.03, 0.04, np.nan], nan_ok=True
    )
    assert np.isnan(adjusted([np.nan])).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_refuses_what_the_stepwise_rule_refuses(p: list[float]) -> None:
    wanted, smallest = np.ones(len(p)), 0.0
    for step, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        smallest = max(smallest, min(1.0, p[place] * (len(p) - step)))
        wanted[place] = smallest
    assert adjusted(p, "holm").tolist() == pytest.approx(wanted.tolist())

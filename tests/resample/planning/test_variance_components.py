"""Variance between clusters and within them: by hand, by R, by loops, and from simulations whose truth is known."""

import math

import numpy as np
import pytest
from scipy import stats

from phonxling.core.arrays import Floats
from phonxling.resample.planning import MeanSquare, components, linearised


def slow(groups: list[Floats]) -> tuple[float, float, float]:
    """Return τ², σ², m₀ of the values of each cluster."""
    everything = np.concatenate(groups)
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / (len(everything) - len(groups))
    means = sum(len(group) * (group.mean() - everything.mean()) ** 2 for group in groups) / (len(groups) - 1)
    sizes = sum(len(group) ** 2 for group in groups)
    size = (len(everything) - sizes / len(everything)) / (len(groups) - 1)
    return (means - within) / size, within, size


def slow_freedom(groups: list[Floats], place: int, most: float) -> float:
    """Return ¾ of 2 θ² / var(θ) by the jackknife over clusters, θ_B (0) or θ_W (1)."""

    def square(some: list[Floats]) -> float:
        between, within, size = slow(some)
        return (between + within / size, within)[place]

    left = np.array([square([*groups[:out], *groups[out + 1 :]]) for out in range(len(groups))])
    variance = (len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()
    return max(1.0, 0.75 * min(most, 2 * square(groups) ** 2 / variance))


def test_balanced_components_are_those_of_lme4() -> None:
    """R: VarCorr(lmer(y ~ 1 + (1 | s))) of the same table."""
    values = np.array([1.0, 2, 4, 6, 5, 9, 3, 3, 4, 10, 12, 9])
    parts = components(values, np.repeat(np.arange(4), 3), 4)
    assert (parts.between, parts.within) == pytest.approx((12.33333340524, 2.33333332864), rel=1e-7)


def test_unbalanced_components_are_those_of_an_analysis_of_variance_in_r() -> None:
    values = np.array([1.0, 2, 4, 3, 2, 6, 5, 3, 3, 7])
    parts = components(values, np.array([0] * 5 + [1] * 2 + [2] * 3), 3)
    assert (parts.size, parts.within, parts.between) == pytest.approx((3.1, 2.33809523810, 1.83179723502), rel=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_components_and_their_freedom_are_those_of_loops(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, 9, size=generator.integers(4, 10))
    groups = [generator.normal(generator.normal(), 1 + generator.random(), size) for size in [*sizes, 2, 3]]
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    order = generator.permutation(len(owner))
    parts = components(np.concatenate(groups)[order], owner[order], len(groups))
    assert (parts.between, parts.within, parts.size) == pytest.approx(slow(groups), rel=1e-9)
    degrees = len(groups) - 1, len(owner) - len(groups)
    wanted = [slow_freedom(groups, place, most) for place, most in enumerate(degrees)]
    assert [parts.speakers.freedom, parts.utterances.freedom] == pytest.approx(wanted, rel=1e-7)


def test_a_negative_variance_between_clusters_counts_as_nothing() -> None:
    parts = components(np.array([1.0, -1, 1, -1]), np.array([0, 0, 1, 1]), 2)
    assert parts.between < 0
    assert parts.variance(4) == parts.within / 4
    assert parts.variance(math.inf) == 0


def test_clusters_of_one_utterance_have_all_their_variance_between_them() -> None:
    values = np.array([1.0, 2, 4, 9])
    parts = components(values, np.arange(4), 4)
    assert parts.variance(1) == pytest.approx(values.var(ddof=1))
    assert parts.limits(1, 0.95)[0] < parts.variance(1) < parts.limits(1, 0.95)[1]


def test_limits_of_a_mean_square_are_those_of_chi_square() -> None:
    low, high = MeanSquare(3.0, 7.0).limits(0.9)
    assert (low, high) == pytest.approx((21 / stats.chi2.ppf(0.95, 7), 21 / stats.chi2.ppf(0.05, 7)))


def test_limits_stand_around_the_variance_and_narrow_to_the_within_part() -> None:
    generator = np.random.default_rng(1)
    owner = np.repeat(np.arange(40), 10)
    parts = components(generator.normal(size=40)[owner] + 2 * generator.normal(size=400), owner, 40)
    for each in (1, 5, 10, 40, math.inf):
        low, high = parts.limits(each, 0.95)
        assert 0 <= low < parts.variance(each) < high
    assert parts.limits(10, 0.95) == pytest.approx(parts.speakers.limits(0.95))  # V(m₀) is θ_B


def test_a_ratio_moves_as_its_linearisation_says() -> None:
    """The mean of y over a part of the utterances is, to first order, how far the part's ratio is from that of all."""
    generator = np.random.default_rng(2)
    below = generator.uniform(20, 40, 4000)
    above = generator.binomial(below.astype(int), 0.3).astype(float)
    moved, part = linearised(above, below), slice(0, 2000)
    assert moved.sum() == pytest.approx(0, abs=1e-9)
    apart = above[part].sum() / below[part].sum() - above.sum() / below.sum()
    assert moved[part].mean() == pytest.approx(apart, rel=0.01)


@pytest.mark.slow
def test_limits_hold_the_truth() -> None:
    """Normal speakers with unequal numbers of utterances: 95 % limits hold V(U) about so often, for every U."""
    generator, held = np.random.default_rng(3), {5: 0, 20: 0, 100: 0}
    for _ in range(1000):
        sizes = generator.integers(4, 30, size=12)
        owner = np.repeat(np.arange(12), sizes)
        values = generator.normal(0, 0.5, 12)[owner] + generator.normal(size=len(owner))
        parts = components(values, owner, 12)
        for each in held:
            low, high = parts.limits(each, 0.95)
            held[each] += low <= 0.25 + 1 / each <= high
    assert all(920 <= number <= 985 for number in held.values()), held

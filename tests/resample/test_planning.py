"""Power and assurance of t tests, and variance between clusters and within: numbers of R, integrals, and loops."""

import math

import numpy as np
import pytest
from scipy import stats

from phonxling.core.arrays import Floats
from phonxling.resample.planning import (
    MeanSquare,
    assurance,
    components,
    detectable,
    least_difference,
    linearised,
    medians,
    open_ratios,
)
from phonxling.resample.student import Spread

ONE = np.ones(1)


@pytest.mark.parametrize(
    ("clusters", "unpaired", "paired"),
    [(5, 3.20091965, 3.76105955), (12, 2.93157851, 3.07838868), (96, 2.81584180, 2.83030238)],
)
def test_least_differences_of_a_known_error_are_those_of_r(clusters: int, unpaired: float, paired: float) -> None:
    """R 4.2: power.t.test(n, power=.8, sd=1, strict=TRUE) for delta, in standard errors of the difference."""
    assert least_difference(0.8, ONE, 2 * (clusters - 1), 0.95) == pytest.approx(unpaired, abs=1e-7)
    assert least_difference(0.8, ONE, clusters - 1, 0.95) == pytest.approx(paired, abs=1e-7)


@pytest.mark.parametrize(("shift", "freedom", "level"), [(0.0, 4, 0.95), (1.5, 4, 0.9), (3.0, 30, 0.95)])
def test_power_is_the_mean_over_estimated_standard_errors(shift: float, freedom: int, level: float) -> None:
    """A normal number over √(χ²/f): for each χ² the tails beyond t are normal ones."""
    root = np.sqrt(stats.chi2.ppf((np.arange(200_000) + 0.5) / 200_000, freedom) / freedom)
    reach = stats.t.ppf((1 + level) / 2, freedom) * root
    beyond = stats.norm.sf(reach - shift) + stats.norm.cdf(-reach - shift)
    assert assurance(shift, ONE, freedom, level) == pytest.approx(beyond.mean(), abs=1e-5)


@pytest.mark.parametrize(("difference", "known", "freedom"), [(2.0, 3.0, 10), (3.5, 8.25, 22), (6.0, 1.0, 4)])
def test_assurance_is_power_integrated_over_what_is_open(difference: float, known: float, freedom: int) -> None:
    reach, shares = stats.t.ppf(0.975, freedom), (np.arange(4000) + 0.5) / 4000
    shifts = np.minimum(difference / np.sqrt(known / stats.chi2.ppf(shares, known)), 30)
    power = stats.nct.sf(reach, freedom, shifts)
    assert assurance(difference, np.sqrt(open_ratios(known)), freedom, 0.95) == pytest.approx(power.mean(), abs=3e-3)


@pytest.mark.parametrize("freedom", [4, 11, 46])
def test_what_a_comparison_finds_in_80_per_cent_it_finds_in_80_per_cent(freedom: int) -> None:
    """Of estimates s² = χ²_f / f of a variance of 1, the power of the least difference that each says is .8 on average.

    One that plugs s in promises .8 and keeps less.
    """
    estimates = np.sqrt(stats.chi2.ppf((np.arange(400) + 0.5) / 400, freedom) / freedom)
    least = (least_difference(0.8, errors, freedom, 0.95) for errors in (np.sqrt(open_ratios(freedom)), ONE))
    reach = stats.t.ppf(0.975, freedom)
    kept = [np.mean(stats.nct.sf(reach, freedom, one * estimates)) for one in least]
    assert kept[0] == pytest.approx(0.8, abs=3e-3)
    assert kept[1] < 0.79


def test_a_difference_of_many_errors_is_found_and_few_values_stand_for_many() -> None:
    assert assurance(1e9, np.array([1e-9, 1.0]), 4, 0.95) == pytest.approx(1)
    many = np.random.default_rng(1).gamma(2, size=10_007)
    few = medians(many)
    assert len(few) == 64
    assert few.mean() == pytest.approx(many.mean(), rel=0.02)
    assert medians(np.array([3.0, 1.0])).tolist() == [1.0, 3.0]


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


@pytest.mark.parametrize(
    ("values", "sizes", "between", "within"),
    [
        ([1, 2, 4, 6, 5, 9, 3, 3, 4, 10, 12, 9], [3] * 4, 12.33333340524, 2.33333332864),
        ([1, 2, 4, 3, 2, 6, 5, 3, 3, 7], [5, 2, 3], 1.83179723502, 2.33809523810),
    ],
    ids=["VarCorr(lmer(y ~ 1 + (1 | s)))", "anova"],
)
def test_components_are_those_of_r(values: list[float], sizes: list[int], between: float, within: float) -> None:
    parts = components(np.array(values, dtype=float), np.repeat(np.arange(len(sizes)), sizes), len(sizes))
    assert (parts.between, parts.within) == pytest.approx((between, within), rel=1e-7)


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


@pytest.mark.parametrize("freedom", [4.0, 11.3, 40.0])
def test_the_least_difference_of_a_comparison_is_found_in_four_of_five_such_data(freedom: float) -> None:
    """A first study estimates its error; a second one of the same truth, so far apart, is tested by Student’s t."""
    draws = np.random.default_rng(5)
    first, second = draws.chisquare(freedom, (2, 20_000)) / freedom
    ones = np.ones(len(first))
    least = detectable(Spread(first, freedom * ones, 0 * ones, 9 * ones), 0.95)
    t = (draws.standard_normal(len(first)) + least) / np.sqrt(second)
    found = np.abs(t) > stats.t.ppf(0.975, freedom)
    assert found.mean() == pytest.approx(0.8, abs=0.015)


def test_there_is_no_least_difference_without_a_test() -> None:
    few = Spread(np.array([1.0, np.nan]), np.array([3.0, np.nan]), np.zeros(2), np.array([4.0, 9.0]))
    assert np.isnan(detectable(few, 0.95)).all()

"""Intervals of any measure: against scipy's bootstrap, against formulas, and where there can be none."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import is_descriptive
from phonxling.core.inventory import Inventory
from phonxling.resample.intervals import basic, bca, estimate, percentile
from phonxling.resample.replicates import left_out_values, replicate_values
from phonxling.resample.student import Kind
from phonxling.resample.weights import resampling

DATA = np.random.default_rng(3).gamma(2.0, size=30)


def stack_of(counts: NDArray[np.int64]) -> ConfusionStack:
    """Return a stack of one gold phone that is heard right so often in each utterance, of ten."""
    cells, values = np.tile([0, 1], len(counts)), np.column_stack([counts, 10 - counts]).ravel()
    return ConfusionStack(
        utterances=tuple(map(str, range(len(counts)))),
        gold=Inventory(("a",)),
        predicted=Inventory(("a", "b")),
        offsets=np.arange(0, 2 * len(counts) + 1, 2),
        cells=cells,
        counts=values.astype(float),
    )


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
def test_limits_are_those_of_scipy(method: str) -> None:
    rng = np.random.default_rng(1)
    found = stats.bootstrap((DATA,), np.mean, n_resamples=2000, method=method, rng=rng, confidence_level=0.9)
    drawn, value = found.bootstrap_distribution, DATA.mean()
    left_out = (DATA.sum() - DATA) / (len(DATA) - 1)
    ours = {
        "percentile": percentile(drawn, 0.9),
        "basic": basic(value, drawn, 0.9),
        "BCa": bca(value, drawn, left_out, 0.9),
    }[method]
    assert ours == pytest.approx(tuple(found.confidence_interval), abs=1e-9)


def test_t_limits_of_a_mean_are_those_of_its_t_test() -> None:
    """Ten clusters with a share each; the bootstrap's and the jackknife's standard errors both come to s/√C."""
    shares = DATA[:10]
    drawn = resampling(10, None, resamples=4000, seed=1)
    left_out = (shares.sum() - shares) / 9
    means = drawn.weights @ shares / 10
    wanted = stats.ttest_1samp(shares, 0).confidence_interval(0.95)
    found = estimate(float(shares.mean()), means, drawn, left_out=left_out)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), rel=0.02)
    small = estimate(float(shares.mean()), means * 0.1 + 7, drawn, left_out=left_out)
    assert (small.low, small.high) == pytest.approx((wanted.low, wanted.high), rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "value", "back"),
    [
        ("share", 0.9, lambda z: 1 / (1 + math.exp(-(math.log(9) + z / 0.09)))),
        ("rate", 1.2, lambda z: 1.2 * math.exp(z / 1.2)),
        ("skill", 0.8, lambda z: 1 - 0.2 * math.exp(-z / 0.2)),
        ("number", 0.5, lambda z: 0.5 + z),
    ],
)
def test_limits_of_each_kind_stay_in_its_range(kind: Kind, value: float, back: Callable[[float], float]) -> None:
    draws, drawn = value + np.array([-0.1, 0.1]), resampling(5, None, resamples=2, seed=1)
    reach = stats.t(4).ppf(0.975) * math.sqrt(0.02 * 5 / 4)
    found = estimate(value, draws, drawn, kind=kind)
    assert (found.low, found.high) == pytest.approx((back(-reach), back(reach)))
    assert found.note == ""


def test_no_limits_when_every_draw_is_on_one_side() -> None:
    low, high = bca(0.0, np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0]), 0.95)
    assert math.isnan(low)
    assert math.isnan(high)


def test_values_of_replicates_are_those_of_drawn_utterances() -> None:
    counts = np.array([9, 2, 5, 7])
    drawn = resampling(4, None, resamples=50, seed=2)
    rates = replicate_values(stack_of(counts), drawn, lambda table: table[0, 0] / table.sum())
    assert rates == pytest.approx(drawn.weights @ counts / 40)


def test_leaving_out_one_cluster_is_the_sum_of_the_others() -> None:
    counts = np.array([9, 2, 5, 7])
    drawn = resampling(4, ["ann", "bob", "ann", "cem"], resamples=5, seed=2)
    assert left_out_values(stack_of(counts), drawn, lambda table: table[0, 0]).tolist() == [9, 21, 16]


def test_no_interval_for_one_cluster_or_an_undefined_value_or_values_that_are_alike() -> None:
    one, few = (resampling(3, names, resamples=5, seed=1) for names in (["ann"] * 3, None))
    draws = np.arange(5.0)
    assert estimate(1.0, draws, one).note == "no interval: there is one speaker only"
    assert math.isnan(estimate(math.nan, draws, few).low)
    assert "do not differ" in estimate(1.0, np.ones(5), few).note
    assert is_descriptive(estimate(2.0, draws, few).note)
    assert not is_descriptive(estimate(2.0, draws, few, clusters=5).note)
    assert "end of its range" in estimate(1.0, draws, few, kind="share").note
    assert "1 replicates" in estimate(2.0, np.append(draws, math.nan), few).note

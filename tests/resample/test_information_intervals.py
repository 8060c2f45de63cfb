"""Intervals of entropies and information: what they stand around, where they end, and what is said of them."""

import math

import numpy as np
import pytest
from scipy import stats

from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import Inventory
from phonxling.resample.information_interval import few_per_cell, information_interval
from phonxling.resample.intervals import Method
from phonxling.resample.jackknife import cluster_cells
from phonxling.resample.weights import resampling

DRAWS = np.random.default_rng(5).normal(1.5, 0.1, 400)
FORTY = resampling(40, None, resamples=400, seed=1)


T = float(stats.t(39).ppf(0.975))


def test_the_value_stands_in_its_t_limits_wherever_the_draws_lie() -> None:
    found = information_interval(1.9, DRAWS, FORTY, error=0.05, most=5)
    reach = T * DRAWS.std(ddof=1) * math.sqrt(40 / 39)
    assert (found.value, found.low, found.high) == pytest.approx((1.9, 1.9 - reach, 1.9 + reach))
    assert found.note == ""


def test_the_greater_standard_error_counts() -> None:
    assert information_interval(1.9, DRAWS, FORTY, error=0.5).high - 1.9 == pytest.approx(T * 0.5)
    left_out = np.linspace(1.8, 2.0, 40)
    error = math.sqrt(39 / 40 * ((left_out - 1.9) ** 2).sum())
    assert information_interval(1.9, DRAWS, FORTY, left_out=left_out).high - 1.9 == pytest.approx(T * error)


def test_degrees_of_freedom_are_those_of_the_clusters_that_have_tokens() -> None:
    found = information_interval(1.9, DRAWS, FORTY, error=0.5, clusters=5)
    assert found.high - 1.9 == pytest.approx(float(stats.t(4).ppf(0.975)) * 0.5)


def test_what_is_impossible_is_set_to_the_end_of_the_range_and_said() -> None:
    assert information_interval(0.05, DRAWS, FORTY).low == 0
    below = information_interval(-0.02, DRAWS, FORTY)
    assert (below.value, below.low) == (0, 0)
    assert below.high == pytest.approx(-0.02 + T * DRAWS.std(ddof=1) * math.sqrt(40 / 39))
    assert below.note == "the estimate is below the least possible value, which stands in its place"
    above = information_interval(1.05, DRAWS, FORTY, most=1.0)
    assert (above.value, above.high) == (1, 1)
    assert above.note == "the estimate is above the greatest possible value, which stands in its place"
    far = information_interval(-0.9, DRAWS, FORTY)
    assert far.value == 0
    assert math.isnan(far.low)
    assert "no interval: all of it lies outside what is possible" in far.note


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_methods_are_of_draws_moved_to_the_value(method: Method) -> None:
    asked = resampling(40, None, resamples=400, seed=1, method=method)
    found = information_interval(1.9, DRAWS, asked, left_out=np.linspace(1.85, 1.95, 40))
    assert found.low < found.value == 1.9 < found.high
    low, high = 1.9 + np.quantile(DRAWS - DRAWS.mean(), [0.025, 0.975])
    wanted = {"percentile": (low, high), "basic": (3.8 - high, 3.8 - low)}.get(method, (low, high))
    assert (found.low, found.high) == pytest.approx(wanted, abs=0.03 if method == "bca" else 1e-12)


def test_where_there_is_no_interval_the_reason_is_said() -> None:
    one = resampling(3, ["ann"] * 3, resamples=400, seed=1)
    why = "no interval: all its tokens are of one {}, and the value is not jackknifed"
    assert information_interval(1.9, DRAWS, one, left_out=np.array([math.nan])).note == why.format("speaker")
    assert information_interval(1.9, DRAWS, FORTY, error=math.nan, clusters=1).note == why.format("utterance")
    assert math.isnan(information_interval(math.nan, DRAWS, FORTY).low)
    assert information_interval(1.6, np.zeros(0), FORTY).note == ""


@pytest.mark.parametrize(("count", "warned"), [(3.0, True), (4.0, False), (4.5, True), (10.5, False)])
def test_the_warning_goes_by_tokens_a_cell_seen(count: float, warned: bool) -> None:
    """Four for whole counts; ten for fractional ones, whose bias is taken off less well."""
    stack = ConfusionStack(
        utterances=("u", "v"),
        gold=Inventory(("a",)),
        predicted=Inventory(("a", "b")),
        offsets=np.array([0, 1, 2]),
        cells=np.array([0, 1]),
        counts=np.full(2, count),
    )
    assert bool(few_per_cell(cluster_cells(stack, resampling(2, None, resamples=5, seed=1)).table)) == warned

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


def test_the_value_is_the_corrected_estimate_with_its_t_limits() -> None:
    found = information_interval(1.6, DRAWS, centre=1.9, error=0.05, resampling=FORTY)
    reach = T * DRAWS.std(ddof=1) * math.sqrt(40 / 39)
    assert (found.value, found.low, found.high) == pytest.approx((1.9, 1.9 - reach, 1.9 + reach))
    assert found.note == ""


def test_the_greater_standard_error_counts() -> None:
    found = information_interval(1.6, DRAWS, centre=1.9, error=0.5, resampling=FORTY)
    assert found.high - 1.9 == pytest.approx(T * 0.5)


def test_information_is_not_below_nothing_nor_a_ratio_above_one() -> None:
    assert information_interval(1.6, DRAWS, centre=0.05, error=0.1, resampling=FORTY).low == 0
    above = information_interval(0.9, DRAWS, centre=1.05, error=0.1, resampling=FORTY, unit="ratio")
    assert (above.value, above.high) == (1, 1)
    below = information_interval(1.6, DRAWS, centre=-0.9, error=0.1, resampling=FORTY)
    assert below.value == 0
    assert math.isnan(below.low)
    assert below.note == "no interval: the bias-corrected estimate -0.9000 is below 0"


@pytest.mark.parametrize(("method", "ends"), [("percentile", (0.025, 0.975)), ("basic", (0.975, 0.025))])
def test_a_method_that_is_asked_for_is_used_and_called_biased(method: Method, ends: tuple[float, float]) -> None:
    asked = resampling(40, None, resamples=400, seed=1, method=method)
    found, (first, last) = (
        information_interval(1.6, DRAWS, centre=1.9, error=0.1, resampling=asked),
        np.quantile(DRAWS, ends),
    )
    low, high = (first, last) if method == "percentile" else (3.2 - first, 3.2 - last)
    assert (found.value, found.low, found.high) == pytest.approx((1.6, low, high))
    assert found.note == f"{method} limits of a biased estimate"


def test_bca_is_of_rates_and_entropies_keep_their_own() -> None:
    asked = resampling(40, None, resamples=400, seed=1, method="bca")
    assert information_interval(1.6, DRAWS, centre=1.9, error=0.1, resampling=asked) == information_interval(
        1.6, DRAWS, centre=1.9, error=0.1, resampling=FORTY
    )


def test_where_there_is_no_interval_the_reason_is_said() -> None:
    one = resampling(3, ["ann"] * 3, resamples=400, seed=1)
    assert "one speaker only" in information_interval(1.6, DRAWS, centre=1.9, error=0.1, resampling=one).note
    alone = information_interval(1.6, DRAWS, centre=math.nan, error=math.nan, resampling=FORTY)
    assert alone.note == "no interval: all its tokens are of one utterance"
    assert math.isnan(information_interval(math.nan, DRAWS, centre=1.9, error=0.1, resampling=FORTY).low)
    assert information_interval(1.6, np.zeros(0), centre=1.9, error=0.1, resampling=FORTY).note == ""


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
    assert bool(few_per_cell(cluster_cells(stack, resampling(2, None, resamples=5, seed=1)))) == warned

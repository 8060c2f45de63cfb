"""Median, standard deviation and range of utterance rates: by Python's statistics."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.analyses.error_rate import utterance_spread


@given(st.lists(st.integers(0, 8), min_size=2, max_size=9))
def test_rows_are_those_of_the_statistics_module(edits: list[int]) -> None:
    rates = [number / 4 for number in edits]
    rows = list(utterance_spread("per", np.array([*rates, math.nan])))
    wanted = [statistics.median(rates), statistics.stdev(rates), min(rates), max(rates)]
    assert [row.measure for row in rows] == ["per_median", "per_sd", "per_min", "per_max"]
    assert [row.estimate.value for row in rows] == pytest.approx(wanted, abs=1e-12)
    assert all(row.n == len(edits) and math.isnan(row.estimate.low) for row in rows)
    assert [row.measure for row in utterance_spread("wper", np.array(rates))] == ["wper_median", "wper_sd"]


def test_one_utterance_has_no_deviation_and_no_utterance_has_nothing() -> None:
    rows = {row.measure: row for row in utterance_spread("per", np.array([0.5]))}
    assert rows["per_median"].estimate.value == 0.5
    assert math.isnan(rows["per_sd"].estimate.value)
    assert rows["per_sd"].note == "not defined for one utterance"
    empty = list(utterance_spread("per", np.array([math.nan, math.nan])))
    assert all(math.isnan(row.estimate.value) and row.note == "no utterance has gold phones" for row in empty)

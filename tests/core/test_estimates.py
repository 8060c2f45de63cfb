"""Estimates: limits within a measure's range."""

import math

import pytest

from phonxling.core.estimate import Estimate


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-0.5, 0.5, (0.0, 0.5)), (0.5, 1.5, (0.5, 1.0)), (-2.0, -1.0, (0.0, 0.0)), (2.0, 3.0, (1.0, 1.0))],
)
def test_limits_stay_in_the_range_and_all_else_stays(low: float, high: float, expected: tuple[float, float]) -> None:
    """Only limits move: a value outside the range, a level and a note are kept."""
    bounded = Estimate(1.2, low, high, 0.9, "few tokens").within(0, 1)
    assert (bounded.low, bounded.high) == expected
    assert (bounded.value, bounded.level, bounded.note) == (1.2, 0.9, "few tokens")


def test_a_range_may_be_open_and_missing_limits_stay_missing() -> None:
    """Without an interval there is nothing to bound."""
    assert Estimate(7.0, -1.0, 9.0).within(0, math.inf).high == 9.0
    alone = Estimate(7.0, note="one speaker").within(0, math.inf)
    assert math.isnan(alone.low)
    assert math.isnan(alone.high)
    assert alone.note == "one speaker"

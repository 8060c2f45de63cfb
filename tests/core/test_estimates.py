"""Estimates: values and limits within a measure's range."""

import math

import pytest

from phonxling.core.estimate import Estimate


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-0.5, 0.5, (0.0, 0.5)), (0.5, 1.5, (0.5, 1.0)), (-2.0, -1.0, (0.0, 0.0)), (2.0, 3.0, (1.0, 1.0))],
)
def test_limits_stay_in_the_range_and_all_else_stays(low: float, high: float, expected: tuple[float, float]) -> None:
    bounded = Estimate(0.5, low, high, 0.9, "few tokens").within(0, 1)
    assert (bounded.low, bounded.high) == expected
    assert (bounded.value, bounded.level, bounded.note) == (0.5, 0.9, "few tokens")


@pytest.mark.parametrize(
    ("value", "low", "side", "end"), [(-0.1, -0.3, "below", "least"), (1.1, 0.9, "above", "greatest")]
)
def test_a_value_outside_the_range_is_set_to_its_end_and_the_note_says_so(
    value: float, low: float, side: str, end: str
) -> None:
    bounded = Estimate(value, low, low + 0.4, 0.9, "few tokens").within(0, 1)
    assert bounded.value == (value > 0)
    assert bounded.low <= bounded.value <= bounded.high
    assert bounded.note == f"the estimate is {side} the {end} possible value, which stands in its place; few tokens"
    none = Estimate(value, value, value, 0.9).within(0, 1)
    assert math.isnan(none.low)
    assert none.note.endswith("no interval: all of it lies outside what is possible")
    assert Estimate(1 + 1e-15, 0.9, 1.2, 0.9).within(0, 1) == Estimate(
        1.0, 0.9, 1.0, 0.9
    )  # rounding is not worth a note


def test_a_range_may_be_open_and_missing_limits_stay_missing() -> None:
    """Without an interval there is nothing to bound."""
    assert Estimate(7.0, -1.0, 9.0).within(0, math.inf).high == 9.0
    alone = Estimate(7.0, note="one speaker").within(0, math.inf)
    assert math.isnan(alone.low)
    assert math.isnan(alone.high)
    assert alone.note == "one speaker"

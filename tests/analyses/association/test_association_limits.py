"""What is said of the limits of information from posteriors, and between what they stay."""

import math

import pytest

from phonxling.analyses.association.joints import described_limits
from phonxling.core.estimate import Estimate
from phonxling.resample.intervals import Method


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_limits_that_need_not_hold_the_value_say_so(method: Method) -> None:
    found = described_limits(Estimate(0.95, 0.91, 0.94, 0.95, "few utterances"), method, centre=0.9, most=math.inf)
    assert (found.low, found.high) == (0.91, 0.94)
    assert found.note == f"{method} limits of a biased estimate; few utterances"


def test_without_limits_nothing_is_said_of_them() -> None:
    alone = Estimate(1.0, note="no interval: the resampled values do not differ")
    assert described_limits(alone, "normal", centre=1.0, most=1.0) is alone


def test_information_has_no_highest_value_and_a_ratio_has() -> None:
    wide = Estimate(2.0, 1.5, 2.5, 0.95)
    assert described_limits(wide, "normal", centre=2.0, most=math.inf).high == 2.5
    assert described_limits(wide, "normal", centre=2.0, most=1.0).high == 1.0

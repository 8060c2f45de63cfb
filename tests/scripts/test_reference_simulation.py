"""Against a reference, through the aligner: like channels raise few alarms, worse ones and others are found."""

import numpy as np
import pytest
from simulations import reference

pytestmark = pytest.mark.slow


def test_phone_frequencies_and_neighbours_raise_no_alarm_and_worse_speakers_are_found() -> None:
    """Forty pairs of eight speakers: at most six alarms at .05 each, by chance in 1 of 70; more errors in most."""
    rows = [reference.row((8, 8), np.random.default_rng([5, number]), alike=False) for number in range(40)]
    level, pattern, _, cells, any_q, worse, rate, others = np.nanmean(rows, axis=0)
    assert level <= 0.15
    assert pattern <= 0.15
    assert cells <= 0.08
    assert any_q <= 0.1
    assert worse >= 0.45
    assert worse >= rate - 0.2
    assert others >= 0.1

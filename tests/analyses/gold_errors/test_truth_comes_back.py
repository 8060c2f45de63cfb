"""Right gold that was corrupted at a known rate: its numbers come back, and a recogniser without ears stays deaf."""

from dataclasses import replace

import numpy as np
import pytest
from simulations import gold_errors as simulated

from phonxling.analyses.verdict import Verdict

pytestmark = pytest.mark.slow  # corpora of 40,000 phones, aligned some fifty times

RATE = 0.08
ROOM = {"per": 0.004, "wper": 0.0015, "conditional_entropy": 0.02, "mutual_information": 0.02, "skill_per": 0.006}


def test_numbers_of_right_gold_come_back() -> None:
    generator = np.random.default_rng(1)
    right = simulated.corpus(40, 40_000, generator)
    truth = simulated.numbers_of(simulated.as_case(right), (0.0,))[0.0]
    found = simulated.numbers_of(simulated.corrupted(right, RATE, generator), (0.0, RATE))
    for name, room in ROOM.items():
        assert found[RATE][name][0] == pytest.approx(truth[name][0], abs=room), name
        assert abs(found[0.0][name][0] - truth[name][0]) > 2 * room, name


def test_nothing_is_heard_where_nothing_was() -> None:
    generator = np.random.default_rng(2)
    right = simulated.corpus(24, 20_000, generator)
    heard = replace(right.predicted, codes=generator.permutation(right.predicted.codes))
    numbers = simulated.numbers_at_rates(simulated.as_case(replace(right, predicted=heard)), (0.0, RATE))
    verdicts = [one.verdict for one in numbers if one.measure == "mutual_information_excess"]
    assert verdicts == [Verdict.ALIKE.value] * 2
    assert all(one.estimate.value < 0 for one in numbers if one.measure.startswith("skill"))

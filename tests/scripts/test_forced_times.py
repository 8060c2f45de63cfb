"""The other two ways to get times, and how times are scored."""

from types import SimpleNamespace

import numpy as np
from forced_oracle import made
from forced_times import between_neighbours, score

from phonxling.core.sequences import PhoneSequences


def timed() -> PhoneSequences:
    _, gold = made([np.full((10, 2), 0.5)], [["a", "b", "a"]], "a", blank=False)
    return PhoneSequences(**{**gold.__dict__, "start": np.array([0.0, 0.03, 0.06]), "end": np.array([0.03, 0.06, 0.1])})


def test_scores_by_hand() -> None:
    start, end = np.array([0.0, 0.03, 0.02]), np.array([0.03, 0.06, 0.06])  # the last one's centre is before it
    assert score(timed(), (start, end)) == "66.7 % | 13 ms | 40 ms | 66.7 %"


def test_phones_without_a_partner_stand_between_their_neighbours() -> None:
    posteriorgrams, _ = made([np.full((10, 2), 0.5)], [["a", "b", "a"]], "a", blank=False)
    start, end = np.array([0.0, 9, 0.06]), np.array([0.02, 9, 0.10])  # centres 0.01 and 0.08
    loaded = SimpleNamespace(posteriorgrams=posteriorgrams)
    found = between_neighbours(start, end, np.array([True, False, True]), timed(), loaded)
    np.testing.assert_allclose(found, [[0, 0.0275, 0.06], [0.02, 0.0625, 0.10]])

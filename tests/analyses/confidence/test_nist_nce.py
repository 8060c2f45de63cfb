"""NIST's normalised cross-entropy: worked by hand, its identities, and what it refuses."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.analyses.calibration import nist_nce


def test_worked_by_hand() -> None:
    # p = 2/3; H_max = 2·log2(3/2) + log2 3; bits of the confidences: log2 0.9 + log2 0.6 + log2 (1 − 0.3)
    baseline = 2 * math.log2(1.5) + math.log2(3)
    wanted = (baseline + math.log2(0.9) + math.log2(0.6) + math.log2(0.7)) / baseline
    assert nist_nce([True, True, False], [0.9, 0.6, 0.3]) == pytest.approx(wanted, rel=1e-12)


@given(st.integers(1, 30), st.integers(1, 30))
def test_a_constant_confidence_of_the_share_says_nothing(right: int, wrong: int) -> None:
    found = nist_nce([1] * right + [0] * wrong, [right / (right + wrong)] * (right + wrong))
    assert found == pytest.approx(0, abs=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=40))
def test_it_is_at_most_one_and_blind_to_order(rows: list[tuple[bool, float]]) -> None:
    correct, confidence = [row[0] for row in rows], [row[1] for row in rows]
    found = nist_nce(correct, confidence)
    if len(set(correct)) == 1:
        assert math.isnan(found)
        return
    assert found <= 1
    order = np.argsort(confidence)
    assert nist_nce(np.array(correct)[order], np.array(confidence)[order]) == pytest.approx(found, rel=1e-9, abs=1e-9)


def test_what_is_no_confidence_is_refused() -> None:
    with pytest.raises(ValueError, match="one confidence for each"):
        nist_nce([True], [0.5, 0.5])
    for wrong in (1.5, -0.1, math.nan):
        with pytest.raises(ValueError, match="must lie in 0"):
            nist_nce([True, False], [0.5, wrong])


def test_a_confidence_of_nothing_is_clipped_as_one_of_all_is() -> None:
    lost, found = math.log2(1e-7), math.log2(1 - 1e-7)
    assert nist_nce([1, 0], [0.0, 0.0]) == pytest.approx((2 + lost + found) / 2, rel=1e-9)
    assert nist_nce([1, 0], [0.0, 0.0]) == nist_nce([1, 0], [1e-7, 1e-7]) == pytest.approx(nist_nce([1, 0], [1.0, 1.0]))

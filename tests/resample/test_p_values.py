"""Corrections of families of p-values by scipy and by the stepwise rule."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from phonxling.resample.p_values import Correction, adjusted


@pytest.mark.parametrize(("correction", "name"), [("benjamini-hochberg", "bh"), ("benjamini-yekutieli", "by")])
@pytest.mark.parametrize("digits", [2, 15])
def test_false_discovery_is_that_of_scipy(correction: Correction, name: str, digits: int) -> None:
    p = np.random.default_rng(2).random(200).round(digits) ** 3
    assert adjusted(p, correction).tolist() == pytest.approx(stats.false_discovery_control(p, method=name).tolist())


def test_correction_is_over_what_was_tested() -> None:
    assert adjusted([0.01, np.nan, 0.02, 0.03, 0.5]) == pytest.approx([0.04, np.nan, 0.04, 0.04, 0.5], nan_ok=True)
    assert adjusted([0.03, 0.01, 0.02, np.nan], "holm") == pytest.approx([0.04, 0.03, 0.04, np.nan], nan_ok=True)
    assert np.isnan(adjusted([np.nan])).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_refuses_what_the_stepwise_rule_refuses(p: list[float]) -> None:
    wanted, smallest = np.ones(len(p)), 0.0
    for step, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        smallest = max(smallest, min(1.0, p[place] * (len(p) - step)))
        wanted[place] = smallest
    assert adjusted(p, "holm") == pytest.approx(wanted)

"""p-values of counts by exact fractions and scipy; corrections of families by scipy and by the stepwise rule."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from phonxling.resample.p_values import Correction, adjusted, binomial_p


def _summed(events: int, number: int, share: Fraction) -> float:
    """The chance of every number of events that is no likelier than this one, by exact fractions."""
    chances = [comb(number, k) * share**k * (1 - share) ** (number - k) for k in range(number + 1)]
    return float(sum(chance for chance in chances if chance <= chances[events]))


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 4), Fraction(3, 4), Fraction(1, 64)])
@pytest.mark.parametrize("number", [1, 2, 7, 40])
def test_binomial_p_is_the_sum_of_all_numbers_that_are_no_likelier(number: int, share: Fraction) -> None:
    p = [binomial_p(events, number, float(share)) for events in range(number + 1)]
    assert p == pytest.approx([_summed(events, number, share) for events in range(number + 1)], rel=1e-12)


def test_binomial_p_of_many_events_is_that_of_scipy() -> None:
    random = np.random.default_rng(1)
    for number, share in ((999, 0.1), (20_000, 0.5), (100_000, 0.0004)):
        for events in random.binomial(number, share, 20).tolist():
            assert binomial_p(events, number, share) == pytest.approx(stats.binomtest(events, number, share).pvalue)


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

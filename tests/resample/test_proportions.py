"""Intervals of shares, p-values, and numbers across languages: against SciPy and by hand."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from scipy import stats
from scipy.special import expit, logit

from phonxling.resample.across import mean_spread, rank_correlation
from phonxling.resample.intervals import ASSUMED, ClusteredTokens, near_the_end, wilson, with_wilson
from phonxling.resample.p_values import Correction, adjusted
from phonxling.resample.student import Kind, student_limits


@pytest.mark.parametrize(
    ("events", "tokens", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_numbers_of_newcombe(events: int, tokens: int, low: float, high: float) -> None:
    """Newcombe (1998), Two-sided confidence intervals for the single proportion, table I, method 3."""
    assert wilson(events / tokens, tokens, 0.95) == pytest.approx((low, high), abs=0.00005)


@given(st.integers(1, 200), st.data())
def test_limits_are_where_the_score_test_turns(tokens: int, data: st.DataObject) -> None:
    share = data.draw(st.integers(0, tokens)) / tokens
    low, high = (float(limit) for limit in wilson(share, tokens, 0.9))
    assert 0 <= low <= share <= high <= 1
    for limit in (low, high):
        if 0 < limit < 1:
            assert abs(share - limit) == pytest.approx(1.6448536 * math.sqrt(limit * (1 - limit) / tokens), rel=1e-6)


kinds = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9), st.floats(0, 1)), min_size=1, max_size=15)


def clustered(rows: list[tuple[int, int, float]]) -> ClusteredTokens:
    tokens = np.array([row[1] for row in rows], dtype=float)
    events = np.round(tokens * [row[2] for row in rows])
    return ClusteredTokens(np.array([row[0] for row in rows]), tokens, events, 4)


@given(kinds)
def test_the_correlation_is_that_of_an_analysis_of_variance(rows: list[tuple[int, int, float]]) -> None:
    found = clustered(rows)
    between = within = free = left = usual = 0.0
    for kind in set(found.kind.tolist()):
        groups = [
            [1.0] * int(event) + [0.0] * int(size - event)
            for own, size, event in zip(found.kind, found.tokens, found.events, strict=True)
            if own == kind
        ]
        every = [value for group in groups for value in group]
        mean = sum(every) / len(every)
        between += sum(len(group) * (sum(group) / len(group) - mean) ** 2 for group in groups)
        within += sum((value - sum(group) / len(group)) ** 2 for group in groups for value in group)
        free, left = free + len(groups) - 1, left + len(every) - len(groups)
        usual += len(every) - sum(len(group) ** 2 for group in groups) / len(every)
    if free and left and between + within > 1e-9:
        b, w = between / free, within / left
        whole = b + (usual / free - 1) * w
        expected = min(max((b - w) / whole, 0), 1) if whole > 1e-12 else ASSUMED
        assert found.correlation() == pytest.approx(expected, abs=1e-9)
    else:
        assert found.correlation() == ASSUMED


@given(kinds)
def test_effective_tokens_lie_between_clusters_and_tokens(rows: list[tuple[int, int, float]]) -> None:
    found = clustered(rows)
    total, effective = found.total, found.effective()
    assert (effective <= total + 1e-9).all()
    assert (effective[total > 0] >= 1 - 1e-9).all()


@pytest.mark.parametrize(
    ("tokens", "events", "correlation", "effective"),
    [([4.0] * 3, [2.0] * 3, 0, 12), ([5.0] * 4, [5.0, 0, 5, 0], 1, 4)],
    ids=["that vary within clusters alone", "of clusters all right or all wrong"],
)
def test_effective_tokens(tokens: list[float], events: list[float], correlation: float, effective: float) -> None:
    found = ClusteredTokens(np.zeros(len(tokens), np.int64), np.array(tokens), np.array(events), 1)
    assert (found.correlation(), found.effective().tolist()) == (correlation, [effective])


def test_wilson_replaces_limits_near_the_ends_and_missing_ones_alone() -> None:
    found = ClusteredTokens(np.repeat(np.arange(3), 10), np.full(30, 10.0), np.repeat([5.0, 10, 0], 10), 3)
    low, high = with_wilson(found, np.array([0.4, 1, math.nan]), np.array([0.6, 1, math.nan]), 0.95)
    assert near_the_end([0.5, 1, 0], 100).tolist() == [False, True, True]
    assert (low[0], high[0]) == (0.4, 0.6)
    assert 0 < low[1] < 1 == high[1]
    assert low[2] == 0 < high[2] < 1
    without = ClusteredTokens(np.array([0, 0]), np.array([3.0, 2]), np.array([3.0, 2]), 2)
    low, _ = with_wilson(without, np.full(2, math.nan), np.full(2, math.nan), 0.95)
    assert np.isnan(low).tolist() == [False, True]


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


def test_a_mean_by_languages_is_students_and_one_by_families_has_families_as_clusters() -> None:
    values = np.random.default_rng(1).normal(size=12)
    mean, spread, families = mean_spread(values, [""] * 12)
    assert (mean, families) == (pytest.approx(values.mean()), 0)
    assert math.sqrt(spread.variance[0]) == pytest.approx(scipy.stats.sem(values))
    assert spread.freedom[0] == 11
    doubled = np.repeat(values, 3)  # languages of a family that are alike add nothing
    _, again, families = mean_spread(doubled, [str(n) for n in range(12) for _ in range(3)])
    assert families == 12
    assert again.variance[0] == pytest.approx(spread.variance[0])
    assert again.freedom[0] == pytest.approx(11)


def test_a_rank_correlation_is_scipys_with_an_interval_around_it() -> None:
    generator = np.random.default_rng(2)
    x = generator.integers(0, 6, 20).astype(float)  # with ties
    y = x + generator.normal(size=20)
    rho, low, high, p = rank_correlation(x, y, 0.95)
    expected = scipy.stats.spearmanr(x, y)
    assert (rho, p) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
    assert -1 < low < rho < high < 1
    assert np.isnan(rank_correlation(np.ones(20), y, 0.95)).all()


@pytest.mark.parametrize(
    ("kind", "value", "low", "high"),
    [
        ("number", -1.2, lambda reach: -1.2 - reach, lambda reach: -1.2 + reach),
        ("share", 0.2, lambda reach: expit(logit(0.2) - reach / 0.16), lambda reach: expit(logit(0.2) + reach / 0.16)),
        ("rate", 1.3, lambda reach: 1.3 * np.exp(-reach / 1.3), lambda reach: 1.3 * np.exp(reach / 1.3)),
        ("skill", -0.4, lambda reach: 1 - 1.4 * np.exp(reach / 1.4), lambda reach: 1 - 1.4 * np.exp(-reach / 1.4)),
    ],
)
def test_limits_stand_around_a_number_on_the_scale_of_its_kind(
    kind: Kind, value: float, low: Callable[[float], float], high: Callable[[float], float]
) -> None:
    reach = stats.t.ppf(0.95, 3.4) * 0.08
    found = student_limits(value, 0.08, freedom=3.4, level=0.9, kind=kind)
    assert found == pytest.approx((low(reach), high(reach)))


def test_there_are_no_limits_at_an_end_of_the_range() -> None:
    assert np.isnan(student_limits(0.0, 0.1, freedom=3.0, level=0.95, kind="rate")).all()

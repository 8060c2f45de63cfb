"""Wilson's interval against published numbers, and the correlation within clusters against its definition."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.resample.intervals import ASSUMED, ClusteredTokens, near_the_end, wilson, with_wilson


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

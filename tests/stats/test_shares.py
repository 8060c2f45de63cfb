"""Shares near 0 and 1: Wilson's interval, and how many independent tokens there are: published numbers, and loops."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from phonxling.core.arrays import Floats
from phonxling.stats.student import ASSUMED_SHARE, correlation_of, effective_tokens, near_the_end, wilson, with_wilson


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


tables = st.tuples(st.integers(1, 3), st.integers(1, 6)).flatmap(
    lambda shape: st.tuples(
        arrays(float, shape, elements=st.integers(0, 9)), arrays(float, shape, elements=st.floats(0, 1))
    )
)


@given(tables)
def test_the_correlation_is_that_of_an_analysis_of_variance(drawn: tuple[Floats, Floats]) -> None:
    tokens, events = drawn[0], np.round(drawn[0] * drawn[1])
    between = within = free = left = usual = 0.0
    for sizes, hits in zip(tokens.tolist(), events.tolist(), strict=True):
        groups = [[1.0] * int(h) + [0.0] * int(n - h) for n, h in zip(sizes, hits, strict=True) if n]
        every = [value for group in groups for value in group]
        if not every:
            continue
        mean = sum(every) / len(every)
        between += sum(len(group) * (sum(group) / len(group) - mean) ** 2 for group in groups)
        within += sum((value - sum(group) / len(group)) ** 2 for group in groups for value in group)
        free, left = free + len(groups) - 1, left + len(every) - len(groups)
        usual += len(every) - sum(len(group) ** 2 for group in groups) / len(every)
    expected = ASSUMED_SHARE
    if free and left and between + within > 1e-9:
        b, w = between / free, within / left
        whole = b + (usual / free - 1) * w
        expected = min(max((b - w) / whole, 0), 1) if whole > 1e-12 else ASSUMED_SHARE
    assert correlation_of(events, tokens) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("tokens", "events", "correlation", "effective"),
    [([4.0] * 3, [2.0] * 3, 0, 12), ([4.0, 4, 4, 0], [2.0, 2, 2, 0], 0, 12), ([5.0] * 4, [5.0, 0, 5, 0], 1, 4)],
    ids=["that vary within clusters alone", "beside a cluster without any", "of clusters all right or all wrong"],
)
def test_effective_tokens(tokens: list[float], events: list[float], correlation: float, effective: float) -> None:
    found = correlation_of(np.array([events]), np.array([tokens]))
    assert (found, effective_tokens(np.array(tokens), found)) == (correlation, effective)


def test_wilson_replaces_limits_near_the_ends_and_missing_ones_where_clusters_are_enough() -> None:
    tokens = np.full((4, 10), 10.0)
    tokens[3, 4:] = 0  # four clusters have it
    events = tokens * np.array([0.5, 1, 0, 0])[:, None]
    low, high = with_wilson(events, tokens, (np.array([0.4, 1, np.nan, 0]), np.array([0.6, 1, np.nan, 0])), 0.95)
    assert near_the_end([0.5, 1, 0], 100).tolist() == [False, True, True]
    assert (low[0], high[0]) == (0.4, 0.6)
    assert 0 < low[1] < 1 == high[1]
    assert low[2] == 0 < high[2] < 1
    assert np.isnan([low[3], high[3]]).all()

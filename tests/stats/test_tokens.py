"""Means, ratios and sums of tokens by group and without each cluster, against loops over tokens."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import stats

from phonxling.stats.jackknife import Clusters, clusters_of, ratio_of_tokens

tokens = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11), st.floats(0.1, 9)), min_size=1, max_size=60)
SPEAKERS = np.arange(12) % 6


def speakers() -> Clusters:
    return clusters_of(np.ones(12), SPEAKERS)


def test_a_ratio_of_tokens_by_a_loop_over_speakers() -> None:
    draws = np.random.default_rng(1)
    owner, above, below = draws.integers(0, 12, 90), draws.random(90), draws.random(90) + 0.5
    found, who = ratio_of_tokens(above, below, owner=owner, clusters=speakers()), SPEAKERS[owner]
    moved = [math.log(above[who != one].sum() / below[who != one].sum()) for one in range(6)]
    sizes = np.bincount(who, below)
    reach = stats.t.ppf(0.975, sizes.sum() ** 2 / (sizes**2).sum() - 1) * stats.sem(moved) * 5
    value = above.sum() / below.sum()
    assert (found.low, found.high) == pytest.approx((value * math.exp(-reach), value * math.exp(reach)))
    assert math.isnan(ratio_of_tokens(above, 0 * below, owner=owner, clusters=speakers()).value)

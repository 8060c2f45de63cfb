"""Cross-entropy between two languages' confusions: entropy and divergence add up to it."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import phonxling as px

_counts = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3)
PHONES = ["a", "e", "i"]


def smoothed_entropy(counts: np.ndarray, alpha: float) -> float:
    """Σ_y P(y) H of the rows (c + α)/(n + αP) over P columns, P(y) from the counts themselves."""
    total, value = counts.sum(), 0.0
    for row in counts:
        if row.sum():
            shares = [(count + alpha) / (row.sum() + len(row) * alpha) for count in row]
            value += row.sum() / total * -sum(share * math.log2(share) for share in shares if share)
    return value


@given(_counts, _counts, st.sampled_from([0.0, 0.1, 0.5]))
def test_it_is_entropy_plus_divergence(first: list[list[int]], second: list[list[int]], alpha: float) -> None:
    target, reference = px.ConfusionMatrix(PHONES, PHONES, first), px.ConfusionMatrix(PHONES, PHONES, second)
    found = px.expected_confusions(target, reference)
    value = px.measures.confusion_cross_entropy(found, alpha)
    if not found.target.sum():
        assert math.isnan(value)
        return
    divergence = found.kullback_leibler(alpha)
    assert value == pytest.approx(smoothed_entropy(found.target, alpha) + divergence, rel=1e-9, abs=1e-9)

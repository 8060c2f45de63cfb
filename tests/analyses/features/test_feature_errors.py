"""Errors by feature: by plain loops, and shares that sum to the whole cost."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import phonxling as px
from phonxling.alignment.costs import substitution_parts
from phonxling.analyses.features import cost_shares, feature_errors

GOLD, PREDICTED = ["p", "b", "a", "ã", "<sil>"], ["b", "a", "i", "<sil>"]
TABLE = px.costs.panphon_features()
counts = st.lists(st.lists(st.integers(0, 9), min_size=5, max_size=5), min_size=6, max_size=6)


def matrix_of(rows: list[list[int]]) -> px.ConfusionMatrix:
    values = np.array(rows)
    values[-1, -1] = 0
    return px.ConfusionMatrix(GOLD, PREDICTED, values)


@given(counts)
def test_changes_by_plain_loops(rows: list[list[int]]) -> None:
    found = feature_errors(matrix_of(rows), TABLE)
    total, seen = 0, {(feature, name): 0 for feature in TABLE.features for name in found.columns[1:]}
    for i, gold in enumerate(GOLD):
        for j, predicted in enumerate(PREDICTED):
            first, second = TABLE.vector(gold)[0], TABLE.vector(predicted)[0]
            if gold == predicted or first is None or second is None:
                continue
            total += rows[i][j]
            for feature, before, after in zip(TABLE.features, first.tolist(), second.tolist(), strict=True):
                if before == after:
                    continue
                kind = {(1, -1): "plus_to_minus", (-1, 1): "minus_to_plus"}.get((before, after))
                seen[feature, "changed"] += rows[i][j]
                seen[feature, kind or ("from_zero" if before == 0 else "to_zero")] += rows[i][j]
    assert (found["substitutions"] == total).all()
    if not total:
        assert found["changed"].isna().all()
        return
    for (feature, name), number in seen.items():
        assert found[name][feature] == pytest.approx(number / total)
    parts = found[["plus_to_minus", "minus_to_plus", "from_zero", "to_zero"]].sum(axis=1)
    np.testing.assert_allclose(parts, found["changed"])


@pytest.mark.parametrize("name", ["panphon", "panphon-weighted", "panphon-hamming", "panphon-weighted-0.22.2"])
@given(rows=counts)
def test_shares_of_the_cost_sum_to_one(name: str, rows: list[list[int]]) -> None:
    matrix, costs = matrix_of(rows), px.feature_costs(GOLD, PREDICTED, name)
    parts = substitution_parts(name, costs.gold, costs.predicted, TABLE)
    between = costs.with_gaps()[:-1, :-1]
    np.testing.assert_allclose(parts[:4, :3].sum(axis=2), between[:4, :3])  # the last of each side has no features
    found = cost_shares(matrix, parts, costs.with_gaps(), TABLE.features)
    paid = float((matrix.counts * costs.with_gaps()).sum())
    if not paid:
        assert found.isna().all()
        return
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    odd = matrix.substitutions * between * np.add.outer(np.arange(5) == 4, np.arange(4) == 3)
    assert found["phones without features"] == pytest.approx(odd.sum() / paid, abs=1e-9)
    assert found["deletions"] == pytest.approx((matrix.deletions * costs.with_gaps()[:-1, -1]).sum() / paid)

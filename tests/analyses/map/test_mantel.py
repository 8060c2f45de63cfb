"""ρ of distances of posteriors and features: scipy's ρ after dealing features anew, p of known cases, few tokens."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import spearmanr

from phonxling.analyses import map as mantel
from phonxling.analyses.map import feature_agreements, mantel_null

Floats = NDArray[np.float64]


def slow(means: Floats, features: Floats) -> float:
    """Spearman's ρ over pairs, each distance by its formula."""
    pairs = list(itertools.combinations(range(len(means)), 2))
    apart = [np.sqrt(max(0.0, 1 - sum(np.sqrt(means[i] * means[j])))) for i, j in pairs]
    differ = [sum(abs(features[i] - features[j])) / (2 * len(features[i])) for i, j in pairs]
    return float(spearmanr(apart, differ).statistic)


def test_null_is_that_of_features_dealt_anew() -> None:
    generator = np.random.default_rng(4)
    means, features = generator.dirichlet(np.ones(6), 8), generator.integers(-1, 2, (8, 5)).astype(float)
    assert feature_agreements(means[None], features, "hellinger") == pytest.approx([slow(means, features)])
    again = np.random.default_rng(5)
    expected = [slow(means, features[again.permutation(8)]) for _ in range(30)]
    assert mantel_null(means, features, "hellinger", 30, np.random.default_rng(5)) == pytest.approx(expected)


def test_all_orders_of_four_phones_have_the_mean_of_the_null() -> None:
    """Over all 24 orders each pair of distances meets each other one equally often, so ρ is 0 on average."""
    generator = np.random.default_rng(1)
    means, features = generator.dirichlet(np.ones(5), 4), generator.normal(size=(4, 3))
    every = [slow(means, features[list(order)]) for order in itertools.permutations(range(4))]
    assert np.mean(every) == pytest.approx(0, abs=1e-12)
    assert mantel_null(means, features, "hellinger", 3000, generator).mean() == pytest.approx(0, abs=0.05)


def test_phones_without_tokens_in_a_replicate_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(2)
    means, features = generator.dirichlet(np.ones(6), 8), generator.normal(size=(8, 5))
    parts = np.stack([means, means, means, means])
    parts[1, 3] = parts[2, 2:] = np.nan
    rest = np.delete(np.arange(8), 3)
    whole, without = slow(means, features), slow(means[rest], features[rest])
    found = feature_agreements(parts, features, "hellinger")
    assert found == pytest.approx([whole, without, np.nan, whole], nan_ok=True)
    monkeypatch.setattr(mantel, "_TOGETHER", 30)
    assert np.array_equal(feature_agreements(parts, features, "hellinger"), found, equal_nan=True)
    assert np.isnan(feature_agreements(parts, np.zeros((8, 5)), "tempered")).all()
    assert len(feature_agreements(parts[:0], features, "tempered")) == 0


def test_rows_of_a_run(small_run: Path) -> None:
    tables = [pd.read_csv(small_run / f"results/{name}.tsv", sep="\t") for name in ("summary", "details")]
    rows = pd.concat(tables).query("measure.str.startswith('feature_distance_correlation') and corpus == 'yoruba'")
    values = {(row.measure, row.variant if isinstance(row.variant, str) else ""): row for row in rows.itertuples()}
    best = values[("feature_distance_correlation", "")]
    assert best.low <= best.value <= best.high
    assert "of the median phone: likely too low" in best.note
    assert 0 < values[("feature_distance_correlation_p", "")].value <= 1

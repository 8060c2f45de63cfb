"""Precision, recall and F1 of inventories: by Python's sets, draw by draw, and by hand."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from running import all_numbers, tables_of
from support import transcript

import phonxling as px
from phonxling.analyses.phones import presence, resampled_scores, scores
from phonxling.core.sequences import from_lists
from phonxling.resample.intervals import resampling

PHONES = ["a", "b", "c", "d"]
sides = st.lists(st.tuples(*[st.lists(st.sampled_from(PHONES), max_size=3)] * 2), min_size=6, max_size=6)


def by_sets(gold: set[str], predicted: set[str]) -> list[float]:
    if not gold or not predicted:
        return [math.nan] * 3
    precision, recall = (len(gold & predicted) / len(side) for side in (predicted, gold))
    return [precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0]


@given(sides)
def test_value_draws_and_left_out_are_those_of_sets(utterances: list[tuple[list[str], list[str]]]) -> None:
    """Six utterances of three speakers; each draw's sets are made of the speakers drawn."""
    names, speakers = [f"u{place}" for place in range(6)], ["x", "x", "y", "y", "z", "z"]
    weights = resampling(6, speakers, resamples=8, seed=2)
    gold, predicted = (from_lists(names, [pair[side] for pair in utterances]) for side in (0, 1))
    same = np.array([[float(y == x) for x in predicted.inventory] for y in gold.inventory])
    same = same.reshape(gold.size, predicted.size)

    def sets(chosen: np.ndarray) -> list[float]:
        return by_sets(*({phone for u in chosen for phone in utterances[u][side]} for side in (0, 1)))

    value, drawn, left_out = resampled_scores(same, presence(gold, weights), presence(predicted, weights), 3)
    assert value == pytest.approx(sets(np.arange(6)), nan_ok=True)
    for draw in range(8):
        chosen = np.flatnonzero(weights.weights[draw][weights.clusters])
        assert drawn[draw] == pytest.approx(sets(chosen), nan_ok=True)
    for speaker in range(3):
        chosen = np.flatnonzero(weights.clusters != speaker)
        assert left_out[speaker] == pytest.approx(sets(chosen), nan_ok=True)


def test_by_features_a_near_phone_counts_almost_as_much() -> None:
    costs = px.feature_costs(["e", "t"], ["ɛ", "t", "m"])
    similarity = 1 - costs.substitution / costs.denominator
    precision, recall, f1 = scores(similarity, np.array([True] * 2), np.array([True] * 3))
    assert precision == pytest.approx((similarity[0, 0] + 1 + similarity[:, 2].max()) / 3)
    assert recall == pytest.approx((similarity[0, 0] + 1) / 2)
    assert f1 == pytest.approx(2 / (1 / precision + 1 / recall))


def test_rows_by_hand(tmp_path: Path) -> None:
    transcript(tmp_path / "gold.tsv", ["p a t", "b i"])
    transcript(tmp_path / "predicted.tsv", ["p a s", "p i"])
    text = "corpora: {c: {gold: gold.tsv, predicted: predicted.tsv}}\nchance: {models: [constant]}\n"
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    rows = all_numbers(tables_of(tmp_path / "c.yaml")).set_index(["measure", "variant"])
    assert rows.loc[("inventory_precision", ""), "value"] == 3 / 4
    assert rows.loc[("inventory_recall", ""), "value"] == 3 / 5
    assert rows.loc[("inventory_f1", ""), "value"] == pytest.approx(2 / 3)
    assert rows.loc[("inventory_f1", ""), "note"].startswith("4 phones were predicted, 5 said")
    assert 2 / 3 < rows.loc[("inventory_f1", "features"), "value"] < 1
    raw = [f"corpora.c.{side}.symbols=raw" for side in ("gold", "predicted")]
    rows = all_numbers(tables_of(tmp_path / "c.yaml", *raw, "alignment.costs=unit")).set_index(["measure", "variant"])
    assert rows.loc[("inventory_f1", ""), "value"] == pytest.approx(2 / 3)
    assert pd.isna(rows.loc[("inventory_f1", "features"), "value"])
    assert "raw symbols" in rows.loc[("inventory_f1", "features"), "note"]

"""Classes, missed phones, boundaries and inventories through a whole experiment, and by published numbers and sets."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from running import Tables, all_numbers, measured, tables_of
from small_experiment import make_experiment
from support import tables_of_rows, write

import phonxling as px
from phonxling.analyses.missed import error_parts
from phonxling.analyses.phones import presence, resampled_scores, scores
from phonxling.core.sequences import from_lists
from phonxling.resample.intervals import resampling

OWN = 'classes: {nasal vowels: "+syl +nas", low: "+lo", lateral vowels: "+syl +lat", high: "+hi"}\n'
PARTS = ["absent", "expected", "level", "pattern", "unattested", "deleted", "inserted"]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_experiment(tmp_path_factory.mktemp("phonetic"))
    path.write_text(path.read_text(encoding="utf-8") + OWN, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tables(config: Path) -> Callable[..., Tables]:
    return partial(tables_of, config, "chance.models=[constant]")


@pytest.fixture(scope="module")
def exact(tables: Callable[..., Tables]) -> Tables:
    return tables()


def matrix_of(config: Path, name: str) -> px.ConfusionMatrix:
    data = config.parent / name
    corpus = px.load_corpus(data / "gold.tsv", data / "predicted.tsv", symbols=("ipa", "arpabet"))
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    return px.count_confusions(px.align_corpus(corpus, costs))


def test_classes_make_up_the_rates_of_all_phones(exact: Tables) -> None:
    rows = exact["yoruba/classes.tsv"].set_index("class")
    default = rows[rows["kind"] == "default"]
    tokens = measured(exact, "yoruba", "gold_tokens")["value"].iloc[0]
    rates = (measured(exact, "yoruba", name)["value"].iloc[0] for name in ("accuracy", "insertion_rate", "wper"))
    right, inserted, whole = (rate * tokens for rate in rates)
    assert set(default.index) == {"vowels", "stops", "fricatives"}
    assert (default["accuracy"] * default["tokens"]).sum() == pytest.approx(right)
    assert default["tokens"].sum() == tokens
    assert default["inserted"].sum() == pytest.approx(inserted)
    assert (default["wper"] * default["tokens"]).sum() + inserted == pytest.approx(whole)
    assert default["accuracy"].between(default["accuracy_low"], default["accuracy_high"]).all()


def test_a_level_is_missing_with_its_reason_where_no_model_gives_one(exact: Tables) -> None:
    excess = all_numbers(exact).query("measure == 'mutual_information_excess'")
    assert excess["value"].isna().all()
    assert excess["note"].str.startswith("the constant is left out").all()


def test_a_users_classes_stand_beside_them_with_what_is_to_be_said(exact: Tables) -> None:
    rows = exact["yoruba/classes.tsv"].set_index("class")
    own = rows[rows["kind"] == "user"]
    assert own["members"].to_dict() == {"nasal vowels": "ĩ", "low": "a", "lateral vowels": "", "high": "i ĩ k͡p"}
    assert own["note"]["lateral vowels"] == "no gold phone of the corpus is in this class"
    assert own["note"]["high"] == "shares phones with nasal vowels"
    assert own["correct"]["nasal vowels"] == 0  # the recogniser has no nasal vowel
    assert own["accuracy_low"]["nasal vowels"] == 0 < own["accuracy_high"]["nasal vowels"] < 1
    assert "accuracy: nothing but 0 was seen" in own["note"]["nasal vowels"]


def test_class_confusions_and_features_by_class(config: Path, exact: Tables) -> None:
    cells = exact["yoruba/class_confusions.tsv"].set_index(["gold", "predicted"])["count"]
    assert cells.sum() == matrix_of(config, "yoruba").counts.sum()
    classes = exact["yoruba/classes.tsv"].set_index("class")
    for name in ("vowels", "stops", "fricatives"):
        assert cells[name, name] == classes.loc[name, "correct"] + classes.loc[name, "within"]
        assert cells[name, "∅"] == classes.loc[name, "deleted"]
    by_class = exact["yoruba/feature_classes.tsv"]
    default = by_class[by_class["kind"] == "default"]
    changed = (default["changed"] * default["substitutions"]).groupby(default["feature"]).sum()
    every = exact["yoruba/features.tsv"].set_index("feature")
    for feature in changed.index:
        assert changed[feature] == pytest.approx(every.loc[feature, "changed"] * every.loc[feature, "substitutions"])


def test_features_have_intervals_and_the_corrected_transfer(exact: Tables) -> None:
    rows = exact["yoruba/features.tsv"].set_index("feature")
    told = rows[rows["transfer_low"].notna()]
    assert len(told) > 10
    limits = told[["transfer_low", "transfer_high"]]
    assert limits.isin([*limits.clip(0, 1).to_numpy().ravel()]).all(axis=None)
    assert told["transfer_corrected"].clip(lower=1e-9).between(limits["transfer_low"], limits["transfer_high"]).all()
    assert (rows.loc[["nas", "long"], "transfer"].isna() == [False, True]).all()
    assert rows.loc["long", "note"] == "no gold phone differs in it"
    assert (told["transfer_with_deletions"] != told["transfer"]).any()


def test_missed_phones_are_those_of_the_python_interface_and_sum_to_all_errors(config: Path, exact: Tables) -> None:
    yoruba, english = matrix_of(config, "yoruba"), matrix_of(config, "english")
    rows = exact["yoruba/missed.tsv"].set_index("phone")
    wanted = error_parts(yoruba, english, present={*yoruba.predicted, *english.predicted}).astype(float)
    assert rows[[*PARTS, "errors"]].astype(float).to_numpy() == pytest.approx(wanted[[*PARTS, "errors"]].to_numpy())
    known = {**dict.fromkeys("btis", "exact"), **dict.fromkeys(["a", "ĩ", "k͡p"], "no"), "∅": ""}
    assert rows["in_inventory"].to_dict() == known
    assert rows.loc[["a", "ĩ", "k͡p", "t"], "nearest"].tolist() == ["ɑ", "i", "p", "t"]
    assert rows.loc["ĩ", "distance"] == pytest.approx(1 / 24)
    shares = measured(exact, "yoruba", "error_share")
    rates, tokens = (measured(exact, "yoruba", name)["value"].iloc[0] for name in ("per_aligned", "gold_tokens"))
    total = round(rates * tokens)
    assert rows["errors"].sum() == total
    assert sorted(shares.index) == sorted(PARTS)
    shares = shares.loc[PARTS]
    assert shares["value"].sum() == pytest.approx(1, abs=1e-12)
    assert (shares["value"] * total).tolist() == pytest.approx(rows[PARTS].sum().tolist())
    assert shares["low"]["absent"] < shares["value"]["absent"] < shares["high"]["absent"]


def test_without_a_reference_the_parts_that_need_one_are_missing_with_the_reason(exact: Tables) -> None:
    shares = measured(exact, "english", "error_share")
    assert shares["value"].dropna().sum() == pytest.approx(1)
    assert list(shares["value"].dropna().index) == ["absent", "confused", "deleted", "inserted"]
    assert set(shares.loc[["expected", "level", "pattern", "unattested"], "note"]) == {"this is the reference itself"}
    assert exact["english/missed.tsv"][["expected", "level", "pattern", "unattested"]].isna().all(axis=None)


def test_by_features_a_nasal_vowel_is_its_oral_one(tables: Callable[..., Tables], exact: Tables) -> None:
    found = tables("expected.common=features")
    rows = found["yoruba/missed.tsv"].set_index("phone")
    own = dict(zip("btis", "btis", strict=True))
    assert rows["counterpart"].to_dict() == {**own, "a": "ɑ", "ĩ": "i", "k͡p": "", "∅": ""}
    assert rows.loc[["ĩ", "k͡p"], "in_inventory"].tolist() == ["near", "no"]
    assert rows.loc["ĩ", "absent"] == 0
    assert rows.loc["ĩ", "expected"] > 0
    assert rows["errors"].tolist() == exact["yoruba/missed.tsv"]["errors"].tolist()
    assert "|same:features/0.05|" in measured(found, "yoruba", "expected_js")["signature"].iloc[0]
    assert "|same:" not in measured(exact, "yoruba", "expected_js")["signature"].iloc[0]
    assert {"a", "ĩ"} <= set(found["yoruba/expected.tsv"]["gold"])


def test_by_a_table_a_phone_is_what_the_table_says(config: Path, tables: Callable[..., Tables]) -> None:
    path = write(config.parent / "same.tsv", "target\treference\nk͡p\tp\nt\t∅\nq\tp\n")
    found = tables(f"expected.common={path}")
    missed = found["yoruba/missed.tsv"].set_index("phone")
    assert missed.loc["k͡p", "counterpart"] == "p"
    assert missed.loc["t", "unattested"] > 0
    assert missed.loc["k͡p", ["in_inventory", "absent"]].tolist() == ["near", 0]


def test_raw_symbols_have_no_classes(config: Path) -> None:
    files = {side: f"corpora.yoruba.{side}.symbols=raw" for side in ("gold", "predicted")}
    settings = [*files.values(), "corpora.yoruba.posteriors=null", "alignment.costs=unit"]
    found = tables_of(config, *settings, "corpora.english.role=target", "chance.models=[constant]")
    assert "yoruba/classes.tsv" not in found
    assert "english/classes.tsv" in found
    assert set(found["yoruba/missed.tsv"]["nearest"]) == {""}


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
    few = ["uncertainty.resamples=20", "chance.replicates=2"]
    tables = tables_of_rows(tmp_path, ["p a t", "b i"], ["p a s", "p i"], *few)
    rows = all_numbers(tables).set_index(["measure", "variant"])
    assert rows.loc[("inventory_precision", ""), "value"] == 3 / 4
    assert rows.loc[("inventory_recall", ""), "value"] == 3 / 5
    assert rows.loc[("inventory_f1", ""), "value"] == pytest.approx(2 / 3)
    assert rows.loc[("inventory_f1", ""), "note"].startswith("4 phones were predicted, 5 said")
    assert 2 / 3 < rows.loc[("inventory_f1", "features"), "value"] < 1
    raw = [*few, *(f"corpora.c.{side}.symbols=raw" for side in ("gold", "predicted"))]
    rows = all_numbers(tables_of(tmp_path / "c.yaml", *raw, "alignment.costs=unit")).set_index(["measure", "variant"])
    assert rows.loc[("inventory_f1", ""), "value"] == pytest.approx(2 / 3)
    assert pd.isna(rows.loc[("inventory_f1", "features"), "value"])
    assert "raw symbols" in rows.loc[("inventory_f1", "features"), "note"]

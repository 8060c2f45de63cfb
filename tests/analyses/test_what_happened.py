"""Raw symbols, and a language that is its own reference, as a run writes them."""

from pathlib import Path

import numpy as np
import pytest
from running import tables_of
from support import transcript

from phonxling.configuration.reading import load_configuration
from phonxling.core.errors import ConfigurationError
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.computing import compute

RAW = """
corpora:
  e: {gold: {path: gold.tsv, symbols: raw}, predicted: {path: predicted.tsv, symbols: raw}, role: reference}
  x: {gold: {path: gold.tsv, symbols: raw}, predicted: {path: predicted.tsv, symbols: raw}}
alignment: {costs: unit}
context: left
chance: {models: [unigram], replicates: 1}
"""


def test_raw_symbols_have_no_features_and_are_the_same_by_symbol_alone(tmp_path: Path) -> None:
    transcript(tmp_path / "gold.tsv", [["p", "a", "t", "a"], ["b", "q", "a", "t"], ["a", "y"]])
    transcript(tmp_path / "predicted.tsv", [["p", "a", "d", "a", "y"], ["b", "a", "t"], ["a", "q", "t", "y"]])
    (tmp_path / "raw.yaml").write_text(RAW, encoding="utf-8")
    found = tables_of(tmp_path / "raw.yaml")
    assert not {"classes", "contexts"} & found.keys()  # even where they look like IPA
    assert found["x/features"][["changed", "transferred", "transferred_sequential"]].isna().all(axis=None)
    assert set(found["x/phones"]["nearest"]) == set(found["x/phones"]["class"]) == {""}
    assert set(found["x/expected"]["gold"]) == {*"patby"}  # q is deleted
    by_features = load_configuration(tmp_path / "raw.yaml", ["expected.common=features"])
    with pytest.raises(ConfigurationError, match="raw symbols have no phonological features; set expected"):
        compute(by_features, SERIAL, SilentProgress())


def test_of_a_language_that_is_its_own_reference_all_confusions_are_expected(tmp_path: Path) -> None:
    draws = np.random.default_rng(6)
    gold = draws.choice(list("ptkain"), (80, 9))
    heard = np.where(draws.random(gold.shape) < 0.2, draws.choice(list("ptkain"), gold.shape), gold)
    transcript(tmp_path / "gold.tsv", gold.tolist())
    transcript(tmp_path / "heard.tsv", [[*row[draws.random(9) < 0.9], *["i"] * draws.integers(2)] for row in heard])
    files = "{gold: gold.tsv, predicted: heard.tsv"
    text = f"corpora: {{one: {files}, role: reference}}, other: {files}}}}}\n"
    text += "chance: {models: [constant], replicates: 1}\nentropy: {gaps: include}\n"
    (tmp_path / "made.yaml").write_text(text, encoding="utf-8")
    rows = tables_of(tmp_path / "made.yaml")["summary"]
    rows = rows[rows["corpus"] == "other"]
    shares = rows[rows["measure"] == "error_share"].set_index("variant")["value"]
    assert shares[["expected", "level", "unexplained", "deleted", "inserted"]].sum() == pytest.approx(1)
    assert shares[["level", "unexplained"]].tolist() == pytest.approx([0, 0], abs=1e-12)
    number, rates = (rows.set_index("measure")[name] for name in ("n", "value"))
    operations = round(rates["gold_tokens"] * (1 - rates["deletion_rate"]))
    assert number["one_to_one_accuracy"] == operations  # which leaves ∅ out, whatever gaps says
    assert number["conditional_entropy_given_predicted"].max() > operations

"""Every public value is printed in a line, shown in a notebook, and becomes a table where it has labels."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import phonxling as px
from phonxling.alignment.confusions import stack_confusions
from phonxling.core.costs import CostTable
from phonxling.core.estimate import ReadableValue
from phonxling.core.features import FeatureTable
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import from_lists

ODD = ["nan", "NA", "null", "<b>&", "a"]  # phones that tables and pages tend to swallow


def corpus_of(phones: list[str], utterances: int = 30) -> px.Corpus:
    rng = np.random.default_rng(3)
    names = [f"u{number}" for number in range(utterances)]
    gold, predicted = ([[phones[code] for code in rng.integers(0, len(phones), 20)] for _ in names] for _ in range(2))
    speakers = tuple(f"s{number % 3}" for number in range(utterances))
    return px.Corpus(gold=from_lists(names, gold), predicted=from_lists(names, predicted), speakers=speakers)


def unit(corpus: px.Corpus) -> CostTable:
    return px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory, "unit")


@pytest.fixture(scope="module")
def values(small_run: Path, table: FeatureTable) -> list[object]:
    """One of every public value, of many phones and long notes where it can have such."""
    corpus = corpus_of([f"phone{number}" for number in range(200)], utterances=10)
    costs = unit(corpus)
    aligned = px.align_corpus(corpus, costs)
    matrix = px.count_confusions(aligned)
    small = small_run / "yoruba"
    grams = px.load_posteriorgrams(small / "posteriors.npz", "arpabet")
    segments = px.load_segments(small / "gold.tsv")
    means = px.phone_means(grams, segments)
    errors = px.PhoneErrors()
    errors.update("p a t", "p a")
    inventory = px.Inventory(("a", "b"))
    return [
        corpus,
        corpus.gold,
        costs,
        matrix,
        stack_confusions(aligned),
        px.joint_distribution(grams, segments),
        aligned,
        px.Estimate(0.25, 0.1, 0.4, 0.95, note="a long note " * 100),
        grams,
        means,
        table,
        px.compare([small_run / "results"]),
        px.expected_confusions(target=matrix, reference=matrix),
        px.project(means, means, method="pca"),
        px.align_posteriors(grams, segments),
        corpus.gold_inventory,
        px.symbols.natural_classes(["a", "p"], table),
        px.symbols.SymbolRules(),
        errors,
        errors.compute(),
        px.load_results(small_run / "results"),
        px.ConfusionMatrix.zero(),
        stack_confusions(px.align_corpus(corpus.select(np.zeros(0, np.int64)), costs)),
        px.Corpus(gold=from_lists([], []), predicted=from_lists([], [])),
        CostTable(gold=inventory, predicted=px.Inventory(()), substitution=np.zeros((2, 0)), deletion=[1, 1],
                     insertion=[], denominator=1, name="unit"),
    ]  # fmt: skip


def test_what_is_shown_is_short_and_says_what_it_is(values: list[object]) -> None:
    for value in values:
        text = repr(value)
        assert len(text) < 500, text
        assert "array(" not in text
        if isinstance(value, ReadableValue):
            assert text.startswith(type(value).__name__)
            assert len(value._repr_html_()) < 40_000


def test_a_notebook_shows_the_size_and_keeps_the_names_of_phones() -> None:
    corpus = corpus_of(ODD)
    aligned = px.align_corpus(corpus, unit(corpus))
    shown = [value._repr_html_() for value in (corpus, aligned, px.count_confusions(aligned))]
    assert all("<b>&" not in html and "&lt;b&gt;&amp;" in html for html in shown)
    assert "<p>6 rows × 6 columns</p>" in shown[-1]


def test_tables_hold_what_the_values_hold() -> None:
    corpus = corpus_of(ODD)
    costs = unit(corpus)
    aligned = px.align_corpus(corpus, costs)
    matrix, stack = px.count_confusions(aligned), stack_confusions(aligned)
    pairs = aligned.to_frame()
    counted = pairs.groupby(["gold", "predicted"]).size()
    long = matrix.to_frame()
    assert counted.to_dict() == long.set_index(["gold", "predicted"])["count"].to_dict()
    by_utterance = stack.to_frame().groupby(["gold", "predicted"])["count"].sum()
    assert by_utterance.to_dict() == counted.to_dict()
    wide = matrix.to_frame(wide=True)
    assert (wide.index.name, wide.columns.name) == ("gold", "predicted")
    assert (wide.to_numpy() == matrix.counts).all()
    assert wide.index.tolist() == [*matrix.gold, "∅"]
    assert corpus.to_frame().loc[3, "gold"].split() == corpus.gold.phones_of(3)
    tokens = corpus.gold.to_frame()
    assert tokens.loc[tokens["utterance"] == "u3", "phone"].tolist() == corpus.gold.phones_of(3)
    table = costs.to_frame()
    assert len(table) == 6 * 6 - 1
    assert all(costs.cost(g if g != "∅" else None, p if p != "∅" else None) == c for g, p, c in table.to_numpy())


def test_every_table_is_tidy_with_labels_as_text(values: list[object]) -> None:
    made = 0
    for value in values:
        if isinstance(value, Posteriorgrams):
            table = value.to_frame(value.utterances[0])
        elif hasattr(value, "to_frame"):
            table = value.to_frame()
        else:
            continue
        made += 1
        assert isinstance(table, pd.DataFrame)
        assert isinstance(table.index, pd.RangeIndex), type(value)
        for name in {"utterance", "gold", "predicted", "phone", "segment", "feature"} & {*table.columns}:
            assert table[name].map(type).eq(str).all(), (type(value), name)
        if name := next((name for name in ("value", "probability", "mass", "cost") if name in table), None):
            assert table[name].dtype.kind in "fi"
    assert made >= 20

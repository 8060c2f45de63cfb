"""An experiment with `method: expected`, from the command line and stage by stage, against the Python interface."""

import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import all_numbers, jackknifed, tables_of
from small_experiment import make_experiment

import phonxling as px
from phonxling.alignment.corpus import expect_sequences
from phonxling.analyses.chance import unigram_predictions
from phonxling.core.costs import CostTable
from phonxling.tables.files import table_bytes

Tables = dict[str, pd.DataFrame]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_experiment(tmp_path_factory.mktemp("expected"))
    predicted = path.parent / "yoruba" / "predicted.tsv"
    header, *lines = predicted.read_text(encoding="utf-8").splitlines()
    kept = [line for number, line in enumerate(lines) if number % 7 != 3]  # what is left out can be in several places
    predicted.write_text("\n".join([header, *kept]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def corpus(config: Path) -> px.Corpus:
    data = config.parent / "yoruba"
    return px.load_corpus(data / "gold.tsv", data / "predicted.tsv", symbols=("ipa", "arpabet"))


@pytest.fixture(scope="module")
def costs(corpus: px.Corpus) -> CostTable:
    return px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)


@pytest.fixture(scope="module")
def tables(config: Path) -> Callable[..., Tables]:
    return partial(tables_of, config, *(f"corpora.{name}.posteriors=null" for name in ("english", "yoruba")))


@pytest.fixture(scope="module")
def averaged(tables: Callable[..., Tables]) -> Tables:
    return tables("alignment.method=expected")


@pytest.fixture(scope="module")
def warm(tables: Callable[..., Tables]) -> Tables:
    return tables("alignment={method: expected, temperature: 0.1}")


def row(found: Tables, measure: str, variant: str = "") -> pd.Series:
    rows = all_numbers(found)
    (place,) = np.flatnonzero(
        (rows["corpus"] == "yoruba") & (rows["measure"] == measure) & (rows["variant"] == variant)
    )
    return rows.iloc[place]


def grid(found: Tables, matrix: px.ConfusionMatrix) -> np.ndarray:
    """Return the counts of confusions.tsv in the places of a matrix."""
    filled = np.zeros(matrix.counts.shape)
    rows, columns = [*matrix.gold, px.symbols.GAP], [*matrix.predicted, px.symbols.GAP]
    for cell in found["yoruba/confusions.tsv"].itertuples():
        filled[rows.index(str(cell.gold)), columns.index(str(cell.predicted))] = cell.count_
    return filled


def test_confusions_and_operations_are_expected_numbers(
    averaged: Tables, warm: Tables, corpus: px.Corpus, costs: CostTable
) -> None:
    for found, tau in ((averaged, 0.0), (warm, 0.1)):
        aligned = px.costs.align_expected(corpus, costs, tau)
        matrix = px.count_confusions(aligned)
        cells = found["yoruba/confusions.tsv"].rename(columns={"count": "count_"})
        assert (grid({"yoruba/confusions.tsv": cells}, matrix) == matrix.counts).all()
        for name, number in zip(
            ("correct", "substitutions", "deletions", "insertions"),
            px.measures.count_operations(aligned).sum(axis=0),
            strict=True,
        ):
            assert found["yoruba/utterances.tsv"][name].sum() == pytest.approx(number)
            if name != "correct":
                rate = row(found, f"{name.removesuffix('s')}_rate")
                assert rate["value"] == pytest.approx(number / matrix.tokens.sum(), rel=1e-12)
        wrong = px.measures.operations(matrix)
        assert row(found, "per_aligned")["value"] == pytest.approx(wrong.errors / wrong.gold_tokens, rel=1e-12)
        assert row(found, "mutual_information", "ml")["value"] == px.mutual_information(matrix)
        phones = found["yoruba/phones.tsv"].query("side == 'gold'")
        assert phones["tokens"].tolist() == np.bincount(corpus.gold.codes).tolist()


def test_without_temperature_rates_are_those_of_least_cost(averaged: Tables, tables: Callable[..., Tables]) -> None:
    best = tables()
    assert "ambiguity" not in best["yoruba/utterances.tsv"]
    for key in (("wper",), ("wper_macro",), ("per",), ("pfer", "phoneticxeus"), ("pfer", "prism")):
        found, wanted = (row(tables, *key)[["value", "low", "high"]].tolist() for tables in (averaged, best))
        assert found == wanted
    for model in ("constant", "unigram", "bigram", "shuffled"):
        assert row(averaged, "chance_wper", model)["value"] == row(best, "chance_wper", model)["value"]
    assert table_bytes(averaged["yoruba/alignments.tsv"]) == table_bytes(best["yoruba/alignments.tsv"])
    assert not averaged["yoruba/confusions.tsv"].equals(best["yoruba/confusions.tsv"])


def test_with_temperature_the_rate_is_the_expected_cost_and_says_so(warm: Tables, averaged: Tables) -> None:
    cells = warm["yoruba/confusions.tsv"]
    rate = (cells["count"] * cells["cost"]).sum() / cells.loc[cells["gold"] != px.symbols.GAP, "count"].sum()
    assert row(warm, "wper")["value"] == pytest.approx(rate, rel=1e-12)
    assert row(warm, "wper")["value"] > row(averaged, "wper")["value"]
    for measure in ("wper", "wper_macro"):
        assert row(warm, measure)["note"] == "the expected cost at temperature 0.1, not the least"
        assert row(averaged, measure)["note"] == ""
    assert row(warm, "per")["value"] == row(averaged, "per")["value"]


def test_chance_is_aligned_at_the_same_temperature(
    warm: Tables, tables: Callable[..., Tables], corpus: px.Corpus, costs: CostTable
) -> None:
    key = [20, zlib.crc32(b"unigram")]
    drawn = [unigram_predictions(corpus.predicted, np.random.default_rng([*key, number])) for number in range(3)]
    found = [expect_sequences(corpus.gold, one, costs, 0.1) for one in drawn]
    rates = [one.cost.sum() / costs.denominator / len(corpus.gold.codes) for one in found]
    assert row(warm, "chance_wper", "unigram")["value"] == pytest.approx(np.mean(rates), rel=1e-12)
    speakers = warm["yoruba/utterances.tsv"]["speaker"].tolist()
    information = np.mean([jackknifed(one, speakers, "ml") for one in found])
    alone = tables("alignment={method: expected, temperature: 0.1}", "chance.models=[unigram]")
    null = row(alone, "mutual_information")["value"] - row(alone, "mutual_information_excess", "best")["value"]
    assert null == pytest.approx(information, rel=1e-8)


def test_signatures_name_the_method_where_it_was_used(averaged: Tables, warm: Tables) -> None:
    for measure in ("wper", "accuracy", "correspondence_tau"):
        variant = "estimate" if measure == "correspondence_tau" else ""
        assert "|align:expected|tau:0|" in row(averaged, measure, variant)["signature"]
        assert "|align:expected|tau:0.1|" in row(warm, measure, variant)["signature"]
    for key in (("per",), ("pfer", "pooled"), ("nce",), ("tone_error_rate",)):
        assert "|align:viterbi|ties:" in row(averaged, *key)["signature"]
    assert "of one best alignment" in row(averaged, "nce")["note"]


def test_estimators_that_need_whole_counts_are_missing_and_say_so(averaged: Tables) -> None:
    for name in ("chao-shen",):
        for measure in ("conditional_entropy", "mutual_information"):
            found = row(averaged, measure, name)
            assert np.isnan(found["value"])
            assert found["note"] == f"the estimator {name} needs whole counts, and some are fractional; use ml"
        assert averaged["yoruba/phones.tsv"][f"entropy_{name}"].isna().all()
    assert row(averaged, "conditional_entropy", "ml")["value"] > 0


def test_errors_are_weighed_by_the_scoring_costs(tables: Callable[..., Tables], corpus: px.Corpus) -> None:
    found = tables("alignment={costs: unit, method: expected}", "scoring.costs=panphon")
    cells = found["yoruba/confusions.tsv"]
    rate = (cells["count"] * cells["cost"]).sum() / len(corpus.gold.codes)
    assert row(found, "wper")["value"] == pytest.approx(rate, rel=1e-12)
    assert cells["cost"].between(0.001, 0.999).any()

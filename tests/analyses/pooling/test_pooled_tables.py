"""pooled.tsv and its two companions, of a small experiment."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import Tables, tables_of
from small_experiment import make_experiment

POOLED = ("yoruba/pooled.tsv", "yoruba/pooled_phones.tsv", "pooled_corpora.tsv")
QUICK = ("chance.models=[constant]", "uncertainty.resamples=0", "pooling.draws=100")


@pytest.fixture(scope="module")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_experiment(tmp_path_factory.mktemp("pooled"))
    text = path.read_text(encoding="utf-8")
    path.write_text("\n".join(line for line in text.splitlines() if "posteriors:" not in line), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tables(configuration: Path) -> Tables:
    return tables_of(configuration, *QUICK)


@pytest.mark.slow
def test_without_the_section_nothing_is_pooled(configuration: Path) -> None:
    assert not set(POOLED) & set(tables_of(configuration, *QUICK[:2]))


def test_cells_have_the_counts_of_confusions_and_shares_that_sum_to_one(tables: Tables) -> None:
    cells, counted = tables["yoruba/pooled.tsv"], tables["yoruba/confusions.tsv"]
    own = cells[cells["count"] > 0].set_index(["gold", "predicted"])["count"].sort_index()
    given = counted[(counted["gold"] != "∅") & (counted["predicted"] != "∅")].set_index(["gold", "predicted"])
    pd.testing.assert_series_equal(own, given["count"].sort_index(), check_dtype=False)
    assert cells.groupby("gold")["pooled"].sum().to_numpy() == pytest.approx(1.0)
    assert (cells["low"] <= cells["pooled"] + 1e-12).all()
    assert (cells["pooled"] <= cells["high"] + 1e-12).all()


def test_outcomes_are_all_that_the_recogniser_predicts_in_any_language(tables: Tables) -> None:
    for corpus in ("english", "yoruba"):
        cells = tables[f"{corpus}/pooled.tsv"]
        assert cells.groupby("gold").size().to_numpy() == pytest.approx(7)
        assert set(cells["predicted"]) == {"p", "b", "t", "ɑ", "i", "u", "s"}


def test_a_phone_that_the_recogniser_lacks_is_never_right_and_has_no_kappa_of_that(tables: Tables) -> None:
    phones = tables["yoruba/pooled_phones.tsv"].set_index("phone")
    lacking = phones.loc["k͡p"]
    assert np.isnan(lacking["kappa_right"])
    assert lacking["tokens"] == lacking["wrong"]
    assert "never predicted: never right" in lacking["note"]
    assert phones.loc["b"]["kappa_right"] > 0


def test_each_corpus_tells_how_near_it_is_to_the_habit_and_targets_how_far_from_the_reference(tables: Tables) -> None:
    corpora = tables["pooled_corpora.tsv"].set_index("corpus")
    assert corpora.loc["yoruba", "pooled_with"] == "english"
    assert corpora.loc["yoruba", "pooled_kl"] > 0
    assert np.isnan(corpora.loc["english", "pooled_kl"])
    assert (corpora["near_wrong_low"] <= corpora["near_wrong"]).all()
    assert corpora["signature"].str.contains("|pool:100|", regex=False).all()


@pytest.mark.slow
def test_corpora_of_two_recognisers_are_not_pooled_and_have_no_habit(configuration: Path) -> None:
    tables = tables_of(configuration, *QUICK, "corpora.yoruba.recogniser=other")
    corpora = tables["pooled_corpora.tsv"].set_index("corpus")
    assert set(corpora["pooled_with"]) == {""}
    assert corpora["near_right"].isna().all()
    assert tables["yoruba/pooled.tsv"]["habit"].isna().all()


@pytest.mark.slow
def test_one_speaker_is_not_pooled_and_the_reason_is_told(configuration: Path, tmp_path: Path) -> None:
    speakers = configuration.parent / "yoruba" / "speakers.tsv"
    one = tmp_path / "one.tsv"
    lines = speakers.read_text(encoding="utf-8").splitlines()
    one.write_text("\n".join([lines[0], *(f"{line.split()[0]}\tsame" for line in lines[1:])]), encoding="utf-8")
    tables = tables_of(configuration, *QUICK, f"corpora.yoruba.speakers.path={one}")
    corpora = tables["pooled_corpora.tsv"].set_index("corpus")
    assert corpora.loc["yoruba", "note"] == "one speaker: how much these differ cannot be known"
    assert {"english/pooled.tsv"} == {name for name in tables if name.endswith("/pooled.tsv")}


@pytest.mark.slow
def test_with_gaps_deletions_are_an_outcome(configuration: Path) -> None:
    cells = tables_of(configuration, *QUICK, "entropy.gaps=include")["yoruba/pooled.tsv"]
    assert "∅" in set(cells["predicted"])
    assert "∅" not in set(cells["gold"])


@pytest.mark.slow
def test_averaged_alignments_are_not_pooled(configuration: Path) -> None:
    tables = tables_of(configuration, *QUICK, "alignment.method=expected", "alignment.temperature=0.3")
    assert "yoruba/pooled.tsv" not in tables
    assert tables["pooled_corpora.tsv"]["note"].str.contains("fractions").all()


@pytest.mark.slow
def test_a_corpus_given_twice_counts_once(configuration: Path) -> None:
    text = configuration.read_text(encoding="utf-8")
    block = text[text.index("  yoruba:\n") : text.index("chance:")]
    twice = configuration.with_name("twice.yaml")
    twice.write_text(text.replace("chance:", block.replace("yoruba:", "again:", 1) + "chance:"), encoding="utf-8")
    corpora = tables_of(twice, *QUICK)["pooled_corpora.tsv"].set_index("corpus")
    assert corpora.loc["again", "note"] == "the utterances of yoruba again, which would count twice"
    assert corpora.loc["english", "pooled_with"] == "yoruba"

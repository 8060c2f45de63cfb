"""Numbers over languages, recomputed from the stored tables of a small made benchmark."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from made_languages import make
from running import Tables, all_numbers, tables_of

from phonxling.report.further import language_sentences

SETTINGS = ("chance.replicates=2", "alignment.costs=unit")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("languages")
    make(made, languages=16, utterances=20, phones=12)
    return made


@pytest.fixture(scope="module")
def results(folder: Path) -> Tables:
    return tables_of(folder / "made.yaml", *SETTINGS)


def of_per(results: Tables, table: str) -> pd.DataFrame:
    rows = results[f"{table}.tsv"]
    return rows[rows["measure"] == "per"]


def test_a_language_has_the_numbers_of_its_corpus_and_a_rank(results: Tables) -> None:
    numbers = all_numbers(results)
    per = numbers[numbers["measure"] == "per"].set_index("corpus")["value"]
    own = of_per(results, "languages").set_index("corpus")
    assert own["value"].to_dict() == per.to_dict()
    assert set(own["family"]) == {f"Family {n}" for n in range(8)}
    assert set(own["seen"]) == {"seen", "unseen"}
    assert own["rank"].to_dict() == per[own.index].rank(method="first").astype(int).to_dict()
    skill = results["languages.tsv"].query("measure == 'skill_per'").set_index("corpus")
    assert skill["rank"].idxmin() == skill["value"].idxmax()  # the highest skill is the first


def test_means_and_tests_are_over_whole_languages(results: Tables) -> None:
    own, means = of_per(results, "languages"), of_per(results, "language_means")
    every = means[means["by"] == ""].iloc[0]
    families = own.groupby("family")["value"].agg(lambda values: (values - own["value"].mean()).sum())
    error = np.sqrt(8 / 7 * (families**2).sum()) / 16
    assert (every["languages"], every["families"]) == (16, 8)
    assert every["high"] - every["value"] == pytest.approx(scipy.stats.t.ppf(0.975, 7) * error)
    seen = means[(means["by"] == "seen")].set_index("languages_of")
    assert dict(seen["languages"]) == {"seen": 8, "unseen": 8}
    test = of_per(results, "language_tests").query("by == 'seen'").iloc[0]
    assert test["difference"] == pytest.approx(seen.loc["seen", "value"] - seen.loc["unseen", "value"])
    assert (test["low"] < test["difference"] < test["high"], 0 < test["p"] <= 1) == (True, True)
    assert of_per(results, "language_tests").query("by == 'family'").empty  # two languages of a family are no sample


def test_covariates_are_those_of_the_data_and_of_the_users_table(results: Tables, folder: Path) -> None:
    related = of_per(results, "language_covariates").set_index("covariate")
    rates = of_per(results, "languages").set_index("corpus")["value"]
    table = pd.read_csv(folder / "languages.tsv", sep="\t").set_index("code")
    facts = {
        "hours": table["hours"],
        "gold_phones": {name: said_of(results, name).size for name in rates.index},
        "phones_per_utterance": {name: results[f"{name}/utterances.tsv"]["gold_tokens"].mean() for name in rates.index},
        "share_in_inventory": {  # the recogniser lacks the last of twelve phones
            name: 1 - said_of(results, name).get("s", 0) / said_of(results, name).sum() for name in rates.index
        },
    }
    for name, values in facts.items():
        rho = scipy.stats.spearmanr(pd.Series(values).reindex(rates.index), rates).statistic
        assert related.loc[name, "rho"] == pytest.approx(rho)
    assert related.loc["phones_per_second", "note"] == "fewer than 5 languages have it"


def said_of(results: Tables, corpus: str) -> pd.Series:
    """Return how often each gold phone was said."""
    return results[f"{corpus}/confusions.tsv"].query("gold != '∅'").groupby("gold")["count"].sum()


def test_targets_that_are_no_sample_of_languages_have_no_such_tables(tmp_path: Path) -> None:
    make(tmp_path, languages=2, utterances=10, phones=12)
    assert "languages.tsv" not in tables_of(tmp_path / "made.yaml", *SETTINGS)


def test_families_that_are_not_accounted_for_are_said(tmp_path: Path) -> None:
    """Sixteen languages of two families: limits are over languages, and the note and the sentence say so."""
    make(tmp_path, languages=16, utterances=10, phones=12)
    table = pd.read_csv(tmp_path / "languages.tsv", sep="\t", dtype=str)
    table["family"] = ["one", "other"] * (len(table) // 2)
    table.to_csv(tmp_path / "languages.tsv", sep="\t", index=False)
    found = tables_of(tmp_path / "made.yaml", *SETTINGS)
    means, own = of_per(found, "language_means"), of_per(found, "languages")["value"]
    every = means[means["by"] == ""].iloc[0]
    assert np.isnan(every["families"])
    assert every["high"] - every["value"] == pytest.approx(scipy.stats.t.ppf(0.975, 15) * own.std() / 4)
    assert every["note"].startswith("families are left aside: fewer than five are known")
    names = ("languages", "language_means", "language_tests")
    said, *_ = language_sentences("", {name: found[f"{name}.tsv"] for name in names})
    assert str(said).endswith("; families, fewer than five or not all known, are left aside.")

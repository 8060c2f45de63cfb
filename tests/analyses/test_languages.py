"""Numbers over languages, recomputed from the stored tables of a small made benchmark."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from made_languages import make
from running import Tables, all_numbers, tables_of

from phonxling.report.paper import tables_of_languages

SETTINGS = ("uncertainty.resamples=60", "chance.replicates=2", "alignment.costs=unit")


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
    skill = results["languages.tsv"].query("measure == 'attainable_skill_per'").set_index("corpus")
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


def test_a_paper_has_languages_with_their_ranks_and_the_means_of_groups(results: Tables, tmp_path: Path) -> None:
    for name in ("languages.tsv", "language_means.tsv"):
        results[name].to_csv(tmp_path / name, sep="\t", index=False)
    tables = dict(tables_of_languages(tmp_path, {}))
    own = results["languages.tsv"]
    own = own[own["measure"] == own["measure"].iloc[0]].set_index("rank")
    body = pd.DataFrame(tables["languages"].rows, columns=[*tables["languages"].header])
    assert list(body["language"]) == [own.loc[rank, "name"] for rank in range(1, 17)]
    assert list(body["rank"]) == [str(rank) for rank in range(1, 17)]
    means = pd.DataFrame(tables["language-means"].rows, columns=[*tables["language-means"].header])
    assert list(means["languages"]) == ["all", "seen", "unseen", *(f"Family {n}" for n in range(8))]
    assert list(means["number"]) == ["16", "8", "8", *["2"] * 8]
    every = of_per(results, "language_means").query("by == ''").iloc[0]
    value, low, high = (f"{every[name]:.3f}" for name in ("value", "low", "high"))
    assert means["PER"].iloc[0] == f"{value} [{low}, {high}]"
    assert tables["language-means"].rules == {1, 3}


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

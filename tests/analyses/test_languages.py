"""Numbers over languages, recomputed from the stored tables of a small made benchmark."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from made_languages import write_languages
from running import Tables, tables_of

SETTINGS = ("chance.models=[constant]", "alignment.costs=unit")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("languages")
    write_languages(made, languages=16, utterances=20, phones=12)
    return made


@pytest.fixture(scope="module")
def results(folder: Path) -> Tables:
    return tables_of(folder / "made.yaml", *SETTINGS)


def of_per(results: Tables, table: str) -> pd.DataFrame:
    rows = results[table]
    return rows[rows["measure"] == "per"]


def test_a_language_has_the_numbers_of_its_corpus_and_a_rank(results: Tables) -> None:
    summary = results["summary"]
    per = summary[summary["measure"] == "per"].set_index("corpus")["value"]
    own = of_per(results, "languages").set_index("corpus")
    assert own["value"].to_dict() == per.to_dict()
    assert set(own["family"]) == {f"Family {n}" for n in range(8)}
    assert own["rank"].to_dict() == per[own.index].rank(method="first").astype(int).to_dict()
    skill = results["languages"].query("measure == 'skill_per'").set_index("corpus")
    assert skill["rank"].idxmin() == skill["value"].idxmax()  # the highest skill is the first


def test_means_and_tests_are_over_whole_languages(results: Tables) -> None:
    own, means = of_per(results, "languages"), of_per(results, "language_groups")
    every = means[means["group"] == "all"].iloc[0]
    families = own.groupby("family")["value"].agg(lambda values: (values - own["value"].mean()).sum())
    error = np.sqrt(8 / 7 * (families**2).sum()) / 16
    assert (every["languages"], every["by"]) == (16, "")
    assert every["high"] - every["value"] == pytest.approx(scipy.stats.t.ppf(0.975, 7) * error)
    seen = means[means["by"] == "seen"].set_index("group")
    assert seen["languages"].to_dict() == {"seen": 8, "unseen": 8}
    one, other = seen.loc["seen"], seen.loc["unseen"]
    assert one["difference"] == pytest.approx(one["value"] - other["value"])
    assert other["difference"] == pytest.approx(-one["difference"])
    assert one["difference_low"] < one["difference"] < one["difference_high"]
    assert 0 < one["p"] <= 1
    assert one["p"] == pytest.approx(other["p"])
    assert one["q"] == pytest.approx(one["p"])  # the second test is the same again
    assert means[means["by"] == "family"]["p"].isna().all()  # two languages of a family are no sample


def test_covariates_are_those_of_the_data_and_of_the_users_table(results: Tables, folder: Path) -> None:
    rows = of_per(results, "language_groups")
    related = rows[rows["group"] == ""].set_index("by")
    rates = of_per(results, "languages").set_index("corpus")["value"]
    table = pd.read_csv(folder / "languages.tsv", sep="\t").set_index("code")
    facts = {
        "hours": table["hours"],
        "gold_phones": {name: said_of(results, name).size for name in rates.index},
        "phones_per_utterance": {name: results[f"{name}/utterances"]["gold_tokens"].mean() for name in rates.index},
        "share_in_inventory": {  # the recogniser lacks the last of twelve phones
            name: 1 - said_of(results, name).get("s", 0) / said_of(results, name).sum() for name in rates.index
        },
    }
    for name, values in facts.items():
        rho = scipy.stats.spearmanr(pd.Series(values).reindex(rates.index), rates).statistic
        assert related.loc[name, "value"] == pytest.approx(rho)
    assert related.loc["phones_per_second", "note"] == "fewer than 5 languages have it"
    tested = related.dropna(subset="p")
    assert tested["q"].to_numpy() == pytest.approx(scipy.stats.false_discovery_control(tested["p"].to_numpy()))


def said_of(results: Tables, corpus: str) -> pd.Series:
    """Return how often each gold phone was said."""
    return results[f"{corpus}/confusions"].query("gold != '∅'").groupby("gold")["count"].sum()


def test_families_that_are_not_accounted_for_are_said(tmp_path: Path) -> None:
    """Eight languages of two families: limits are over languages, and the note says so."""
    write_languages(tmp_path, languages=8, utterances=10, phones=12)
    table = pd.read_csv(tmp_path / "languages.tsv", sep="\t", dtype=str)
    table["family"] = ["one", "other"] * (len(table) // 2)
    table.to_csv(tmp_path / "languages.tsv", sep="\t", index=False)
    found = tables_of(tmp_path / "made.yaml", *SETTINGS)
    groups, own = of_per(found, "language_groups"), of_per(found, "languages")["value"]
    every = groups[groups["group"] == "all"].iloc[0]
    assert every["high"] - every["value"] == pytest.approx(scipy.stats.t.ppf(0.975, 7) * own.std() / 8**0.5)
    assert every["note"].startswith("families are left aside: fewer than five are known")
    assert groups[groups["by"] == "family"]["p"].notna().all()

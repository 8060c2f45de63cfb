"""Numbers over languages, recomputed from the stored tables of a small made benchmark."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from made_languages import make
from running import Tables, all_numbers, tables_of

from phonxling.resample.student import error_of

SETTINGS = ("uncertainty.resamples=60", "chance.replicates=2", "alignment.costs=unit")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder = tmp_path_factory.mktemp("languages")
    make(folder, languages=16, utterances=20, phones=12)
    return tables_of(folder / "made.yaml", *SETTINGS)


def of_per(results: Tables, table: str) -> pd.DataFrame:
    rows = results[f"{table}.tsv"]
    return rows[rows["measure"] == "per"]


def test_a_language_has_the_numbers_of_its_corpus_and_a_value_nearer_to_the_mean(results: Tables) -> None:
    numbers = all_numbers(results)
    per = numbers[numbers["measure"] == "per"].set_index("corpus")["value"]
    own = of_per(results, "languages").set_index("corpus")
    assert own["value"].to_dict() == per.to_dict()
    assert set(own["family"]) == {f"Family {n}" for n in range(8)}
    assert set(own["seen"]) == {"seen", "unseen"}
    centre = of_per(results, "language_means").set_index("by").loc["", "pooled"]
    assert (np.abs(own["shrunken"] - centre) <= np.abs(own["value"] - centre) + 1e-12).all()
    assert sorted(own["rank"]) == list(range(1, 17))
    assert ((own["rank_low"] <= own["rank"]) & (own["rank"] <= own["rank_high"])).all()
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


def test_the_sampling_variance_of_a_language_is_that_of_a_ratio_over_its_speakers(results: Tables) -> None:
    """It is the larger of that of the bootstrap and of the jackknife, hence a little more."""
    found, expected = [], []
    for row in of_per(results, "languages").itertuples():
        speakers = results[f"{row.corpus}/speakers.tsv"]
        tokens, edits = speakers["gold_tokens"].to_numpy(), speakers["edits"].to_numpy()
        clusters = tokens.sum() ** 2 / (tokens**2).sum()
        apart = edits - row.value * tokens
        expected.append(np.sqrt(clusters / (clusters - 1) * (apart**2).sum()) / tokens.sum())
        limits, freedom = (row.low, row.high), clusters - 1
        found.append(error_of(row.value, limits, freedom=freedom, level=0.95, kind="rate"))
    assert np.mean(np.array(found) / expected) == pytest.approx(1, abs=0.1)


def test_covariates_are_those_of_the_data_and_of_the_users_table(results: Tables) -> None:
    related = of_per(results, "language_covariates").set_index("covariate")
    facts = results["language_facts.tsv"].pivot_table(index="corpus", columns="covariate", values="value")
    rates = of_per(results, "languages").set_index("corpus")["value"]
    for name in ("hours", "gold_phones", "phones_per_utterance", "share_in_inventory"):
        rho = scipy.stats.spearmanr(facts[name], rates.reindex(facts.index)).statistic
        assert related.loc[name, "rho"] == pytest.approx(rho)
    assert related.loc["phones_per_second", "note"] == "fewer than 5 languages have it"
    utterances = {name: results[f"{name}/utterances.tsv"]["gold_tokens"].mean() for name in facts.index}
    assert facts["phones_per_utterance"].to_dict() == pytest.approx(utterances)
    said = results["l003/confusions.tsv"].query("gold != '∅'").groupby("gold")["count"].sum()
    assert facts.loc["l003", "share_in_inventory"] == pytest.approx(
        1 - said.get("s", 0) / said.sum()
    )  # the last of twelve


def test_a_phone_has_its_accuracy_in_each_language_and_a_test_against_the_others(results: Tables) -> None:
    rows = results["phone_languages.tsv"]
    assert rows.groupby("phone").size().min() >= 3
    assert not rows.duplicated(["phone", "corpus"]).any()
    one = rows[rows["q"].notna()].iloc[0]
    own = results[f"{one['corpus']}/phones.tsv"].query("side == 'gold'").set_index("phone").loc[one["phone"]]
    assert (one["tokens"], one["accuracy"]) == (own["tokens"], own["accuracy"])
    others = rows[(rows["phone"] == one["phone"]) & (rows["tokens"] >= 20) & (rows["corpus"] != one["corpus"])]
    assert one["others_accuracy"] == pytest.approx(others["accuracy"].mean())
    assert one["difference"] == pytest.approx(one["accuracy"] - others["accuracy"].mean())
    assert set(rows.loc[rows["tokens"] < 20, "note"]) <= {"fewer than 20 tokens"}
    heard = results[f"{one['corpus']}/confusions.tsv"].query(f"gold == '{one['phone']}'").sort_values("count")
    assert str(one["answers"]).startswith(heard["predicted"].iloc[-1])
    features = results["feature_languages.tsv"]
    assert features.groupby("feature").size().eq(16).all()
    assert list(features["family"]) == sorted(features["family"])


def test_targets_that_are_no_sample_of_languages_have_no_such_tables(tmp_path: Path) -> None:
    make(tmp_path, languages=2, utterances=10, phones=12)
    assert not {"languages.tsv", "phone_languages.tsv"} & tables_of(tmp_path / "made.yaml", *SETTINGS).keys()

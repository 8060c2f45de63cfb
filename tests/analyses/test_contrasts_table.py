"""The table of contrasts end to end, of one file of answers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import tables_of
from small_experiment import make_experiment
from support import write

from phonxling.core.errors import DataError

HEARD = {"i": (0.95, 0.05, 0.0), "ɪ": (0.65, 0.35, 0.0), "ɛ": (0.05, 0.9, 0.05), "æ": (0.0, 0.3, 0.7)}
ONCE = ("chance.replicates=1", "contrasts=auto")


@pytest.fixture(scope="module")
def answers() -> pd.DataFrame:
    """What twelve listeners called each vowel ten times, and how good an example they found it."""
    generator = np.random.default_rng(3)
    rows = [
        (f"listener{listener:02}", vowel, generator.choice(["i", "e", "a"], p=shares), generator.integers(4, 8) / 10)
        for listener in range(12)
        for vowel, shares in HEARD.items()
        for _ in range(10)
    ]
    return pd.DataFrame(rows, columns=["listener", "stimulus", "response", "rating"])


@pytest.fixture(scope="module")
def listeners(answers: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with their answers, and configurations that read them without and with the ratings."""
    folder = tmp_path_factory.mktemp("listeners")
    trials = answers.assign(trial=[f"trial{number:03}" for number in range(len(answers))], start=0, end=1)
    trials.to_csv(folder / "trials.tsv", sep="\t", index=False)
    gold = "gold: {path: trials.tsv, columns: {utterance: trial, phones: stimulus, speaker: listener}}"
    for name, columns in (("plain", "phones: response"), ("rated", "phone: response, confidence: rating")):
        predicted = f"predicted: {{path: trials.tsv, columns: {{utterance: trial, {columns}}}}}"
        (folder / f"{name}.yaml").write_text(f"corpora: {{vowels: {{{gold}, {predicted}}}}}\n", encoding="utf-8")
    return folder


def found(listeners: Path, name: str, *settings: str) -> pd.DataFrame:
    return tables_of(listeners / f"{name}.yaml", *ONCE, *settings)["vowels/contrasts"].set_index(["phone", "other"])


def test_listeners_are_analysed_from_one_file_of_answers(listeners: Path, answers: pd.DataFrame) -> None:
    table = found(listeners, "plain")
    assert len(table) == 6
    shares = pd.crosstab(answers["stimulus"], answers["response"], normalize="index")
    for (phone, other), row in table.iterrows():  # type: ignore[misc]
        assert row["category"] == shares.loc[phone].idxmax()
        assert row["other_category"] == shares.loc[other].idxmax()
        assert row["js_low"] <= row["js"] <= row["js_high"]
    assert set(table["tokens"]) == set(table["other_tokens"]) == {120}
    assert table.loc[("i", "ɛ"), "type"] == "TC"
    assert table.loc[("i", "ɪ"), "type"] == "CG"  # their shares are 0.95 and 0.65


def test_ratings_are_goodness_of_the_answers_that_they_go_with(listeners: Path) -> None:
    assert found(listeners, "rated").loc[("i", "ɪ"), "type"] == "SC"  # both are rated alike


def test_listed_phones_with_few_tokens_or_none_have_a_row_without_a_type(listeners: Path) -> None:
    table = found(listeners, "plain", "contrasts=[[ǃ, i], [i, ɪ], [ǃ, ǂ]]")
    assert list(table.index) == [("i", "ɪ"), ("ǃ", "i"), ("ǃ", "ǂ")]
    assert table["type"].tolist() == ["CG", "", ""]
    assert table["status"].tolist() == ["", "undefined", "undefined"]
    assert table[["tokens", "other_tokens"]].to_numpy().tolist() == [[120, 120], [0, 120], [0, 0]]


def test_pairs_may_stand_in_a_table(listeners: Path) -> None:
    path = write(listeners / "pairs.tsv", "phone\tother\nɛ\ti\nɪ\tæ\n")
    assert list(found(listeners, "plain", f"contrasts={path}").index) == [("ɛ", "i"), ("ɪ", "æ")]
    odd = write(listeners / "odd.tsv", "ɛ\tɛ\n")
    with pytest.raises(DataError, match=r"odd\.tsv:1: a contrast is two different phones"):
        found(listeners, "plain", f"contrasts={odd}")


def test_posteriors_are_goodness_where_there_are_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_TOKENS", 5), ("_SHARE", 0.2), ("_APART", 0.05)):
        monkeypatch.setattr(f"phonxling.analyses.contrasts.{name}", value)
    tables = tables_of(make_experiment(tmp_path, 12), "contrasts=auto")
    table = tables["yoruba/contrasts"]
    joint = tables["yoruba/association"].pivot_table(index="gold", columns="recognised", values="p_joint")
    means = joint.div(joint.sum(axis=1), axis=0)
    alike = table[table["type"].isin(["SC", "CG"])]
    assert len(alike)
    for row in alike.itertuples():
        fit = means.loc[[row.phone, row.other], row.category]
        assert (row.type == "CG") == (abs(fit.iloc[0] - fit.iloc[1]) >= 0.05)

"""assimilation.tsv end to end, of one file of answers, and in a comparison."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared_results import finish, invoke
from running import tables_of
from small_experiment import make_experiment

from phonxling.core.errors import ConfigurationError
from phonxling.experiment.configuration import load_configuration

HEARD = {"i": (0.95, 0.05, 0.0), "ɪ": (0.65, 0.35, 0.0), "ɛ": (0.05, 0.9, 0.05), "æ": (0.0, 0.3, 0.7)}
ONCE = ("chance.replicates=1", "figures.formats=[svg]", "assimilation={}")


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
    return tables_of(listeners / f"{name}.yaml", *settings)["vowels/assimilation.tsv"].set_index(["phone", "other"])


@pytest.fixture(scope="module")
def plain(listeners: Path) -> pd.DataFrame:
    return found(listeners, "plain", *ONCE)


def test_listeners_are_analysed_from_one_file_of_answers(plain: pd.DataFrame, answers: pd.DataFrame) -> None:
    table = plain
    assert len(table) == 6
    shares = pd.crosstab(answers["stimulus"], answers["response"], normalize="index")
    for (phone, other), row in table.iterrows():  # type: ignore[misc]
        assert row["overlap"] == pytest.approx(np.minimum(shares.loc[phone], shares.loc[other]).sum())
        assert row["category"] == shares.loc[phone].idxmax()
        assert row["p_category_other"] == pytest.approx(shares.loc[other].max())
        assert row["js_low"] <= row["js"] <= row["js_high"]
    assert table.loc[("i", "ɛ"), "type"] == "TC"
    assert table.loc[("i", "ɪ"), ["type", "goodness_of"]].tolist() == ["CG", "shares"]
    difference = shares.loc["i", "i"] - shares.loc["ɪ", "i"]
    assert table.loc[("i", "ɪ"), "goodness_difference"] == pytest.approx(difference)


def test_ratings_are_goodness_of_the_answers_that_they_go_with(listeners: Path, answers: pd.DataFrame) -> None:
    row = found(listeners, "rated", *ONCE).loc[("i", "ɪ")]
    means = answers.groupby(["stimulus", "response"])["rating"].mean()
    assert row["goodness_of"] == "confidence"
    assert row["goodness_difference"] == pytest.approx(means[("i", "i")] - means[("ɪ", "i")])
    assert row["type"] == "SC"  # both are rated alike


def test_theta_moves_the_type(listeners: Path) -> None:
    higher = found(listeners, "plain", *ONCE, "assimilation.threshold=0.68")
    assert higher.loc[("i", "ɪ"), "type"] == "UC"  # 0.65 of ɪ are called i
    assert higher.loc[("i", "ɛ"), "type"] == "TC"


def test_listed_phones_with_few_tokens_or_none_have_a_row_that_says_so(listeners: Path) -> None:
    listed = ("assimilation.contrasts=[[ǃ, i], [i, ɪ], [ǃ, ǂ]]", "assimilation.tokens=200")
    table = found(listeners, "plain", *ONCE, *listed).reset_index()
    assert dict(zip(table["phone"] + table["other"], table["note"], strict=True)) == {
        "iɪ": "not measured: fewer than 200 tokens of a phone",
        "ǃi": "not measured: the gold of this corpus has no ǃ",
        "ǃǂ": "not measured: the gold of this corpus has no ǃ and no ǂ",
    }
    assert table[["type", "overlap", "js"]].isna().all(axis=None)


def test_without_its_section_there_is_no_table(listeners: Path) -> None:
    assert "vowels/assimilation.tsv" not in tables_of(listeners / "plain.yaml", *ONCE[:-1])


def test_posteriors_are_goodness_where_there_are_any(tmp_path: Path) -> None:
    settings = ("assimilation.tokens=5", "assimilation.threshold=0.2")
    tables = tables_of(make_experiment(tmp_path, 12), *settings)
    table = tables["yoruba/assimilation.tsv"]
    joint = tables["yoruba/association.tsv"].pivot_table(index="gold", columns="recognised", values="p_joint")
    means = joint.div(joint.sum(axis=1), axis=0)
    alike = table[table["goodness_of"] == "posteriors"]
    assert len(alike)
    for row in alike.itertuples():
        fit = means.loc[[row.phone, row.other], row.category]
        assert row.goodness_difference == pytest.approx(fit.iloc[0] - fit.iloc[1])


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("contrasts=most", "must be auto, all or minimal, not 'most'"),
        ("contrasts=[[p]]", r"each must be a pair such as \[p, b\], not a list"),
        ("contrasts=[[p, p]]", "a pair has two different phones, not p and p"),
        ("contrasts=[]", "must be a list with at least one entry, not an empty one"),
        ("threshold=0", "must be a number above 0, not 0"),
        ("tokens=0", "must be a whole number of at least 1, not 0"),
    ],
)
def test_settings_that_mean_nothing_are_refused(setting: str, message: str, listeners: Path) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load_configuration(listeners / "plain.yaml", [f"assimilation.{setting}"])


VOWELS = ["i", "e", "ɛ", "a", "o", "u", "y", "ø"]
EXPERIMENT = """\
name: {name}
corpora:
  vowels:
    gold: {{path: {name}.tsv, columns: {{utterance: trial, phones: stimulus, speaker: listener}}}}
    predicted: {{path: {name}.tsv, columns: {{utterance: trial, phones: response}}}}
chance: {{models: [constant, unigram], replicates: 2}}
assimilation: {{}}
"""


def test_contrasts_stand_in_a_comparison(tmp_path: Path) -> None:
    generator, folders = np.random.default_rng(3), []
    for name, right in (("good", 0.9), ("deaf", 0.5)):
        rows = [
            (f"t{listener}_{vowel}_{time}", vowel, vowel if generator.random() < right else "a", f"l{listener}")
            for listener in range(8)
            for vowel in VOWELS
            for time in range(5)
        ]
        table = pd.DataFrame(rows, columns=["trial", "stimulus", "response", "listener"])
        table.to_csv(tmp_path / f"{name}.tsv", sep="\t", index=False)
        folders.append(finish(tmp_path, name, EXPERIMENT.format(name=name)))
    done = invoke(*folders, "--output", tmp_path / "compared")
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "compared" / "contrasts.tsv", sep="\t")
    own = [pd.read_csv(folder / "vowels" / "assimilation.tsv", sep="\t")["js"] for folder in folders]
    assert len(table) == len([*combinations(VOWELS, 2)])
    assert table["value"].sum() == pytest.approx(own[0].sum())
    assert table["other_value"].sum() == pytest.approx(own[1].sum())
    told = table[(table["q"] < 0.05) & (table["phone"] != "a") & (table["other_phone"] != "a")]
    assert len(told) > 10
    assert (told["difference_low"] > 0).all()

"""How many speakers and utterances are enough: numbers, sentences, files and refusals, from stored results."""

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared_results import finish, write
from scipy import stats
from support import speakers_file
from typer.testing import CliRunner, Result

import phonxling as px
from phonxling.cli import app
from phonxling.core.files import digest
from phonxling.resample.planning import components as planned_components
from phonxling.tables.files import column_names

CONFIGURATION = """\
name: planned
corpora:
  good: {gold: gold.tsv, predicted: good.tsv, speakers: speakers.tsv}
  bad: {gold: gold.tsv, predicted: bad.tsv, speakers: speakers.tsv}
chance: {models: [constant], replicates: 2}
uncertainty: {resamples: 2}
"""
Changed = Callable[..., Path]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems on the utterances of seven speakers, who say unequally many and are heard unequally well."""
    folder, generator = tmp_path_factory.mktemp("planned"), np.random.default_rng(1)
    speakers = np.repeat(np.arange(7), [3, 9, 4, 6, 5, 7, 4])
    names = [f"u{number:02}" for number in range(len(speakers))]
    gold = [generator.choice(list("ptkaiu"), generator.integers(5, 12)).tolist() for _ in names]
    ease = generator.uniform(0.02, 0.5, 7)
    for system, rate in (("good", 1.0), ("bad", 1.7)):
        heard = [
            [
                str(generator.choice(list("ptkaiu"))) if generator.random() < rate * ease[speaker] else phone
                for phone in line
            ]
            for line, speaker in zip(gold, speakers, strict=True)
        ]
        kept = [[phone for phone in line if generator.random() > 0.05 * rate] for line in heard]
        write(folder / f"{system}.tsv", names, kept)
    write(folder / "gold.tsv", names, gold)
    speakers_file(folder / "speakers.tsv", {name: f"s{own}" for name, own in zip(names, speakers, strict=True)})
    return finish(folder, "planned", CONFIGURATION)


@pytest.fixture
def changed(results: Path, tmp_path: Path) -> Changed:
    """Return results whose utterances table was made anew by a function of it, as if a run had written it."""

    def make(change: Callable[[pd.DataFrame], object], name: str = "changed") -> Path:
        folder = tmp_path / name
        shutil.copytree(results, folder)
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        for corpus in ("good", "bad"):
            file = folder / corpus / "utterances.tsv"
            rows = utterances(folder, corpus)
            change(rows)
            rows.to_csv(file, sep="\t", index=False)
            manifest["outputs"][f"{corpus}/utterances.tsv"] = digest(file)
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return folder

    return make


def utterances(folder: Path, corpus: str) -> pd.DataFrame:
    return pd.read_csv(folder / corpus / "utterances.tsv", sep="\t", keep_default_na=False)


def moved(rows: pd.DataFrame, above: str, below: str = "gold_tokens") -> pd.Series:
    ratio = rows[above].sum() / rows[below].sum()
    return (rows[above] - ratio * rows[below]) / rows[below].mean()


def components(y: pd.Series, speaker: pd.Series) -> tuple[float, float]:
    """Return τ² and σ² by an analysis of variance."""
    groups = [y[speaker == name] for name in speaker.unique()]
    within = sum(((group - group.mean()) ** 2).sum() for group in groups) / (len(y) - len(groups))
    size = (len(y) - sum(len(group) ** 2 for group in groups) / len(y)) / (len(groups) - 1)
    means = sum(len(group) * (group.mean() - y.mean()) ** 2 for group in groups) / (len(groups) - 1)
    return max(0.0, (means - within) / size), within


def design(table: pd.DataFrame, item: str, *numbers: float, paired: str = "no") -> pd.Series:
    chosen = table[(table["item"] == item) & (table["paired"] == paired) & (table["needed"] == "no")]
    return chosen[(chosen["speakers"] == numbers[0]) & (chosen["utterances"] == numbers[1])].iloc[0]


@pytest.mark.parametrize(
    ("measure", "above", "below"),
    [
        ("wper", "cost", "gold_tokens"),
        ("accuracy", "correct", "gold_tokens"),
        ("deletion_rate", "deletions", "gold_tokens"),
        ("substitution_rate", "substitutions", "gold_tokens"),
        ("skill_wper", "skill", "chance_cost"),
    ],
)
def test_standard_errors_are_those_of_the_components(results: Path, measure: str, above: str, below: str) -> None:
    table = px.plan(results, measure=None if measure == "wper" else measure, speakers=[12], utterances=[40]).table
    for item in ("good", "bad"):
        rows = utterances(results, item).assign(skill=lambda rows: rows["chance_cost"] - rows["cost"])
        between, within = components(moved(rows, above, below), rows["speaker"])
        found = design(table, item, 12, 40)
        assert found["measure"] == measure
        assert found["standard_error"] == pytest.approx(math.sqrt((between + within / 40) / 12), rel=1e-9)
        assert found["sd_between"] == pytest.approx(math.sqrt(between))
        assert found["sd_within"] == pytest.approx(math.sqrt(within))
        assert found["value"] == pytest.approx(rows[above].sum() / rows[below].sum())


def test_pairs_vary_by_the_difference_of_the_two_systems(results: Path) -> None:
    good, bad = (utterances(results, item) for item in ("good", "bad"))
    between, within = components(moved(good, "cost") - moved(bad, "cost"), good["speaker"])
    found = design(px.plan(results, speakers=[24], utterances=[10]).table, "good", 24, 10, paired="yes")
    assert found["other"] == "bad"
    assert found["standard_error"] == pytest.approx(math.sqrt((between + within / 10) / 24), rel=1e-9)


def test_least_differences_have_the_power_that_they_say(results: Path) -> None:
    """Draws of both mean squares, and the noncentral t of scipy.stats: unpaired 2 (C − 1) degrees of freedom."""
    table, generator = px.plan(results, power=0.9, speakers=[12], utterances=[10]).table, np.random.default_rng(1)
    rows = [utterances(results, name) for name in ("good", "bad")]
    speakers, sizes = rows[0]["speaker"], rows[0].groupby("speaker").size().to_numpy(float)
    for paired, sides in (("no", 2), ("yes", 1)):
        y = moved(rows[0], "cost") - (moved(rows[1], "cost") if sides == 1 else 0)
        parts = planned_components(y.to_numpy(), speakers.factorize()[0], 7)
        found = design(table, "good", 12, 10, paired=paired)
        size = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / 6
        squares = [
            one.value * one.freedom / generator.chisquare(one.freedom, 20_000)
            for one in (parts.speakers, parts.utterances)
        ]
        variances = np.maximum(squares[0] - squares[1] / size, 0) + squares[1] / 10
        error, reach = np.sqrt(sides * variances / 12), stats.t.ppf(0.975, sides * 11)
        power = stats.nct.sf(reach, sides * 11, np.minimum(found["least_difference"] / error, 30))
        assert power.mean() == pytest.approx(0.9, abs=0.01)
        for end, other in (("low", "high"), ("high", "low")):
            shift = found["least_difference"] / (math.sqrt(sides) * found[f"standard_error_{other}"])
            tails = stats.nct.sf(reach, sides * 11, shift) + stats.nct.cdf(-reach, sides * 11, shift)
            assert found[f"power_{end}"] == pytest.approx(tails, abs=1e-6)


def test_the_number_needed_is_the_least_that_is_enough(results: Path) -> None:
    table = px.plan(results, corpus="good", difference=0.02, utterances=[10, 40]).table
    needed = table[table["needed"] == "yes"]
    assert needed["utterances"].tolist() == [10, 40]
    for _, row in needed.iterrows():
        number = int(row["speakers"])
        assert row["difference_power_low"] < row["difference_power"] < row["difference_power_high"]
        around = px.plan(
            results, corpus="good", difference=0.02, speakers=[number - 1, number], utterances=[int(row["utterances"])]
        )
        before, enough = around.table[around.table["needed"] == "no"]["difference_power"]
        assert before < 0.8 <= enough


def test_the_first_design_is_that_of_the_results_or_the_first_wanted(results: Path) -> None:
    own = px.plan(results).table.iloc[0]
    assert (own["speakers"], own["utterances"]) == (7, round(38 / 7))
    first = px.plan(results, speakers=[30, 10], utterances=[5]).table
    assert first[["speakers", "utterances"]].drop_duplicates().to_numpy().tolist() == [[30, 5], [10, 5]]


def test_without_speakers_the_plan_is_over_utterances_and_says_so(changed: Changed) -> None:
    def forget(rows: pd.DataFrame) -> None:
        rows["speaker"] = ""

    def one_each(rows: pd.DataFrame) -> None:
        rows["speaker"] = rows["utterance"]

    unknown, alone = (
        px.plan(changed(how, how.__name__), corpus="good", utterances=[40, 400]).table for how in (forget, one_each)
    )
    pd.testing.assert_frame_equal(unknown, alone)
    row = unknown[unknown["utterances"] == 400].iloc[0]
    assert row["standard_error"] == pytest.approx(math.sqrt(row["sd_within"] ** 2 / 400))
    assert "utterances count as independent" in row["note"]
    assert unknown["speakers"].isna().all()


def test_few_speakers_are_warned_of(changed: Changed) -> None:
    def two(rows: pd.DataFrame) -> None:
        rows["speaker"] = ["a", "b"] * (len(rows) // 2)

    table = px.plan(changed(two), corpus="good", speakers=[2, 6], utterances=[10]).table
    assert table["note"].str.contains("2 speakers only: how much speakers differ is hardly known").all()
    assert table["least_difference"].isna().tolist() == [True, False]  # fewer than five are not tested


def test_without_wper_the_plan_is_of_per(changed: Changed) -> None:
    def unweighted(rows: pd.DataFrame) -> None:
        rows["wper"] = ""

    folder = changed(unweighted)
    assert set(px.plan(folder, speakers=[12]).table["measure"]) == {"per"}
    with pytest.raises(px.DataError, match="good: has no wper by utterance"):
        px.plan(folder, measure="wper")


def test_systems_that_are_not_measured_alike_are_no_pair(results: Path, changed: Changed) -> None:
    folder = changed(lambda _: None)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["configuration"]["uncertainty"]["level"] = 0.9
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    done = invoke(results, folder, "--corpus", "good")
    assert done.exit_code == 0, done.output
    assert "no plan for pairs, since wper is not defined alike: level: 0.95 against 0.9" in " ".join(
        done.stderr.split()
    )
    assert "on the same utterances" not in done.stdout


def test_what_never_varies_has_no_plan(changed: Changed) -> None:
    def perfect(rows: pd.DataFrame) -> None:
        rows["deletions"] = 0

    folder = changed(perfect)
    assert px.plan(folder, measure="deletion_rate", difference=0.1).table["least_difference"].isna().all()
    said = invoke(folder, "--measure", "deletion_rate", "--corpus", "good").stdout
    assert "good: 7 speakers of 5 utterances each: there is no least difference, because nothing varies." in said


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["plan", *map(str, arguments)], catch_exceptions=True)


def test_the_command_says_it_in_a_sentence_and_writes_its_files(results: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = invoke(results, "--difference", 0.05, "--speakers", 12, "--utterances", "40,10", "--output", out)
    assert done.exit_code == 0, done.output
    first, *lines = done.stdout.splitlines()
    assert first.startswith(
        "good: 12 speakers of 40 utterances each find a difference of 0.05 in wPER between two such corpora"
    )
    assert any(line.startswith("A difference of 0.05 takes ") for line in lines), done.stdout
    assert any(line.startswith("good and bad: 12 speakers") and "on the same utterances" in line for line in lines)
    stored = pd.read_csv(out / "plan.tsv", sep="\t")
    assert stored.columns.tolist() == column_names("plan/plan")
    assert (
        stored["least_difference"].tolist()
        == px.plan(results, difference=0.05, speakers=[12], utterances=[40, 10]).table["least_difference"].tolist()
    )
    assert sorted(path.name for path in out.iterdir()) == [
        "differences-plan.pdf",
        "differences-plan.tsv",
        "differences-plan.txt",
        "plan.tsv",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--measure", "conditional_entropy"], "2: no plan for 'conditional_entropy'; there is one for per, wper"),
        (["--measure", "wpr"], "did you mean 'wper'"),
        (["--corpus", "god"], "no corpus with predictions is called 'god'; did you mean 'good'?"),
        (["--power", "1"], "power: is a probability from 0.5 to below 1, not 1"),
        (["--difference", "0"], "difference: must be above 0, not 0"),
        (["--speakers", "6;12"], "2: --speakers 6;12: whole numbers with commas between them, such as 6,12,24"),
        (["--speakers", "1"], "speakers: from 2 to 1,000,000, not 1"),
    ],
)
def test_what_cannot_be_planned_is_refused(results: Path, options: list[str], message: str) -> None:
    found = invoke(results, *options)
    assert isinstance(found.exception, px.PhonxlingError), found.output
    assert message in f"{found.exception.exit_code}: {found.exception}"


def test_a_plan_does_not_write_into_results(results: Path) -> None:
    assert "holds results; choose another folder" in str(invoke(results, "--output", results).exception)


def test_one_speaker_is_no_pilot(changed: Changed) -> None:
    def one(rows: pd.DataFrame) -> None:
        rows["speaker"] = "s"

    with pytest.raises(px.DataError, match="good: has one speaker only, which does not show how speakers differ"):
        px.plan(changed(one))

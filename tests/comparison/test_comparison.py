"""Finished results compared from the command line: numbers, tests, refusals, files."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared_results import ALONE, finish, invoke, misheard, only, refusal, row, table, write
from scipy import stats
from support import speakers_file
from typer.testing import CliRunner

import phonxling as px
from phonxling.analyses import measures, statistics
from phonxling.analyses.statistics import Statistic
from phonxling.cli import app
from phonxling.core.arrays import divided
from phonxling.core.estimate import is_descriptive
from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.pipeline import run
from phonxling.report.findings import undecided
from phonxling.tables.files import read_numbers

PHONES = ("p", "b", "t", "a", "i", "u", "s")
CONFIGURATION = """\
name: {name}
corpora:
  one: {{gold: one/gold.tsv, predicted: one/{predicted}.tsv, speakers: one/speakers.tsv}}
  two: {{gold: two/gold.tsv, predicted: two/{predicted}.tsv, speakers: two/speakers.tsv}}
chance: {{models: [constant, unigram], replicates: 2}}
uncertainty: {{resamples: 200}}
figures: {{formats: [svg]}}
"""
SPEAKERS = ", speakers: one/speakers.tsv"


def write_corpus(folder: Path, noise: dict[str, float], utterances: int, seed: int, phones: tuple[str, ...]) -> None:
    """Write gold, and one file of predictions a system, which mishears each phone with its own probability."""
    generator = np.random.default_rng(seed)
    folder.mkdir()
    names = [f"{folder.name}{number:02d}" for number in range(utterances)]
    gold = [generator.choice(phones, generator.integers(6, 14)) for _ in names]
    ease = generator.uniform(0.5, 1.5, 12)
    write(folder / "gold.tsv", names, gold)
    for system, rate in noise.items():
        rates = [rate * ease[number % 12] for number in range(utterances)]
        heard = [misheard(line, own, generator, PHONES) for line, own in zip(gold, rates, strict=True)]
        write(folder / f"{system}.tsv", names, heard)
    speakers = {name: f"{folder.name}-s{number % 12}" for number, name in enumerate(names)}
    speakers_file(folder / "speakers.tsv", speakers)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("comparison")
    write_corpus(made / "one", {"good": 0.1, "bad": 0.3}, 48, 1, PHONES)
    write_corpus(made / "two", {"good": 0.2, "bad": 0.4}, 36, 2, ("p", "b", "a", "u", "s"))
    for name in ("good", "bad"):
        finish(made, name, CONFIGURATION.format(name=name, predicted=name))
    return made


@pytest.fixture(scope="module")
def good(data: Path) -> Path:
    return data / "results" / "good"


@pytest.fixture(scope="module")
def bad(data: Path) -> Path:
    return data / "results" / "bad"


@pytest.fixture(scope="module")
def compared(data: Path, good: Path, bad: Path) -> Path:
    out = data / "compared"
    found = invoke(good, bad, "--output", out)
    assert found.exit_code == 0, found.output
    assert "wper" in found.stdout
    return out


def summary(results: Path, corpus: str, measure: str, variant: str = "") -> pd.Series:
    return only(read_numbers(results), {"corpus": corpus, "measure": measure, "variant": variant})


def test_items_are_named_by_folder_and_corpus_and_all_pairs_are_compared(compared: Path) -> None:
    rows = table(compared / "comparison.tsv").query("measure == 'per' and test.str.endswith('bootstrap')")
    names = ["good:one", "good:two", "bad:one", "bad:two"]
    assert [(a, b) for a, b in zip(rows["item"], rows["other"], strict=True)] == [
        (a, b) for place, a in enumerate(names) for b in names[place + 1 :]
    ]
    paired = {("good:one", "bad:one"), ("good:two", "bad:two")}
    for a, b, how in zip(rows["item"], rows["other"], rows["paired"], strict=True):
        assert how == ("yes" if (a, b) in paired else "no")


def test_values_and_intervals_are_those_of_the_results(compared: Path, good: Path, bad: Path) -> None:
    for measure, variant in (
        ("per", ""),
        ("wper", ""),
        ("per_aligned", ""),
        ("skill_wper", "best"),
        ("skill_per", "best"),
    ):
        found = row(compared, measure, "good:one", "bad:one", "paired bootstrap")
        for side, results in (("", good), ("other_", bad)):
            stored = summary(results, "one", measure, variant)
            assert found[f"{side}value"] == pytest.approx(stored["value"], rel=1e-12), measure
            assert float(found[f"{side}low"]) == pytest.approx(float(stored["low"]), rel=1e-12), measure
        assert found["difference"] == pytest.approx(found["value"] - found["other_value"])


def test_entropies_are_those_of_the_summary(compared: Path, good: Path) -> None:
    """An oracle of its own: Miller–Madow from the stored alignments, without each speaker in turn."""
    pairs, rows = table(good / "one" / "alignments.tsv"), table(good / "one" / "utterances.tsv")
    speaker = pairs["utterance"].map(rows.set_index("utterance")["speaker"])
    kept = (pairs["gold"] != "∅") & (pairs["predicted"] != "∅")
    without = [conditional(pairs[kept & (speaker != one)]) for one in sorted(set(speaker))]
    expected = 12 * conditional(pairs[kept]) - 11 * np.mean(without)
    found = row(compared, "conditional_entropy", "good:one", "bad:one", "paired bootstrap")
    stored = summary(good, "one", "conditional_entropy", "")
    assert found["value"] == pytest.approx(expected, rel=1e-9)
    assert float(stored["value"]) == pytest.approx(expected, rel=1e-9)
    assert found["low"] < found["value"] < found["high"]
    assert [found["low"], found["high"]] == pytest.approx([float(stored["low"]), float(stored["high"])])


def conditional(pairs: pd.DataFrame) -> float:
    """Return Miller–Madow's H(predicted | gold): that of both less that of gold."""
    counts = [pairs.groupby(key).size().to_numpy() for key in (["gold", "predicted"], ["gold"])]
    bits = [stats.entropy(one, base=2) + (len(one) - 1) / (2 * one.sum() * np.log(2)) for one in counts]
    return float(bits[0] - bits[1])


def test_a_new_statistic_that_is_declared_as_compared_is_in_the_comparison(
    good: Path, bad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = replace(measures.measure("per"), name="heard_otherwise", headline="", title="substituted / aligned")
    statistic = Statistic(
        name="heard_otherwise",
        of=lambda counts: divided(
            np.where(counts.same[..., None], 0.0, counts.pairs).sum(axis=(0, 1)), counts.pairs.sum(axis=(0, 1))
        ),
    )
    every = (*measures.measures(), declared)
    monkeypatch.setattr(measures, "measures", lambda: every)
    monkeypatch.setattr(measures, "measures_by_name", lambda: {one.name: one for one in reversed(every)})
    monkeypatch.setattr(statistics, "STATISTICS", (*statistics.STATISTICS, statistic))
    rows = px.compare([good, bad]).comparison.query("measure == 'heard_otherwise' and item == 'good:one'")
    found = rows[rows["other"] == "bad:one"].set_index("test")
    assert set(found.index) == {"paired bootstrap", "approximate randomisation"}
    pairs = table(good / "one" / "alignments.tsv").query("gold != '∅' and predicted != '∅'")
    one = found.loc["paired bootstrap"]
    assert one["value"] == pytest.approx((pairs["gold"] != pairs["predicted"]).mean())
    assert one["low"] < one["value"] < one["high"] < one["other_value"]
    assert one["difference_low"] < one["difference"] < one["difference_high"] < 0
    assert (found["p"] < 0.01).all()
    assert (one["unit"], one["variant"]) == ("ratio", "")


def test_the_paired_error_is_that_of_a_bootstrap_over_speakers(compared: Path, good: Path, bad: Path) -> None:
    """An oracle of its own: speakers drawn by name, the rates' difference, its standard deviation."""
    sides = [table(folder / "one" / "utterances.tsv").set_index("utterance") for folder in (good, bad)]
    sums = [side.groupby("speaker")[["cost", "gold_tokens"]].sum().sort_index().to_numpy() for side in sides]
    generator, differences = np.random.default_rng(9), []
    for _ in range(4000):
        drawn = generator.integers(0, 12, 12)
        totals = [part[drawn].sum(axis=0) for part in sums]
        differences.append(totals[0][0] / totals[0][1] - totals[1][0] / totals[1][1])
    found = row(compared, "wper", "good:one", "bad:one", "paired bootstrap")
    error = np.std(differences) * np.sqrt(12 / 11)
    width = float(found["difference_high"]) - float(found["difference_low"])
    assert width == pytest.approx(2 * stats.t.ppf(0.975, 11) * error, rel=0.15)
    p = 2 * stats.t.sf(abs(float(found["difference"])) / error, 11)
    assert np.log(found["p"]) == pytest.approx(np.log(p), rel=0.25)


def test_the_least_difference_is_that_of_the_error_and_is_said(compared: Path) -> None:
    found = row(compared, "per", "good:one", "bad:one", "paired bootstrap")
    error = (float(found["difference_high"]) - float(found["difference_low"])) / 2 / stats.t.ppf(0.975, 11)
    ratios = 11 / np.random.default_rng(1).chisquare(11, 20_000)  # of the true variance to its estimate

    def power(difference: float) -> float:
        shift, reach = difference / (error * np.sqrt(ratios)), stats.t.ppf(0.975, 11)
        return float(np.mean(stats.nct.sf(reach, 11, shift)))

    assert power(float(found["least_difference"])) == pytest.approx(0.8, abs=0.01)
    told = {"item": "a", "other": "b", "measure": "per", "variant": "", "unit": "ratio", "q": 0.2, "level": 0.95}
    told["least_difference"] = 0.0312
    assert undecided([told]).endswith("this comparison finds these differences (p below 0.05): PER 0.0312.")
    assert undecided([{**told, "q": 0.01}]) == ""
    assert undecided([{**told, "q": np.nan}]) == ""


def test_the_checks_stand_beside_the_paired_bootstrap_alone(compared: Path) -> None:
    rows = table(compared / "comparison.tsv")
    checks = rows[rows["test"].eq("approximate randomisation")]
    assert set(checks["paired"]) == {"yes"}
    assert row(compared, "per_aligned", "good:one", "bad:one", "approximate randomisation")["p"] < 0.01
    assert {*rows["test"]} == {"paired bootstrap", "unpaired bootstrap", "approximate randomisation"}


def test_q_is_corrected_over_the_tests_of_one_kind_and_their_number_is_told(compared: Path) -> None:
    rows = table(compared / "comparison.tsv")
    for kind in ("bootstrap", "approximate randomisation"):
        own = rows[rows["test"].str.endswith(kind) & rows["p"].notna()]
        assert own["q"].tolist() == pytest.approx(stats.false_discovery_control(own["p"]).tolist())
        assert set(own["comparisons"]) == {len(own)}
    assert set(rows["correction"]) == {"benjamini-hochberg"}


def test_shared_phones_and_features_are_compared(compared: Path, good: Path) -> None:
    phones = table(compared / "phones.tsv")
    assert set(phones.query("item == 'good:one' and other == 'good:two'")["phone"]) == {"p", "b", "a", "u", "s"}
    stored = table(good / "one" / "phones.tsv").query("side == 'gold' and phone == 'p'").iloc[0]
    first = phones.query("item == 'good:one' and other == 'bad:one' and phone == 'p'").set_index("measure")
    assert first.loc["accuracy", "value"] == pytest.approx(float(stored["accuracy"]))
    assert first.loc["entropy", "value"] == pytest.approx(float(stored["entropy"]))
    features = table(compared / "features.tsv")
    stored = table(good / "one" / "features.tsv").set_index("feature")
    chosen = features.query("item == 'good:one' and other == 'bad:one' and feature == 'voi'").set_index("measure")
    assert chosen.loc["changed", "value"] == pytest.approx(float(stored.loc["voi", "changed"]))
    assert chosen.loc["transfer", "value"] == pytest.approx(float(stored.loc["voi", "transfer"]))


def test_cells_are_those_of_the_confusions_and_corrected_by_pair(compared: Path, data: Path) -> None:
    cells = table(compared / "cells.tsv")
    assert len(cells) > 30
    for (item, other), rows in cells.groupby(["item", "other"]):
        assert rows["q"].tolist() == pytest.approx(stats.false_discovery_control(rows["p"]).tolist())
        assert set(rows["comparisons"]) == {len(rows)}
        assert set(rows["paired"]) == {"yes" if item.partition(":")[2] == other.partition(":")[2] else "no"}
        for side, prefix in ((item, ""), (other, "other_")):
            results, _, corpus = side.partition(":")
            stored = table(data / "results" / results / corpus / "confusions.tsv").set_index(["gold", "predicted"])
            shares = [
                stored["p_predicted_given_gold"].get(cell, 0)
                for cell in zip(rows["gold"], rows["predicted"], strict=True)
            ]
            assert rows[f"{prefix}value"].astype(float).tolist() == pytest.approx([float(share) for share in shares])


def test_every_missing_number_has_a_reason(compared: Path) -> None:
    for name in ("comparison", "phones", "features", "cells"):
        rows = table(compared / f"{name}.tsv")
        assert (rows.loc[rows["p"].isna(), "note"] != "").all(), name


def test_the_ranking_has_the_best_first_beside_chance(compared: Path, good: Path) -> None:
    rows = table(compared / "ranking.tsv").query("measure == 'per'")
    assert rows["value"].is_monotonic_increasing
    assert float(rows["chance"].iloc[0]) == pytest.approx(summary(good, "one", "chance_per", "best")["value"])
    assert (compared / "figures" / "rates.svg").exists()


def test_the_python_interface_gives_the_same_tables(compared: Path, good: Path, bad: Path) -> None:
    found = px.compare([good, bad])
    for name in ("comparison", "phones", "features", "cells", "ranking", "settings"):
        stored = table(compared / f"{name}.tsv")
        made = getattr(found, name)
        assert list(made.columns) == list(stored.columns)
        if "p" in made:
            assert made["p"].to_numpy(float) == pytest.approx(stored["p"].to_numpy(float), nan_ok=True, rel=1e-12)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_another_seed_nearly_the_same_error(
    data: Path, compared: Path, good: Path, bad: Path
) -> None:
    for seed, name in ((20, "again"), (21, "other")):
        assert invoke(good, bad, "--output", data / name, "--seed", seed).exit_code == 0
    files = [
        path.relative_to(compared) for path in compared.rglob("*") if path.is_file() and path.name != "manifest.json"
    ]
    assert all((data / "again" / path).read_bytes() == (compared / path).read_bytes() for path in files)
    first, second = (
        row(folder, "per", "good:one", "bad:one", "paired bootstrap") for folder in (compared, data / "other")
    )
    widths = [float(one["difference_high"]) - float(one["difference_low"]) for one in (first, second)]
    assert widths[0] != widths[1]
    assert widths[0] == pytest.approx(widths[1], rel=0.25)


def test_the_manifest_names_every_input_and_output(compared: Path) -> None:
    found = json.loads((compared / "manifest.json").read_text(encoding="utf-8"))
    assert found["kind"] == "comparison"
    assert found["settings"]["seed"] == 20
    assert {f"../results/{name}/manifest.json" for name in ("good", "bad")} <= set(found["inputs"])
    listed = {path.relative_to(compared).as_posix() for path in compared.rglob("*") if path.is_file()}
    assert listed == {*found["outputs"], "manifest.json"}


def test_verify_reads_a_comparison_and_names_what_changed(data: Path, compared: Path) -> None:
    found = CliRunner().invoke(app, ["verify", str(compared)], catch_exceptions=False)
    assert found.stdout.endswith(": as the manifest says\n")
    shutil.copytree(compared, data / "changed")
    (data / "changed" / "phones.tsv").write_text("phone\n", encoding="utf-8")
    manifest = (data / "changed" / "manifest.json").read_text(encoding="utf-8")
    (data / "changed" / "manifest.json").write_text(manifest.replace("results/bad/two", "results/bad/three"), "utf-8")
    said = str(CliRunner().invoke(app, ["verify", str(data / "changed")]).exception)
    assert "phones.tsv: was changed after it was written" in said
    assert "input ../results/bad/three/alignments.tsv: is not in " in said


def test_report_draws_the_ranking_again(compared: Path) -> None:
    figure = compared / "figures" / "rates.svg"
    before = figure.read_bytes()
    figure.unlink()
    assert CliRunner().invoke(app, ["report", str(compared)], catch_exceptions=False).exit_code == 0
    assert figure.read_bytes() == before


def test_corpora_of_one_folder_are_named_by_themselves_and_can_be_held_against_one(data: Path, good: Path) -> None:
    said = invoke(good, "--output", data / "languages", "--against", "two", "--correction", "holm").stdout
    rows = table(data / "languages" / "comparison.tsv")
    assert f"unpaired bootstrap; q: holm over {rows['comparisons'].iloc[0]} comparisons" in said
    assert set(zip(rows["item"], rows["other"], strict=True)) == {("one", "two")}
    assert set(rows["test"]) == {"unpaired bootstrap"}
    assert set(rows["correction"]) == {"holm"}
    assert "there is no such item; the items are one, two" in refusal(good, "--output", data / "x", "--against", "six")


@pytest.mark.slow
def test_unpaired_errors_are_wider_than_paired_ones(data: Path, compared: Path, good: Path, bad: Path) -> None:
    assert invoke(good, bad, "--output", data / "apart", "--paired", "no").exit_code == 0
    apart = row(data / "apart", "per", "good:one", "bad:one", "unpaired bootstrap")
    together = row(compared, "per", "good:one", "bad:one", "paired bootstrap")
    assert apart["p"] > together["p"]
    assert "48 of 48 and 48 utterances are the same, but taken as independent" in str(apart["note"])
    assert "independent" not in str(together["note"])


def of_one_corpus(data: Path, name: str, predicted: str, *settings: str) -> Path:
    text = ALONE.format(name=name, gold="one/gold.tsv", predicted=f"one/{predicted}.tsv")
    return finish(data, name, text, *settings)


@pytest.mark.slow
def test_numbers_that_are_not_defined_alike_are_refused_or_marked(data: Path, good: Path) -> None:
    other = of_one_corpus(data, "unit", "good", "alignment.costs=unit", "entropy.gaps=include")
    said = refusal(good, other, "--output", data / "x")
    assert said.startswith("2: ")
    assert "costs: panphon (good:one, good:two); unit (unit:one)" in said
    assert "--allow-different" in said
    assert not (data / "x").exists()
    found = invoke(good, other, "--output", data / "marked", "--allow-different")
    lines = found.stdout.splitlines()
    assert lines[0].startswith("NOT ALIKE: ")
    assert any("good:one and unit:one" in line and line.endswith("costs: panphon against unit") for line in lines[:6])
    assert "wper ≠" in found.stdout
    assert "per ≠" not in found.stdout.replace("wper ≠", "").replace("skill_per ≠", "")
    ranked = table(data / "marked" / "ranking.tsv").set_index("measure")["note"]
    assert set(ranked["wper"]) == {"not defined alike in all items: see comparison.tsv"}
    assert set(ranked["per"]) == {""}
    marked = row(data / "marked", "wper", "good:one", "unit:one", "paired bootstrap")
    assert "not alike: costs: panphon against unit" in str(marked["note"])
    assert " / " in str(marked["signatures"])
    alike = row(data / "marked", "per", "good:one", "unit:one", "paired bootstrap")
    assert "not alike" not in str(alike["note"])
    cells = table(data / "marked" / "cells.tsv")
    assert not cells["note"].str.contains("gaps").any()  # cells are counted without ∅
    chosen = table(data / "marked" / "settings.tsv")
    assert ["alignment.costs", "unit:one", "unit"] in chosen.to_numpy().tolist()


@pytest.mark.slow
def test_the_best_of_other_chance_models_is_another_chance(data: Path, good: Path) -> None:
    other = of_one_corpus(data, "constant", "good", "chance.models=[constant]")
    assert "chance: constant unigram (good:one, good:two); constant (constant:one)" in refusal(
        good, other, "--output", data / "x"
    )
    assert invoke(good, other, "--output", data / "chances", "--allow-different").exit_code == 0
    pair = ("good:one", "constant:one", "paired bootstrap")
    assert "not alike: chance" in str(row(data / "chances", "skill_wper", *pair)["note"])
    assert "not alike" not in str(row(data / "chances", "wper", *pair)["note"])


@pytest.mark.slow
def test_utterances_shared_in_part_are_unpaired_and_told(data: Path, good: Path) -> None:
    names = [f"one{number:02d}" for number in range(30)]
    for side in ("gold", "bad"):
        lines = (data / "one" / f"{side}.tsv").read_text(encoding="utf-8").splitlines()
        (data / f"part-{side}.tsv").write_text(
            "\n".join([lines[0], *(x for x in lines if x[:5] in names)]) + "\n", encoding="utf-8"
        )
    text = ALONE.format(name="part", gold="part-gold.tsv", predicted="part-bad.tsv").replace(SPEAKERS, "")
    part = finish(data, "part", text)
    assert invoke(good, part, "--output", data / "parts").exit_code == 0
    found = row(data / "parts", "per", "good:one", "part:one", "unpaired bootstrap")
    assert "30 of 48 and 30 utterances are the same, but taken as independent" in str(found["note"])
    said = refusal(good, part, "--output", data / "x", "--paired", "yes")
    assert said.startswith("1: ")
    assert "18 utterances of good:one are not in part:one, such as one30" in said


@pytest.mark.slow
def test_languages_without_a_shared_phone_have_no_rows_of_phones(data: Path) -> None:
    folders = []
    for name, phones in (("ours", ["p", "a"]), ("theirs", ["b", "i"])):
        write(data / f"{name}.tsv", [f"{name}{number}" for number in range(12)], [phones * 3] * 12)
        text = ALONE.format(name=name, gold=f"{name}.tsv", predicted=f"{name}.tsv").replace(SPEAKERS, "")
        folders.append(finish(data, name, text, "uncertainty.cluster=utterance"))
    found = invoke(*folders, "--output", data / "strangers")
    assert found.exit_code == 0
    assert "no two items share a gold phone" in found.stderr
    assert table(data / "strangers" / "phones.tsv").empty
    perfect = row(data / "strangers", "per", "ours", "theirs", "unpaired bootstrap")
    assert perfect["difference"] == 0
    assert "do not differ" in str(perfect["note"])


@pytest.mark.slow
def test_one_speaker_or_few_and_speakers_of_the_same_name_are_told(data: Path, good: Path) -> None:
    names = [f"one{number:02d}" for number in range(48)]
    for name, number in (("lonely", 1), ("few", 4)):
        speakers_file(data / f"{name}.tsv", {one: f"one-s{place % number}" for place, one in enumerate(names)})
        of_one_corpus(data, name, "bad", f"corpora.one.speakers.path={data / name}.tsv")
    assert invoke(data / "results" / "lonely", good, "--output", data / "lone", "--paired", "no").exit_code == 0
    found = row(data / "lone", "per", "lonely:one", "good:two", "unpaired bootstrap")
    assert np.isnan(found["p"])
    assert "no test: lonely:one has 1 speaker only" in found["note"]
    assert invoke(data / "results" / "few", good, "--output", data / "fewer").exit_code == 0
    found = row(data / "fewer", "per", "few:one", "good:one", "paired bootstrap")
    assert np.isnan(found["p"])
    assert "few:one has 3.9 effective speakers only, and a test needs 5" in found["note"]
    assert is_descriptive(found["note"])
    assert "name other speakers" in found["note"]


def test_what_cannot_be_compared_is_refused(data: Path, good: Path, bad: Path, compared: Path, tmp_path: Path) -> None:
    out = ("--output", tmp_path / "out")
    assert "2: " in refusal(good, good, *out)
    assert "is given twice" in refusal(good, bad, data / "results" / "." / "good", *out)
    assert "no folder of finished results" in refusal(good, tmp_path / "missing", *out)
    assert "is a comparison" in refusal(good, compared, *out)
    alone = of_one_corpus(data, "alone", "bad")
    assert "needs two or more corpora" in refusal(alone, *out)
    assert not (tmp_path / "out").exists()


def test_unfinished_and_changed_results_are_refused(good: Path, bad: Path, tmp_path: Path) -> None:
    shutil.copytree(bad, tmp_path / "copy")
    stored = tmp_path / "copy" / "one" / "utterances.tsv"
    stored.write_text(stored.read_text(encoding="utf-8").replace("one-s3", "one-s4"), encoding="utf-8")
    assert "utterances.tsv: was changed" in refusal(good, tmp_path / "copy", "--output", tmp_path / "out")
    stored.unlink()
    assert "cannot be read" in refusal(good, tmp_path / "copy", "--output", tmp_path / "out")
    (tmp_path / "copy" / "manifest.json").write_text("{}", encoding="utf-8")
    assert "is no manifest of results" in refusal(good, tmp_path / "copy", "--output", tmp_path / "out")
    (tmp_path / "copy" / "manifest.json").unlink()
    assert "no folder of finished results" in refusal(good, tmp_path / "copy", "--output", tmp_path / "out")


def test_an_output_folder_that_holds_other_things_is_kept(
    data: Path, good: Path, bad: Path, compared: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert "choose an empty folder" in refusal(good, bad, "--output", tmp_path)
    assert "results of another kind (experiment)" in refusal(good, bad, "--output", good)
    assert "holds files that are no results" in refusal(good, bad, "--output", data)
    shutil.copytree(bad, tmp_path / "third")
    assert "results of another kind (experiment)" in refusal(good, bad, "--output", tmp_path / "third")
    with pytest.raises(px.ConfigurationError, match=r"another kind \(comparison\)"):
        run(load_configuration(data / "good.yaml"), compared, SERIAL, Silent())


def test_a_wrong_choice_is_named(good: Path, bad: Path) -> None:
    with pytest.raises(px.ConfigurationError, match="paired: 'maybe' is none of auto, yes, no"):
        px.compare([good, bad], paired="maybe")  # type: ignore[arg-type]
    with pytest.raises(px.ConfigurationError, match="needs resamples"):
        px.compare([good, bad], resamples=0)


def test_the_ranking_has_letters_of_the_items_that_its_tests_do_not_tell_apart(compared: Path) -> None:
    tests, ranking = table(compared / "comparison.tsv"), table(compared / "ranking.tsv")
    tests = tests[tests["test"].str.endswith("bootstrap")]
    assert set(ranking["measure"])
    for name, ranked in ranking.groupby("measure"):
        letters = dict(zip(ranked["item"], ranked["group"], strict=True))
        assert all(letters.values())
        for one, other, q in tests[tests["measure"] == name][["item", "other", "q"]].itertuples(index=False):
            assert bool({*letters[one]} & {*letters[other]}) == (float(q) >= 0.05), (name, one, other)

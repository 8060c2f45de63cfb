"""Finished results compared from the command line: numbers, tests, refusals, files."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared_results import ALONE, finish, invoke, misheard, only, own_table, printed, refusal, row, table, write
from scipy import stats
from support import speakers_file
from typer.testing import CliRunner

import phonxling as px
from phonxling.analyses.languages import ranked_items
from phonxling.cli import app
from phonxling.configuration.reading import load_configuration
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.pipeline import run
from phonxling.report.findings import undecided_measures, verdict
from phonxling.results.tables import column_names
from phonxling.stats.p_values import detectable_difference
from phonxling.stats.student import spread_of

PHONES = ("p", "b", "t", "a", "i", "u", "s")
CONFIGURATION = """\
name: {name}
corpora:
  one: {{gold: one/gold.tsv, predicted: one/{predicted}.tsv, speakers: one/speakers.tsv}}
  two: {{gold: two/gold.tsv, predicted: two/{predicted}.tsv, speakers: two/speakers.tsv}}
chance: {{models: [constant, unigram], replicates: 2}}
figures: {{formats: [svg]}}
"""
SPEAKERS = ", speakers: one/speakers.tsv"
PAIRED, UNPAIRED = ("good:one", "bad:one"), ("good:one", "good:two")
NAMES = ("differences", "phones", "confusions", "features")


def write_corpus(folder: Path, noise: dict[str, float], utterances: int, seed: int, phones: tuple[str, ...]) -> None:
    """Write gold, and one file of predictions a system, which replaces each phone with its own probability."""
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
    assert "By skill of wPER, the best first: good:one " in found.stdout
    assert max(map(len, found.stdout.splitlines()[1:-1])) <= 80
    assert found.stdout.endswith(f"comparison: {out / 'report.html'}\n")
    return out


def test_items_are_named_by_folder_and_corpus_and_all_pairs_are_compared(compared: Path) -> None:
    rows = table(compared / "differences.tsv").query("measure == 'per'")
    names = ["good:one", "good:two", "bad:one", "bad:two"]
    pairs = [*zip(rows["item"], rows["other"], strict=True)]
    assert pairs == [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    same = [a.partition(":")[2] == b.partition(":")[2] for a, b in pairs]
    assert rows["test"].tolist() == ["paired" if one else "unpaired" for one in same]
    assert set(rows["status"]) == {""}
    for name in NAMES:  # every number that is missing has a reason
        every = table(compared / f"{name}.tsv")
        assert (every.loc[every["q"].isna(), "status"] != "").all(), name


def left_out(folder: Path, corpus: str, measure: str) -> tuple[np.ndarray, float]:
    """Return a measure without each speaker in turn, one after the other, and how many equal ones they are worth."""
    rows, pairs = (own_table(folder, name, corpus) for name in ("utterances", "alignments"))
    speaker = pairs["utterance"].map(rows.set_index("utterance")["speaker"])
    kept = (pairs["gold"] != "∅") & (pairs["predicted"] != "∅")
    values = []
    for one in sorted(set(rows["speaker"])):
        own = rows[rows["speaker"] != one].sum(numeric_only=True)
        if measure == "conditional_entropy":
            values.append(conditional(pairs[kept & (speaker != one)]))
        elif measure == "wper":
            values.append(own["cost"] / own["gold_tokens"])
        else:
            values.append(1 - own["cost"] / own["chance_cost"])
    tokens = rows.groupby("speaker")["gold_tokens"].sum()
    return np.array(values), tokens.sum() ** 2 / (tokens**2).sum()


def conditional(pairs: pd.DataFrame) -> float:
    """Return Miller–Madow's H(predicted | gold): that of both less that of gold."""
    counts = [pairs.groupby(key).size().to_numpy() for key in (["gold", "predicted"], ["gold"])]
    bits = [stats.entropy(one, base=2) + (len(one) - 1) / (2 * one.sum() * np.log(2)) for one in counts]
    return float(bits[0] - bits[1])


def error_of(values: np.ndarray) -> float:
    return float(np.sqrt((len(values) - 1) * values.var()))


@pytest.mark.parametrize("measure", ["wper", "skill_wper", "conditional_entropy"])
@pytest.mark.parametrize("pair", [PAIRED, UNPAIRED])
def test_limits_p_and_least_difference_are_those_of_a_jackknife_loop(
    compared: Path, data: Path, measure: str, pair: tuple[str, str]
) -> None:
    found = row(compared, measure, *pair)
    sides = [left_out(data / "results" / name.partition(":")[0], name.partition(":")[2], measure) for name in pair]
    (own, worth), (other, other_worth) = sides
    if found["test"] == "paired":
        error, freedom = error_of(own - other), worth - 1
    else:
        parts = [error_of(own) ** 2, error_of(other) ** 2]
        error = np.sqrt(sum(parts))
        freedom = error**4 / (parts[0] ** 2 / (worth - 1) + parts[1] ** 2 / (other_worth - 1))
    difference = float(found["value"]) - float(found["other_value"])
    for value, name in zip((found["value"], found["other_value"]), pair, strict=True):
        stored = own_table(data / "results" / name.partition(":")[0], "summary", name.partition(":")[2])
        variant = "best" if measure == "skill_wper" else ""
        assert value == pytest.approx(float(only(stored, {"measure": measure, "variant": variant})["value"]), rel=1e-12)
    assert float(found["difference"]) == pytest.approx(difference)
    assert float(found["p"]) == pytest.approx(2 * stats.t.sf(abs(difference) / error, freedom), rel=1e-6)
    margin = stats.t.ppf(0.975, freedom) * error
    assert float(found["low"]) == pytest.approx(difference - margin)
    assert float(found["high"]) == pytest.approx(difference + margin)
    tests = table(compared / "differences.tsv")["p"].count()
    least = detectable_difference(spread_of(error**2, freedom, 12.0), 0.95, int(tests))[0]
    assert float(found["least_difference"]) == pytest.approx(least, rel=1e-6)


def test_q_is_corrected_over_all_tests_of_a_table_and_randomisation_stands_beside_the_paired(compared: Path) -> None:
    rows = table(compared / "differences.tsv")
    tested = rows[rows["p"].notna()]
    assert tested["q"].tolist() == pytest.approx(stats.false_discovery_control(tested["p"]).tolist())
    checked = rows[rows["randomisation"].notna()]
    assert set(checked["test"]) == {"paired"}
    assert row(compared, "substitution_rate", *PAIRED)["randomisation"] < 0.01


def test_no_clear_difference_says_what_would_have_been_found_at_the_level_over_the_number_of_tests() -> None:
    row = {"item": "a", "other": "b", "measure": "per", "variant": "", "q": 0.2, "least_difference": 0.0312}
    assert undecided_measures([row], 11, 0.95).endswith("found in 80 % of studies (p below 0.05/11): PER 0.0312.")
    assert undecided_measures([{**row, "q": 0.01}, {**row, "q": np.nan}], 11, 0.95) == ""


def test_items_are_ranked_with_the_letters_of_the_measures_own_tests(compared: Path) -> None:
    tests = table(compared / "differences.tsv")
    for name in ("per", "skill_wper", "conditional_entropy"):
        ranked = ranked_items(tests, name)
        values = [value for value, _ in ranked.values()]
        assert values == sorted(values, reverse=name == "skill_wper")
        for one, other, q in tests[tests["measure"] == name][["item", "other", "q"]].itertuples(index=False):
            assert bool({*ranked[one][1]} & {*ranked[other][1]}) == (q >= 0.05), (name, one, other)


DIFFERENCE = {"item": "a", "other": "b", "measure": "wper", "variant": "", "value": 0.1, "other_value": 0.2}
DIFFERENCE |= {"difference": -0.1, "low": -0.15, "high": -0.05, "q": 0.01, "test": "paired", "status": ""}
DIFFERENCE |= {"least_difference": 0.08}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "a is better than b: wPER 0.100 against 0.200, difference −0.100 [−0.150, −0.050], q = 0.01."),
        ({"measure": "skill_wper", "variant": "best", "test": "unpaired"}, "b is recognised better than a: skill of "),
        ({"q": 0.3}, "q = 0.3. With this much data, a difference of 0.0800 would be found in 80 % of studies."),
        ({"q": np.nan, "test": "none"}, "a and b are not tested: wPER 0.100 against 0.200."),
        ({"q": np.nan, "test": "none", "status": "not-above-chance"}, "Nothing is tested between a and b, "),
    ],
)
def test_the_first_sentence_says_which_is_better(changed: dict[str, object], said: str) -> None:
    names = {"a": "a", "b": "b"}
    assert said in verdict(pd.DataFrame([{**DIFFERENCE, **changed}]), names)


def test_of_several_not_all_of_which_are_tested_the_best_stands_first_without_letters() -> None:
    untested = {"other": "c", "value": 0.1, "other_value": 0.05, "q": np.nan, "test": "none"}
    rows = [DIFFERENCE, {**DIFFERENCE, **untested}, {**DIFFERENCE, **untested, "item": "b", "value": 0.2}]
    found = verdict(pd.DataFrame(rows), {name: name for name in "abc"})
    assert found == "By wPER, the best first: c 0.0500, a 0.100, b 0.200. Pairs that differ clearly: 1 of 1 tested."


def test_shared_phones_are_compared_as_they_stand_in_the_results(compared: Path, good: Path) -> None:
    phones = table(compared / "phones.tsv")
    assert set(phones.query("item == 'good:one' and other == 'good:two'")["phone"]) == {"p", "b", "a", "u", "s"}
    stored = own_table(good, "phones").query("side == 'gold' and phone == 'p'").iloc[0]
    first = phones.query("item == 'good:one' and other == 'bad:one' and phone == 'p'").set_index("measure")
    for name in ("accuracy", "entropy"):
        assert first.loc[name, "value"] == pytest.approx(float(stored[name]))


@pytest.mark.parametrize("pair", [PAIRED, UNPAIRED])
def test_features_are_compared_phone_by_phone(compared: Path, data: Path, pair: tuple[str, str]) -> None:
    """An oracle: voicing by speaker from the stored alignments, weights of Mantel & Haenszel, one speaker less each."""
    voiced, sides = {*"baiu"}, []
    for name in pair:
        results, _, corpus = name.partition(":")
        folder = data / "results" / results
        rows = own_table(folder, "utterances", corpus).set_index("utterance")
        pairs = own_table(folder, "alignments", corpus).query("gold != '∅' and predicted != '∅'")
        changed = pairs["gold"].isin(voiced) != pairs["predicted"].isin(voiced)
        pairs = pairs.assign(changed=changed, speaker=pairs["utterance"].map(rows["speaker"]))
        sides.append(pairs.pivot_table("changed", "speaker", "gold", aggfunc=["sum", "size"], fill_value=0))
    phones = sorted({*sides[0]["size"].columns} & {*sides[1]["size"].columns})
    totals = [side["size"][phones].sum() for side in sides]
    weights = totals[0] * totals[1] / (totals[0] + totals[1])

    def share(side: pd.DataFrame) -> float:
        sums = {name: side[name][phones].sum() for name in ("sum", "size")}
        return float((weights * sums["sum"] / sums["size"]).sum() / weights.sum())

    without = [np.array([share(side.drop(index=one)) for one in side.index]) for side in sides]
    found = only(
        table(compared / "features.tsv"),
        {"item": pair[0], "other": pair[1], "feature": "voi", "measure": "changed"},
    )
    assert [found["value"], found["other_value"]] == pytest.approx([share(side) for side in sides])
    paired = pair == PAIRED
    error = error_of(without[0] - without[1]) if paired else np.hypot(*map(error_of, without))
    width = float(found["high"]) - float(found["low"])
    freedoms = (8, 12) if paired else (12, 23)  # speakers have unequal numbers of these phones
    assert 2 * stats.t.ppf(0.975, freedoms[1]) * error < width < 2 * stats.t.ppf(0.975, freedoms[0]) * error
    other = table(compared / "features.tsv").query("measure == 'transferred'")
    assert other["q"].isna().all()


def test_cells_are_those_of_the_confusions_and_corrected_by_pair(compared: Path, data: Path) -> None:
    cells = table(compared / "confusions.tsv")
    assert len(cells) > 30
    for (item, other), rows in cells.groupby(["item", "other"]):
        assert rows["q"].notna().all()
        for side, prefix in ((item, ""), (other, "other_")):
            results, _, corpus = side.partition(":")
            pairs = own_table(data / "results" / results, "alignments", corpus).query("predicted != '∅'")
            shares = pairs.groupby("gold")["predicted"].value_counts(normalize=True)
            wanted = [shares.get(cell, 0) for cell in zip(rows["gold"], rows["predicted"], strict=True)]
            assert rows[f"{prefix}value"].astype(float).tolist() == pytest.approx(wanted)


def test_the_python_interface_gives_the_same_tables(compared: Path, good: Path, bad: Path) -> None:
    found = px.compare([good, bad])
    assert len(repr(found)) < 200
    for name in NAMES:
        stored, made = table(compared / f"{name}.tsv"), getattr(found, name)
        assert list(made.columns) == list(stored.columns) == column_names(f"comparison/{name}")
        assert made["q"].to_numpy(float) == pytest.approx(stored["q"].to_numpy(float), nan_ok=True, rel=1e-12)


def test_another_seed_moves_randomisation_alone(compared: Path, good: Path, bad: Path) -> None:
    first, again, other = (px.compare([good, bad], seed=seed).differences for seed in (20, 20, 21))
    pd.testing.assert_frame_equal(first, again, check_exact=True)
    assert first["randomisation"].tolist() == pytest.approx(
        table(compared / "differences.tsv")["randomisation"], nan_ok=True
    )
    assert [name for name in first if not first[name].equals(other[name])] == ["randomisation"]


@pytest.mark.parametrize("form", ["{}.wav", "a/{upper}.flac"])
def test_the_same_two_systems_under_other_ids_give_exactly_the_same_numbers(
    data: Path, form: str, tmp_path: Path
) -> None:
    (tmp_path / "one").mkdir()
    for name in ("gold", "bad", "speakers"):
        head, *lines = (data / "one" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        ids = [line.partition("\t") for line in lines]
        named = ["\t".join([form.format(one, upper=one.upper()), rest]) for one, _, rest in ids]
        (tmp_path / "one" / f"{name}.tsv").write_text("\n".join([head, *named, ""]), encoding="utf-8")
    text = ALONE.format(name="b", gold="one/gold.tsv", predicted="one/bad.tsv")
    plain, renamed = finish(data, "b", text), finish(tmp_path, "b", text)
    alone = finish(data, "alone", text.replace("bad.tsv", "good.tsv"))
    for order in (1, -1):
        found = [px.compare([alone, other][::order]) for other in (plain, renamed)]
        for name in NAMES:
            one, other = (getattr(each, name) for each in found)
            pd.testing.assert_frame_equal(one, other, check_exact=True)
    assert set(found[0].differences["test"]) == {"paired"}


def test_the_manifest_names_every_file_and_verify_what_changed(data: Path, compared: Path) -> None:
    manifest = (compared / "manifest.json").read_text(encoding="utf-8")
    listed = {path.relative_to(compared).as_posix() for path in compared.rglob("*") if path.is_file()}
    assert listed == {*json.loads(manifest)["outputs"], "manifest.json"}
    found = CliRunner().invoke(app, ["verify", str(compared)], catch_exceptions=False)
    assert found.stdout.endswith(": as the manifest says\n")
    changed = shutil.copytree(compared, data / "changed")
    (changed / "phones.tsv").write_text("phone\n", encoding="utf-8")
    (changed / "manifest.json").write_text(manifest.replace("results/bad/", "results/bad-one/"), "utf-8")
    problems = str(CliRunner().invoke(app, ["verify", str(changed)]).exception)
    assert "phones.tsv: was changed after it was written" in problems
    assert "input ../results/bad-one/alignments.tsv: is not in " in problems


def test_corpora_of_one_folder_are_named_by_themselves_and_can_be_held_against_one(data: Path, good: Path) -> None:
    said = invoke(good, "--output", data / "languages", "--against", "two").stdout
    rows = table(data / "languages" / "differences.tsv")
    assert f"Tests: unpaired. q: Benjamini and Hochberg over {rows['p'].count()} tests." in said
    assert set(zip(rows["item"], rows["other"], rows["test"], strict=True)) == {("one", "two", "unpaired")}
    assert "there is no such item; the items are one, two" in refusal(good, "--output", data / "x", "--against", "six")


@pytest.mark.slow
def test_unpaired_errors_are_wider_than_paired_ones(data: Path, compared: Path, good: Path, bad: Path) -> None:
    assert invoke(good, bad, "--output", data / "apart", "--paired", "no").exit_code == 0
    apart, together = (row(folder, "per", *PAIRED) for folder in (data / "apart", compared))
    assert apart["p"] > together["p"]
    assert "48 of 48 and 48 utterances are the same, but are taken as independent" in str(apart["note"])
    assert "independent" not in str(together["note"])


def of_one_corpus(data: Path, name: str, predicted: str, *settings: str) -> Path:
    text = ALONE.format(name=name, gold="one/gold.tsv", predicted=f"one/{predicted}.tsv")
    return finish(data, name, text, *settings)


@pytest.mark.slow
def test_numbers_that_are_not_defined_alike_are_refused_or_marked(data: Path, good: Path) -> None:
    settings = "alignment.costs=sclite", "entropy.gaps=include", "chance.models=[constant]"
    other = of_one_corpus(data, "unit", "good", *settings)
    said = refusal(good, other, "--output", data / "x")
    assert said.startswith("2: ")
    assert "costs: default (good:one, good:two); sclite (unit:one)" in said
    assert "chance: constant unigram (good:one, good:two); constant (unit:one)" in said
    assert "--allow-different" in said
    assert not (data / "x").exists()
    found = invoke(good, other, "--output", data / "marked", "--allow-different")
    assert "NOT ALIKE: " in found.stdout
    assert "good:one and unit:one, good:two and unit:one: costs: default against sclite" in printed(found)
    assert "alignment.costs panphon (good:one, good:two) against sclite (unit:one)" in printed(found)
    rows = table(data / "marked" / "differences.tsv").query("item == 'good:one' and other == 'unit:one'")
    missing = rows.set_index("measure").loc["wper"]
    assert (missing["status"], missing["note"][:10]) == ("undefined", "unit:one: ")
    unlike = dict(zip(rows["measure"], rows["unlike"], strict=True))
    chance = "chance: constant unigram against constant"
    assert (unlike["wper"], unlike["per"], unlike["skill_per"]) == ("costs: default against sclite", "", chance)
    assert unlike["skill_wper"] == f"{chance}; costs: default against sclite"
    assert unlike["conditional_entropy"] == "costs: default against sclite; gaps: default against include"


@pytest.mark.slow
def test_utterances_shared_in_part_are_unpaired_and_told(data: Path, good: Path) -> None:
    names = [f"one{number:02d}" for number in range(30)]
    for side in ("gold", "bad"):
        head, *lines = (data / "one" / f"{side}.tsv").read_text(encoding="utf-8").splitlines()
        kept = [head, *(line for line in lines if line[:5] in names), ""]
        (data / f"part-{side}.tsv").write_text("\n".join(kept), encoding="utf-8")
    text = ALONE.format(name="part", gold="part-gold.tsv", predicted="part-bad.tsv").replace(SPEAKERS, "")
    part = finish(data, "part", text)
    assert invoke(good, part, "--output", data / "parts").exit_code == 0
    found = row(data / "parts", "per", "good:one", "part:one")
    assert "30 of 48 and 30 utterances are the same, but are taken as independent" in str(found["note"])
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
    assert not (data / "strangers" / "phones.tsv").exists()
    perfect = row(data / "strangers", "per", "ours", "theirs")
    assert (perfect["difference"], perfect["test"], perfect["status"]) == (0, "none", "undefined")


def test_what_cannot_be_compared_is_refused(data: Path, good: Path, bad: Path, compared: Path, tmp_path: Path) -> None:
    out = ("--output", tmp_path / "out")
    for folders, why in (
        ((good, bad, data / "results" / "." / "good"), "2: .*is given twice"),
        ((good, tmp_path / "missing"), "no folder of finished results"),
        ((good, compared), "is a comparison"),
        ((of_one_corpus(data, "only", "bad"),), "needs two or more corpora"),
    ):
        assert re.search(why, refusal(*folders, *out))
    assert not (tmp_path / "out").exists()
    with pytest.raises(px.ConfigurationError, match="paired: there is no 'maybe'; there are: auto, yes, no"):
        px.compare([good, bad], paired="maybe")  # type: ignore[arg-type]


def test_unfinished_and_changed_results_are_refused(good: Path, bad: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(bad, tmp_path / "copy")
    asked = good, copy, "--output", tmp_path / "out"
    manifest = json.loads((copy / "manifest.json").read_text(encoding="utf-8"))
    without = {name: part for name, part in manifest.items() if name not in {"signatures", "sha256"}}
    stored = (copy / "utterances.tsv").read_text(encoding="utf-8")
    (copy / "utterances.tsv").write_text(stored.replace("one-s3", "one-s4"), encoding="utf-8")
    assert "utterances.tsv: was changed" in refusal(*asked)
    lacking = {**manifest, "outputs": {}}
    lacking.pop("sha256", None)
    for written, why in (
        (json.dumps(without), "does not say how the numbers"),
        (json.dumps(lacking), "names no summary.tsv, which a comparison needs"),
        ("{}", "is not a manifest of results"),
    ):
        (copy / "manifest.json").write_text(written, encoding="utf-8")
        assert why in refusal(*asked)
    (copy / "manifest.json").unlink()
    assert "no folder of finished results" in refusal(*asked)


def test_an_output_folder_that_holds_other_things_is_kept(
    data: Path, good: Path, bad: Path, compared: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert "choose an empty folder" in refusal(good, bad, "--output", tmp_path)
    assert "results of another kind (experiment)" in refusal(good, bad, "--output", good)
    with pytest.raises(px.ConfigurationError, match=r"another kind \(comparison\)"):
        run(load_configuration(data / "good.yaml"), compared, SERIAL, SilentProgress())


def test_results_of_an_older_version_are_refused_in_one_sentence(good: Path, bad: Path, tmp_path: Path) -> None:
    shutil.copytree(bad, tmp_path / "old")
    path = tmp_path / "old" / "manifest.json"
    held = json.loads(path.read_text("utf-8"))
    del held["layout"]
    path.write_text(json.dumps({**held, "phonxling": "0.3.0"}), encoding="utf-8")
    why = f"{tmp_path / 'old'}: version 0.3.0 .* wrote these results.*; run the experiment again"
    for command in (["compare", str(good)], ["report"], ["verify"]):
        with pytest.raises(px.DataError, match=why):
            CliRunner().invoke(app, [*command, str(tmp_path / "old")], catch_exceptions=False)
    with pytest.raises(px.DataError, match=why):
        px.load_results(tmp_path / "old")

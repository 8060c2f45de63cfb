"""Finished results compared from the command line: numbers, tests, refusals, files."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared_results import ALONE, finish, invoke, misheard, only, own_table, refusal, row, table, write
from running import command
from scipy import stats
from support import speakers_file

import phonxling as px
from phonxling.analyses.languages import ranked_items
from phonxling.report.findings import verdict
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
        ({}, "a is better than b: wPER 0.100 against 0.200"),
        ({"measure": "skill_wper", "variant": "best", "test": "unpaired"}, "b is recognised better than a: skill of "),
        ({"q": 0.3}, "a difference of 0.0800 would be found in 80 % of studies."),
        ({"q": np.nan, "test": "none", "status": "not-above-chance"}, "Nothing is tested between a and b, "),
    ],
)
def test_the_first_sentence_says_which_is_better(changed: dict[str, object], said: str) -> None:
    names = {"a": "a", "b": "b"}
    assert said in verdict(pd.DataFrame([{**DIFFERENCE, **changed}]), names)


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
        table(compared / "features.tsv"), {"item": pair[0], "other": pair[1], "feature": "voi", "measure": "changed"}
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


def test_phones_have_the_accuracies_of_the_results(compared: Path, good: Path) -> None:
    phones = table(compared / "phones.tsv").query("item == 'good:one' and measure == 'accuracy'")
    stored = own_table(good, "phones").query("side == 'gold'").set_index("phone")["accuracy"].astype(float)
    assert set(phones.query("other == 'good:two'")["phone"]) == {"p", "b", "a", "u", "s"}
    assert phones["value"].tolist() == pytest.approx(stored[phones["phone"]].tolist())


def test_python_gives_the_same_tables_and_another_seed_moves_randomisation_alone(
    compared: Path, good: Path, bad: Path
) -> None:
    found, other = px.compare([good, bad], seed=20), px.compare(px.load_results(good), bad, seed=21)
    for name in NAMES:
        stored, made = table(compared / f"{name}.tsv"), getattr(found, name)
        assert list(made.columns) == list(stored.columns) == column_names(f"comparison/{name}")
        for column in {"q", "randomisation"} & {*made}:
            assert made[column].to_numpy(float) == pytest.approx(stored[column].to_numpy(float), nan_ok=True, rel=1e-12)
    first, second = found.differences, other.differences
    assert [name for name in first if not first[name].equals(second[name])] == ["randomisation"]


def test_the_same_two_systems_under_other_ids_give_exactly_the_same_numbers(data: Path, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    for name in ("gold", "bad", "speakers"):
        head, *lines = (data / "one" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        ids = [line.partition("\t") for line in lines]
        named = ["\t".join([f"a/{one.upper()}.flac", rest]) for one, _, rest in ids]
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
    code, said = command("verify", compared)
    assert (code, said.endswith(": as the manifest says\n")) == (0, True)
    changed = shutil.copytree(compared, data / "changed")
    (changed / "phones.tsv").write_text("phone\n", encoding="utf-8")
    assert "phones.tsv: was changed after it was written" in command("verify", changed)[1]


def test_corpora_of_one_folder_are_named_by_themselves_and_can_be_held_against_one(data: Path, good: Path) -> None:
    assert invoke(good, "--output", data / "languages", "--against", "two").exit_code == 0
    rows = table(data / "languages" / "differences.tsv")
    assert set(zip(rows["item"], rows["other"], rows["test"], strict=True)) == {("one", "two", "unpaired")}
    assert "there is no such item; the items are one, two" in refusal(good, "--output", data / "x", "--against", "six")


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
    assert "--allow-different" in said
    assert not (data / "x").exists()
    found = invoke(good, other, "--output", data / "marked", "--allow-different")
    assert "NOT ALIKE: " in found.stdout
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


def test_what_cannot_be_compared_is_refused(data: Path, good: Path, bad: Path, compared: Path, tmp_path: Path) -> None:
    out = ("--output", tmp_path / "out")
    for folders, why in (
        ((good, bad, data / "results" / "." / "good"), "2: .*is given twice"),
        ((good, tmp_path / "missing"), "no folder of finished results"),
        ((good, good / "manifest.json"), "no folder of finished results .*; two files are compared by phonxling"),
        ((good, compared), "is a comparison"),
        ((of_one_corpus(data, "only", "bad"),), "needs two or more corpora"),
    ):
        assert re.search(why, refusal(*folders, *out))
    assert not (tmp_path / "out").exists()
    with pytest.raises(px.ConfigurationError, match="paired: there is no 'maybe'; there are: auto, yes, no"):
        px.compare([good, bad], paired="maybe")  # type: ignore[arg-type]


def test_changed_unfinished_and_older_results_are_refused(good: Path, bad: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(bad, tmp_path / "copy"))
    manifest = json.loads((copy / "manifest.json").read_text(encoding="utf-8"))
    stored = (copy / "utterances.tsv").read_text(encoding="utf-8")
    (copy / "utterances.tsv").write_text(stored.replace("one-s3", "one-s4"), encoding="utf-8")
    older = {name: part for name, part in manifest.items() if name not in {"layout", "sha256"}}
    for written, why in (
        (manifest, "utterances.tsv: was changed"),
        ({**manifest, "outputs": {}, "sha256": None}, "manifest.json"),
        ({}, "is not a manifest of results"),
        ({**older, "phonxling": "0.3.0"}, "version 0.3.0"),
    ):
        (copy / "manifest.json").write_text(json.dumps(written), encoding="utf-8")
        assert why in refusal(good, copy, "--output", tmp_path / "out")
    for asked in ("report", "verify"):
        assert "run the experiment again" in command(asked, copy)[1]
    (copy / "manifest.json").unlink()
    assert "no folder of finished results" in refusal(good, copy, "--output", tmp_path / "out")

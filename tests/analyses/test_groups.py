"""Rates by speaker and by group against pandas, scipy and a plain edit distance; positions in words by hand."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy
from rapidfuzz.distance import Levenshtein
from running import Tables, command, tables_of
from support import transcript, write

Said = Mapping[str, str | Sequence[str]]
PHONES = ["p", "t", "k", "s", "a", "i", "u", "o"]
CONFIGURATION = """\
corpora:
  made:
    gold: {path: gold.tsv}
    predicted: {path: predicted.tsv}
    speakers: {path: speakers.tsv, groups: [gender, accent, town]}
chance: {models: [constant, shuffled], replicates: 2}
"""


def written(folder: Path, gold: Said, predicted: Said, who: list[str], configuration: str) -> Path:
    transcript(folder / "gold.tsv", gold)
    transcript(folder / "predicted.tsv", predicted)
    write(folder / "speakers.tsv", "\n".join([*who, ""]))
    return write(folder / "made.yaml", configuration)


def make(folder: Path) -> Path:
    """Write 14 speakers of 4 utterances of 12 phones: men are misheard more; one speaker has no accent."""
    draws = np.random.default_rng(3)
    who = ["utterance\tspeaker\tgender\taccent\ttown"]
    gold, predicted = dict[str, list[str]](), dict[str, list[str]]()
    for speaker in range(14):
        gender, accent = "fm"[speaker % 2], ["", "far", "far", *["near"] * 11][speaker]
        rate = 0.15 + 0.25 * (gender == "m") + 0.1 * draws.random()
        for number in range(4):
            said, heard = draws.choice(PHONES, 12).tolist(), list[str]()
            for phone in said:
                lost, other = draws.random(2).tolist()
                heard += [phone] if lost > rate else [str(draws.choice(PHONES))] * (other > 0.3)
            gold[f"s{speaker}u{number}"] = [*said[:5], "|", said[5], "#", *said[6:]]
            predicted[f"s{speaker}u{number}"] = heard
            who.append(f"s{speaker}u{number}\tspeaker {speaker}\t{gender}\t{accent}\there")
    return written(folder, gold, predicted, who, CONFIGURATION)


@pytest.fixture(scope="module")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("groups"))


@pytest.fixture(scope="module")
def tables(configuration: Path) -> Tables:
    return tables_of(configuration)


def by_utterance(configuration: Path) -> pd.DataFrame:
    """Gold phones, edits and who said it of each utterance, from the files alone."""
    read = [pd.read_csv(configuration.parent / f"{name}.tsv", sep="\t") for name in ("gold", "predicted", "speakers")]
    rows = read[0].merge(read[1], on="utterance").merge(read[2], on="utterance")
    said = [[phone for phone in text.split() if phone not in "|#"] for text in rows["phones_x"]]
    edits = [*map(Levenshtein.distance, said, rows["phones_y"].fillna("").str.split())]
    return rows.assign(tokens=list(map(len, said)), edits=edits)


def test_speakers_have_the_rates_of_their_utterances(configuration: Path, tables: Tables) -> None:
    speakers, rows = tables["made/speakers"].set_index("speaker"), by_utterance(configuration)
    expected = rows.groupby("speaker")[["tokens", "edits"]].sum()
    assert speakers["tokens"].to_dict() == expected["tokens"].to_dict()
    assert speakers["per"].to_dict() == pytest.approx((expected["edits"] / expected["tokens"]).to_dict())
    assert speakers[["per_low", "per_high", "wper_low", "wper_high"]].isna().all(axis=None)  # four utterances each
    summary = tables["summary"].set_index("measure")["value"]
    for rate in ("per", "wper"):
        total = (speakers[rate] * speakers["tokens"]).sum() / speakers["tokens"].sum()
        assert total == pytest.approx(summary[rate])


def test_limits_of_a_speaker_leave_out_one_utterance_after_the_other(tmp_path: Path) -> None:
    wrong = [5, 7, 4, 6, 8, 5]
    gold = {f"u{number}": "p t k s a i u o p t k s" for number in range(6)}
    predicted = {f"u{number}": ["u"] * lost + gold[f"u{number}"].split()[lost:] for number, lost in enumerate(wrong)}
    who = ["utterance\tspeaker\tgender", *(f"u{number}\tone\tf" for number in range(6))]
    configuration = written(tmp_path, gold, predicted, who, CONFIGURATION.replace(", accent, town", ""))
    (row,) = tables_of(configuration)["made/speakers"].to_dict("records")
    edits = np.array(by_utterance(configuration)["edits"], float)
    scaled = np.log((edits.sum() - edits) / (5 * 12))
    margin = scipy.stats.t.ppf(0.975, 5) * np.sqrt(5 / 6 * np.square(scaled - scaled.mean()).sum())
    assert (row["tokens"], row["per"]) == (72, pytest.approx(edits.sum() / 72))
    limits = row["per"] * np.exp([-margin, margin])
    assert [row["per_low"], row["per_high"]] == pytest.approx(limits)
    assert row["wper_low"] < row["wper"] < row["wper_high"]


def test_groups_are_tested_as_welch_tests_the_rates_of_their_speakers(configuration: Path, tables: Tables) -> None:
    rates = by_utterance(configuration).groupby(["gender", "speaker"])[["tokens", "edits"]].sum()
    women, men = ((own["edits"] / own["tokens"]).to_numpy() for own in (rates.loc["f"], rates.loc["m"]))
    expected = scipy.stats.ttest_ind(women, men, equal_var=False)  # all speakers have as many phones
    rows = tables["made/groups"].set_index(["by", "group", "measure"])
    row, other = rows.loc["gender", "f", "per"], rows.loc["gender", "m", "per"]
    assert (row["value"], other["value"]) == pytest.approx((women.mean(), men.mean()))
    assert row["tokens"] == 7 * 48
    assert (row["difference_low"], row["difference_high"]) == pytest.approx([*expected.confidence_interval(0.95)])
    assert row["p"] == pytest.approx(expected.pvalue)
    assert row["difference"] == pytest.approx(-other["difference"])
    assert row["q"] < 0.05
    assert {*rows.index.get_level_values("measure")} == {"per", "wper", "skill_per", "skill_wper"}
    assert rows.loc["gender", "f", "skill_per"]["difference"] > 0


def test_q_is_over_all_tests_of_the_table(tables: Tables) -> None:
    tested = tables["made/groups"].dropna(subset="p")
    expected = scipy.stats.false_discovery_control(tested["p"].to_numpy(float))
    assert tested["q"].to_numpy(float) == pytest.approx(expected)
    assert len(tested) > 3


def test_too_few_speakers_are_said(tables: Tables) -> None:
    rows = tables["made/groups"].set_index(["by", "group", "measure"])
    far, near = (rows.loc["accent", name, "per"] for name in ("far", "near"))
    here = rows.loc["town", "here", "per"]
    assert (far["status"], near["status"], here["status"]) == ("too-few-clusters", "too-few-clusters", "undefined")
    assert all(row[["p", "q"]].isna().all() for row in (far, near, here))
    assert np.isnan(here["difference"])
    assert near["tokens"] == 11 * 48  # a speaker without an accent is in neither


def test_a_speaker_has_one_value_of_a_group(tmp_path: Path) -> None:
    said, rows = {"u": "p a", "v": "t a"}, ["utterance\tspeaker\tgender", "u\ta\tf", "v\ta\tm"]
    code, text = command("check", written(tmp_path, said, said, rows, CONFIGURATION.replace(", accent, town", "")))
    assert (code, ":3: gender of speaker 'a' is 'f' in line 2 and 'm' here" in text.replace("\n", " ")) == (1, True)


def shared(folder: Path, column: str = "") -> Path:
    """Write six speakers who read the same seven sentences, which differ in how hard they are."""
    draws = np.random.default_rng(2)
    sentences = ["p a t i", "s o k u", "t a k o", "p o k i", "s a t u", "t i p a", "k u s o"]
    who = ["utterance\tspeaker\tsentence"]
    gold, predicted = dict[str, str](), dict[str, list[str]]()
    for speaker in range(6):
        for number, said in enumerate(sentences):
            heard = [phone if draws.random() > 0.05 + 0.12 * number else "a" for phone in said.split()]
            name = f"s{speaker}u{number}"
            gold[name], predicted[name] = f"{said} a" if column and speaker % 2 else said, heard
            who.append(f"{name}\ts{speaker}\tn{number}")
    text = CONFIGURATION.replace("groups: [gender, accent, town]", column)
    return written(folder, gold, predicted, who, text.replace("speakers.tsv, }", "speakers.tsv}"))


def test_shared_prompts_are_said_and_drawn_where_that_is_asked(tmp_path: Path) -> None:
    configuration = shared(tmp_path)
    code, said = command("check", configuration)
    assert (code, "42 of 42 utterances are prompts that several speakers read" in said.replace("\n", " ")) == (0, True)
    fixed, drawn = (
        tables_of(configuration, f"uncertainty.prompts={choice}")["summary"].set_index("measure")
        for choice in ("fixed", "drawn")
    )
    for measure in ("per", "wper", "skill_per"):
        one, other = fixed.loc[measure], drawn.loc[measure]
        assert other["value"] == one["value"]
        assert other["high"] - other["low"] > one["high"] - one["low"]
        assert re.search(r"over speakers × (7|6\.8 effective) prompts", other["note"])  # skill: by chance’s
        assert "prompt" not in one["note"]


def test_a_column_says_which_prompts_are_the_same(tmp_path: Path) -> None:
    configuration = shared(tmp_path, "prompt: sentence")
    rows = tables_of(configuration, "uncertainty.prompts=drawn")["summary"].set_index("measure")
    assert "over speakers × 7 prompts" in rows.loc["per", "note"]

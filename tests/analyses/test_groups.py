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

from phonxling.resample.power import detectable
from phonxling.resample.student import spread_of

Said = Mapping[str, str | Sequence[str]]
PHONES = ["p", "t", "k", "s", "a", "i", "u", "o"]
CONFIGURATION = """\
corpora:
  made:
    gold: {path: gold.tsv}
    predicted: {path: predicted.tsv}
    speakers: {path: speakers.tsv, groups: [gender, accent, town]}
chance: {models: [constant, shuffled], replicates: 2}
context: {position: true}
information: {permutations: 10}
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


def test_the_table_of_speakers_sums_to_the_summary(configuration: Path, tables: Tables) -> None:
    speakers, rows = tables["made/speakers.tsv"].set_index("speaker"), by_utterance(configuration)
    expected = rows.groupby("speaker")[["tokens", "edits"]].sum()
    assert speakers["gold_tokens"].to_dict() == expected["tokens"].to_dict()
    assert speakers["edits"].to_dict() == expected["edits"].to_dict()
    assert speakers["per"].to_dict() == pytest.approx((expected["edits"] / expected["tokens"]).to_dict())
    names = ["gold_tokens", "predicted_tokens", "correct", "substitutions", "deletions", "insertions", "cost"]
    of_utterances = tables["made/utterances.tsv"].groupby("speaker")[names].sum()
    pd.testing.assert_frame_equal(speakers[names].sort_index(), of_utterances.sort_index(), check_dtype=False)
    assert (speakers[["correct", "substitutions", "deletions"]].sum(axis=1) == speakers["gold_tokens"]).all()
    summary, total = tables["summary.tsv"].set_index("measure")["value"], speakers.sum()
    assert total["edits"] / total["gold_tokens"] == pytest.approx(summary["per"])
    assert total["cost"] / total["gold_tokens"] == pytest.approx(summary["wper"])
    assert total["utterances"] == summary["utterances"]


def test_groups_are_tested_as_welch_tests_the_rates_of_their_speakers(configuration: Path, tables: Tables) -> None:
    rates = by_utterance(configuration).groupby(["gender", "speaker"])[["tokens", "edits"]].sum()
    women, men = ((own["edits"] / own["tokens"]).to_numpy() for own in (rates.loc["f"], rates.loc["m"]))
    expected = scipy.stats.ttest_ind(women, men, equal_var=False)  # all speakers have as many phones
    low, high = expected.confidence_interval(0.95)
    rows = tables["made/groups.tsv"].set_index(["column", "group", "measure"])
    row, other = rows.loc["gender", "f", "per"], rows.loc["gender", "m", "per"]
    assert (row["value"], row["other_value"]) == pytest.approx((women.mean(), men.mean()))
    assert (row["speakers"], row["other_speakers"], row["n"]) == (7, 7, 7 * 48)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx((low, high))
    assert row["p"] == pytest.approx(expected.pvalue)
    assert row["difference"] == pytest.approx(-other["difference"])
    assert row["q"] < 0.05
    error, tests = (high - low) / 2 / scipy.stats.t.ppf(0.975, expected.df), rows["p"].notna().sum()
    least = detectable(spread_of(error**2, expected.df, 7.0), 0.95, tests)[0]
    assert row["least_difference"] == pytest.approx(least, rel=1e-4)
    floorless = rows.loc["gender", "f", "skill_per"]
    assert floorless["value"] > floorless["other_value"]


def test_q_is_over_all_tests_of_the_table(tables: Tables) -> None:
    for name in ("groups", "group_confusions"):
        tested = tables[f"made/{name}.tsv"].dropna(subset="p")
        expected = scipy.stats.false_discovery_control(tested["p"].to_numpy(float))
        assert tested["q"].to_numpy(float) == pytest.approx(expected)
        assert len(tested) > 3


def test_too_few_speakers_are_said(tables: Tables) -> None:
    rows = tables["made/groups.tsv"].set_index(["column", "group", "measure"])
    far, near, here = (
        rows.loc["accent", "far", "per"],
        rows.loc["accent", "near", "per"],
        rows.loc["town", "here", "per"],
    )
    assert (far["speakers"], near["speakers"]) == (2, 11)
    assert far[["p", "q", "least_difference"]].isna().all()
    assert near[["p", "q", "least_difference"]].isna().all()
    assert far["note"].startswith("2 speakers: too few for intervals; no test: fewer than 5 speakers on a side")
    assert (far["status"], near["status"], here["status"]) == ("too-few-clusters", "too-few-clusters", "undefined")
    assert "no test: fewer than 5 speakers on a side" in near["note"]
    assert "1 speaker without a value left out" in near["note"]
    assert here["note"] == "no test: no other speaker has a value"
    assert here[["other_value", "difference", "p"]].isna().all()


def test_confusions_of_a_group_are_those_of_its_utterances(tables: Tables) -> None:
    cells = tables["made/group_confusions.tsv"]
    assert {*zip(cells["column"], cells["group"], strict=True)} == {("gender", "f")}  # m would say the same again
    pairs = tables["made/alignments.tsv"]
    lines = "".join(pairs.parts()).splitlines()
    aligned = pd.DataFrame([line.split("\t") for line in lines[1:]], columns=lines[0].split("\t"))
    women = aligned["speaker"].isin([f"speaker {number}" for number in range(0, 14, 2)])
    for row in cells.head(9).to_dict("records"):
        said = (aligned["gold"] == row["gold"]) & (aligned["predicted"] != "∅")
        shares = [(aligned.loc[said & own, "predicted"] == row["predicted"]).mean() for own in (women, ~women)]
        assert (row["value"], row["other_value"]) == pytest.approx(shares)


def test_positions_are_those_in_the_word_where_gold_marks_words(tables: Tables) -> None:
    counts = tables["made/contexts.tsv"].groupby(["kind", "context"])["count"].sum()
    assert counts["position"].to_dict() == {"initial": 56, "medial": 560, "final": 56}
    assert counts["word"].to_dict() == {"initial": 112, "medial": 56 * (3 + 4), "final": 112, "alone": 56}  # 5, 1, 6


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (["utterance\tspeaker", "u\ta", "v\tb"], ":1: no column gender; the file has: utterance, speaker"),
        (
            ["utterance\tspeaker\tgender", "u\ta\tf", "v\ta\tm"],
            ":3: gender of speaker 'a' is 'f' in line 2 and 'm' here; a speaker has one",
        ),
    ],
)
def test_what_is_wrong_with_groups(tmp_path: Path, rows: list[str], complaint: str) -> None:
    said = {"u": "p a", "v": "t a"}
    code, text = command("check", written(tmp_path, said, said, rows, CONFIGURATION.replace(", accent, town", "")))
    assert code == 1
    assert complaint in text.replace("\n", " ")


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
        tables_of(configuration, f"uncertainty.prompts={choice}")["summary.tsv"].set_index("measure")
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
    rows = tables_of(configuration, "uncertainty.prompts=drawn")["summary.tsv"].set_index("measure")
    assert "over speakers × 7 prompts" in rows.loc["per", "note"]

"""Assignments, contexts and tone with its segment, as a run writes them."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import all_numbers, tables_of, write_tables_of
from support import transcript

from phonxling.core.errors import ConfigurationError
from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.computing import compute
from phonxling.experiment.configuration import load_configuration
from phonxling.tables.files import read_numbers, read_table

HEARD = {"p": "b", "t": "t", "k": "k", "a": "ɑ", "á": "a˥", "à": "a˩", "i": "i", "n": "n"}
CONFIGURATION = """
corpora:
  toned:    {gold: {path: gold.tsv}, predicted: {path: predicted.tsv}}
  toneless: {gold: {path: gold.tsv}, predicted: {path: bare.tsv}}
context: {left: class, right: class, position: true}
chance: {replicates: 2}
"""
RAW = """
corpora: {x: {gold: {path: gold.tsv, symbols: raw}, predicted: {path: predicted.tsv, symbols: raw}}}
alignment: {costs: unit}
context: {left: class, right: class, position: true}
chance: {models: [unigram], replicates: 1}
"""


def made(folder: Path) -> Path:
    """Write a corpus in which k between vowels is heard as ɡ, i is inserted in clusters, and ˥ is often ˩."""
    generator = np.random.default_rng(6)
    gold, predicted = [], []
    for _ in range(80):
        row = [str(phone) for phone in generator.choice([*HEARD], 9)]
        heard = []
        for before, phone, behind in zip(["#", *row], row, [*row[1:], "#"], strict=False):
            vowels = before[0] in "aáài" and behind[0] in "aáài"
            heard.append("ɡ" if phone == "k" and vowels else HEARD[phone])
            if phone == "á" and generator.random() < 0.3:
                heard[-1] = "a˩"
            if phone in "ptk" and behind in "ptk" and generator.random() < 0.5:
                heard.append("i")
        gold.append(row)
        predicted.append(heard)
    transcript(folder / "gold.tsv", gold)
    transcript(folder / "predicted.tsv", predicted)
    transcript(folder / "bare.tsv", [[phone.rstrip("˥˩") for phone in row] for row in predicted])
    (folder / "made.yaml").write_text(CONFIGURATION, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = made(tmp_path_factory.mktemp("made"))
    write_tables_of(folder / "made.yaml", folder)
    return folder


def values(results: Path, measure: str) -> pd.Series:
    rows = read_numbers(results)
    return rows[(rows["corpus"] == "toned") & (rows["measure"] == measure)].set_index("variant")["value"]


def pairs(results: Path) -> list[list[tuple[str, str]]]:
    """Return the aligned pairs of each utterance."""
    rows = read_table(results, "toned/alignments.tsv")
    return [list(zip(part["gold"], part["predicted"], strict=True)) for _, part in rows.groupby("utterance")]


def test_the_assignment_finds_who_stands_for_whom(results: Path) -> None:
    found = read_table(results, "toned/one_to_one.tsv")
    partners = {gold: predicted for gold, predicted in zip(found["gold"], found["predicted"], strict=True) if gold}
    assert partners | {"a": "a"} == {"p": "b", "t": "t", "k": "k", "a": "a", "i": "i", "n": "n"}
    assert set(found.loc[found["gold"] == "", "predicted"]) == {"ɡ", "ɑ"}
    assert found["matched"].sum() <= values(results, "gold_tokens").iloc[0]
    assert math.isnan(found.loc[found["predicted"] == "ɡ", "distance"].iloc[0])


def test_confusions_in_context_are_those_of_the_alignments(results: Path) -> None:
    found, classes = (read_table(results, f"toned/{name}.tsv") for name in ("contexts", "classes"))
    own_class = {
        phone: name for name, row in zip(classes["class"], classes["members"], strict=True) for phone in row.split()
    }
    medial, before = Counter[str](), Counter[str]()
    for row in pairs(results):
        said = [pair for pair in row if pair[0] != "∅"]
        medial.update(answer for gold, answer in said[1:-1] if gold == "k")
        before.update(own_class[gold] for gold, _ in said[:-1])
    left = found[(found["kind"] == "left") & (found["context"] != "#")]
    assert left.groupby("context")["count"].sum().to_dict() == before
    own = found[(found["kind"] == "position") & (found["context"] == "medial") & (found["gold"] == "k")]
    assert own.set_index("predicted")["count"].to_dict() == medial
    between = found[(found["kind"] == "both") & (found["context"] == "vowels _ vowels") & (found["gold"] == "k")]
    row = between[between["predicted"] == "ɡ"].iloc[0]
    assert row["share"] == 1 > row["share_anywhere"] > 0
    assert found.groupby("kind")["count"].sum().eq(values(results, "gold_tokens").iloc[0]).all()


def test_tone_and_segment_are_counted_together(results: Path) -> None:
    found, shares = read_table(results, "toned/tone_joint.tsv").set_index("tone"), values(results, "tone_joint")
    outcomes = ["both_right", "segment_right_tone_wrong", "tone_right_segment_wrong", "both_wrong"]
    assert found[outcomes].sum(axis=1).equals(found["tokens"])
    assert shares.to_dict() == pytest.approx({"both_right": found["both_right"].sum() / found["tokens"].sum()})
    assert found.loc["˩", "segment_right_tone_wrong"] < 0.1 * found.loc["˩", "tokens"]
    assert 0.15 < found.loc["˥", "segment_right_tone_wrong"] / found.loc["˥", "tokens"] < 0.45


def test_a_recogniser_without_tone_has_none_of_it_and_the_reason(results: Path) -> None:
    rows = read_numbers(results)
    own = rows[(rows["corpus"] == "toneless") & rows["measure"].str.contains("tone_")]
    assert own["measure"].tolist() == ["tone_error_rate"]
    assert own["value"].isna().all()
    assert own["note"].tolist() == ["the recogniser predicts no tone"]
    assert not (results / "toneless" / "tone_joint.tsv").exists()


def test_contexts_are_there_on_request_alone(tmp_path: Path) -> None:
    folder = made(tmp_path)
    text = CONFIGURATION.replace("{left: class, right: class, position: true}", "{right: phone}")
    (folder / "made.yaml").write_text(text, encoding="utf-8")
    found = tables_of(folder / "made.yaml")["toned/contexts.tsv"]
    assert set(found["kind"]) == {"right"}
    assert set(found["context"]) == {*"ptkain", "#"}
    assert "toned/contexts.tsv" not in tables_of(folder / "made.yaml", "context.right=none")


def test_raw_symbols_have_no_features_even_where_they_look_like_ipa(tmp_path: Path) -> None:
    transcript(tmp_path / "gold.tsv", [["p", "a", "t", "a"], ["b", "q", "a", "t"], ["a", "y"]])
    transcript(tmp_path / "predicted.tsv", [["p", "a", "d", "a", "y"], ["b", "a", "t"], ["a", "q", "t", "y"]])
    (tmp_path / "raw.yaml").write_text(RAW, encoding="utf-8")
    found = tables_of(tmp_path / "raw.yaml")
    assert "x/classes.tsv" not in found
    features = found["x/features.tsv"]
    assert features[["changed", "transfer", "entropy", "sinfa_order"]].isna().all(axis=None)
    assert found["x/one_to_one.tsv"]["distance"].isna().all()
    assert set(found["x/phones.tsv"]["nearest"]) == {""}
    assert set(found["x/contexts.tsv"]["kind"]) == {"position"}


def test_raw_symbols_are_the_same_by_symbol_alone(tmp_path: Path) -> None:
    transcript(tmp_path / "gold.tsv", [["p", "a", "t", "a"], ["b", "d", "a", "t"]])
    transcript(tmp_path / "predicted.tsv", [["p", "a", "d", "a"], ["b", "a", "t"]])
    files = "{gold: {path: gold.tsv, symbols: raw}, predicted: {path: predicted.tsv, symbols: raw}"
    text = RAW.replace("{x: ", f"{{e: {files}, role: reference}}, x: ")
    (tmp_path / "raw.yaml").write_text(text, encoding="utf-8")
    assert set(tables_of(tmp_path / "raw.yaml")["x/expected.tsv"]["gold"]) == {*"patb"}
    by_features = load_configuration(tmp_path / "raw.yaml", ["expected.common=features"])
    with pytest.raises(ConfigurationError, match="raw symbols have no phonological features; set expected"):
        compute(by_features, SERIAL, Silent())


def test_of_a_language_that_is_its_own_reference_all_confusions_are_expected(tmp_path: Path) -> None:
    folder = made(tmp_path)
    files = "{gold: {path: gold.tsv}, predicted: {path: bare.tsv}"
    text = f"corpora: {{one: {files}, role: reference}}, other: {files}}}}}\n"
    text += "chance: {models: [constant], replicates: 1}\nentropy: {gaps: include}\n"
    (folder / "made.yaml").write_text(text, encoding="utf-8")
    rows = all_numbers(tables_of(folder / "made.yaml"))
    rows = rows[rows["corpus"] == "other"]
    shares = rows[rows["measure"] == "error_share"].set_index("variant")["value"]
    assert shares[["expected", "level", "unexplained", "deleted", "inserted"]].sum() == pytest.approx(1)
    assert shares[["level", "unexplained"]].tolist() == pytest.approx([0, 0], abs=1e-12)
    number, rates = (rows.set_index("measure")[name] for name in ("n", "value"))
    operations = round(rates["gold_tokens"] * rates[["accuracy", "substitution_rate"]].sum())
    assert set(number["one_to_one_accuracy"]) == {operations}  # which leaves ∅ out, whatever gaps says
    assert number["conditional_entropy_given_predicted"].max() > operations

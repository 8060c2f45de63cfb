"""Contexts, tone and raw symbols, as a run writes them."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from running import Tables, tables_of
from support import transcript

from phonxling.configuration.reading import load_configuration
from phonxling.core.errors import ConfigurationError
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.computing import compute

HEARD = {"p": "b", "t": "t", "k": "k", "a": "ɑ", "á": "a˥", "à": "a˩", "i": "i", "n": "n"}
CONFIGURATION = """
corpora:
  toned:    {gold: {path: gold.tsv}, predicted: {path: predicted.tsv}}
context: left
chance: {replicates: 2}
"""
RAW = """
corpora:
  e: {gold: {path: gold.tsv, symbols: raw}, predicted: {path: predicted.tsv, symbols: raw}, role: reference}
  x: {gold: {path: gold.tsv, symbols: raw}, predicted: {path: predicted.tsv, symbols: raw}}
alignment: {costs: unit}
context: left
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
def results(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return tables_of(made(tmp_path_factory.mktemp("made")) / "made.yaml")


def pairs(tables: Tables) -> list[list[tuple[str, str]]]:
    """Return the pairs of gold phones of each utterance."""
    rows = tables["toned/alignments"]
    own = rows[rows["gold"] != "∅"]
    return [list(zip(part["gold"], part["predicted"], strict=True)) for _, part in own.groupby("utterance")]


def test_confusions_in_context_are_those_of_the_alignments(results: Tables) -> None:
    found, phones = results["toned/contexts"], results["toned/phones"]
    of_phone = phones[phones["side"] == "gold"].set_index("phone")["class"]
    before = Counter((of_phone[first], *second) for row in pairs(results) for (first, _), second in pairwise(row))
    before.update(("#", *row[0]) for row in pairs(results))
    assert found.set_index(["context", "gold", "predicted"])["count"].to_dict() == before
    assert found.groupby(["context", "gold"])["share_of_gold"].sum().to_numpy() == pytest.approx(1)


def test_raw_symbols_have_no_features_and_are_the_same_by_symbol_alone(tmp_path: Path) -> None:
    transcript(tmp_path / "gold.tsv", [["p", "a", "t", "a"], ["b", "q", "a", "t"], ["a", "y"]])
    transcript(tmp_path / "predicted.tsv", [["p", "a", "d", "a", "y"], ["b", "a", "t"], ["a", "q", "t", "y"]])
    (tmp_path / "raw.yaml").write_text(RAW, encoding="utf-8")
    found = tables_of(tmp_path / "raw.yaml")
    assert not {"classes", "contexts"} & found.keys()  # even where they look like IPA
    assert found["x/features"][["changed", "transferred", "transferred_sequential"]].isna().all(axis=None)
    assert set(found["x/phones"]["nearest"]) == set(found["x/phones"]["class"]) == {""}
    assert set(found["x/expected"]["gold"]) == {*"patby"}  # q is deleted
    by_features = load_configuration(tmp_path / "raw.yaml", ["expected.common=features"])
    with pytest.raises(ConfigurationError, match="raw symbols have no phonological features; set expected"):
        compute(by_features, SERIAL, SilentProgress())


def test_of_a_language_that_is_its_own_reference_all_confusions_are_expected(tmp_path: Path) -> None:
    folder = made(tmp_path)
    files = "{gold: {path: gold.tsv}, predicted: {path: bare.tsv}"
    text = f"corpora: {{one: {files}, role: reference}}, other: {files}}}}}\n"
    text += "chance: {models: [constant], replicates: 1}\nentropy: {gaps: include}\n"
    (folder / "made.yaml").write_text(text, encoding="utf-8")
    rows = tables_of(folder / "made.yaml")["summary"]
    rows = rows[rows["corpus"] == "other"]
    shares = rows[rows["measure"] == "error_share"].set_index("variant")["value"]
    assert shares[["expected", "level", "unexplained", "deleted", "inserted"]].sum() == pytest.approx(1)
    assert shares[["level", "unexplained"]].tolist() == pytest.approx([0, 0], abs=1e-12)
    number, rates = (rows.set_index("measure")[name] for name in ("n", "value"))
    operations = round(rates["gold_tokens"] * (1 - rates["deletion_rate"]))
    assert number["one_to_one_accuracy"] == operations  # which leaves ∅ out, whatever gaps says
    assert number["conditional_entropy_given_predicted"].max() > operations

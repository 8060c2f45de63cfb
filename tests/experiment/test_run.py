"""A whole experiment from the command line: every table, figure and number as a user meets it."""

import json
import re
import shutil
import zlib
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from running import jackknifed, printed, read_tsv, tables_of
from small_experiment import IPA
from support import transcript, write

import phonxling as px
from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.chance import unigram_predictions
from phonxling.configuration.reading import load_configuration
from phonxling.core.estimate import Status
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.corpora import load_corpora
from phonxling.experiment.pipeline import run, vanishing_corpora

ONE = ("--workers", "1")  # the tests have the processors already
FEW = ("chance.replicates=2",)


@pytest.fixture(scope="module")
def results(small_run: Path) -> Path:
    return small_run / "results"


@pytest.fixture(scope="module")
def summary(results: Path) -> pd.DataFrame:
    return read_tsv(results / "summary.tsv")


@pytest.fixture
def folder(small_run: Path, tmp_path: Path) -> Path:
    """The data and configuration of the run, with its results, to be changed."""
    return Path(shutil.copytree(small_run, tmp_path / "small"))


def table(results: Path, name: str, corpus: str = "yoruba") -> pd.DataFrame:
    rows = read_tsv(results / f"{name}.tsv")
    return rows[rows["corpus"] == corpus]


def value(summary: pd.DataFrame, corpus: str, measure: str, variant: str | None = None) -> float:
    rows = summary[(summary["corpus"] == corpus) & (summary["measure"] == measure)]
    rows = rows if variant is None else rows[rows["variant"] == variant]
    assert len(rows) == 1
    return float(rows["value"].iloc[0])


def test_rates_are_those_of_the_python_interface(small_run: Path, results: Path, summary: pd.DataFrame) -> None:
    data, speakers = small_run / "yoruba", table(results, "utterances")["speaker"].tolist()
    corpus = px.load_corpus(data / "gold.tsv", data / "predicted.tsv", symbols=("ipa", "arpabet"))
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    matrix = px.count_confusions(px.align_corpus(corpus, costs))
    assert value(summary, "yoruba", "wper") == px.weighted_phone_error_rate(matrix, costs)
    assert value(summary, "yoruba", "per") == px.phone_error_rate(corpus)
    assert value(summary, "yoruba", "conditional_entropy", "ml") == px.conditional_entropy(matrix)
    assert value(summary, "yoruba", "mutual_information", "") == pytest.approx(
        jackknifed(px.align_corpus(corpus, costs), speakers, "miller-madow"), rel=1e-9
    )


def test_the_association_is_that_of_the_python_interface(small_run: Path, results: Path, summary: pd.DataFrame) -> None:
    data = small_run / "yoruba"
    posteriors = px.load_posteriorgrams(data / "posteriors.npz", symbols="arpabet")
    segments, rows = px.load_segments(data / "gold.tsv"), table(results, "association")
    drawn, decided = (px.joint_distribution(posteriors, segments, hard=hard) for hard in (False, True))
    np.testing.assert_allclose(rows["npmi"].to_numpy(float), px.npmi(drawn).to_numpy().ravel(), rtol=1e-9)
    assert (rows["p_joint"] * rows["pmi"]).sum() == pytest.approx(px.mutual_information(drawn), abs=1e-12)
    # the most probable phones are those of predicted.tsv, at the same times
    assert value(summary, "yoruba", "mutual_information", "ml") == pytest.approx(px.mutual_information(decided))
    same = (value(summary, "yoruba", measure, "") for measure in ("mutual_information", "decision_mutual_information"))
    assert next(same) == pytest.approx(next(same))
    assert set(decided.columns) == set(IPA.values())


def test_pooled_rates_follow_from_the_utterances(results: Path, summary: pd.DataFrame) -> None:
    rows = table(results, "utterances")
    assert value(summary, "yoruba", "wper") == pytest.approx(rows["cost"].sum() / rows["gold_tokens"].sum(), rel=1e-12)
    assert value(summary, "yoruba", "wper_macro") == pytest.approx(rows["wper"].mean(), rel=1e-12)
    for operation in ("substitution", "deletion", "insertion"):
        share = rows[f"{operation}s"].sum() / rows["gold_tokens"].sum()
        assert value(summary, "yoruba", f"{operation}_rate") == pytest.approx(share)


def test_every_missing_number_has_a_reason_and_every_corpus_a_signature(summary: pd.DataFrame, results: Path) -> None:
    rows = summary
    assert (rows.loc[rows["value"].isna(), "note"] != "").all()
    assert rows.loc[rows["measure"] == "tone_error_rate", "note"].str.contains("carry no tone").all()
    statuses = set(get_args(Status))
    assert set(rows["status"]) <= statuses
    assert (rows.loc[rows["value"].isna(), "status"] != "").all()
    signatures = json.loads((results / "manifest.json").read_text(encoding="utf-8"))["signatures"]
    parts = [line.split("|")[:2] for line in signatures.values()]
    assert parts == [["sym:ipa,arpabet", f"v:{px.__version__}"]] * 2


def test_the_audit_accounts_for_every_symbol_read(small_run: Path, results: Path) -> None:
    audit = read_tsv(results / "symbols.tsv")
    for corpus in ("english", "yoruba"):
        for side in ("gold", "predicted"):
            read = len((small_run / corpus / f"{side}.tsv").read_text(encoding="utf-8").splitlines()) - 1
            assert audit.query("corpus == @corpus and side == @side")["count"].sum() == read


def test_the_manifest_names_inputs_settings_and_outputs_but_no_folder_of_this_machine(
    small_run: Path, results: Path
) -> None:
    text = (results / "manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    assert set(manifest["inputs"]) >= {"english/gold.tsv", "yoruba/posteriors.npz", "yoruba/speakers.tsv"}
    assert manifest["configuration"]["chance"]["replicates"] == 3
    assert manifest["libraries"]["numpy"]
    assert str(small_run) not in text
    files = {str(path.relative_to(results)) for path in results.rglob("*") if path.is_file()}
    shown = {name for name in files if not name.startswith(".phonxling")}  # kept for a next run
    assert shown == {*manifest["outputs"], "manifest.json", "run.json"}


ALONE = "corpora: {yoruba: {gold: yoruba/gold.tsv, predicted: {path: yoruba/predicted.tsv, symbols: arpabet}}}\n"
POSTERIORS_ALONE = """\
corpora: {yoruba: {gold: yoruba/gold.tsv, posteriors: {path: yoruba/posteriors.npz, symbols: arpabet}, speakers: \
{path: yoruba/three.tsv}}}
information: {permutations: 5}
decoding: {method: none}
figures: {formats: [png], kinds: [all]}
"""


@pytest.mark.slow
def test_a_target_alone_has_rates_but_nothing_expected_and_says_why(folder: Path) -> None:
    (folder / "alone.yaml").write_text(ALONE, encoding="utf-8")
    tables = tables_of(folder / "alone.yaml", *FEW)
    rows = tables["summary"]
    assert rows.loc[rows["measure"] == "expected_js", "note"].tolist() == ["no corpus has the role reference"]
    assert "utterances" in tables
    assert "expected" not in tables


@pytest.mark.slow
def test_another_recogniser_is_refused_and_when_allowed_marked(small_run: Path) -> None:
    settings = ("corpora.yoruba.recogniser=other", "information.permutations=0", "chance.models=[constant]")
    refused, allowed = (
        tables_of(small_run / "small.yaml", f"expected.allow_other_recogniser={allow}", *settings)["summary"]
        .query("corpus == 'yoruba' and measure == 'expected_js'")
        .iloc[0]
        for allow in ("false", "true")
    )
    assert np.isnan(refused["value"])
    assert "another recogniser" in refused["note"]
    assert 0 <= allowed["value"] <= 1
    assert "another recogniser: other, reference toy" in allowed["note"]


def test_a_phone_that_only_the_reference_predicts_is_no_fault(tmp_path: Path) -> None:
    """The target never hears e, which both languages have as gold: its expected cost needs the union of phones."""
    rows = {"ref": ("a e i", "e e i"), "heard_ref": ("a e i", "e a i"), "gold": ("a e i", "e a i")}
    rows["heard"] = ("a a i", "a a i")
    for name, lines in rows.items():
        transcript(tmp_path / f"{name}.tsv", lines)
    sides = {
        "r": "{role: reference, gold: ref.tsv, predicted: heard_ref.tsv}",
        "t": "{gold: gold.tsv, predicted: heard.tsv}",
    }
    config = write(tmp_path / "c.yaml", "corpora:\n" + "".join(f"  {name}: {side}\n" for name, side in sides.items()))
    costs = px.feature_costs(["e"], ["a"])
    # P(e) = 2/6; the target hears every e as a, the reference one of three
    excess = 2 / 6 * (1 - 1 / 3) * float(costs.cost("e", "a"))
    assert value(tables_of(config, *FEW)["summary"], "t", "wper_excess", "") == pytest.approx(excess)


@pytest.mark.slow
def test_posteriors_alone_are_enough_for_association(folder: Path, tmp_path: Path) -> None:
    speakers = (folder / "yoruba/speakers.tsv").read_text(encoding="utf-8")
    few = re.sub(r"speaker(\d+)", lambda number: f"speaker{int(number[1]) % 3}", speakers)
    (folder / "yoruba/three.tsv").write_text(few, encoding="utf-8")
    (folder / "posteriors.yaml").write_text(POSTERIORS_ALONE, encoding="utf-8")
    printed("run", folder / "posteriors.yaml", "--output", tmp_path / "part", *ONE)
    assert (tmp_path / "part/association.tsv").exists()
    assert not (tmp_path / "part/confusions.tsv").exists()
    assert list((tmp_path / "part/figures").glob("*.png"))
    notes = read_tsv(tmp_path / "part" / "summary.tsv").set_index(["measure", "variant"])["note"]
    assert "of these 3 speakers alone" in notes["posterior_mutual_information", ""]
    excess = notes["posterior_mutual_information_excess", ""]
    assert excess.endswith("permutations of labels among the tokens of each speaker")  # 64 tokens each


def test_nothing_is_written_when_figures_cannot_be_drawn_as_asked(small_run: Path, tmp_path: Path) -> None:
    config = load_configuration(small_run / "small.yaml", ["figures.font=No Such Font"])
    with pytest.raises(px.ConfigurationError, match="the font 'No Such Font' is not installed"):
        run(config, tmp_path / "out", SERIAL, SilentProgress())
    assert not (tmp_path / "out").exists()
    (note,) = px.check(small_run / "small.yaml", settings=["figures.font=No Such Font"])
    assert note.text.startswith("figures.font: the font 'No Such Font' is not installed")


def test_the_null_of_information_is_of_the_alignment_in_use(small_run: Path) -> None:
    """Redrawn predictions are aligned under sclite's costs when those align, not under another's."""
    settings = ("alignment.costs=sclite", "chance.models=[unigram]")
    summary = tables_of(small_run / "small.yaml", *settings)["summary"]
    experiment = load_configuration(small_run / "small.yaml", settings)
    (loaded,) = (corpus for corpus in load_corpora(experiment) if corpus.name == "yoruba")
    key = [experiment.seed, zlib.crc32(b"unigram")]
    costs = px.feature_costs(loaded.corpus.gold_inventory, loaded.corpus.predicted_inventory, "sclite")
    drawn = [
        unigram_predictions(loaded.corpus.predicted, np.random.default_rng([*key, replicate]))
        for replicate in range(experiment.chance.replicates)
    ]
    aligned = [align_sequences(loaded.corpus.gold, one, costs) for one in drawn]
    wanted = np.mean([jackknifed(one, loaded.corpus.speakers, "miller-madow") for one in aligned])
    null = value(summary, "yoruba", "mutual_information", "") - value(
        summary, "yoruba", "mutual_information_excess", "best"
    )
    assert null == pytest.approx(wanted, rel=1e-9)


def test_corpora_of_earlier_results_that_vanish_are_named(small_run: Path, results: Path, tmp_path: Path) -> None:
    experiment = load_configuration(next(small_run.glob("*.yaml")))
    assert vanishing_corpora(results, experiment) == vanishing_corpora(tmp_path, experiment) == ""
    fewer = experiment.model_copy(update={"corpora": {"yoruba": experiment.corpora["yoruba"]}})
    gone = "one corpus that this configuration lacks (english): these results are removed"
    assert vanishing_corpora(results, fewer) == f"{results} has {gone}, unless --output names another folder"

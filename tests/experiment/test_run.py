"""A whole experiment from the command line: every table, figure and number as a user meets it."""

import json
import math
import re
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_experiment import IPA, make_experiment
from typer.testing import CliRunner

import phonxling as px
from phonxling.align.corpus import align_sequences
from phonxling.analyses.chance.models import unigram_predictions
from phonxling.cli import app
from phonxling.core.progress import Silent
from phonxling.core.work import SERIAL, Threads
from phonxling.experiment.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_corpora
from phonxling.experiment.pipeline import run

COLUMNS = {
    "summary.tsv": "corpus measure variant value low high level unit n note signature",
    "symbols.tsv": "corpus side raw symbol action count",
    "yoruba/utterances.tsv": "utterance speaker gold_tokens predicted_tokens correct substitutions deletions "
    "insertions cost per wper",
    "yoruba/alignments.tsv": "utterance position gold predicted operation cost",
    "yoruba/confusions.tsv": "gold predicted count p_predicted_given_gold p_gold_given_predicted p_joint pmi npmi cost",
    "yoruba/phones.tsv": "side phone tokens correct accuracy accuracy_low accuracy_high deletion_rate entropy "
    "entropy_low entropy_high entropy_miller-madow entropy_chao-shen perplexity nearest confused_with tau",
    "yoruba/features.tsv": "feature changed plus_to_minus minus_to_plus share_of_wper transfer transfer_sinfa "
    "from_zero to_zero entropy sinfa_order substitutions",
    "yoruba/correspondences.tsv": "given phone rank confused_with p distance nearest nearest_distance nearest_p "
    "overlap",
    "yoruba/one_to_one.tsv": "gold predicted matched share_of_gold share_of_predicted distance",
    "yoruba/asymmetry.tsv": "phone other count_there count_back tokens tokens_other p_there p_back difference low high "
    "p q note",
    "yoruba/insertions.tsv": "predicted left right kind count share",
    "yoruba/classes.tsv": "class kind tokens correct accuracy accuracy_low accuracy_high deletion_rate wper",
    "yoruba/class_confusions.tsv": "gold predicted count p_predicted_given_gold",
    "yoruba/feature_classes.tsv": "class kind feature changed plus_to_minus minus_to_plus",
    "yoruba/missed.tsv": "phone in_inventory nearest distance counterpart tokens errors absent",
    "yoruba/sensitivity.tsv": "common distance common_phones expected_share_kept expected_js",
    "yoruba/expected.tsv": "gold predicted observed expected residual low high p q",
    "yoruba/association.tsv": "gold recognised p_joint pmi npmi low high p q p_joint_hard pmi_hard npmi_hard",
    "yoruba/frames.tsv": "phone tokens with_posteriors without_frame silence_alone frames",
    "yoruba/confidence.tsv": "source group name tokens correct accuracy confidence nce nce_low nce_high nce_binned "
    "brier brier_low brier_high ece ece_calibrated note",
    "yoruba/calibration.tsv": "source binning bin from to tokens confidence accuracy accuracy_low accuracy_high "
    "effective",
    "yoruba/posteriors.tsv": "phone recognised tokens cross_entropy cross_entropy_low cross_entropy_high perplexity "
    "cross_entropy_floored zero brier brier_low brier_high entropy entropy_low entropy_high entropy_frames note",
    "yoruba/posterior_utterances.tsv": "utterance tokens inside cross_entropy perplexity sequence_cross_entropy "
    "sequence_perplexity",
    "yoruba/embedding.tsv": "phone tokens x y nearest_reference distance",
}
FIGURES = ["confusions", "entropy", "association", "calibration"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("experiment")
    make_experiment(made)
    return made


@pytest.fixture(scope="module")
def results(folder: Path) -> Path:
    found = CliRunner().invoke(
        app, ["run", str(folder / "small.yaml"), "--output", str(folder / "out")], catch_exceptions=False
    )
    assert found.exit_code == 0
    assert "worse than" in found.output or "better than" in found.output
    return folder / "out"


def table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, sep="\t", keep_default_na=False, na_values={"value": [""], "low": [""]}, quoting=3)


def shown_files(results: Path) -> set[Path]:
    """Return all files but what is kept for a next run."""
    files = {path for path in results.rglob("*") if path.is_file()}
    return {path for path in files if path.relative_to(results).parts[0] != ".cache"}


def value(results: Path, corpus: str, measure: str, variant: str | None = None) -> float:
    rows = table(results / "summary.tsv")
    rows = rows[(rows["corpus"] == corpus) & (rows["measure"] == measure)]
    rows = rows if variant is None else rows[rows["variant"] == variant]
    assert len(rows) == 1
    return float(rows["value"].iloc[0])


@pytest.mark.parametrize("name", COLUMNS)
def test_tables_have_the_named_columns_first(results: Path, name: str) -> None:
    wanted = COLUMNS[name].split()
    assert table(results / name).columns[: len(wanted)].tolist() == wanted


def test_figures_stand_beside_what_they_show(results: Path) -> None:
    names = {f"{corpus}-{figure}" for corpus in ("english", "yoruba") for figure in FIGURES}
    names |= {"yoruba-residuals", "rates", "map"}
    files = {path.name for path in (results / "figures").iterdir()}
    assert {f"{name}.{form}" for name in names for form in ("png", "tsv")} <= files


def test_rates_are_those_of_the_python_interface(folder: Path, results: Path) -> None:
    data = folder / "yoruba"
    corpus = px.load_corpus(data / "gold.tsv", data / "predicted.tsv", symbols=("ipa", "arpabet"))
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    matrix = px.count_confusions(px.align_corpus(corpus, costs))
    assert value(results, "yoruba", "wper") == px.weighted_phone_error_rate(matrix, costs)
    assert value(results, "yoruba", "per_aligned") == px.phone_error_rate(matrix)
    assert value(results, "yoruba", "conditional_entropy", "ml") == px.conditional_entropy(matrix)
    unit = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory, "unit")
    assert value(results, "yoruba", "per") == px.phone_error_rate(px.count_confusions(px.align_corpus(corpus, unit)))


def test_the_association_is_that_of_the_python_interface(folder: Path, results: Path) -> None:
    data = folder / "yoruba"
    posteriors = px.load_posteriorgrams(data / "posteriors.npz", symbols="arpabet")
    segments, rows = px.load_segments(data / "gold.tsv"), table(results / "yoruba/association.tsv")
    for hard, variant in ((False, "token"), (True, "token hard")):
        joint = px.joint_distribution(posteriors, segments, hard=hard)
        assert value(results, "yoruba", "posterior_mutual_information", variant) == px.mutual_information(joint)
        npmi = rows["npmi_hard" if hard else "npmi"].to_numpy(float)
        np.testing.assert_allclose(npmi, px.npmi(joint).to_numpy().ravel(), rtol=1e-9)
    assert set(joint.columns) == set(IPA.values())


def test_association_stands_with_its_interval_and_its_null(results: Path) -> None:
    rows = table(results / "summary.tsv").set_index(["corpus", "measure", "variant"]).sort_index()
    for variant in ("token", "token hard"):
        found = rows.loc[("yoruba", "posterior_mutual_information", variant)]
        null = rows.loc[("yoruba", "posterior_mutual_information_null", variant)]
        assert float(null["value"]) < float(found["low"]) < float(found["high"])
        assert "the interval is of the bias-corrected estimate" in found["note"]
    cells = table(results / "yoruba/association.tsv").set_index(["gold", "recognised"])
    assert float(cells.loc[("s", "s"), "q"]) < 1e-6 < 0.2 < float(cells.loc[("s", "s"), "low"])


def test_frames_are_all_accounted_for(folder: Path, results: Path) -> None:
    with np.load(folder / "yoruba/posteriors.npz") as archive:
        read = sum(len(archive[name]) for name in archive.files if name.startswith("yoruba"))
    inside, outside = (value(results, "yoruba", "frames", variant) for variant in ("in phones", "outside"))
    assert inside + outside == read
    phones = table(results / "yoruba/frames.tsv")
    assert (phones["frames"].sum(), phones["tokens"].sum()) == (inside, 24 * 8)  # the silences are outside
    assert (phones["with_posteriors"] == phones["tokens"]).all()


def test_pooled_rates_follow_from_the_utterances(results: Path) -> None:
    rows = table(results / "yoruba/utterances.tsv")
    assert value(results, "yoruba", "wper") == pytest.approx(rows["cost"].sum() / rows["gold_tokens"].sum(), rel=1e-12)
    assert value(results, "yoruba", "wper_macro") == pytest.approx(rows["wper"].mean(), rel=1e-12)
    for operation in ("correct", "substitutions", "deletions", "insertions", "gold_tokens"):
        assert value(results, "yoruba", operation) == rows[operation].sum()


def test_confusions_and_alignments_count_the_same(results: Path) -> None:
    pairs = table(results / "yoruba/alignments.tsv").groupby(["gold", "predicted"]).size()
    cells = table(results / "yoruba/confusions.tsv").set_index(["gold", "predicted"])["count"]
    assert cells.astype(int).to_dict() == pairs.to_dict()


def test_skill_is_one_less_the_ratio_to_the_lowest_chance(results: Path) -> None:
    rate, chance = value(results, "yoruba", "wper"), value(results, "yoruba", "chance_wper", "best")
    levels = [value(results, "yoruba", "chance_wper", model) for model in ("constant", "unigram", "bigram", "shuffled")]
    assert chance == min(levels)
    assert value(results, "yoruba", "skill_wper", "best") == pytest.approx(1 - rate / chance, rel=1e-9)


def test_every_missing_number_has_a_reason_and_every_number_a_signature(results: Path) -> None:
    rows = table(results / "summary.tsv")
    assert (rows.loc[rows["value"].isna(), "note"] != "").all()
    assert rows.loc[rows["measure"] == "tone_error_rate", "note"].str.contains("carry no tone").all()
    assert rows["signature"].str.contains("v:0.1.0").all()
    assert rows.loc[rows["measure"] == "per", "signature"].str.startswith("costs:unit|").all()


def test_the_audit_accounts_for_every_symbol_read(folder: Path, results: Path) -> None:
    audit = table(results / "symbols.tsv")
    for corpus in ("english", "yoruba"):
        for side in ("gold", "predicted"):
            read = len((folder / corpus / f"{side}.tsv").read_text(encoding="utf-8").splitlines()) - 1
            assert audit.query("corpus == @corpus and side == @side")["count"].sum() == read


def test_residuals_of_a_gold_phone_sum_to_nothing(results: Path) -> None:
    rows = table(results / "yoruba/expected.tsv")
    assert (rows["residual"].astype(float).groupby(rows["gold"]).sum().abs() < 1e-12).all()
    assert rows["observed"].astype(float).sum() == pytest.approx(1)


def test_the_manifest_names_inputs_settings_and_outputs_but_no_folder_of_this_machine(
    folder: Path, results: Path
) -> None:
    text = (results / "manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    assert set(manifest["inputs"]) >= {"english/gold.tsv", "yoruba/posteriors.npz", "yoruba/speakers.tsv"}
    assert manifest["configuration"]["chance"]["replicates"] == 3
    assert manifest["libraries"]["numpy"]
    assert str(folder) not in text
    assert {str(path.relative_to(results)) for path in shown_files(results)} == {
        *manifest["outputs"],
        "manifest.json",
        "run.json",
    }


def test_another_run_gives_the_same_bytes_with_other_workers(folder: Path, results: Path) -> None:
    again = folder / "again"
    run(load_configuration(folder / "small.yaml"), again, Threads(2), Silent())
    for path in (path for path in results.rglob("*") if path.is_file() and path.name != "run.json"):
        assert (again / path.relative_to(results)).read_bytes() == path.read_bytes(), path.name


def test_report_draws_the_same_figures_from_the_tables_alone(folder: Path, results: Path) -> None:
    before = {path: path.read_bytes() for path in (results / "figures").iterdir()}
    for path in before:
        path.unlink()
    (folder / "english").rename(folder / "hidden")
    found = CliRunner().invoke(app, ["report", str(results)], catch_exceptions=False)
    (folder / "hidden").rename(folder / "english")
    assert found.exit_code == 0
    assert {path: path.read_bytes() for path in (results / "figures").iterdir()} == before


def test_a_second_run_replaces_the_results_and_leaves_other_files(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    config = make_experiment(folder / "second")
    CliRunner().invoke(app, ["run", str(config), "--output", str(out)], catch_exceptions=False)
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    smaller = ["run", str(config), "--output", str(out), "--set", "figures.formats=[svg]"]
    assert CliRunner().invoke(app, smaller, catch_exceptions=False).exit_code == 0
    assert not list((out / "figures").glob("*.png"))
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_a_target_alone_has_rates_but_nothing_expected_and_says_why(folder: Path, tmp_path: Path) -> None:
    config = folder / "alone.yaml"
    config.write_text(
        "corpora: {yoruba: {gold: yoruba/gold.tsv, predicted: {path: yoruba/predicted.tsv, symbols: arpabet}}}\n"
        "chance: {replicates: 2}\nfigures: {formats: [png]}\n",
        encoding="utf-8",
    )
    found = CliRunner().invoke(app, ["run", str(config), "--output", str(tmp_path / "o")], catch_exceptions=False)
    assert found.exit_code == 0
    rows = table(tmp_path / "o" / "summary.tsv")
    assert rows.loc[rows["measure"] == "expected_js", "note"].tolist() == ["no corpus has the role reference"]
    assert not (tmp_path / "o" / "yoruba" / "expected.tsv").exists()


def test_another_recogniser_is_refused_and_when_allowed_marked(folder: Path, tmp_path: Path) -> None:
    config = load_configuration(folder / "small.yaml", ["corpora.yoruba.recogniser=other", "embedding.method=pca"])
    run(config, tmp_path / "a", SERIAL, Silent())
    rows = table(tmp_path / "a" / "summary.tsv").query("corpus == 'yoruba' and measure == 'expected_js'")
    assert math.isnan(rows["value"].iloc[0])
    assert "another recogniser" in rows["note"].iloc[0]
    allowed = ["corpora.yoruba.recogniser=other", "expected.allow_other_recogniser=true"]
    run(load_configuration(folder / "small.yaml", allowed), tmp_path / "b", SERIAL, Silent())
    rows = table(tmp_path / "b" / "summary.tsv").query("corpus == 'yoruba' and measure == 'expected_js'")
    assert 0 <= rows["value"].iloc[0] <= 1
    assert "another recogniser: other, reference toy" in rows["note"].iloc[0]


def test_a_phone_that_only_the_reference_predicts_is_no_fault(tmp_path: Path) -> None:
    """The target never hears e, which both languages have as gold: its expected cost needs the union of phones."""
    rows = {
        "ref": ("a e i", "e e i"),
        "heard_ref": ("a e i", "e a i"),
        "gold": ("a e i", "e a i"),
        "heard": ("a a i",) * 2,
    }
    for name, lines in rows.items():
        text = "".join(f"u{number}\t{line}\n" for number, line in enumerate(lines))
        (tmp_path / f"{name}.tsv").write_text(f"utterance\tphones\n{text}", encoding="utf-8")
    config = tmp_path / "c.yaml"
    config.write_text(
        "corpora:\n  r: {role: reference, gold: ref.tsv, predicted: heard_ref.tsv}\n"
        "  t: {gold: gold.tsv, predicted: heard.tsv}\n"
        "figures: {formats: [png]}\n",
        encoding="utf-8",
    )
    run(load_configuration(config), tmp_path / "out", SERIAL, Silent())
    costs = px.feature_costs(["e"], ["a"])
    # P(e) = 2/6; the target hears every e as a, the reference one of three
    excess = 2 / 6 * (1 - 1 / 3) * float(costs.cost("e", "a"))
    assert value(tmp_path / "out", "t", "wper_excess") == pytest.approx(excess)


def test_posteriors_alone_are_enough_for_association(folder: Path, tmp_path: Path) -> None:
    config, speakers = folder / "posteriors.yaml", (folder / "yoruba/speakers.tsv").read_text(encoding="utf-8")
    few = re.sub(r"speaker(\d+)", lambda found: f"speaker{int(found[1]) % 4}", speakers)
    (folder / "yoruba/four.tsv").write_text(few, encoding="utf-8")
    config.write_text(
        "corpora: {yoruba: {gold: yoruba/gold.tsv, posteriors: {path: yoruba/posteriors.npz, symbols: arpabet}, "
        "speakers: {path: yoruba/four.tsv}}}\n"
        "figures: {formats: [png]}\ninformation: {permutations: 5}\n",
        encoding="utf-8",
    )
    found = CliRunner().invoke(app, ["run", str(config), "--output", str(tmp_path / "o")], catch_exceptions=False)
    assert found.exit_code == 0
    assert (tmp_path / "o" / "yoruba" / "association.tsv").exists()
    assert not (tmp_path / "o" / "yoruba" / "confusions.tsv").exists()
    notes = table(tmp_path / "o" / "summary.tsv").set_index(["measure", "variant"])["note"]
    assert "the interval rests on 4 speakers only" in notes["posterior_mutual_information", "token"]


def test_every_measure_is_explained_in_the_documentation(results: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
    explained = page.replace("`_adjusted`", "`posterior_mutual_information_adjusted`")
    assert [
        measure for measure in table(results / "summary.tsv")["measure"].unique() if f"`{measure}`" not in explained
    ] == []


def test_a_run_killed_while_writing_can_be_run_again(folder: Path, tmp_path: Path) -> None:
    """Left behind: some finished tables, a scratch file, and no manifest."""
    out = tmp_path / "out"
    (out / "english").mkdir(parents=True)
    for name in ("summary.tsv", "english/phones.tsv", "english/.confusions.tsv.123.part"):
        (out / name).write_text("old", encoding="utf-8")
    written = run(load_configuration(folder / "small.yaml"), out, SERIAL, Silent())
    assert not list(out.rglob("*.part"))
    assert shown_files(out) == set(written.files)


def test_nothing_is_written_when_figures_cannot_be_drawn_as_asked(folder: Path, tmp_path: Path) -> None:
    config = load_configuration(folder / "small.yaml", ["figures.font=No Such Font"])
    with pytest.raises(px.ConfigurationError, match="the font 'No Such Font' is not installed"):
        run(config, tmp_path / "out", SERIAL, Silent())
    assert not (tmp_path / "out").exists()


def test_scoring_gaps_that_are_the_same_are_the_alignments(folder: Path, tmp_path: Path) -> None:
    """Aligned by unit costs with gaps of ½, weighed by features: a gap must still cost ½."""
    settings = ["alignment.costs=unit", "alignment.insertion=0.5", "alignment.deletion=0.5", "scoring.costs=panphon"]
    run(load_configuration(folder / "small.yaml", settings), tmp_path / "o", SERIAL, Silent())
    pairs = table(tmp_path / "o" / "yoruba" / "alignments.tsv")
    gaps = pairs[pairs["operation"].isin(["insertion", "deletion"])]
    assert len(gaps)
    assert set(gaps["cost"]) == {0.5}
    rows = table(tmp_path / "o" / "summary.tsv")
    assert rows.loc[rows["measure"] == "wper", "signature"].str.contains("|score:panphon/0.5/0.5|", regex=False).all()


def test_the_null_of_information_is_of_the_alignment_in_use(folder: Path, tmp_path: Path) -> None:
    """Redrawn predictions are aligned under sclite's costs when those align, not under another's."""
    experiment = load_configuration(folder / "small.yaml", ["alignment.costs=sclite", "chance.models=[unigram]"])
    run(experiment, tmp_path / "o", SERIAL, Silent())
    (loaded,) = (found for found in load_corpora(experiment) if found.name == "yoruba")
    assert loaded.corpus is not None
    key = [experiment.seed, zlib.crc32(b"yoruba"), zlib.crc32(b"unigram")]
    costs = px.feature_costs(loaded.corpus.gold_inventory, loaded.corpus.predicted_inventory, "sclite")
    drawn = [
        unigram_predictions(loaded.corpus.predicted, np.random.default_rng([*key, replicate]))
        for replicate in range(experiment.chance.replicates)
    ]
    counts = [px.count_confusions(align_sequences(loaded.corpus.gold, one, costs)) for one in drawn]
    wanted = np.mean([px.mutual_information(one) for one in counts])
    assert value(tmp_path / "o", "yoruba", "mutual_information_null", "unigram") == pytest.approx(wanted, rel=1e-12)


def test_a_map_that_cannot_be_made_is_missing_with_its_reason(folder: Path, tmp_path: Path) -> None:
    run(load_configuration(folder / "small.yaml", ["corpora.english.role=target"]), tmp_path / "o", SERIAL, Silent())
    rows = table(tmp_path / "o" / "summary.tsv")
    found = rows[rows["measure"].isin(["trustworthiness", "distance_correlation"])]
    assert len(found) == 4
    assert found["value"].isna().all()
    assert (found["note"] == "no phone map: no corpus has the role reference").all()

"""Confidence, calibration and log loss of a whole experiment, against the Python interface and plain loops."""

import math
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import Tables, command, measured, tables_of
from small_experiment import make_experiment
from support import write

import phonxling as px
from phonxling.posteriors.joint import interval_confidence

CONFIGURATION = "corpora: {yoruba: {gold: yoruba/gold.tsv, predicted: {path: plain.tsv, symbols: arpabet}}}\n"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_experiment(tmp_path_factory.mktemp("confidence"))
    write(path.parent / "map.tsv", "a\tɑ\nk͡p\tp\nx\tp\n")
    predicted = pd.read_csv(path.parent / "yoruba/predicted.tsv", sep="\t")
    predicted.drop(columns="confidence").to_csv(path.parent / "plain.tsv", sep="\t", index=False)
    return path


def quick(config: Path, *settings: str) -> Tables:
    """Return the tables, with nothing that is not asked for here."""
    return tables_of(config, "map.method=pca", "information.permutations=2", "chance.models=[constant]", *settings)


@pytest.fixture(scope="module")
def tables(config: Path) -> Tables:
    return quick(config)


def row(tables: Tables, measure: str, variant: str, corpus: str = "yoruba") -> pd.Series:
    found: pd.Series = measured(tables, corpus, measure).loc[variant]
    return found


def value(tables: Tables, measure: str, variant: str, corpus: str = "yoruba") -> float:
    return float(row(tables, measure, variant, corpus)["value"])


@pytest.fixture(scope="module")
def corpus(config: Path) -> px.Corpus:
    data = config.parent / "yoruba"
    return px.load_corpus(data / "gold.tsv", data / "predicted.tsv", symbols=("ipa", "arpabet"))


@pytest.fixture(scope="module")
def heard(corpus: px.Corpus) -> tuple[list[bool], list[float]]:
    """Whether each predicted phone is correct, from the alignment, and its confidence, from the file."""
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    aligned = px.align_corpus(corpus, costs)
    pairs = [pair for place in range(len(aligned)) for pair in aligned.pairs_of(place) if pair[1] != px.symbols.GAP]
    assert corpus.predicted.confidence is not None
    return [gold == predicted for gold, predicted in pairs], corpus.predicted.confidence.tolist()


def test_the_summary_has_the_numbers_of_the_python_interface(
    tables: Tables, heard: tuple[list[bool], list[float]]
) -> None:
    assert value(tables, "nce", "") == px.nist_nce(*heard)
    correct, confidence = map(np.array, heard)
    assert value(tables, "brier", "") == pytest.approx(np.mean((confidence - correct) ** 2))
    filled = tables["yoruba/calibration"].query("n > 0")
    error = (filled["n"] * abs(filled["accuracy"] - filled["confidence"])).sum() / len(correct)
    assert value(tables, "ece", "") == pytest.approx(error)
    for name in ("nce", "brier", "posterior_cross_entropy", "posterior_entropy"):
        found = row(tables, name, "")
        assert found["low"] < found["value"] < found["high"]


def test_without_confidences_in_the_file_those_of_posteriors_are_taken(
    config: Path, corpus: px.Corpus, heard: tuple[list[bool], list[float]]
) -> None:
    tables = quick(config, f"corpora.yoruba.predicted.path={config.parent / 'plain.tsv'}")
    posteriors = px.load_posteriorgrams(config.parent / "yoruba/posteriors.npz", symbols="arpabet")
    found = row(tables, "nce", "")
    assert found["value"] == px.nist_nce(heard[0], interval_confidence(posteriors, corpus.predicted))
    assert found["note"].startswith("confidences are the posteriors of the phones’ intervals")


def test_where_nothing_gives_confidences_the_rows_say_so(config: Path) -> None:
    found = quick(write(config.with_name("bare.yaml"), CONFIGURATION))
    for measure in ("nce", "brier", "ece", "ece_calibrated"):
        missing = row(found, measure, "")
        assert math.isnan(missing["value"])
        assert missing["note"] == "the predictions have no confidences"
    assert "calibration" not in found


def losses(config: Path, corpus: str, same: dict[str, str]) -> dict[str, list[float]]:
    """Return −log2 p of every token whose phone the recogniser has, by utterance, by plain loops over frames."""
    data = config.parent / corpus
    grams = px.load_posteriorgrams(data / "posteriors.npz", symbols="arpabet")
    said = px.load_segments(data / "gold.tsv")
    assert said.start is not None
    assert said.end is not None
    found: dict[str, list[float]] = defaultdict(list)
    for place, utterance in enumerate(said.token_utterances()):
        phone = said.inventory.phones[said.codes[place]]
        if same.get(phone, phone) not in grams.inventory:
            continue
        frames = grams.frames(said.utterances[utterance])
        times = grams.centres(len(frames))
        inside = frames[(times > said.start[place] - 1e-9) & (times < said.end[place] - 1e-9)].sum(axis=0)
        share = inside[grams.inventory.code(same.get(phone, phone))] / inside.sum()
        found[said.utterances[utterance]].append(-math.log2(share) if share else math.inf)
    return found


@pytest.mark.parametrize("same", [{}, {"a": "ɑ", "k͡p": "p"}])
def test_log_loss_is_that_of_plain_loops_in_every_reading(config: Path, tables: Tables, same: dict[str, str]) -> None:
    tables = quick(config, f"confidence.map={config.parent / 'map.tsv'}") if same else tables
    found = losses(config, "yoruba", same)
    tokens = [bits for row in found.values() for bits in row]
    assert math.isfinite(sum(tokens))
    assert value(tables, "posterior_cross_entropy", "") == pytest.approx(np.mean(tokens))
    assert value(tables, "posterior_perplexity", "") == pytest.approx(2 ** np.mean(tokens))
    assert row(tables, "posterior_perplexity", "")["note"] == row(tables, "posterior_cross_entropy", "")["note"]
    means = [np.mean(row) for row in found.values()]
    assert value(tables, "posterior_cross_entropy", "utterance") == pytest.approx(np.mean(means))
    of = row(tables, "posterior_cross_entropy", "")
    assert of["n"] == len(tokens)
    outside = "ĩ" if same else "ĩ a k͡p"
    assert f"of the tokens whose phone the recogniser has; share outside ({outside}): 0." in of["note"]


def test_where_speakers_are_unknown_labels_change_places_among_all_tokens(config: Path) -> None:
    sides = "gold: yoruba/gold.tsv, predicted: {path: plain.tsv, symbols: arpabet}"
    posteriors = "posteriors: {path: yoruba/posteriors.npz, symbols: arpabet}"
    found = quick(write(config.parent / "nobody.yaml", f"corpora: {{yoruba: {{{sides}, {posteriors}}}}}\n"))
    assert row(found, "posterior_mutual_information_excess", "")["note"].endswith("of labels among all tokens")


def test_the_excess_is_over_the_mean_of_the_permutations(config: Path, tables: Tables) -> None:
    data = config.parent / "yoruba"
    posteriors = px.load_posteriorgrams(data / "posteriors.npz", symbols="arpabet")
    plug_in = px.mutual_information(px.joint_distribution(posteriors, px.load_segments(data / "gold.tsv")))
    excess = row(tables, "posterior_mutual_information_excess", "")
    chance = re.match(r"chance is (\S+): 2 permutations of labels among", excess["note"])
    assert chance
    assert excess["value"] == pytest.approx(plug_in - float(chance[1]), rel=0.01)
    # what one draw tells is less than what the most probable phone tells, of these sharp posteriors
    assert value(tables, "decision_mutual_information", "") > value(tables, "posterior_mutual_information", "")


def test_baselines_are_the_corpus_own_and_the_references(config: Path, tables: Tables) -> None:
    own, reference = (value(tables, "normalised_cross_entropy", "", name) for name in ("yoruba", "english"))
    assert own > reference
    said = {name: px.load_segments(config.parent / name / "gold.tsv") for name in ("english", "yoruba")}
    grams = px.load_posteriorgrams(config.parent / "yoruba/posteriors.npz", symbols="arpabet")
    counts = {
        name: np.array([(one.codes == code).sum() for code in one.inventory.codes(grams.inventory)], float)
        for name, one in said.items()
    }
    constant, ours = counts["english"] / counts["english"].sum(), counts["yoruba"]
    paid = -(ours[ours > 0] * np.log2(constant[ours > 0])).sum() / ours.sum()
    loss = value(tables, "posterior_cross_entropy", "")
    assert value(tables, "normalised_cross_entropy", "reference") == pytest.approx(loss / paid)
    assert measured(tables, "english", "normalised_cross_entropy").index.tolist() == [""]


def test_bins_are_a_setting_and_what_is_below_the_floor_is_told(tmp_path: Path) -> None:
    """All probability is taken from what one gold phone is, in its every frame."""
    config = make_experiment(tmp_path)
    path = tmp_path / "yoruba" / "posteriors.npz"
    arrays = dict(np.load(path))
    phones = arrays["phones"].tolist()
    for name in set(arrays) - {"phones", "frame_shift_s"}:
        arrays[name][:, phones.index("SIL")] += arrays[name][:, phones.index("S")]
        arrays[name][:, phones.index("S")] = 0
    np.savez_compressed(path, **arrays)
    tables = quick(config, "confidence.bins=4")
    assert tables["yoruba/calibration"]["to"].tolist() == [0.25, 0.5, 0.75, 1.0]
    most = -math.log2(1e-7)
    tokens = [min(bits, most) for said in losses(config, "yoruba", {}).values() for bits in said]
    low = sum(bits == most for bits in tokens)
    assert low > 0
    found = row(tables, "posterior_cross_entropy", "")
    assert found["value"] == pytest.approx(np.mean(tokens))
    assert found["note"].endswith(f"taken as 1e-07: {low} tokens ({low / len(tokens):.2%})")


def test_a_map_to_phones_that_the_recogniser_lacks_is_refused(config: Path) -> None:
    wrong = write(config.parent / "wrong.tsv", "a\tɑ\nk͡p\tq\nĩ\tœ\n")
    code, text = command("check", config, "--set", f"confidence.map={wrong}")
    assert (code, "wrong.tsv: the recogniser has no phone q œ" in text) == (1, True)

"""Confidence, calibration and log loss of a whole experiment, against the Python interface and plain loops."""

import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import Tables, command, measured, tables_of
from small_experiment import make_experiment
from support import transcript

import phonxling as px
from phonxling.configuration.reading import load_configuration, restore_experiment
from phonxling.experiment.pipeline import describe_experiment
from phonxling.posteriors.joint import interval_confidence

CONFIGURATION = """\
corpora:
  yoruba: {{gold: {{path: {gold}}}, predicted: {{path: {predicted}, symbols: arpabet}}}}
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_experiment(tmp_path_factory.mktemp("confidence"))
    (path.parent / "map.tsv").write_text("a\tɑ\nk͡p\tp\nx\tp\n", encoding="utf-8")
    return path


def quick(config: Path, *settings: str) -> Tables:
    """Return the tables, with nothing that is not asked for here."""
    return tables_of(config, "map.method=pca", "information.permutations=0", "chance.models=[constant]", *settings)


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
    bins = tables["yoruba/calibration"]
    places = np.searchsorted(bins["to"].iloc[:-1], confidence, side="left")
    assert bins["n"].tolist() == np.bincount(places, minlength=10).tolist()
    of_bins = [(correct[places == place].mean(), confidence[places == place].mean()) for place in np.unique(places)]
    filled = bins[bins["n"] > 0]
    assert filled["accuracy"].tolist() == pytest.approx([share for share, _ in of_bins])
    assert filled["confidence"].tolist() == pytest.approx([mean for _, mean in of_bins])
    error = (filled["n"] * abs(filled["accuracy"] - filled["confidence"])).sum() / len(correct)
    assert value(tables, "ece", "") == pytest.approx(error)
    assert 0 < value(tables, "ece_calibrated", "") < 1


def test_every_mean_has_an_interval_and_what_bins_give_has_none(tables: Tables) -> None:
    rows = tables["summary"]
    rows = rows[rows["value"].abs().lt(math.inf)]
    binned = rows["measure"].eq("ece") | (rows["measure"].eq("nce") & rows["variant"].str.contains("binned"))
    assert set(rows.loc[binned, "status"]) == {"undefined"}
    assert rows.loc[binned, "note"].str.contains("no interval").all()
    found = rows[rows["measure"].isin(["nce", "brier", "posterior_cross_entropy", "posterior_entropy"]) & ~binned]
    assert len(found) > 10
    assert ((found["low"] <= found["value"]) & (found["value"] <= found["high"])).all()


def test_without_confidences_in_the_file_those_of_posteriors_are_taken(
    config: Path, corpus: px.Corpus, heard: tuple[list[bool], list[float]]
) -> None:
    predicted = config.parent / "yoruba" / "predicted.tsv"
    plain = config.parent / "plain.tsv"
    pd.read_csv(predicted, sep="\t").drop(columns="confidence").to_csv(plain, sep="\t", index=False)
    tables = quick(config, f"corpora.yoruba.predicted.path={plain}")
    posteriors = px.load_posteriorgrams(config.parent / "yoruba/posteriors.npz", symbols="arpabet")
    found = row(tables, "nce", "")
    assert found["value"] == px.nist_nce(heard[0], interval_confidence(posteriors, corpus.predicted))
    assert found["note"].startswith("confidences are the posteriors of the phones’ intervals")


def test_where_nothing_gives_confidences_the_rows_say_so(config: Path) -> None:
    predicted, bare = config.parent / "yoruba" / "predicted.tsv", config.parent / "bare.tsv"
    pd.read_csv(predicted, sep="\t").drop(columns="confidence").to_csv(bare, sep="\t", index=False)
    written = config.with_name("bare.yaml")
    written.write_text(CONFIGURATION.format(gold=predicted.with_name("gold.tsv"), predicted=bare), encoding="utf-8")
    tables = quick(written)
    for measure in ("nce", "brier", "ece", "ece_calibrated"):
        missing = row(tables, measure, "")
        assert math.isnan(missing["value"])
        assert missing["note"] == "the predictions have no confidences"
    assert "calibration" not in tables


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
    means = [np.mean(row) for row in found.values()]
    assert value(tables, "posterior_cross_entropy", "utterance") == pytest.approx(np.mean(means))
    assert row(tables, "posterior_cross_entropy", "")["n"] == len(tokens)


def test_phones_that_the_recogniser_lacks_are_named(tables: Tables) -> None:
    note = row(tables, "posterior_cross_entropy", "")["note"]
    assert "of the tokens whose phone the recogniser has; share outside (ĩ a k͡p): 0." in note


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


def spoil(config: Path, corpus: str = "yoruba") -> None:
    """Take all probability from what one gold phone is, in its every frame."""
    path = config.parent / corpus / "posteriors.npz"
    arrays = dict(np.load(path))
    phones = arrays["phones"].tolist()
    for name in set(arrays) - {"phones", "frame_shift_s"}:
        frames = arrays[name].astype(np.float64)
        frames[:, phones.index("SIL")] += frames[:, phones.index("S")]
        frames[:, phones.index("S")] = 0
        arrays[name] = frames
    np.savez_compressed(path, **arrays)


def test_bins_are_a_setting_and_what_is_below_the_floor_is_told(tmp_path: Path) -> None:
    config = make_experiment(tmp_path)
    spoil(config)
    tables = quick(config, "confidence.bins=4")
    assert tables["yoruba/calibration"]["to"].tolist() == [0.25, 0.5, 0.75, 1.0]
    most = -math.log2(1e-7)
    tokens = [min(bits, most) for said in losses(config, "yoruba", {}).values() for bits in said]
    low = sum(bits == most for bits in tokens)
    assert low > 0
    found = row(tables, "posterior_cross_entropy", "")
    assert found["value"] == pytest.approx(np.mean(tokens))
    share = f"{low} tokens ({low / len(tokens):.2%})"
    assert found["note"].endswith(f"probabilities below 1e-07 taken as 1e-07: {share}")
    assert value(tables, "posterior_perplexity", "") == pytest.approx(2 ** found["value"])


def test_a_map_counts_from_its_configuration_and_is_an_input(config: Path) -> None:
    written = config.parent / "mapped.yaml"
    written.write_text(config.read_text(encoding="utf-8") + "confidence: {map: map.tsv}\n", encoding="utf-8")
    experiment = load_configuration(written)
    assert experiment.confidence.map == config.parent / "map.tsv"
    recorded = describe_experiment(experiment)
    assert "map.tsv" in recorded["inputs"]  # type: ignore[operator]
    assert restore_experiment(recorded["configuration"], config.parent).confidence == experiment.confidence  # type: ignore[arg-type]


def test_a_map_to_phones_that_the_recogniser_lacks_is_refused(config: Path) -> None:
    (config.parent / "wrong.tsv").write_text("a\tɑ\nk͡p\tq\nĩ\tœ\n", encoding="utf-8")
    code, text = command("check", config, "--set", f"confidence.map={config.parent / 'wrong.tsv'}")
    assert code == px.DataError.exit_code
    assert "wrong.tsv: the recogniser has no phone q œ; it has i u ɑ p b t s" in text


@pytest.mark.slow
def test_what_has_no_confidence_is_missing_with_the_reason(config: Path) -> None:
    plain = config.parent / "yoruba" / "plain.tsv"
    lines = (config.parent / "yoruba" / "predicted.tsv").read_text(encoding="utf-8").splitlines()
    phones: dict[str, list[str]] = defaultdict(list)
    for line in lines[1:]:
        phones[line.split("\t")[0]].append(line.split("\t")[3])
    transcript(plain, phones)
    tables = quick(config, f"corpora.yoruba.predicted.path={plain}")
    assert row(tables, "nce", "")["note"].startswith("the predictions have no times")
    assert {*tables["calibration"]["corpus"]} == {"english"}


def test_posteriors_that_cannot_be_tied_to_predictions_leave_a_note_of_one_line(config: Path) -> None:
    """Two utterances whose predicted intervals overlap: the message about them has a line for each."""
    data = config.parent / "yoruba"
    lines = (data / "predicted.tsv").read_text(encoding="utf-8").splitlines()
    for place in (3, next(place for place, line in enumerate(lines) if line.startswith("yoruba_01")) + 2):
        name, start, end, *rest = lines[place].split("\t")
        lines[place] = "\t".join([name, start, f"{float(end) + 0.02:.4f}", *rest])
    overlapping = data / "overlapping.tsv"
    bare = [line.split("\t") for line in lines]
    place = bare[0].index("confidence")
    text = "\n".join("\t".join([*cells[:place], *cells[place + 1 :]]) for cells in bare)
    overlapping.write_text(f"{text}\n", encoding="utf-8")
    tables = quick(config, f"corpora.yoruba.predicted.path={overlapping}")
    note = row(tables, "nce", "")["note"]
    assert note.startswith("2 utterances cannot be used: ")
    assert note.count("intervals overlap") == 2
    assert note.endswith("; a frame can belong to one phone only.")
    assert "\n" not in note

"""Confidence, calibration and log loss of a whole experiment, against the Python interface and plain loops."""

import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import Tables, all_numbers, command, measured, tables_of
from small_experiment import make_experiment
from support import transcript

import phonxling as px
from phonxling.experiment.configuration import load_configuration, restored
from phonxling.experiment.manifest import manifest
from phonxling.tables.files import table_bytes


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_experiment(tmp_path_factory.mktemp("confidence"))
    (path.parent / "map.tsv").write_text("a\tɑ\nk͡p\tp\nx\tp\n", encoding="utf-8")
    return path


def quick(config: Path, *settings: str) -> Tables:
    """Return the tables, with nothing that is not asked for here."""
    return tables_of(config, "embedding.method=pca", "information.permutations=0", *settings)


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
    assert value(tables, "nce", "binned") == pytest.approx(px.calibration.binned_nce(*heard))
    assert value(tables, "brier", "") == pytest.approx(px.calibration.brier_score(*heard))
    assert value(tables, "ece", "width") == pytest.approx(px.calibration.expected_calibration_error(*heard))
    assert value(tables, "ece_calibrated", "width") == pytest.approx(px.calibration.calibrated_error(heard[1]))
    for binning in ("width", "mass"):
        bins = tables["yoruba/calibration.tsv"].query("source == 'file' and binning == @binning")
        wanted = px.calibration.reliability_table(*heard, by=binning)
        assert bins["tokens"].tolist() == wanted["tokens"].tolist()
        assert bins["accuracy"].tolist() == pytest.approx(wanted["accuracy"].tolist(), nan_ok=True)


def test_every_mean_has_an_interval_and_what_bins_give_has_none(tables: Tables) -> None:
    rows = all_numbers(tables)
    rows = rows[rows["value"].abs().lt(math.inf)]
    binned = rows["measure"].eq("ece") | (rows["measure"].eq("nce") & rows["variant"].str.contains("binned"))
    assert set(rows.loc[binned, "status"]) == {"undefined"}
    assert rows.loc[binned, "note"].str.contains("no interval").all()
    found = rows[rows["measure"].isin(["nce", "brier", "posterior_cross_entropy", "posterior_entropy"]) & ~binned]
    assert len(found) > 10
    assert ((found["low"] <= found["value"]) & (found["value"] <= found["high"])).all()


def test_speakers_have_their_own_nce(tables: Tables) -> None:
    rows = tables["yoruba/confidence.tsv"].query("source == 'file' and group == 'speaker'")
    assert rows["tokens"].sum() == row(tables, "nce", "")["n"]
    enough = rows[rows["tokens"] >= 20]
    assert enough["nce"].notna().all()
    few = rows[rows["tokens"] < 20]
    assert few["nce"].isna().all()
    assert few["note"].str.contains("fewer than 20").all()


def test_phones_have_rows_where_their_tokens_suffice(tables: Tables, heard: tuple[list[bool], list[float]]) -> None:
    rows = tables["yoruba/confidence.tsv"].query("source == 'file' and group == 'phone'")
    assert rows["tokens"].sum() == len(heard[0])
    assert rows["correct"].sum() == sum(heard[0])
    for _, phone in rows.iterrows():
        assert math.isnan(phone["brier"]) == (phone["tokens"] < 20)
        assert math.isnan(phone["ece"]) == (phone["tokens"] < 100)
        assert math.isnan(phone["nce"]) <= (phone["note"] != "")


def test_confidences_from_posteriors_stand_beside_those_of_the_file(
    config: Path, corpus: px.Corpus, tables: Tables, heard: tuple[list[bool], list[float]]
) -> None:
    posteriors = px.load_posteriorgrams(config.parent / "yoruba/posteriors.npz", symbols="arpabet")
    given = px.calibration.posterior_confidence(posteriors, corpus.predicted)
    assert value(tables, "nce", "posteriors") == px.nist_nce(heard[0], given)
    assert value(tables, "nce", "posteriors") != value(tables, "nce", "")
    assert set(tables["yoruba/calibration.tsv"]["source"]) == {"file", "posteriors"}


def test_without_confidences_in_the_file_the_rows_say_so_and_those_from_posteriors_stand(config: Path) -> None:
    predicted = config.parent / "yoruba" / "predicted.tsv"
    given = pd.read_csv(predicted, sep="\t")
    plain = config.parent / "plain.tsv"
    given.drop(columns="confidence").to_csv(plain, sep="\t", index=False)
    tables = quick(config, f"corpora.yoruba.predicted.path={plain}")
    for measure, variant in (("nce", ""), ("brier", ""), ("ece", "width"), ("ece_calibrated", "width")):
        missing = row(tables, measure, variant)
        assert math.isnan(missing["value"])
        assert missing["note"] == "the predictions have no confidences; those from posteriors are in details.tsv"
    assert math.isfinite(value(tables, "nce", "posteriors"))


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
    assert value(tables, "posterior_cross_entropy", "token") == pytest.approx(np.mean(tokens))
    assert value(tables, "posterior_perplexity", "token") == pytest.approx(2 ** np.mean(tokens))
    means, sums = [np.mean(row) for row in found.values()], [sum(row) for row in found.values()]
    assert value(tables, "posterior_cross_entropy", "utterance") == pytest.approx(np.mean(means))
    rows = tables["yoruba/posterior_utterances.tsv"]
    rows = rows[rows["inside"] > 0]
    assert rows["perplexity"].tolist() == pytest.approx([2**bits for bits in means])
    assert rows["sequence_perplexity"].tolist() == pytest.approx([2**bits for bits in sums])
    phones = tables["yoruba/posteriors.tsv"]
    outside = phones.loc[phones["recognised"] == "", "tokens"].sum() / phones["tokens"].sum()
    assert value(tables, "posterior_outside", "") == pytest.approx(outside)
    assert phones.loc[phones["recognised"] != "", "tokens"].sum() == len(tokens)


def test_a_phone_that_the_recogniser_lacks_is_named_and_has_no_loss(tables: Tables) -> None:
    assert "the recogniser has no ĩ a k͡p" in row(tables, "posterior_outside", "")["note"]
    phones = tables["yoruba/posteriors.tsv"].set_index("phone")
    assert math.isnan(phones.loc["a", "cross_entropy"])
    assert phones.loc["a", "note"] == "the recogniser has no such phone"
    assert phones.loc["a", "entropy"] > 0


def test_baselines_are_the_corpus_own_and_the_references(tables: Tables) -> None:
    assert value(tables, "normalised_cross_entropy", "own") > value(
        tables, "normalised_cross_entropy", "own", "english"
    )
    phones = {name: tables[f"{name}/posteriors.tsv"] for name in ("english", "yoruba")}
    shares = {
        name: table[table["recognised"] != ""].groupby("recognised")["tokens"].sum() for name, table in phones.items()
    }
    constant = shares["english"] / shares["english"].sum()
    paid = -(shares["yoruba"] * np.log2(constant[shares["yoruba"].index])).sum() / shares["yoruba"].sum()
    loss = value(tables, "posterior_cross_entropy", "token")
    assert value(tables, "normalised_cross_entropy", "reference") == pytest.approx(loss / paid)
    summary = all_numbers(tables).query("corpus == 'english' and measure == 'normalised_cross_entropy'")
    assert summary["variant"].tolist() == ["own"]


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


def test_floor_and_bins_are_settings_and_what_is_below_the_floor_is_told(tmp_path: Path) -> None:
    config = make_experiment(tmp_path)
    spoil(config)
    tables = quick(config, "confidence.floor=0.001", "confidence.bins=4")
    bins = tables["yoruba/calibration.tsv"].query("source == 'file' and binning == 'width'")
    assert bins["to"].tolist() == [0.25, 0.5, 0.75, 1.0]
    zero = int(tables["yoruba/posteriors.tsv"].set_index("phone").loc["s", "zero"])
    assert zero == int(tables["yoruba/posteriors.tsv"].set_index("phone").loc["s", "tokens"])
    tokens = [min(bits, -math.log2(0.001)) for said in losses(config, "yoruba", {}).values() for bits in said]
    low = sum(bits == -math.log2(0.001) for bits in tokens)
    assert low >= zero
    found = row(tables, "posterior_cross_entropy", "token")
    assert found["value"] == pytest.approx(np.mean(tokens))
    share = f"{low} tokens ({low / len(tokens):.2%})"
    assert found["note"].endswith(f"probabilities below 0.001 taken as 0.001: {share}")
    assert value(tables, "posterior_perplexity", "token") == pytest.approx(2 ** found["value"])
    assert np.isfinite(tables["yoruba/posterior_utterances.tsv"]["cross_entropy"].dropna()).all()
    assert tables["yoruba/posteriors.tsv"].set_index("phone").loc["s", "cross_entropy"] == pytest.approx(
        -math.log2(0.001)
    )


def test_a_map_counts_from_its_configuration_and_is_an_input(config: Path) -> None:
    written = config.parent / "mapped.yaml"
    written.write_text(config.read_text(encoding="utf-8") + "confidence: {map: map.tsv}\n", encoding="utf-8")
    experiment = load_configuration(written)
    assert experiment.confidence.map == config.parent / "map.tsv"
    recorded = manifest(experiment)
    assert "map.tsv" in recorded["inputs"]  # type: ignore[operator]
    assert restored(recorded["configuration"], config.parent).confidence == experiment.confidence  # type: ignore[arg-type]


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
    assert row(tables, "nce", "posteriors")["note"].startswith("the predictions have no times")
    assert "yoruba/calibration.tsv" not in tables
    assert "english/calibration.tsv" in tables
    code, text = command("score", config.parent / "yoruba/gold.tsv", plain, "--symbols", "ipa,arpabet", "--json")
    assert (code, '"nce": null' in text) == (0, True)


def test_posteriors_that_cannot_be_tied_to_predictions_leave_a_note_of_one_line(config: Path) -> None:
    """Two utterances whose predicted intervals overlap: the message about them has a line for each."""
    data = config.parent / "yoruba"
    lines = (data / "predicted.tsv").read_text(encoding="utf-8").splitlines()
    for place in (3, next(place for place, line in enumerate(lines) if line.startswith("yoruba_01")) + 2):
        name, start, end, *rest = lines[place].split("\t")
        lines[place] = "\t".join([name, start, f"{float(end) + 0.02:.4f}", *rest])
    overlapping = data / "overlapping.tsv"
    overlapping.write_text("\n".join(lines) + "\n", encoding="utf-8")
    tables = quick(config, f"corpora.yoruba.predicted.path={overlapping}")
    note = row(tables, "nce", "posteriors")["note"]
    assert note.startswith("2 utterances cannot be used: ")
    assert note.count("intervals overlap") == 2
    assert note.endswith("; a frame can belong to one phone only.")
    assert len(table_bytes(tables["summary.tsv"]).decode().splitlines()) == len(tables["summary.tsv"]) + 1

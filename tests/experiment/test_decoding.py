"""Predictions that are decoded from posteriors are what the same file of predictions would be."""

from pathlib import Path

import numpy as np
import pytest
from running import Command, tables_of
from small_experiment import make_experiment

import phonxling as px
from phonxling.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_corpora

LABELS = ["P", "B", "T", "AA", "IY", "SIL", "<b>"]
GOLD = {"P": "p", "B": "b", "T": "t", "AA": "ɑ", "IY": "i"}


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """Posteriors of a CTC network that mishears a third of the phones; one utterance of blanks alone."""
    generator, gold = np.random.default_rng(8), ["utterance\tstart\tend\tphone"]
    matrices: dict[str, np.ndarray] = {}
    for number in range(16):
        rows = []
        for place, label in enumerate(generator.choice(LABELS[:5], 6)):
            gold.append(f"u{number:02}\t{place * 0.08:.2f}\t{(place + 1) * 0.08:.2f}\t{GOLD[label]}")
            heard = LABELS.index(label) if generator.random() > 0.3 else int(generator.integers(0, 6))
            peaks = [6, heard, 6, 6] if number else [6] * 4
            rows += [
                generator.dirichlet(np.where(np.arange(7) == peak, 9.0, 0.3 * bool(number) + 0.001)) for peak in peaks
            ]
        matrices[f"u{number:02}"] = np.log(np.maximum(rows, 1e-9)).astype(np.float32)
    (tmp_path / "gold.tsv").write_text("\n".join(gold) + "\n", encoding="utf-8")
    np.savez(tmp_path / "logits.npz", phones=np.array(LABELS), frame_shift_s=0.02, **matrices)  # type: ignore[arg-type]
    return tmp_path


FEW = """\
chance: {replicates: 2}
information: {permutations: 5}
map: {method: pca}
"""
POSTERIORS = "posteriors: {path: logits.npz, symbols: arpabet, scale: logit, blank: <b>}"


def configured(folder: Path, *lines: str, name: str = "ctc") -> Path:
    path = folder / f"{name}.yaml"
    files = "".join(f"    {line}\n" for line in ("gold: gold.tsv", POSTERIORS, *lines))
    path.write_text(f"name: ctc\ncorpora:\n  toy:\n{files}{FEW}", encoding="utf-8")
    return path


def test_the_command_writes_what_a_run_decodes_and_it_reads_back(network: Path, phonxling: Command) -> None:
    (loaded,) = load_corpora(load_configuration(configured(network)))
    assert loaded.decoder == "greedy"
    assert "no phone was decoded in one utterance: u00" in loaded.notes
    decoded = loaded.corpus.predicted
    assert decoded.lengths[0] == 0
    options = ["--symbols", "arpabet", "--scale", "logit", "--blank", "<b>", "--output", "said.tsv"]
    done = phonxling("decode", network / "logits.npz", *options)
    how = "1 of them without any (the best label of each frame)"
    said = f"said.tsv: {len(decoded.codes)} phones in 16 utterances, {how}\n"
    assert (done.code, done.stdout) == (0, said)
    given = px.load_corpus(network / "gold.tsv", network / "said.tsv", symbols=("ipa", "arpabet")).predicted
    (again,) = load_corpora(load_configuration(configured(network, "predicted: {path: said.tsv, symbols: arpabet}")))
    for name in ("offsets", "codes", "start", "end", "confidence"):
        assert np.array_equal(getattr(again.corpus.predicted, name), getattr(decoded, name))
        assert name == "codes" or np.array_equal(getattr(given, name), getattr(decoded, name))


@pytest.mark.slow
def test_frames_without_a_blank_are_decoded_where_predictions_are_missing(tmp_path: Path) -> None:
    path = make_experiment(tmp_path)
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if "predicted:" not in line]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    tables = tables_of(path)
    rows = tables["summary"].set_index(["corpus", "measure", "variant"])
    assert rows.loc[("english", "per", ""), "value"] < rows.loc[("yoruba", "per", ""), "value"] < 1
    assert "yoruba/expected" in tables
    off = tables_of(path, "decoding.method=none")
    assert "yoruba/confusions" not in off

"""The demo data are what data/README.md says they are."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from forced_times import even_times, forced_times, with_known_times

from phonxling.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_corpora
from phonxling.load.resources import panphon_features
from phonxling.posteriors.forced_alignment import similar_sounds

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "data" / "demo"
LANGUAGES = ("english", "spanish", "swahili", "yoruba")


def test_checksums_hold() -> None:
    lines = [line.split("  ") for line in (DEMO / "SHA256SUMS").read_text(encoding="utf-8").splitlines()]
    files = {path.relative_to(DEMO).as_posix() for path in DEMO.glob("*/*")}
    assert {name for _, name in lines} == files
    assert [name for digest, name in lines if hashlib.sha256((DEMO / name).read_bytes()).hexdigest() != digest] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_logits_are_coarse_and_cover_the_gold(language: str) -> None:
    ends = pd.read_csv(DEMO / language / "gold.tsv", sep="\t", quoting=3).groupby("utterance")["end"].max()
    with np.load(DEMO / language / "ctc.npz") as arrays:
        shift, labels = float(arrays["frame_shift_s"]), arrays["phones"].tolist()
        assert (shift, labels[0], len(labels)) == (0.02, "<blank>", 40)
        assert set(arrays.files) == {*ends.index, "phones", "frame_shift_s"}
        logits = [arrays[utterance] for utterance in ends.index]
    seconds = np.array([len(each) * shift for each in logits])
    left_out = ends.to_numpy() - seconds  # the last part of a frame
    assert (left_out.min() >= -1e-4, left_out.max() <= shift + 1e-4) == (True, True)
    values = np.concatenate(logits)
    assert (values.dtype, values.shape[1]) == (np.float16, 40)
    assert np.array_equal(values * 16, np.round(values * 16))
    assert -16 <= values.min() <= values.max() <= 0


@pytest.mark.slow
@pytest.mark.parametrize("language", ["spanish", "swahili", "yoruba"])
def test_times_found_from_the_logits_lie_in_the_true_phones(language: str) -> None:
    experiment = with_known_times(load_configuration(ROOT / "configs" / "demo-ctc.yaml"))
    alone = experiment.model_copy(update={"corpora": {language: experiment.corpora[language]}})
    (loaded,) = load_corpora(alone)
    start = similar_sounds(loaded.segments.inventory, loaded.posteriorgrams.inventory, panphon_features())
    gold = pd.read_csv(DEMO / language / "gold.tsv", sep="\t", quoting=3).query("phone != 'sil'")
    true = pd.concat([gold[gold["utterance"] == utterance] for utterance in loaded.segments.utterances])
    shares = [
        np.mean((true["start"] <= (begin + end) / 2) & ((begin + end) / 2 < true["end"]))
        for begin, end in (
            forced_times(loaded.posteriorgrams, loaded.segments, start),
            even_times(loaded.posteriorgrams, loaded.segments),
        )
    ]
    assert shares[0] >= 0.85
    assert shares[1] < 0.35

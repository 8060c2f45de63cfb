"""The demo data are what data/README.md says they are."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

DEMO = Path(__file__).resolve().parent.parent / "data" / "demo"
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
        logits = {utterance: arrays[utterance] for utterance in ends.index}
    seconds = np.array([len(each) * shift for each in logits.values()])
    assert (
        np.abs(ends.to_numpy() - shift / 2 - seconds) <= shift / 2 + 1e-4
    ).all()  # a last part of a frame is left out
    values = np.concatenate(list(logits.values()))
    assert (values.dtype, values.shape[1]) == (np.float16, 40)
    assert np.array_equal(values * 16, np.round(values * 16))
    assert -16 <= values.min() <= values.max() <= 0


def test_logits_of_all_languages_are_under_three_megabytes() -> None:
    assert sum((DEMO / language / "ctc.npz").stat().st_size for language in LANGUAGES) < 3_000_000

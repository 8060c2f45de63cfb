"""Settings that change nothing with the data at hand: said once."""

from pathlib import Path

import pytest
from running import Command
from small_ctc import make_ctc_experiment
from small_experiment import make_experiment
from support import transcript

import phonxling as px
from phonxling.configuration.reading import load_configuration
from phonxling.core.errors import Note
from phonxling.experiment.checking import without_effect
from phonxling.experiment.corpora import load_corpora

BARE = "corpora: {one: {gold: gold.tsv, predicted: heard.tsv}, two: {gold: gold.tsv, predicted: heard.tsv}}\n"


def told(path: Path, *settings: str) -> list[str]:
    experiment = load_configuration(path, settings)
    return without_effect(load_corpora(experiment), experiment)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    for name in ("gold", "heard"):
        transcript(tmp_path / f"{name}.tsv", {f"s{number % 6}_u{number}": "p a t a" for number in range(12)})
    (tmp_path / "bare.yaml").write_text(BARE, encoding="utf-8")
    return tmp_path / "bare.yaml"


@pytest.mark.parametrize(
    ("settings", "notes"),
    [
        (["map.method=pca", "information.permutations=5"],
         ["information.permutations and map.method have no effect: no corpus has posteriors"]),
        (["confidence.bins=4"], ["confidence.bins has no effect: no corpus has confidences or posteriors"]),
        (["times.weights=best"], ["times.weights has no effect: no times of gold are found from posteriors"]),
        (["corpora.two.times=forced"],
         ["corpora.two.times has no effect: there are no posteriors"]),
        (["corpora.one.role=reference", "expected.distance=1"],
         ["expected.distance has no effect: expected.common is not features"]),
        (["seed=3", "alignment.costs=unit", "chance.replicates=2", "uncertainty.level=0.9", "context=left"], []),
        (["map.method=umap", "expected.smoothing=0.5"], []),  # the defaults
    ],
)  # fmt: skip
def test_of_phones_alone(bare: Path, settings: list[str], notes: list[str]) -> None:
    assert told(bare, *settings) == notes


def test_where_there_is_what_they_need(tmp_path: Path) -> None:
    every = ["confidence.bins=4", "expected.smoothing=1", "boundaries.tolerance=1", "expected.common=features"]
    small = make_experiment(tmp_path / "small")
    assert told(small, *every, "map.batches=3", "expected.distance=1", "information.permutations=3") == []
    assert told(small, "map.n_neighbors=3") == ["map.n_neighbors has no effect: map.method is not umap"]
    ctc = make_ctc_experiment(tmp_path / "ctc", utterances=8)
    assert told(ctc, "decoding.method=greedy", "times.minimum_frames=2") == []
    idle = ["decoding.min_duration has no effect: no posteriors without a blank are decoded"]
    assert told(ctc, "decoding.method=greedy", "decoding.min_duration=0") == idle


def test_check_and_score_say_it_once(bare: Path, phonxling: Command) -> None:
    note = "map.method has no effect: no corpus has posteriors"
    assert phonxling("check", bare, "--set", "map.method=pca").stdout.count(f"note: {note}\n") == 1
    sides = bare.parent / "gold.tsv", bare.parent / "heard.tsv"
    scored = phonxling("score", *sides, "--set", "map.method=pca")
    assert (scored.stdout + scored.stderr).count(note) == 1
    assert Note("", note) in px.check(*sides, settings=["map.method=pca"])

"""The load figures from end to end on a few hundred utterances: data made in streams, runs measured step by step."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from running import script

import phonxling as px

pytestmark = pytest.mark.slow  # processes of their own

load_figures = partial(script, "load_figures.py")
SETTINGS = ("chance.replicates=1", "chance.models=[unigram]", "information.permutations=2")
SMALL = ("figures.formats=[png]", "report.html=false", *SETTINGS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("load")


@pytest.fixture(scope="module")
def printed(folder: Path) -> list[list[str]]:
    chosen = [part for setting in SMALL for part in ("--set", setting)]
    done = load_figures(str(folder), "--utterances", "200", "--frames", "2e4", *chosen)
    assert done.returncode == 0, done.stderr
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]


def test_every_run_has_its_steps_which_take_its_time(printed: list[list[str]]) -> None:
    titles = ["corpus", "workers", "input", "step", "seconds", "CPU seconds", "peak MB", "results", "page", "kept"]
    assert printed[0] == titles
    runs = [number for number, row in enumerate(printed) if row[3] == "all"]
    assert [printed[number][0] for number in runs] == ["200 utterances", "20,000 frames"]
    for first, last in zip(runs, [*runs[1:], len(printed)], strict=True):
        whole, steps = printed[first], printed[first + 1 : last]
        assert {"loading", "aligning made", "measuring made", "figures of made"} <= {row[3] for row in steps}
        assert sum(float(row[4]) for row in steps) == pytest.approx(float(whole[4]), abs=0.1 * len(steps))
        assert int(whole[6]) > 50


def test_the_corpora_are_as_large_as_asked_for(printed: list[list[str]], folder: Path) -> None:
    assert printed
    text = px.load_corpus(folder / "utterances-200" / "gold.tsv", folder / "utterances-200" / "predicted.tsv")
    assert len(text.utterances) == 200
    frames = px.load_posteriorgrams(folder / "frames-20000" / "posteriors.npz")
    lengths = [len(frames.raw(utterance)) for utterance in frames.utterances]
    assert 20_000 <= sum(lengths) < 20_000 + max(lengths)
    segments = px.load_segments(folder / "frames-20000" / "gold.tsv")
    assert sum(lengths) / len(segments.codes) == pytest.approx(10, rel=0.1)
    assert np.diff([*segments.end, 0])[-1] < 0  # the times start anew in each utterance


def test_data_are_the_same_whenever_they_are_made_and_a_refused_run_is_told(
    printed: list[list[str]], folder: Path, tmp_path: Path
) -> None:
    assert printed
    again = load_figures(str(tmp_path), "--utterances", "200", "--set", "no.such=1")
    assert (again.returncode, "no.such" in again.stderr) == (1, True)
    for name in ("gold.tsv", "predicted.tsv", "made.yaml"):
        path = Path("utterances-200") / name
        assert (folder / path).read_bytes() == (tmp_path / path).read_bytes()

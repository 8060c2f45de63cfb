"""The load figures from end to end on a few hundred utterances: data made in streams, runs measured step by step."""

from functools import partial
from pathlib import Path

import pytest
from running import script

import phonxling as px

pytestmark = pytest.mark.slow  # processes of their own

load_figures = partial(script, "load_figures.py")
SMALL = (
    "figures.formats=[png]",
    "report.html=false",
    "chance.replicates=1",
    "chance.models=[unigram]",
    "information.permutations=2",
)


def test_every_run_has_its_steps_which_take_its_time(tmp_path: Path) -> None:
    chosen = [part for setting in SMALL for part in ("--set", setting)]
    done = load_figures(str(tmp_path), "--utterances", "200", "--frames", "2e4", *chosen)
    assert done.returncode == 0, done.stderr
    printed = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]
    titles = ["corpus", "workers", "input", "step", "seconds", "CPU seconds", "peak MB", "results", "page", "kept"]
    assert printed[0] == titles
    runs = [number for number, row in enumerate(printed) if row[3] == "all"]
    assert [printed[number][0] for number in runs] == ["200 utterances", "20,000 frames"]
    for first, last in zip(runs, [*runs[1:], len(printed)], strict=True):
        whole, steps = printed[first], printed[first + 1 : last]
        assert {"loading", "aligning made", "measuring made", "figures of made"} <= {row[3] for row in steps}
        assert sum(float(row[4]) for row in steps) == pytest.approx(float(whole[4]), abs=0.1 * len(steps))
        assert int(whole[6]) > 50
    text = px.load_corpus(tmp_path / "utterances-200" / "gold.tsv", tmp_path / "utterances-200" / "predicted.tsv")
    frames = px.load_posteriorgrams(tmp_path / "frames-20000" / "posteriors.npz")
    lengths = [len(frames.raw(utterance)) for utterance in frames.utterances]
    assert (len(text.utterances), 20_000 <= sum(lengths) < 20_000 + max(lengths)) == (200, True)


def test_a_refused_run_is_told(tmp_path: Path) -> None:
    done = load_figures(str(tmp_path), "--utterances", "20", "--set", "no.such=1")
    assert (done.returncode, "no.such" in done.stderr) == (1, True)

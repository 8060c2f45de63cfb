"""Runs that take up what an earlier one finished, and runs that are killed: the same bytes as an undisturbed run."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running import command, python
from small_experiment import make_experiment

from phonxling.configuration.reading import load_configuration
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.pipeline import run
from phonxling.experiment.results import redraw
from phonxling.results.folder import KEPT
from phonxling.results.tables import is_table

ONE_CORPUS = """\
name: one
corpora:
  yoruba:
    gold:      {path: yoruba/gold.tsv}
    predicted: {path: yoruba/predicted.tsv, symbols: arpabet}
chance:      {models: [unigram], replicates: 2}
information: {permutations: 20}
figures:     {formats: [svg], kinds: [phones, rates]}
"""
OTHER = ("alignment.costs=unit", "figures.formats=[png]", "report.html=false")
DYING = """
import os, sys
from phonxling.cli import main

wanted, number, by, seen = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), 0


def watch(event, arguments):
    global seen
    if event == "os.rename" and os.fspath(arguments[1]).endswith(wanted):
        seen += 1
        if seen == number:
            os.kill(os.getpid(), by)


sys.addaudithook(watch)
sys.argv[1:4] = []
main()
"""
MOMENTS = (  # as what a file is renamed that the run dies of, and which of them
    *((".step", number) for number in (1, 3)),
    *(("summary.tsv", 1), ("confusions.tsv", 1), (".svg", 1), ("report.html", 1), ("manifest.json", 1)),
    *((".out.phonxling-old", 1), ("/out", 1)),
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of inputs, a configuration, and the results of two undisturbed runs."""
    folder = tmp_path_factory.mktemp("killed")
    make_experiment(folder, utterances=6)
    (folder / "one.yaml").write_text(ONE_CORPUS, encoding="utf-8")
    go(folder, folder / "undisturbed")
    go(folder, folder / "other", *OTHER)
    return folder


@pytest.fixture
def out(data: Path, tmp_path: Path) -> Path:
    """A copy of the results."""
    return Path(shutil.copytree(data / "undisturbed", tmp_path / "out"))


def go(data: Path, out: Path, *settings: str) -> dict[str, Any]:
    """Run the experiment, and return what run.json tells of it."""
    run(load_configuration(data / "one.yaml", settings), out, SERIAL, SilentProgress())
    told: dict[str, Any] = json.loads((out / "run.json").read_text(encoding="utf-8"))
    return told


def content(out: Path) -> dict[str, bytes]:
    """Return every file that is compared: all but the times of a run and what is kept."""
    files = {path.relative_to(out): path for path in out.rglob("*") if path.is_file()}
    return {str(name): path.read_bytes() for name, path in files.items() if name.parts[0] not in (KEPT, "run.json")}


def inodes(out: Path) -> dict[str, int]:
    return {name: (out / name).stat().st_ino for name in content(out)}


def test_a_run_with_nothing_changed_computes_and_draws_nothing(data: Path, out: Path) -> None:
    os.utime(data / "yoruba" / "gold.tsv", (1, 1))  # touched, with the same content
    before = inodes(out)
    go(data, out)
    assert inodes(out) == before


def test_another_figure_option_draws_again_and_computes_nothing(data: Path, out: Path) -> None:
    before = inodes(out)
    assert "steps" not in go(data, out, *OTHER[1:])
    assert {path.suffix for path in (out / "figures").iterdir()} >= {".png"}
    assert not [*(out / "figures").glob("*.svg"), *out.glob("report.html")]
    after = inodes(out)
    assert {name: after[name] for name in after if is_table(name)}.items() <= before.items()


def test_another_measure_takes_alignments_from_the_run_before_and_nothing_of_that_stays(data: Path, out: Path) -> None:
    told = go(data, out, "chance.replicates=3")
    assert 0 < told["steps_reused"] < told["steps"]
    go(data, out, *OTHER)
    assert content(out) == content(data / "other")


@pytest.mark.parametrize("spoilt", ["phones.tsv", "report.html"])
def test_a_result_that_was_changed_by_hand_is_made_again(data: Path, out: Path, spoilt: str) -> None:
    (out / spoilt).write_bytes((out / spoilt).read_bytes() + b"x")
    go(data, out)
    assert content(out) == content(data / "undisturbed")


def struck(wanted: str, number: int, by: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that sends itself a signal before its n-th file with such a name gets it."""
    return python("-c", DYING, wanted, str(number), str(int(by)), *arguments)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's")
@pytest.mark.parametrize(("wanted", "number"), MOMENTS)
def test_a_run_killed_at_any_moment_is_taken_up_and_ends_the_same(
    data: Path, tmp_path: Path, wanted: str, number: int
) -> None:
    """It is to replace the results of other settings, which are whole until the new ones are, and a note stays."""
    out = Path(shutil.copytree(data / "other", tmp_path / "out", ignore=shutil.ignore_patterns(KEPT)))
    (out / "note.txt").write_text("mine", encoding="utf-8")
    before = content(out)
    done = struck(wanted, number, signal.SIGKILL, "run", str(data / "one.yaml"), "-o", str(out), "--workers", "1")
    assert done.returncode == -signal.SIGKILL
    if out.exists():
        assert content(out) == before
    told = go(data, out)
    assert content(out) == {**content(data / "undisturbed"), "note.txt": b"mine"}
    if not wanted.endswith((".step", "out")):  # else steps were missing, or the killed run's results were there
        assert told["steps_reused"] == told["steps"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_an_interruption_is_one_line(data: Path, out: Path) -> None:
    arguments = ("run", str(data / "one.yaml"), "-o", str(out), "--fresh", "--workers", "1")
    done = struck("confusions.tsv", 1, signal.SIGINT, *arguments)
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "interrupted; what is finished is kept: run again to go on"
    assert "Traceback" not in done.stderr
    assert content(out) == content(data / "undisturbed")
    done = struck("report.html", 1, signal.SIGINT, "report", str(out))
    assert (done.returncode, done.stderr.splitlines()[-1]) == (130, "interrupted")
    done = struck("report.html", 1, signal.SIGTERM, "report", str(out))
    assert (done.returncode, "Traceback" in done.stderr) == (-signal.SIGTERM, False)
    redraw(out, SilentProgress())
    assert content(out) == content(data / "undisturbed")


def test_drawing_again_that_fails_changes_nothing(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content(out)
    monkeypatch.setattr("phonxling.experiment.results.write_documents", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        redraw(out, SilentProgress())
    assert content(out) == before
    assert command("report", "--quiet", out, "--figures", "nonsense")[0] == 2
    assert content(out) == before

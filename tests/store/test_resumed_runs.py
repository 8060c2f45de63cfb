"""Runs that take up what an earlier one finished: the same bytes as an undisturbed run, and no more work than due."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running import python
from small_experiment import make_experiment
from typer.testing import CliRunner

import phonxling as px
from phonxling.cli import app
from phonxling.core.files import write_bytes
from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.manifest import manifest
from phonxling.experiment.pipeline import run, tables_key
from phonxling.experiment.results import redraw
from phonxling.store.folder import locked, read_manifest, reading

ONE_CORPUS = """\
name: one
corpora:
  yoruba:
    gold:      {path: yoruba/gold.tsv}
    predicted: {path: yoruba/predicted.tsv, symbols: arpabet}
chance:      {models: [unigram], replicates: 2}
uncertainty: {resamples: 10}
figures:     {formats: [svg]}
"""
OTHER = ("alignment.costs=unit", "figures.formats=[png]", "report.html=false")
DYING = """
import os, signal, sys
from phonxling.cli import main

wanted, number, seen = sys.argv[1], int(sys.argv[2]), 0


def watch(event, arguments):
    global seen
    if event == "os.rename" and wanted in os.fspath(arguments[1]):
        seen += 1
        if seen == number:
            os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(watch)
sys.argv[1:3] = []
main()
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of inputs, a configuration, and the results of two undisturbed runs."""
    folder = tmp_path_factory.mktemp("resumed")
    make_experiment(folder, utterances=6)
    (folder / "one.yaml").write_text(ONE_CORPUS, encoding="utf-8")
    go(folder, folder / "out")
    go(folder, folder / "other", *OTHER)
    return folder


@pytest.fixture
def out(data: Path, tmp_path: Path) -> Path:
    """A copy of the results."""
    return Path(shutil.copytree(data / "out", tmp_path / "out"))


@pytest.fixture
def other(data: Path, tmp_path: Path) -> Path:
    """A copy of the results of other settings, with nothing kept."""
    return Path(shutil.copytree(data / "other", tmp_path / "other", ignore=shutil.ignore_patterns(".cache")))


def go(data: Path, out: Path, *settings: str) -> dict[str, Any]:
    """Run the experiment, and return what it reused."""
    run(load_configuration(data / "one.yaml", settings), out, SERIAL, Silent())
    found: dict[str, Any] = json.loads((out / "run.json").read_text(encoding="utf-8"))["reused"]
    return found


def content(out: Path) -> dict[str, bytes]:
    """Return every file that is compared: all but the times of a run and what is kept."""
    files = {path.relative_to(out): path for path in out.rglob("*") if path.is_file()}
    return {str(name): path.read_bytes() for name, path in files.items() if name.parts[0] not in (".cache", "run.json")}


def test_a_run_with_nothing_changed_computes_and_draws_nothing(data: Path, out: Path) -> None:
    os.utime(data / "yoruba" / "gold.tsv", (1, 1))  # touched, with the same content
    before = {name: (out / name).stat().st_ino for name in content(out)}
    reused = go(data, out)
    assert reused == {
        "tables": True,
        "parts": ["figures of yoruba", "figures of corpora together", "tables and the page"],
    }
    assert content(out) == content(data / "out")
    assert {name: (out / name).stat().st_ino for name in content(out)} == before


def test_what_a_killed_run_left_is_removed_though_nothing_has_changed(data: Path, out: Path) -> None:
    (out / ".report.html.1.part").write_bytes(b"half")
    (out / ".unfinished").write_text('"yoruba/old.tsv"\n', encoding="utf-8")
    (out / "yoruba" / "old.tsv").write_bytes(b"of another run")
    assert go(data, out)["tables"]
    assert content(out) == content(data / "out")


def test_what_was_said_is_said_again(data: Path, out: Path) -> None:
    said: list[str] = []

    class Listener(Silent):
        def say(self, *messages: object) -> None:
            said.extend(map(str, messages))

    experiment = load_configuration(data / "one.yaml")
    for _ in range(2):  # all is kept; then, the record gone, only tables and figures
        run(experiment, out, SERIAL, Listener())
        for path in (out / ".cache").glob("*.json"):
            if '"manifest.json"' in path.read_text(encoding="utf-8"):
                path.unlink()
    assert sorted(said[: len(said) // 2]) == sorted(said[len(said) // 2 :])  # a warning of fonts comes when it is drawn
    assert "the tables are up to date; nothing is computed again" in said


@pytest.mark.slow
def test_another_figure_option_draws_again_and_computes_nothing(data: Path, out: Path) -> None:
    assert go(data, out, *OTHER[1:]) == {"tables": True, "parts": []}
    figures = {path.suffix for path in (out / "figures").iterdir()}
    assert figures == {".png", ".tsv", ".txt"}
    assert not (out / "report.html").exists()


@pytest.mark.slow
def test_a_further_corpus_leaves_the_figures_of_the_first_as_they_are(data: Path, out: Path, tmp_path: Path) -> None:
    of_one = ONE_CORPUS.replace("path: yoruba", f"path: {data}/yoruba")
    further = of_one[of_one.index("    gold") : of_one.index("chance:")].replace("/yoruba/", "/english/")
    (tmp_path / "one.yaml").write_text(of_one.replace("chance:", f"  more:\n{further}chance:"), encoding="utf-8")
    reused = go(tmp_path, out)
    assert (reused["tables"], reused["parts"]) == (False, ["figures of yoruba"])
    assert (out / "figures" / "more-confusions.svg").exists()


@pytest.mark.slow
def test_other_costs_compute_again_and_nothing_of_before_stays(data: Path, out: Path) -> None:
    assert (out / "yoruba" / "gap_costs.tsv").exists()  # which unit costs have not
    assert not go(data, out, *OTHER)["tables"]
    assert content(out) == content(data / "other")


def test_tables_depend_on_numbers_settings_and_not_on_looks(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def key(*settings: str) -> str:
        experiment = load_configuration(data / "one.yaml", settings)
        return tables_key(experiment, manifest(experiment))

    first = key()
    assert key("figures.width=120", "figures.formats=[png]", "report.html=false") == first
    (data / "map.tsv").write_text("symbol\tipa\nP\tp\n", encoding="utf-8")
    mapped = f"corpora.yoruba.predicted.symbols={data / 'map.tsv'}"
    gold, people = data / "yoruba" / "gold.tsv", data / "second.tsv"
    text = gold.read_text(encoding="utf-8")
    people.write_text(text, encoding="utf-8")
    second = f"corpora.yoruba.gold_second={people}"
    keys = [first, key("alignment.costs=unit"), key("seed=21"), key("chance.replicates=3"), key(mapped), key(second)]
    (data / "map.tsv").write_text("symbol\tipa\nP\tb\n", encoding="utf-8")
    people.write_text(text.replace("\ts\n", "\tt\n", 1), encoding="utf-8")
    keys += [key(mapped), key(second)]
    gold.write_text(text.replace("\ts\n", "\tt\n", 1), encoding="utf-8")
    keys.append(key())
    gold.write_text(text, encoding="utf-8")
    assert key() == first
    monkeypatch.setattr("phonxling.experiment.pipeline.versions", lambda: ("another source",))
    keys.append(key())
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("spoilt", ["yoruba/phones.tsv", "figures/rates.svg", "report.html", "summary.tsv"])
def test_a_result_that_was_changed_by_hand_is_made_again(data: Path, out: Path, spoilt: str) -> None:
    (out / spoilt).write_bytes((out / spoilt).read_bytes() + b"x")
    reused = go(data, out)
    assert reused["tables"] == (not spoilt.endswith(".tsv"))
    assert content(out) == content(data / "out")


@pytest.mark.slow
def test_what_is_kept_is_trusted_only_when_it_is_whole(data: Path, out: Path) -> None:
    for number, path in enumerate(sorted((out / ".cache").glob("*.json"))):
        text = path.read_text(encoding="utf-8")
        cut = text[: len(text) // 2] if number % 2 else text.replace("wper", "WPER").replace("figures/", "figurez/")
        path.write_text(cut if cut != text else text + " ,", encoding="utf-8")
    for path in (out / ".cache" / "tasks").glob("*"):
        path.write_bytes(path.read_bytes()[:-1])
    reused = go(data, out)
    assert (reused["tables"], reused["parts"], reused.get("steps")) == (False, [], 0)
    assert content(out) == content(data / "out")


def test_tables_that_another_user_stored_are_not_kept(data: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as another:
        another.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert not go(data, out)["tables"]
    assert content(out) == content(data / "out")


@pytest.mark.slow
def test_fresh_ignores_all_that_is_kept(data: Path, out: Path) -> None:
    found = CliRunner().invoke(
        app, ["run", str(data / "one.yaml"), "--output", str(out), "--fresh", "--quiet", "--workers", "1"]
    )
    assert found.exit_code == 0, found.output
    reused = json.loads((out / "run.json").read_text(encoding="utf-8"))["reused"]
    assert (reused["tables"], reused["steps"], reused["parts"]) == (False, 0, [])
    assert content(out) == content(data / "out")


def test_verify_needs_nothing_that_is_kept(data: Path, out: Path) -> None:
    os.utime(data / "yoruba" / "gold.tsv")
    for path in (out / ".cache").rglob("*"):
        if path.is_file():
            path.write_bytes(b"spoilt")
    arguments = ["verify", str(out), "--inputs", str(data), "--recompute", "--workers", "1", "--quiet"]
    found = CliRunner().invoke(app, arguments)
    assert found.exit_code == 0, found.output


def child(wanted: str, number: int, *arguments: str, by: int = signal.SIGKILL) -> subprocess.CompletedProcess[str]:
    """Run in a process that sends itself a signal before its n-th file with such a name gets it."""
    code = DYING.replace("signal.SIGKILL", f"signal.Signals({int(by)})")
    return python("-c", code, wanted, str(number), *arguments)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's")
@pytest.mark.parametrize(("wanted", "number"), [("confusions.tsv", 1), ("figures/", 3)])
def test_a_run_killed_anywhere_is_taken_up_and_ends_the_same(data: Path, other: Path, wanted: str, number: int) -> None:
    """It writes over the results of other settings, of which nothing may stay either."""
    arguments = ("run", str(data / "one.yaml"), "--output", str(other), "--workers", "1")
    assert child(wanted, number, *arguments).returncode == -signal.SIGKILL
    assert not (other / "manifest.json").exists()
    reused = go(data, other)
    assert content(other) == content(data / "out")
    assert reused["tables"] == (wanted == "figures/")
    if not reused["tables"]:
        assert reused["steps"] == reused["of_steps"]


@pytest.fixture
def drawn_otherwise(out: Path) -> Path:
    """Whole results, of which a figure and the page look otherwise than they would be drawn now."""
    held = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    figure = min(name for name in held["outputs"] if name.endswith(".svg"))
    for name in (figure, "report.html"):
        (out / name).write_bytes(b"older")
        held["outputs"][name] = hashlib.sha256(b"older").hexdigest()
    (out / "manifest.json").write_text(json.dumps(held), encoding="utf-8")
    return out


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's")
@pytest.mark.parametrize("wanted", ["report.html", "manifest.json"])
@pytest.mark.parametrize("mended_by", ["report", "run"])
def test_drawing_again_that_is_killed_is_finished_by_the_next(
    data: Path, drawn_otherwise: Path, wanted: str, mended_by: str
) -> None:
    results = drawn_otherwise
    assert child(wanted, 1, "report", str(results)).returncode == -signal.SIGKILL
    with pytest.raises(px.DataError, match="drawing it again was interrupted; to finish it, run: phonxling report "):
        read_manifest(results)
    if mended_by == "report":
        redraw(results, Silent())
    else:
        go(data, results)
    assert content(results) == content(data / "out")


def test_drawing_again_that_fails_puts_the_manifest_back(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary, before = (out / "summary.tsv").read_bytes(), content(out)
    (out / "summary.tsv").unlink()
    with pytest.raises(px.DataError, match=r"summary\.tsv"):
        redraw(out, Silent())
    assert read_manifest(out)["outputs"].keys() - before.keys() == set()
    (out / "summary.tsv").write_bytes(summary)
    monkeypatch.setattr("phonxling.experiment.results.write_documents", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        redraw(out, Silent())
    assert content(out) == {**before, ".unfinished": content(out)[".unfinished"]}


def test_a_run_beside_another_is_refused_and_changes_nothing(data: Path, out: Path) -> None:
    before = content(out)
    with locked(out, print):
        for command in (
            ["run", str(data / "one.yaml"), "--output", str(out)],
            ["report", str(out)],
            ["verify", str(out)],
        ):
            found = CliRunner().invoke(app, [*command, "--quiet"])
            assert isinstance(found.exception, px.DataError)
            assert "another run is writing there" in str(found.exception)
    assert content(out) == before


def test_results_that_are_replaced_while_they_are_read_are_refused(out: Path) -> None:
    with reading(out):
        pass
    with pytest.raises(px.DataError, match="another run wrote there while it was read"), reading(out):
        write_bytes(out / "manifest.json", (out / "manifest.json").read_bytes())


def test_bad_data_leave_nothing(data: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.tsv"
    bad.write_text("utterance\tphones\nu1\tp ?\n", encoding="utf-8")
    for path in (bad, tmp_path / "gone.tsv"):
        with pytest.raises(px.DataError, match="corpus yoruba"):
            go(data, tmp_path / "results" / "new", f"corpora.yoruba.gold.path={path}")
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_an_interruption_of_another_command_promises_nothing(data: Path, out: Path) -> None:
    found = child("report.html", 1, "report", str(out), by=signal.SIGINT)
    assert found.returncode == 128 + signal.SIGINT
    assert found.stderr.splitlines()[-1] == "interrupted"
    left = content(out)
    left.pop(".unfinished")
    assert left == content(data / "out")  # nothing had changed yet

"""The page of a comparison: its findings, that it is written again, and when it shows no confusions."""

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from compared_results import two_systems
from made_page import unpack
from typer.testing import CliRunner

import phonxling as px
from phonxling.cli import app
from phonxling.report.page_comparison import by_better
from phonxling.results.folder import read_manifest, write_manifest

CONFIGURATION = """\
name: SYSTEM
corpora: {one: {gold: gold.tsv, predicted: SYSTEM-gold.tsv, speakers: speakers.tsv}}
chance: {models: [constant], replicates: 2}
figures: {formats: [svg]}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of two systems that were compared: one with 10 % of errors, one with 40 %."""
    return two_systems(tmp_path_factory.mktemp("page"), CONFIGURATION, "gold").parent


def report(folder: Path) -> None:
    assert CliRunner().invoke(app, ["report", str(folder), "--quiet"], catch_exceptions=False).exit_code == 0


def carried(folder: Path) -> dict[str, str]:
    """Return the tables that a page carries."""
    held = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', (folder / "report.html").read_text("utf-8")
    )
    assert held
    tables = json.loads(held[1])["tables"]
    return {name: unpacked(text) for name, text in tables.items()}


def unpacked(text: str) -> str:
    """Return a table that was packed column by column."""
    columns = [line.split("\t") for line in unpack(text).decode().splitlines()]
    return "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))


@pytest.mark.parametrize(
    ("values", "higher", "shown"),
    [
        ((0.74, 0.91), True, ("ctc", "0.910 against 0.740")),
        ((0.02, 0.15), False, ("mlp", "0.0200 against 0.150")),
    ],
)
def test_lists_name_the_better_item_and_its_value_first(
    values: tuple[float, float], higher: bool, shown: tuple[str, str]
) -> None:
    row = {"item": "a", "other": "b", "phone": "k", "value": values[0], "other_value": values[1], "q": 0.01}
    rows = pd.DataFrame([row | {"difference": values[0] - values[1]}])
    ((better, (one,)),) = by_better(rows, {"a": "mlp", "b": "ctc"}, higher=higher)
    assert (better, one["how"], one["what"]) == (*shown, "k")


def test_the_page_carries_what_its_matrix_needs(data: Path) -> None:
    tables = carried(data / "out")
    stored = (data / "results/good/confusions.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in tables["good/confusions"].splitlines()]
    assert [row[:3] for row in rows] == [line.split("\t")[1:4] for line in stored]
    assert {*tables} >= {"differences", "phones", "confusions", "features", "bad/phones"}


def test_report_writes_the_same_page_again_and_verify_knows_it(data: Path) -> None:
    page, figure = data / "out" / "report.html", data / "out" / "figures" / "differences.svg"
    before, drawn = page.read_bytes(), figure.read_bytes()
    page.unlink()
    figure.unlink()
    report(data / "out")
    assert (page.read_bytes(), figure.read_bytes()) == (before, drawn)
    page.write_bytes(before + b" ")
    with pytest.raises(px.DataError, match=r"report\.html: was changed after it was written"):
        CliRunner().invoke(app, ["verify", str(data / "out")], catch_exceptions=False)
    page.write_bytes(before)


def test_without_the_results_the_page_says_why_it_shows_no_confusions(data: Path, tmp_path: Path) -> None:
    moved = tmp_path / "out"
    shutil.copytree(data / "out", moved)
    report(moved)
    text = (moved / "report.html").read_text("utf-8")
    assert "Confusions and utterances are not shown:" in re.sub("<[^>]+>", "", text)
    assert "is not there any more" in text
    assert 'data-picture="differences-0"' in text
    assert "good/confusions" not in carried(moved)


def test_changed_results_are_not_shown_either(data: Path, tmp_path: Path) -> None:
    for name in ("out", "results"):
        shutil.copytree(data / name, tmp_path / name)
    with (tmp_path / "results/bad/alignments.tsv").open("a", encoding="utf-8") as file:
        file.write("x\n")
    report(tmp_path / "out")
    assert "was changed after it was compared" in (tmp_path / "out/report.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("changed", [{"corpora": {"good": ["x"]}}, {"settings": 1}])
def test_a_manifest_of_no_comparison_is_refused(data: Path, tmp_path: Path, changed: dict[str, object]) -> None:
    shutil.copytree(data / "out", tmp_path / "out")
    manifest = read_manifest(tmp_path / "out")
    write_manifest(tmp_path / "out", {**manifest, **changed}, manifest["outputs"])  # whole, but of something else
    with pytest.raises(px.DataError, match="is not of a comparison"):
        report(tmp_path / "out")

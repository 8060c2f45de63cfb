"""A whole run over names that a spreadsheet, a page, LaTeX or a shell would obey: none is obeyed, none is changed."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hostile_experiment import MARK, PHONES, UTTERANCES, composed, make_hostile_experiment
from running import command

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.work import SilentProgress
from phonxling.experiment.results import redraw

pytestmark = pytest.mark.slow  # a whole run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the data, and `out` with the results."""
    folder = tmp_path_factory.mktemp("hostile")
    code, said = command(
        "run", make_hostile_experiment(folder), "--output", folder / "out", "--workers", "1", "--quiet"
    )
    assert code == 0, said
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    head, *lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    return [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]


def own_rows(folder: Path, name: str, corpus: str) -> list[dict[str, str]]:
    return [row for row in rows(folder / "out" / f"{name}.tsv") if row["corpus"] == corpus]


def test_every_name_reads_back_as_it_was_given(folder: Path) -> None:
    given = rows(folder / "gold.tsv")
    for corpus in ("first", "second"):
        stored = own_rows(folder, "utterances", corpus)
        assert [row["utterance"] for row in stored] == list(UTTERANCES)
        assert {row["speaker"] for row in stored} == {row["speaker"] for row in given}
        pairs = own_rows(folder, "alignments", corpus)
        said = Counter(row["gold"] for row in pairs)
        assert said - Counter({"∅": said["∅"]}) == Counter(composed(row["phone"]) for row in given)
    assert {row["recognised"] for row in own_rows(folder, "association", "first")} == set(map(composed, PHONES))


def test_stored_results_write_nothing_outside_themselves(folder: Path, tmp_path: Path) -> None:
    copy, outside = tmp_path / "copy", tmp_path / "outside"
    shutil.copytree(folder / "out", copy)
    outside.mkdir()
    shutil.rmtree(copy / "figures")
    (copy / "figures").symlink_to(outside)
    with pytest.raises(DataError, match="have the names of results:\n  figures"):
        redraw(copy, SilentProgress())
    (copy / "figures").unlink()
    manifest = json.loads((copy / "manifest.json").read_text(encoding="utf-8"))
    corpora = manifest["configuration"]["corpora"]
    manifest["configuration"]["corpora"] = {"../outside": corpora["first"], **corpora}
    (copy / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="settings are not valid: "):
        redraw(copy, SilentProgress())
    assert list(outside.iterdir()) == []


def test_tables_for_papers_hold_names_as_letters(folder: Path) -> None:
    written = list((folder / "out/paper").glob("*.tex"))
    assert len(written) > 4
    for path in written:
        text = re.sub(r"(?<!\\)%.*", "", path.read_text(encoding="utf-8"))  # without TeX's comments
        assert not re.search(rf"\\input\b|(?<!\\)\{{/{MARK}", text)
    for path in (folder / "out/paper").glob("*.md"):
        table = [line for line in path.read_text(encoding="utf-8").split("\n") if line.startswith("|")]
        widths = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table}
        assert len(widths) == (path.name != "methods.md"), path  # which is text alone
        assert not any(f"<script>{MARK}" in line for line in table)

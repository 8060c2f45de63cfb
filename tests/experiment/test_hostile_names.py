"""A whole run over names that a spreadsheet, a page, LaTeX or a shell would obey: none is obeyed, none is changed."""

import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hostile_experiment import MARK, PHONES, UTTERANCES, composed, make_hostile_experiment
from running import python

import phonxling
from phonxling.configuration.reading import load_configuration
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.work import SilentProgress
from phonxling.experiment.checking import spreadsheet_notes
from phonxling.experiment.corpora import load_corpora
from phonxling.experiment.results import redraw

pytestmark = pytest.mark.slow  # a whole run in a process of its own

TESTS = Path(__file__).parent.parent
HOUSE = Path(phonxling.__file__).parent.parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the data, `out` with the results, and `events.json` with what the run did."""
    folder = tmp_path_factory.mktemp("hostile")
    make_hostile_experiment(folder)
    command = str(TESTS / "audited_run.py"), "events.json", "run", "hostile.yaml", "--output", "out", "--workers", "1"
    environment = {**os.environ, "PYTHONPATH": str(HOUSE), "MPLCONFIGDIR": str(folder / "fonts")}  # none are listed yet
    done = python(*command, "--quiet", cwd=folder, env=environment, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def events(folder: Path) -> list[tuple[str, str]]:
    return [(event, what) for event, what in json.loads((folder / "events.json").read_text(encoding="utf-8"))]


def rows(path: Path) -> list[dict[str, str]]:
    head, *lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    return [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]


def own_rows(folder: Path, name: str, corpus: str) -> list[dict[str, str]]:
    return [row for row in rows(folder / "out" / f"{name}.tsv") if row["corpus"] == corpus]


def test_a_run_starts_no_program_and_connects_to_nothing(events: list[tuple[str, str]]) -> None:
    """But for fontconfig's, which matplotlib asks once on a machine which fonts there are."""
    seen = {event for event, _ in events}
    assert {"exec", "compile", "open", "os.rename"} <= seen, "the watch itself does not work"
    assert not [event for event in seen if event.startswith(("os.system", "os.exec", "os.posix", "os.f"))]
    assert not [event for event in seen if event.startswith(("socket.", "urllib."))]
    started = {what for event, what in events if event.startswith("subprocess")}
    assert all("fc-list" in what or what == "None" for what in started), started


def test_a_run_executes_no_file_outside_the_installed_libraries(folder: Path, events: list[tuple[str, str]]) -> None:
    run = {what for event, what in events if event == "exec"}
    homes = tuple(map(str, {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve(), HOUSE, Path(sys.prefix)}))
    made = re.compile(r"<.*>|")  # what libraries make: dataclasses, the page's template
    assert [name for name in run if not name.startswith(homes) and not made.fullmatch(name)] == []
    assert not any(str(folder) in name for name in run)


def test_no_name_from_data_is_compiled(events: list[tuple[str, str]]) -> None:
    assert not [source for event, source in events if event == "compile" and MARK in source]


def test_a_run_writes_in_its_folder_beside_it_and_in_caches_alone(folder: Path, events: list[tuple[str, str]]) -> None:
    remembered = Path(os.environ["XDG_DATA_HOME"]) / "phonxling"
    beside = [folder / f".out.phonxling-{part}" for part in ("new", "old", "lock")]
    allowed = [folder / "out", *beside, folder / "fonts", remembered, Path(tempfile.gettempdir()) / "numba"]
    changed = {what for event, what in events if event in {"open", "os.mkdir", "os.rename", "os.remove", "os.link"}}
    paths = [Path(os.path.normpath(folder / what)) for what in changed]
    outside = [path for path in paths if not any(path.is_relative_to(place) for place in allowed)]
    known = {Path(os.devnull), folder}  # which is asked for where it may not be there
    assert [path for path in outside if "__pycache__" not in path.parts and path not in known] == []
    assert {path.name for path in folder.iterdir()} - {"out", "events.json", "fonts"} == {
        *("gold.tsv", "predicted.tsv", "posteriors.npz", "hostile.yaml"),
    }


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


def test_names_that_a_spreadsheet_would_compute_are_counted(folder: Path) -> None:
    wanted = [name for name in {*PHONES, *UTTERANCES} if len(name) > 1 and name[0] in "=+-@"]
    (note,) = spreadsheet_notes(load_corpora(load_configuration(folder / "hostile.yaml")))
    assert note.text.startswith(f"{len(wanted)} names begin with =, +, - or @")


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


def test_the_page_holds_two_scripts_of_its_own_and_no_more(folder: Path) -> None:
    page = (folder / "out/report.html").read_text(encoding="utf-8")
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    data = page.partition('id="data">')[2].partition("</script>")[0]
    assert not {"\u2028", "\u2029", "<"} & set(data)
    assert set(PHONES) >= set(json.loads(data)["corpora"][0]["gold"])


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

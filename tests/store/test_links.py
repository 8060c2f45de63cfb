"""Links in a folder of results, as they may come with one from someone else: nothing is written where they lead."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from small_experiment import make_experiment

import phonxling as px
from phonxling.comparison.compare import Choices
from phonxling.core.files import open_in_place, write_bytes
from phonxling.core.work import SERIAL, Record, Silent
from phonxling.experiment.comparing import compare_results
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.pipeline import run
from phonxling.store.folder import note, redrawing, refuse_links, remove_others
from phonxling.store.tasks import Inputs, Steps

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has other links")
REFUSAL = "folders that results are written into are links"
CHOICES = Choices(None, False, "auto", "holm", None, None)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "thesis.tex").write_text("all my work", encoding="utf-8")
    return tmp_path / "elsewhere"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out" / ".cache" / "remote").mkdir(parents=True)
    return tmp_path / "out"


def whole(elsewhere: Path) -> bool:
    files = {path.name: path.read_text(encoding="utf-8") for path in elsewhere.iterdir()}
    return files == {"thesis.tex": "all my work"}


def run_into(out: Path) -> object:
    experiment = load_configuration(make_experiment(out.parent / "data", utterances=2))
    return run(experiment, out, SERIAL, Silent())


def compare_into(out: Path) -> object:
    return compare_results([out.parent / "data", out.parent / "more"], out, CHOICES, Silent())


def draw_again(out: Path) -> object:
    with redrawing(out, {"configuration": {"corpora": {"yoruba": {}}}}):
        pytest.fail("the folder was opened")


@pytest.mark.parametrize(
    ("write", "place"),
    [
        (run_into, "yoruba"),
        (run_into, "figures"),
        (run_into, ".cache/tasks"),
        (run_into, ".cache/remote/0123456789abcdef"),
        (compare_into, "figures"),
        (compare_into, ".cache"),
        (draw_again, "yoruba"),
        (draw_again, "tables"),
    ],
)
def test_whoever_writes_refuses_a_folder_that_is_a_link(
    out: Path, elsewhere: Path, write: Callable[[Path], object], place: str
) -> None:
    if place == ".cache":
        (out / ".cache" / "remote").rmdir()
        (out / ".cache").rmdir()
    (out / place).symlink_to(elsewhere)
    with pytest.raises(px.DataError, match=REFUSAL) as caught:
        write(out)
    assert f"{place} leads to {elsewhere}" in str(caught.value)
    assert whole(elsewhere)
    assert not (out / ".lock").exists()


def test_links_to_nothing_to_themselves_and_within_the_folder_are_named_together(out: Path) -> None:
    (out / "english").mkdir()
    (out / "yoruba").symlink_to("english")  # each corpus would overwrite the other
    (out / "figures").symlink_to("nowhere")
    (out / "tables").symlink_to("tables")
    with pytest.raises(px.DataError) as caught:
        refuse_links(out, ["english", "yoruba"])
    places = [line.split()[0] for line in str(caught.value).splitlines()[1:-1]]
    assert places == ["figures", "tables", "yoruba"]


def test_the_folder_itself_and_what_is_not_written_may_be_links(out: Path, elsewhere: Path) -> None:
    (out / "notes").symlink_to(elsewhere)
    (out / "summary.tsv").symlink_to(elsewhere / "thesis.tex")
    (out.parent / "named").symlink_to(out)
    refuse_links(out.parent / "named", ["english"])


def test_a_file_that_is_a_link_is_replaced(out: Path, elsewhere: Path) -> None:
    scratch = f".summary.tsv.{os.getpid()}.part"
    for name in ("summary.tsv", scratch):
        (out / name).symlink_to(elsewhere / "thesis.tex")
    write_bytes(out / "summary.tsv", b"new")
    assert not (out / "summary.tsv").is_symlink()
    assert not (out / scratch).is_symlink()
    assert whole(elsewhere)


def test_links_among_what_is_stored_are_replaced(out: Path, elsewhere: Path) -> None:
    (out / ".cache" / "README.txt").symlink_to(elsewhere / "thesis.tex")
    store = Steps(out, Inputs([]), Silent())
    list(store.records(SERIAL, one, 1, [1]))
    (path,) = (out / ".cache" / "tasks").glob("*.arrays")
    for place in (path, path.with_suffix(".json"), path.with_name(f".{path.name}.{os.getpid()}.part")):
        place.unlink(missing_ok=True)
        place.symlink_to(elsewhere / "thesis.tex")
    assert [*store.records(SERIAL, one, 1, [1])] == [{"one": 1}]
    assert not path.is_symlink()
    assert "Finished work" in (out / ".cache" / "README.txt").read_text(encoding="utf-8")
    assert whole(elsewhere)


def one(_: object, task: int) -> Record:
    return {"one": np.array(task)}


@pytest.mark.parametrize("link", [os.link, os.symlink, lambda _, path: os.mkfifo(path)])
def test_a_file_that_is_written_in_its_place_is_no_link_and_no_pipe(
    out: Path, elsewhere: Path, link: Callable[[Path, Path], None]
) -> None:
    link(elsewhere / "thesis.tex", out / ".lock")
    for flags in (os.O_RDWR, os.O_WRONLY | os.O_APPEND):
        with pytest.raises(px.DataError, match=r"\.lock: cannot be written: it is .*; remove it"):
            open_in_place(out / ".lock", flags)
    assert whole(elsewhere)


def test_files_of_an_earlier_run_are_not_removed_through_a_link_within_the_folder(out: Path) -> None:
    (out / "english").mkdir()
    (out / "english" / "phones.tsv").touch()
    (out / "yoruba").symlink_to("english")
    note(out, ["yoruba/phones.tsv"])
    remove_others(out, ["english/phones.tsv"])
    assert (out / "english" / "phones.tsv").exists()

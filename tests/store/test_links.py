"""Links, files of unfinished runs, and inputs while they are read."""

import os
from pathlib import Path

import pytest
from small_experiment import make_experiment
from support import error_of

import phonxling as px
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.manifest import check_inputs, read_inputs
from phonxling.results.folder import JOURNAL, LOCK, locked, note, noted, remove_others
from phonxling.store.tasks import Inputs


def test_names_are_noted_once_in_their_order(tmp_path: Path) -> None:
    note(tmp_path, ["b.tsv", "figures/a b.png"])
    note(tmp_path, ["c\nd.tsv", "b.tsv"])
    assert noted(tmp_path) == ["b.tsv", "figures/a b.png", "c\nd.tsv"]
    (tmp_path / JOURNAL).unlink()
    assert noted(tmp_path) == []


def test_a_line_that_was_cut_off_hides_no_other(tmp_path: Path) -> None:
    note(tmp_path, ["a.tsv", "b.tsv"])
    text = (tmp_path / JOURNAL).read_bytes()
    (tmp_path / JOURNAL).write_bytes(text[:-4])
    note(tmp_path, ["c.tsv"])
    assert noted(tmp_path) == ["a.tsv", "c.tsv"]


def test_what_is_not_kept_is_removed_with_its_empty_folder(tmp_path: Path) -> None:
    for name in ("a.tsv", "old/b.tsv", "figures/c.png", "figures/mine.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    note(tmp_path, ["a.tsv", "old/b.tsv", "figures/c.png", "gone/d.tsv"])
    remove_others(tmp_path, ["a.tsv"])
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.name != JOURNAL}
    assert left == {"a.tsv", "figures", "figures/mine.png"}  # what was never noted is the user's own


def test_nothing_outside_the_folder_is_removed(tmp_path: Path) -> None:
    results, other = tmp_path / "results", tmp_path / "other.tsv"
    results.mkdir()
    other.write_text("", encoding="utf-8")
    (results / "away").symlink_to(tmp_path)
    (results / "link.tsv").symlink_to(other)
    note(results, ["../other.tsv", str(other), "away/other.tsv", "link.tsv", ".", ""])
    remove_others(results, [])
    assert other.exists()
    assert not (results / "link.tsv").is_symlink()  # the link itself was the results'


def test_a_folder_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(px.DataError, match="cannot be written"):
        note(tmp_path / "file", ["a.tsv"])


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="Windows has other links")
def test_links_in_a_folder_from_elsewhere_lead_to_nothing_that_is_written(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("all my work", encoding="utf-8")
    (tmp_path / "out").mkdir()
    for name in (LOCK, JOURNAL):
        (tmp_path / "out" / name).symlink_to(tmp_path / "mine")
    with pytest.raises(px.DataError, match="cannot be written"):
        note(tmp_path / "out", ["a.tsv"])
    with pytest.raises(px.DataError, match="cannot be written"), locked(tmp_path / "out", print):
        pass
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "all my work"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path in paths:
        path.write_text(path.name, encoding="utf-8")
    return paths


def test_a_file_that_was_written_anew_is_another_whatever_it_holds_now(files: list[Path]) -> None:
    inputs = Inputs(files)
    os.utime(files[0], (1, 1))
    assert inputs.touched(files) == files[:1]
    with pytest.raises(px.DataError, match=str(files[0])):
        inputs.check()


def test_all_that_changed_are_named(files: list[Path]) -> None:
    inputs = Inputs(files)
    files[0].write_text("longer than before", encoding="utf-8")
    files[2].unlink()
    message = error_of(px.DataError, inputs.check)
    assert [line.strip() for line in message.splitlines()[1:3]] == [str(files[0]), str(files[2])]
    assert "Nothing was written" in message


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_another(files: list[Path]) -> None:
    inputs, state = Inputs(files), files[0].stat()
    new = files[0].with_name("new")
    new.write_text("z", encoding="utf-8")
    os.utime(new, ns=(state.st_atime_ns, state.st_mtime_ns))
    new.replace(files[0])
    with pytest.raises(px.DataError, match="changed while they were read"):
        inputs.check()


def test_a_path_is_known_by_any_way_to_write_it(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = Inputs(files)
    before = inputs.digest(files[0])
    files[0].write_text("other", encoding="utf-8")
    monkeypatch.chdir(files[0].parent)
    assert inputs.digest(Path("a")) == inputs.digest(files[0].parent / "." / "a") == before


def test_a_file_that_comes_or_goes_is_named(tmp_path: Path) -> None:
    config = make_experiment(tmp_path, utterances=2)
    folder = tmp_path / "english" / "gold"
    folder.mkdir()
    (tmp_path / "english" / "gold.tsv").rename(folder / "gold.tsv")
    experiment = load_configuration(config, ["corpora.english.gold.path=" + str(folder)])
    inputs, named = read_inputs(experiment)
    check_inputs(experiment, inputs, named)
    (folder / "more.tsv").write_text("utterance\tphones\n", encoding="utf-8")
    with pytest.raises(px.DataError, match=r"english/gold/more\.tsv: is new"):
        check_inputs(experiment, inputs, named)

"""The list of files that an unfinished run may leave: nothing of an earlier run outlives a finished one."""

import os
from pathlib import Path

import pytest

import phonxling as px
from phonxling.store.folder import JOURNAL, LOCK, locked, note, noted, remove_others


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

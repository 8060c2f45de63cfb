"""Finished tasks as files: read back as they were, or done again; never half, never another's."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.core.work import Record
from phonxling.store.content import Inputs
from phonxling.store.entries import Entries, Signatures
from phonxling.store.tasks import Tasks, TaskStore

KEY = "a" * 64
RECORD = {"file": np.arange(6).reshape(2, 3), "": np.array(["p", "t͡ʃ"]), "mean/x": np.array(0.25), "none": np.zeros(0)}


class Here:
    """Work done here, that counts what it ran."""

    workers = 1

    def __init__(self) -> None:
        self.ran: list[object] = []

    def map(self, function: Callable[..., Record], common: object, tasks: Sequence[object]) -> Iterator[Record]:
        for task in tasks:
            self.ran.append(task)
            yield function(common, task)


def scaled(factor: int, task: int | Path) -> Record:
    if isinstance(task, int) and task < 0:
        raise ValueError("negative")
    return {"value": np.array(factor * (task if isinstance(task, int) else len(task.read_bytes())))}


def shifted(factor: int, task: int) -> Record:
    return {"value": np.array(factor + task)}


def entries(
    folder: Path, told: list[str] | None = None, warned: list[str] | None = None, secret: bytes = b"mine"
) -> Entries:
    warn = ([] if warned is None else warned).append
    tell = ([] if told is None else told).append
    return Entries(folder / "tasks", Signatures(secret, warn), tell=tell, warn=warn)


def write(folder: Path, key: str = KEY, store: Entries | None = None) -> bool:
    """Write the record under a key, and return whether it is there."""
    here = store or entries(folder)
    here.prepare(key, RECORD)
    return here.confirm([key]) == [key]


def kept(folder: Path, inputs: Inputs | None = None) -> tuple[Tasks, Here]:
    here = Here()
    return Tasks(here, lambda _, __: None, TaskStore(entries(folder), inputs or Inputs([]))), here


def values(work: Tasks, tasks: list[int], factor: int = 2) -> list[int]:
    return [int(found["value"]) for found in work.map(scaled, factor, tasks)]


def test_a_record_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    assert write(tmp_path)
    found = entries(tmp_path).read(KEY)
    assert found is not None
    assert list(found) == list(RECORD)
    for name, array in RECORD.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(found[name], array)
    assert [path.name for path in (tmp_path / "tasks").iterdir()] == [f"{KEY}.entry"]
    assert "may be deleted" in (tmp_path / "README.txt").read_text(encoding="utf-8")


@given(st.data())
def test_an_entry_that_is_cut_short_or_changed_anywhere_is_not_there(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder, told = tmp_path_factory.mktemp("entry"), list[str]()
    write(folder)
    (path,) = (folder / "tasks").iterdir()
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[place] ^= 1 << data.draw(st.integers(0, 7))
    else:
        del content[place:]
    path.write_bytes(content)
    assert entries(folder, told).read(KEY) is None
    assert not path.exists()
    assert "no whole entry" in told[0]


def test_an_entry_under_the_name_of_another_is_not_there(tmp_path: Path) -> None:
    write(tmp_path)
    other = "b" * 64
    (tmp_path / "tasks" / f"{KEY}.entry").rename(tmp_path / "tasks" / f"{other}.entry")
    assert entries(tmp_path).read(other) is None
    assert entries(tmp_path).read(KEY) is None


def test_what_was_prepared_is_not_there_until_it_is_confirmed(tmp_path: Path) -> None:
    entries(tmp_path).prepare(KEY, RECORD)
    assert not entries(tmp_path).has(KEY)
    assert entries(tmp_path).read(KEY) is None
    entries(tmp_path).prune()
    assert list((tmp_path / "tasks").iterdir()) == []


def test_objects_are_never_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="objects are never kept"):
        entries(tmp_path).prepare(KEY, {"a": np.array([object()])})


def test_what_a_run_did_not_need_is_removed_at_its_end(tmp_path: Path) -> None:
    for key in ("a" * 64, "b" * 64, "c" * 64):
        write(tmp_path, key)
    (tmp_path / "tasks" / ".x.entry.1.part").write_bytes(b"half")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("", encoding="utf-8")
    signatures = Signatures(b"mine", print)
    Entries(tmp_path / "mine", signatures, tell=print, warn=print).prune()  # where `tasks` is a link elsewhere
    assert (tmp_path / "mine" / "thesis.tex").exists()
    now = entries(tmp_path)
    now.read("b" * 64)
    write(tmp_path, "d" * 64, now)
    left = now.prune()
    files = sorted(path.name[0] for path in (tmp_path / "tasks").iterdir())
    assert files == ["b", "d"]
    assert left == sum(path.stat().st_size for path in (tmp_path / "tasks").iterdir())


def test_a_disk_that_holds_no_more_is_told_of_once_and_stops_no_run(tmp_path: Path) -> None:
    (tmp_path / "tasks").write_text("a file where the folder should be", encoding="utf-8")
    warned: list[str] = []
    full = entries(tmp_path, warned=warned)
    assert not write(tmp_path, KEY, full)
    assert not write(tmp_path, "b" * 64, full)
    assert len(warned) == 1
    assert "cannot be kept" in warned[0]


def test_a_disk_that_is_nearly_full_is_left_to_the_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warned: list[str] = []
    store = entries(tmp_path, warned=warned)
    write(tmp_path, KEY, store)
    monkeypatch.setattr("phonxling.store.entries._MARGIN", 1 << 62)  # no disk has that much
    assert not write(tmp_path, "b" * 64, store)
    assert list((tmp_path / "tasks").iterdir()) == []
    assert "nearly full" in warned[0]


def test_only_what_is_missing_is_computed_and_all_comes_in_order(tmp_path: Path) -> None:
    first, ran = kept(tmp_path)
    assert values(first, [3, 1]) == [6, 2]
    second, ran = kept(tmp_path)
    assert values(second, [0, 1, 2, 3, 1]) == [0, 2, 4, 6, 2]
    assert ran.ran == [0, 2]
    assert second.store is not None
    assert (second.store.reused, second.store.tasks) == (3, 5)


def test_another_function_or_common_value_is_another_task(tmp_path: Path) -> None:
    values(kept(tmp_path)[0], [5])
    work, here = kept(tmp_path)
    assert values(work, [5], factor=3) == [15]
    assert [int(found["value"]) for found in work.map(shifted, 2, [5])] == [7]
    assert here.ran == [5, 5]


def test_a_spoilt_entry_is_computed_again_in_its_place(tmp_path: Path) -> None:
    values(kept(tmp_path)[0], [1, 2, 3])
    for path in (tmp_path / "tasks").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    work, here = kept(tmp_path)
    assert values(work, [1, 2, 3]) == [2, 4, 6]
    assert here.ran == [1, 2, 3]
    assert values(kept(tmp_path)[0], [3, 2, 1]) == [6, 4, 2]


def test_what_was_finished_before_an_error_is_kept(tmp_path: Path) -> None:
    work, _ = kept(tmp_path)
    with pytest.raises(ValueError, match="negative"):
        values(work, [1, -1, 2])
    again, here = kept(tmp_path)
    assert values(again, [1, 2]) == [2, 4]
    assert here.ran == [2]


def test_progress_is_told_of_stored_and_of_computed_tasks(tmp_path: Path) -> None:
    values(kept(tmp_path)[0], [1])
    told: list[tuple[int, int]] = []
    work = Tasks(Here(), lambda done, total: told.append((done, total)), TaskStore(entries(tmp_path), Inputs([])))
    values(work, [0, 1, 2])
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_another_version_uses_nothing_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values(kept(tmp_path)[0], [1])
    monkeypatch.setattr("phonxling.store.tasks.versions", lambda: ("another source",))
    work, here = kept(tmp_path)
    values(work, [1])
    assert here.ran == [1]


def test_a_task_that_cannot_be_compared_is_computed_and_not_kept(tmp_path: Path) -> None:
    for _ in range(2):
        work, here = kept(tmp_path)
        assert [int(found["value"]) for found in work.map(with_object, object(), [1])] == [1]
        assert here.ran == [1]
    assert not (tmp_path / "tasks").exists()


def with_object(_: object, task: int) -> Record:
    return {"value": np.array(task)}


def test_the_result_of_a_file_that_changed_meanwhile_is_not_kept(tmp_path: Path) -> None:
    """The task's key is of the content before; what it read may be of the content after."""
    path = tmp_path / "input"
    path.write_bytes(b"12345")
    inputs = Inputs([path])
    path.write_bytes(b"123456789")
    work, _ = kept(tmp_path, inputs)
    assert [int(found["value"]) for found in work.map(scaled, 1, [path])] == [9]
    path.write_bytes(b"12345")
    again, here = kept(tmp_path)
    assert [int(found["value"]) for found in again.map(scaled, 1, [path])] == [5]
    assert here.ran == [path]


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    path, copy = tmp_path / "input", tmp_path / "copy"
    for one in (path, copy):
        one.write_bytes(b"12345")
    list(kept(tmp_path)[0].map(scaled, 1, [path]))
    os.utime(copy, (1, 1))
    work, here = kept(tmp_path)
    list(work.map(scaled, 1, [copy]))
    assert here.ran == []


def test_what_another_user_stored_is_computed_again_with_one_line(tmp_path: Path) -> None:
    values(kept(tmp_path)[0], [1, 2, 3])
    warned: list[str] = []
    here = Here()
    others = TaskStore(entries(tmp_path, warned=warned, secret=b"another"), Inputs([]))
    assert values(Tasks(here, lambda _, __: None, others), [1, 2, 3]) == [2, 4, 6]
    assert (here.ran, others.reused) == ([1, 2, 3], 0)
    assert len(warned) == 1
    assert "it is not used, but computed again" in warned[0]
    work, here = kept(tmp_path)
    assert values(work, [1, 2, 3]) == [2, 4, 6]
    assert here.ran == [1, 2, 3]  # now they are the other one's


@pytest.mark.parametrize("signature", [None, b"", b"0" * 64, b"\xff" * 64])
def test_a_forged_result_with_a_right_checksum_is_not_used(tmp_path: Path, signature: bytes | None) -> None:
    """Whoever knows the inputs knows the key, too; all that is missing is the secret."""
    values(kept(tmp_path)[0], [1])
    (path,) = (tmp_path / "tasks").iterdir()
    key, forger = path.name.removesuffix(".entry"), entries(tmp_path, secret=b"the forger's")
    forger.prepare(key, {"value": np.array(99)})
    assert forger.confirm([key]) == [key]
    head, _, content = path.read_bytes().partition(b"\n")
    signed, _, own = head.rpartition(b" ")
    path.write_bytes(b"%b %b\n%b" % (signed, own if signature is None else signature, content))
    assert not entries(tmp_path).has(key)
    work, here = kept(tmp_path)
    assert (values(work, [1]), here.ran) == ([2], [1])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_under_the_name_of_an_entry_is_none(tmp_path: Path) -> None:
    values(kept(tmp_path)[0], [1])
    (path,) = (tmp_path / "tasks").iterdir()
    path.unlink()
    os.mkfifo(path)
    work, here = kept(tmp_path)
    assert values(work, [1]) == [2]
    assert here.ran == [1]
    assert path.is_file()

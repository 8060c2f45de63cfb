"""Finished steps as files: read back as they were, or done again; never half, never another's."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.core.work import Record, Silent
from phonxling.store.tasks import Inputs, Steps, Tasks

RECORD = {"file": np.arange(6).reshape(2, 3), "": np.array(["p", "t͡ʃ"]), "mean/x": np.array(0.25), "none": np.zeros(0)}


class Here(Silent):
    """Work done here, that counts what it ran; and what it was told."""

    workers = 1

    def __init__(self) -> None:
        self.ran: list[object] = []
        self.warned: list[str] = []

    def say(self, *messages: object) -> None:
        self.warned += map(str, messages)

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


def recorded(_: object, task: int) -> Record:
    return RECORD if task else {}


def run(
    out: Path,
    *tasks: int | Path,
    common: object = 2,
    function: Callable[..., Record] = scaled,
    inputs: Inputs | None = None,
) -> tuple[list[Any], Here, Steps]:
    """Run tasks with what a folder has kept; return the records, or their values, what was run, and the store."""
    here = Here()
    store = Steps(out, inputs or Inputs([]), here)
    found = list(Tasks(here, lambda *_: None, store).map(function, common, tasks))
    return [int(one["value"]) if set(one) == {"value"} else one for one in found], here, store


def kept(out: Path, ending: str = ".arrays") -> list[Path]:
    return sorted(path for path in (out / ".cache" / "tasks").iterdir() if path.suffix == ending)


def test_records_are_read_back_as_they_were_written_without_being_run(tmp_path: Path) -> None:
    _, first, _ = run(tmp_path, 0, 1, 2, function=recorded)
    again, second, store = run(tmp_path, 0, 1, 2, function=recorded)
    assert (first.ran, second.ran, store.reused, store.number) == ([0, 1, 2], [], 1, 1)
    assert again[0] == {}
    for found in again[1:]:
        assert list(found) == list(RECORD)
        for name, array in RECORD.items():
            assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
            np.testing.assert_array_equal(found[name], array)
    assert len(list((tmp_path / ".cache" / "tasks").iterdir())) == 2
    assert "may be deleted" in (tmp_path / ".cache" / "README.txt").read_text(encoding="utf-8")


@given(st.data())
def test_a_step_that_is_cut_short_or_changed_anywhere_is_computed_again(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    out = tmp_path_factory.mktemp("step")
    run(out, 1, 2)
    (path,) = kept(out, data.draw(st.sampled_from([".arrays", ".json"])))
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()) or path.suffix == ".arrays":
        content[place] ^= 1 << data.draw(st.integers(0, 6))
    else:
        del content[place:]
    path.write_bytes(content)
    values, here, _ = run(out, 1, 2)
    assert values == [2, 4]
    assert here.ran == ([1, 2] if path.suffix == ".arrays" else here.ran)  # white space of a JSON may be other
    assert run(out, 1, 2)[1].ran == []


def refill(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b""), refill])
@pytest.mark.parametrize("ending", [".arrays", ".json"])
def test_a_step_without_one_of_its_files_is_computed_again(
    tmp_path: Path, spoil: Callable[[Path], object], ending: str
) -> None:
    run(tmp_path, 1)
    spoil(kept(tmp_path, ending)[0])
    assert run(tmp_path, 1)[1].ran == [1]
    assert run(tmp_path, 1)[1].ran == []


@pytest.mark.parametrize(
    ("tasks", "changed"),
    [((5,), {"common": 3}), ((5,), {"function": shifted}), ((5, 6), {}), ((6,), {})],
)
def test_another_function_common_value_or_task_is_another_step(
    tmp_path: Path, tasks: tuple[int, ...], changed: dict[str, Any]
) -> None:
    run(tmp_path, 5)
    assert run(tmp_path, *tasks, **changed)[1].ran == [*tasks]


def test_another_version_uses_nothing_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, 1)
    monkeypatch.setattr("phonxling.store.tasks.versions", lambda: ("another source",))
    assert run(tmp_path, 1)[1].ran == [1]


def test_what_was_not_finished_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="negative"):
        run(tmp_path, 1, -1, 2)
    assert list((tmp_path / ".cache" / "tasks").iterdir()) == []


def test_what_cannot_be_compared_is_computed_and_not_kept(tmp_path: Path) -> None:
    for _ in range(2):
        assert run(tmp_path, 1, common=object(), function=recorded)[1].ran == [1]
    assert not (tmp_path / ".cache").exists()


def test_objects_are_never_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        run(tmp_path, 1, function=with_object)


def with_object(_: object, __: int) -> Record:
    return {"value": np.array([object()])}


def test_progress_is_told_of_stored_and_of_computed_tasks(tmp_path: Path) -> None:
    for _ in range(2):
        told: list[tuple[int, int]] = []
        store = Steps(tmp_path, Inputs([]), Silent())
        list(Tasks(Here(), lambda *numbers, told=told: told.append(numbers), store).map(scaled, 2, [0, 1]))
        assert told == [(1, 2), (2, 2)]


def test_what_a_run_did_not_need_is_removed_at_its_end(tmp_path: Path) -> None:
    run(tmp_path, 1)
    run(tmp_path, 2)
    needed = {path.name for path in kept(tmp_path)}
    run(tmp_path, 3)
    (tmp_path / ".cache" / "tasks" / ".x.arrays.1.part").write_bytes(b"half")
    (tmp_path / ".cache" / "tasks" / "thesis.tex").touch()
    here = Here()
    store = Steps(tmp_path, Inputs([]), here)
    for task in (1, 2):
        list(store.records(here, scaled, 2, (task,)))
    store.tidy()
    assert {path.name for path in kept(tmp_path)} == needed
    assert len(list((tmp_path / ".cache" / "tasks").iterdir())) == 5


@pytest.mark.parametrize("fault", ["file", "nearly full"])
def test_a_disk_that_holds_no_more_is_told_of_once_and_stops_no_run(
    tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, 1)
    if fault == "file":
        shutil.rmtree(tmp_path / ".cache")
        (tmp_path / ".cache").write_text("a file where the folder should be", encoding="utf-8")
    else:
        monkeypatch.setattr("phonxling.store.tasks._MARGIN", 1 << 62)  # no disk has that much
    here = Here()
    store = Steps(tmp_path, Inputs([]), here)
    for task in (3, 4):
        assert [int(one["value"]) for one in store.records(here, scaled, 2, [task, task])] == [2 * task] * 2
    assert len(here.warned) == 1
    assert "cannot be stored" in here.warned[0]
    assert fault == "file" or list((tmp_path / ".cache" / "tasks").iterdir()) == []  # the room is the results'


def test_the_result_of_a_file_that_changed_meanwhile_is_not_kept(tmp_path: Path) -> None:
    """The step's key is of the content before; what it read may be of the content after."""
    path = tmp_path / "input"
    path.write_bytes(b"12345")
    inputs = Inputs([path])
    path.write_bytes(b"123456789")
    assert run(tmp_path, path, common=1, inputs=inputs)[0] == [9]
    path.write_bytes(b"12345")
    values, here, _ = run(tmp_path, path, common=1)
    assert (values, here.ran) == ([5], [path])


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    path, copy = tmp_path / "input", tmp_path / "copy"
    for one in (path, copy):
        one.write_bytes(b"12345")
    run(tmp_path, path)
    os.utime(copy, (1, 1))
    assert run(tmp_path, copy)[1].ran == []


def test_what_another_user_stored_is_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever knows the inputs knows the key, too; whose file it is tells."""
    run(tmp_path, 1)
    with monkeypatch.context() as another:
        another.setattr(os, "geteuid", lambda: os.getuid() + 1)
        found, here, others = run(tmp_path, 1)
    assert (found, here.ran, others.reused) == ([2], [1], 0)
    assert run(tmp_path, 1)[1].ran == []

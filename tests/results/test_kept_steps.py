"""Finished steps in one file: read back as they were, or done again; never half, never another's."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phonxling.core.work import Record
from phonxling.results import kept
from phonxling.results.kept import KeptWork

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


def scale(factor: int, task: int) -> Record:
    if task < 0:
        raise ValueError("negative")
    return {"value": np.array(factor * task)}


def shift(factor: int, task: int) -> Record:
    return {"value": np.array(factor + task)}


def record(_: object, task: int) -> Record:
    return RECORD if task else {}


def run(
    folder: Path, *tasks: int, common: object = 2, function: Callable[..., Record] = scale
) -> tuple[list[Any], list[object], KeptWork]:
    """Run tasks with what a folder has kept; return the records, or their values, what was run, and the kept work."""
    here = Here()
    work = KeptWork(here, folder, lambda *_: None)
    found = list(work.map(function, common, tasks))
    return [int(one["value"]) if set(one) == {"value"} else one for one in found], here.ran, work


def test_records_are_read_back_as_they_were_written_without_being_run(tmp_path: Path) -> None:
    _, first, _ = run(tmp_path, 0, 1, 2, function=record)
    again, second, work = run(tmp_path, 0, 1, 2, function=record)
    assert (first, second, len(work.reused), len(work.used)) == ([0, 1, 2], [], 1, 1)
    assert again[0] == {}
    for found in again[1:]:
        assert list(found) == list(RECORD)
        for name, array in RECORD.items():
            assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
            np.testing.assert_array_equal(found[name], array)


def test_another_function_common_value_task_or_source_is_another_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(tmp_path, 1, 2)[0] == [2, 4]
    assert run(tmp_path, 1, 2, function=shift)[0] == [3, 4]
    assert run(tmp_path, 1, 2, common=3)[0] == [3, 6]
    assert run(tmp_path, 1, 3)[0] == [2, 6]
    monkeypatch.setattr(kept, "source_digest", lambda: "another source")
    assert run(tmp_path, 1, 2)[1] == [1, 2]
    assert {path.suffix for path in tmp_path.iterdir()} == {".step"}


def test_a_step_that_did_not_end_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="negative"):
        run(tmp_path, 1, -1)
    work = KeptWork(Here(), tmp_path, lambda *_: None)
    records = work.map(scale, 2, [1, 2])
    next(records)
    assert [int(one["value"]) for one in work.map(scale, 3, [1])] == [3]  # another step ends meanwhile
    records.close()
    assert run(tmp_path, 1, 2)[1] == [1, 2]
    assert run(tmp_path, 1, common=3)[1] == []


@pytest.mark.parametrize("damage", [lambda whole: whole[:60], lambda whole: whole.replace(b"NUMPY", b"LUMPY")])
def test_a_damaged_step_is_computed_again(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    run(tmp_path, 1, 2)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    found, ran, work = run(tmp_path, 1, 2)
    assert (found, ran, len(work.reused)) == ([2, 4], [1, 2], 0)
    assert run(tmp_path, 1, 2)[1] == []


def test_steps_that_a_run_did_not_need_go_and_nothing_else(tmp_path: Path) -> None:
    run(tmp_path, 1)
    (tmp_path / "mine.npz").write_bytes(b"")
    work = KeptWork(Here(), tmp_path, lambda *_: None)
    list(work.map(scale, 2, [2]))
    work.tidy()
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".npz", ".step"]
    assert (run(tmp_path, 2)[1], run(tmp_path, 1)[1]) == ([], [1])

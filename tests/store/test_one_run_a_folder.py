"""A folder belongs to one run at a time, whatever became of the run before; and no run leaves litter."""

import json
import os
import platform
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import phonxling as px
from phonxling.results.folder import locked, refuse_if_held

HOLD = """
import sys, time
from pathlib import Path
from phonxling.results.folder import locked
with locked(Path(sys.argv[1]), print):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    """Another process that has the folder."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "out")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ourselves
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_run_is_refused_and_told_who_has_the_folder(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    with pytest.raises(px.DataError) as caught, locked(tmp_path / "out", print):
        pass
    said = str(caught.value)
    assert f"{tmp_path / 'out'}: another run is writing there" in said
    assert f"process {holder.pid} on {platform.node()}, since 20" in said
    with pytest.raises(px.DataError, match=f"process {holder.pid}"):
        refuse_if_held(tmp_path / "out")
    assert (tmp_path / "out" / ".lock").exists()  # the refused one took nothing away


def test_the_folder_of_a_killed_run_is_free_at_once(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert (tmp_path / "out" / ".lock").exists()
    refuse_if_held(tmp_path / "out")
    with locked(tmp_path / "out", print):
        assert json.loads((tmp_path / "out" / ".lock").read_text(encoding="utf-8"))["process"] == os.getpid()


def test_of_many_at_once_one_has_the_folder_at_a_time(tmp_path: Path) -> None:
    """Each takes the lock a few times while others take it away under its name."""
    inside, worst, refused, failed = [0], [0], [0], []

    def take() -> None:
        for _ in range(40):
            try:
                with locked(tmp_path / "out", print):
                    inside[0] += 1
                    worst[0] = max(worst[0], inside[0])
                    inside[0] -= 1
            except px.DataError as error:
                refused[0] += 1
                if "another run" not in str(error):
                    failed.append(str(error))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert worst[0] == 1
    assert not failed


def test_a_folder_that_another_run_removes_at_that_moment_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, make = tmp_path / "out", os.mkdir
    folder.mkdir()

    def make_too_late(path: Path, mode: int = 0o777) -> None:
        try:
            make(path, mode)
        except FileExistsError:
            folder.rmdir()
            monkeypatch.undo()
            raise

    monkeypatch.setattr(os, "mkdir", make_too_late)
    with locked(folder, print):
        assert folder.is_dir()


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(px.DataError, match="out: cannot be written: "), locked(tmp_path / "out", print):
        pass


def test_what_was_made_for_the_lock_goes_again_when_nothing_was_written(tmp_path: Path) -> None:
    with pytest.raises(px.DataError, match="bad data"), locked(tmp_path / "a" / "b" / "out", print):
        raise px.DataError("bad data")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "there").mkdir()
    with locked(tmp_path / "there", print):
        pass
    assert list(tmp_path.iterdir()) == [tmp_path / "there"]
    with locked(tmp_path / "new", print):
        (tmp_path / "new" / "summary.tsv").write_text("", encoding="utf-8")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["summary.tsv"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_without_permission_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    for folder in (tmp_path / "out", tmp_path / "out" / "below"):
        with pytest.raises(px.DataError, match="cannot be written: Permission denied"), locked(folder, print):
            pass

"""Disks that fill up and places that cannot be written: needs the superuser, who mounts small file systems."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from faults.attempts import Attempt, Setting, remains
from faults.folders import contents, differences
from faults.processes import Ended, Strike

_COMPUTING = "  loading"  # the step, told under --verbose, that a run which is refused does not reach


def full_disks(setting: Setting, folder: Path, number: int) -> Iterator[Attempt]:
    """Run on disks of ever more room, up to what the results need; then again, with room."""
    need = sum(path.stat().st_blocks // 2 for path in folder.parent.joinpath("whole").rglob("*") if path.is_file())
    for room in np.linspace(4, 1.1 * need, number).astype(int):
        with _mounted(folder, f"size={room}k") as disk:
            first = setting.run(disk / "out")
            problems = [*_clear(first, "No space left on device"), *remains(setting, disk / "out", first)]
            _mount("-o", "remount,size=64m", str(disk))
            second = setting.run(disk / "out")
            problems += [f"LOST: ended with {second.code}: {second.error[-300:]}"] if second.code else []
            problems += [f"LOST: {text}" for text in differences(contents(disk / "out"), setting.wanted)]
        yield Attempt(Strike(path=f"disk of {room} kB"), "new folder", _told(first), "", problems)


def places(setting: Setting, folder: Path) -> Iterator[Attempt]:
    """Run into places where no results can be: each is told before anything is computed."""
    with _mounted(folder, "size=1m") as disk:
        (disk / "file").write_text("", encoding="utf-8")
        (disk / "link").symlink_to(disk / "nowhere" / "at" / "all")
        (disk / "others").mkdir()
        (disk / "others" / "thesis.tex").write_text("", encoding="utf-8")
        _mount("-o", "remount,ro", str(disk))
        yield _refused(setting, disk / "out", "a read-only file system", "Read-only file system")
        yield _refused(setting, disk / "file", "a file", "is a file")
        yield _refused(setting, disk / "file" / "out", "below a file", "Not a directory")
        yield _refused(setting, disk / "link", "a link that leads nowhere", "")
        yield _refused(setting, disk / "others", "a folder of other files", "thesis.tex")


def _refused(setting: Setting, folder: Path, what: str, message: str) -> Attempt:
    ended = setting.run(folder)
    problems = _clear(ended, message)
    if ended.code not in {1, 2}:
        problems.append(f"CODE {ended.code}")
    if _COMPUTING in ended.error:
        problems.append("LATE: it computed first")
    return Attempt(Strike(path=what), "as it is", _told(ended), "", problems)


def _clear(ended: Ended, message: str) -> list[str]:
    """Return what is wrong with how an error is told: one message that says why."""
    if ended.code == 0:
        return []
    errors = [line for line in ended.error.splitlines() if line.startswith("error:")]
    told = len(errors) == 1 and message in errors[0]
    traceback = "Traceback" in ended.error
    return [] if told and not traceback else [f"TRACEBACK or unclear: {ended.error.strip()[-300:]}"]


def _told(ended: Ended) -> str:
    last = (ended.error.strip().splitlines() or [""])[-1]
    return f"exit {ended.code} after {ended.seconds:.1f} s ({last[-110:]})"


@contextmanager
def _mounted(folder: Path, options: str) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    _mount("-t", "tmpfs", "-o", options, "tmpfs", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)  # noqa: S603, S607


def _mount(*arguments: str) -> None:
    if os.geteuid():
        raise SystemExit("the mode disk mounts small file systems, and needs the superuser")
    subprocess.run(["mount", *arguments], check=True)  # noqa: S603, S607

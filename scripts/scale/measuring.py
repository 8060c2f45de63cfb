"""A command in a process of its own: its seconds, its largest memory, and those of each step that it tells."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_STEP = re.compile(r" *[0-9.]+ s  (.+?)(?:: .+| [0-9]+ of [0-9]+)?")  # analyses and figures are one step each
_PAUSE = 0.05  # seconds between two looks at memory
_PAGE, _TICKS = (os.sysconf(name) for name in ("SC_PAGE_SIZE", "SC_CLK_TCK"))


@dataclass(slots=True)
class Step:
    """One step: seconds by the clock; the processor's seconds used by its end; the most bytes that were held."""

    name: str
    began: float
    seconds: float = 0.0
    worked: float = 0.0
    memory: int = 0


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock, of the processor (of a command and its children); the most bytes held together; steps."""

    seconds: float
    worked: float
    memory: int
    steps: list[Step]


class CommandError(Exception):
    """A command that failed, with the end of what it wrote."""


def taken(command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None) -> Taken:
    """Run a command of Python's in a folder and return what it took; a run tells its steps under --verbose."""
    began, steps, said = time.perf_counter(), [Step("starting", 0.0)], []
    with subprocess.Popen(  # noqa: S603 - ourselves
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        ended = threading.Event()
        watch = threading.Thread(target=_watch, args=(process.pid, steps, ended))
        watch.start()
        for line in process.stderr or ():
            said.append(line)
            if (found := _STEP.fullmatch(line.rstrip())) and found[1] != steps[-1].name:
                now = time.perf_counter() - began
                steps[-1].seconds = now - steps[-1].began
                steps.append(Step(found[1], now, worked=steps[-1].worked))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        ended.set()
        watch.join()
    seconds = time.perf_counter() - began
    steps[-1].seconds, steps[-1].worked = seconds - steps[-1].began, used.ru_utime + used.ru_stime
    if process.returncode:
        raise CommandError(f"{' '.join(command)}: exit code {process.returncode}\n{''.join(said[-20:])}")
    return Taken(seconds, steps[-1].worked, max(step.memory for step in steps), steps)


def size_of(folder: Path) -> int:
    """Return the bytes of a file, or of all files below a folder; 0 where there is none."""
    return sum(path.stat().st_size for path in (folder, *folder.rglob("*")) if path.is_file())


def _watch(process: int, steps: list[Step], ended: threading.Event) -> None:
    while not ended.wait(_PAUSE):
        step, family = steps[-1], [process, *_children(process)]
        step.memory = max(step.memory, sum(map(_resident, family)))
        step.worked = max(step.worked, sum(map(_worked, family)))


def _children(pid: int) -> list[int]:
    """Return the processes below one, by Linux's own account of them."""
    own = [int(child) for tasks in Path(f"/proc/{pid}/task").glob("*/children") for child in _words(tasks)]
    return [*own, *(below for child in own for below in _children(child))]


def _resident(pid: int) -> int:
    """Return the bytes of memory that a process holds, 0 when it is gone; a mapped file's pages count where held."""
    words = _words(Path(f"/proc/{pid}/statm"))
    return int(words[1]) * _PAGE if words else 0


def _worked(pid: int) -> float:
    """Return the processor's seconds of a process and of those of its children that have ended."""
    words = " ".join(_words(Path(f"/proc/{pid}/stat"))).rpartition(")")[2].split()
    return sum(map(int, words[11:15])) / _TICKS if words else 0.0


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").split()
    except OSError:
        return []

"""A run of phonxling in a process of its own: the seconds and the largest memory of each of its steps."""

import os
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

_STEP = re.compile(r" *[0-9.]+ s  (.+?)(?:: .+| [0-9]+ of [0-9]+)?")  # analyses and figures are one step each
_PAUSE = 0.1  # seconds between two looks at memory
_PAGE, _TICKS = (os.sysconf(name) for name in ("SC_PAGE_SIZE", "SC_CLK_TCK"))


@dataclass(slots=True)
class Step:
    """One step of a run: by the clock; the processor's seconds used by its end; the most bytes that were held."""

    name: str
    began: float
    seconds: float = 0.0
    worked: float = 0.0
    memory: int = 0


@dataclass(frozen=True)
class Measured:
    """A finished run: seconds by the clock, of the processor; bytes held at most, of results, of the page, kept."""

    seconds: float
    worked: float
    memory: int
    disk: int
    page: int
    kept: int
    steps: list[Step] = field(default_factory=list)


class RunError(Exception):
    """A run that failed."""


def measure(configuration: Path, output: Path, workers: int, settings: list[str]) -> Measured:
    """Run a configuration and return what it took."""
    chosen = [part for setting in settings for part in ("--set", setting)]
    command = [sys.executable, "-m", "phonxling", "run", str(configuration), "--output", str(output), "--verbose"]
    began, steps, said = time.perf_counter(), [Step("starting", 0.0)], []
    with subprocess.Popen(  # noqa: S603 - ourselves
        [*command, "--workers", str(workers), *chosen],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "200"},
    ) as process:
        watch = threading.Thread(target=_watch, args=(process, steps))
        watch.start()
        for line in process.stderr or ():
            said.append(line)
            if (found := _STEP.fullmatch(line.rstrip())) and found[1] != steps[-1].name:
                now = time.perf_counter() - began
                steps[-1].seconds = now - steps[-1].began
                steps.append(Step(found[1], now, worked=steps[-1].worked))
        watch.join()
    seconds = time.perf_counter() - began
    steps[-1].seconds = seconds - steps[-1].began
    if process.returncode:
        raise RunError(f"{configuration}: exit code {process.returncode}\n{''.join(said[-20:])}")
    kept, memory = size_of(output / ".cache"), max(step.memory for step in steps)
    page = size_of(output / "report.html")
    return Measured(seconds, steps[-1].worked, memory, size_of(output) - kept, page, kept, steps)


def size_of(folder: Path) -> int:
    """Return the bytes of a file, or of all files below a folder; 0 where there is none."""
    return sum(path.stat().st_size for path in (folder, *folder.rglob("*")) if path.is_file())


def _watch(process: "subprocess.Popen[str]", steps: list[Step]) -> None:
    while process.poll() is None:
        step, family = steps[-1], [process.pid, *_children(process.pid)]
        step.memory = max(step.memory, sum(map(_resident, family)))
        step.worked = max(step.worked, sum(map(_worked, family)))
        time.sleep(_PAUSE)


def _children(pid: int) -> list[int]:
    """Return the processes below one, by Linux's own account of them."""
    try:
        own = [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in _words(task / "children")]
    except OSError:
        return []
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

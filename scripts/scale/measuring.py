"""A command in a process of its own: its seconds, its largest memory, and the seconds of each step that it tells."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_STEP = re.compile(r" *[0-9.]+ s  (.+?)(?:: .+| [0-9]+ of [0-9]+)?")  # analyses and figures are one step each


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock and of the processor; the most bytes that were held; the seconds of each step."""

    seconds: float
    worked: float
    memory: int
    steps: dict[str, float]


class CommandError(Exception):
    """A command that failed, with the end of what it wrote."""


def taken(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Taken:
    """Run a command of Python's and return what it took; a run tells its steps under --verbose."""
    said, steps, step = list[str](), dict[str, float](), "starting"
    began = since = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - ourselves
        [sys.executable, *command],
        # As for users: modules are parsed once, not at each start.
        env={**os.environ, "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "", **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        for line in process.stderr or ():
            said.append(line)
            if (found := _STEP.fullmatch(line.rstrip())) and found[1] != step:
                now = time.perf_counter()
                steps[step], step, since = now - since, found[1], now
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    steps[step] = time.perf_counter() - since
    if process.returncode:
        raise CommandError(f"{' '.join(command)}: exit code {process.returncode}\n{''.join(said[-20:])}")
    return Taken(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, steps)


def size_of(folder: Path) -> int:
    """Return the bytes of a file, or of all files below a folder; 0 where there is none."""
    return sum(path.stat().st_size for path in (folder, *folder.rglob("*")) if path.is_file())

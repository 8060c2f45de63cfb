"""What a command took in all: `python -m benchmarks.whole COMMAND …` runs it and prints that as JSON.

A process of its own, and a small one: a child's peak memory counts the pages of the process that started it.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

_KILOBYTE = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss


class CommandError(Exception):
    """A command that failed, with the end of what it wrote."""


@dataclass(frozen=True)
class Taken:
    """Seconds of the processor (user and system, of a command and its children), of the clock, and the peak memory."""

    worked: float
    seconds: float
    megabytes: float


def taken(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Taken:
    """Run a command of Python's in a folder and return what it took."""
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, str(Path(__file__)), sys.executable, *command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise CommandError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return Taken(**json.loads(done.stdout))


def _measured(command: Sequence[str]) -> int:
    began = time.perf_counter()
    code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode  # noqa: S603 - ourselves
    seconds, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps(asdict(Taken(used.ru_utime + used.ru_stime, seconds, used.ru_maxrss * _KILOBYTE / 1e6))))
    return code


if __name__ == "__main__":
    sys.exit(_measured(sys.argv[1:]))

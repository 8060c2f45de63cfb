"""Runs of the command line in sessions of their own: started, struck, waited for, and who is left of them."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from faults.launch import BETWEEN

LAUNCH = Path(__file__).with_name("launch.py")
_PATIENCE = 300.0  # seconds after which a run counts as hanging
_LEAVE = 15.0  # seconds within which all processes of a run must be gone


@dataclass(frozen=True)
class Strike:
    """When and how to strike: at a change of the folder, or after so many seconds."""

    at: int = 0
    how: str = "before"
    signals: tuple[int, ...] = (signal.SIGKILL,)
    size: int = 0
    after: float = 0.0
    path: str = ""
    limit: int = 0

    def __str__(self) -> str:
        what = "+".join(signal.Signals(number).name for number in self.signals)
        moment = f"after {self.after:.2f} s" if self.after else f"change {self.at}, {self.how} {self.path}"
        return f"{what}, {moment}"


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    code: int | None
    out: str
    error: str
    seconds: float
    changes: list[dict[str, Any]] = field(default_factory=list)
    struck: bool = False
    left: tuple[str, ...] = ()


class Server:
    """A process that has everything imported and forks a run when it is asked to: most of a short run is importing."""

    def __init__(self, logs: Path, prefix: Sequence[str] = ()) -> None:
        self._logs = logs
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            [*prefix, sys.executable, str(LAUNCH)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(self, arguments: list[str], folder: Path, strike: Strike | None = None) -> Ended:
        """Run the command line on a folder of results, and strike where asked; code None when it hangs."""
        strike = strike or Strike()
        log, out, error = (self._logs / f"run.{name}" for name in ("log", "out", "error"))
        log.unlink(missing_ok=True)
        specification = {**asdict(strike), "folder": os.path.realpath(folder), "log": str(log)}
        told = {"specification": specification, "arguments": arguments, "out": str(out), "error": str(error)}
        clock = time.perf_counter()
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        session = int(self._hear())
        code, struck = self._watched(session, strike)
        seconds = time.perf_counter() - clock
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        struck = struck or any("struck" in line for line in lines) or code == -signal.SIGXFSZ
        changes = [line for line in lines if "event" in line]
        texts = (path.read_text(encoding="utf-8") for path in (out, error))
        return Ended(code, *texts, seconds, changes, struck, _left(session))

    def _watched(self, session: int, strike: Strike) -> tuple[int | None, bool]:
        """Return the exit code of a run that was struck in time, and whether somebody was there to be struck."""
        struck = bool(strike.after) and not self._ends(strike.after)
        for number in strike.signals if struck else ():
            os.kill(session, number)
            time.sleep(BETWEEN)
        if self._ends(_PATIENCE):
            return int(self._hear()), struck
        os.killpg(session, signal.SIGKILL)
        self._hear()
        return None, struck

    def _ends(self, seconds: float) -> bool:
        return bool(select.select([self._process.stdout], [], [], seconds)[0])

    def _hear(self) -> str:
        return self._process.stdout.readline()


def _left(session: int) -> tuple[str, ...]:
    """Return the commands of a session's processes that do not end within some seconds, and end them."""
    deadline = time.monotonic() + _LEAVE
    while found := list(_members(session)):
        if time.monotonic() > deadline:
            for pid, _ in found:
                os.kill(pid, signal.SIGKILL)
            return tuple(command for _, command in found)
        time.sleep(0.05)
    return ()


def _members(session: int) -> list[tuple[int, str]]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it is gone
            state, _, _, member = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            if int(member) == session and state != "Z":
                found.append((int(folder.name), command))
    return found

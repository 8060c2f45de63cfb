"""One attempt: a run is struck, then run again; what it left, and whether the result is that of an undisturbed run."""

import json
import signal
from dataclasses import dataclass
from pathlib import Path

from faults.folders import Contents, begin, contents, differences, torn
from faults.processes import Ended, Server, Strike

_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


@dataclass(frozen=True)
class Setting:
    """What is run, without its folder; what that holds at the end, and what it may begin with."""

    mode: str
    server: Server
    arguments: list[str]
    wanted: Contents
    before: Path | None = None
    allowed: tuple[Contents, ...] = ()

    def run(self, folder: Path, strike: Strike | None = None) -> Ended:
        """Run it into a folder."""
        return self.server.run([*self.arguments, "--output", str(folder)], folder, strike)


@dataclass(frozen=True)
class Attempt:
    """What was done, and what was wrong with it: nothing, if all is well."""

    strike: Strike
    begun: str
    first: str
    kept: str
    problems: list[str]

    def __str__(self) -> str:
        verdict = "; ".join(self.problems) or "equal"
        return f"{self.strike} [{self.begun}]: {self.first}; run again{self.kept}: {verdict}"


def attempt(setting: Setting, folder: Path, strike: Strike) -> Attempt:
    """Strike a run in a folder, look at what it left, run it again, and compare."""
    begin(folder, setting.before)
    first = setting.run(folder, strike)
    problems = [*_first(first, strike), *remains(setting, folder, first)]
    second = setting.run(folder)
    if second.code != 0:
        problems.append(f"LOST: the second run ended with {second.code}: {second.error.strip()[-300:]}")
    else:
        problems += [f"LOST: {text}" for text in differences(contents(folder), setting.wanted)]
    problems += [f"LEFT a process: {command[:80]}" for command in second.left]
    begun = "over other results" if setting.before else "new folder"
    return Attempt(strike, begun, _told(first), _kept(folder, second), problems)


def _told(ended: Ended) -> str:
    state = "" if ended.struck else ", not reached"
    return f"exit {ended.code} after {ended.seconds:.1f} s{state}"


def _first(first: Ended, strike: Strike) -> list[str]:
    problems = [f"LEFT a process: {command[:80]}" for command in first.left]
    if first.code is None:
        problems.append("HANGS")
    if "Traceback" in first.error:
        problems.append(f"TRACEBACK: {first.error.strip()[-300:]}")
    wanted = _CODES.get(signal.Signals(strike.signals[0]))
    # a second signal ends a process as it stands, and when all is told Python ends without handlers
    done = {0, -strike.signals[0]} if first.out or len(strike.signals) > 1 else {0}
    if first.struck and wanted and first.code not in {wanted, *done}:
        problems.append(f"CODE {first.code} instead of {wanted}: {first.error.strip()[-200:]}")
    if first.struck and wanted and first.code == wanted and len(first.error.strip().splitlines()[-1:]) != 1:
        problems.append("SILENT: no message")
    return problems


def remains(setting: Setting, folder: Path, first: Ended) -> list[str]:
    """Return what must not stand in a folder whose run was stopped."""
    found = contents(folder) if folder.exists() else {}
    problems = [f"TORN: {name}" for name in torn(found, [setting.wanted, *setting.allowed])]
    finished = any(not differences(found, known) for known in (setting.wanted, *setting.allowed))
    if "manifest.json" in found and not finished and not _only_scratch(found, setting):
        problems.append("MANIFEST: stands though the results are not whole")
    if first.code == 0 and differences(found, setting.wanted):
        problems.append("WRONG: the run ended well with other results")
    return problems


def _only_scratch(found: Contents, setting: Setting) -> bool:
    whole = {name: digest for name, digest in found.items() if not Path(name).name.startswith(".")}
    return any(not differences(whole, known) for known in (setting.wanted, *setting.allowed))


def _kept(folder: Path, second: Ended) -> str:
    """Return what the second run says that it did not do again."""
    try:
        told = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    reused = told.get("reused", {})
    parts = f"{len(reused.get('parts', []))} parts"
    tables = "tables" if reused.get("tables") else f"{reused.get('steps', 0)} of {reused.get('of_steps', 0)} steps"
    return f" ({second.seconds:.1f} s, reused {tables}, {parts})"

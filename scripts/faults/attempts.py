"""Where to strike runs, and attempts: a run is struck, then run again, and must end as an undisturbed one does."""

import hashlib
import shutil
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from faults.processes import Ended, Server, Strike

Contents = dict[str, str]
_MAY_DIFFER = "run.json"
_INTERRUPTS = ((signal.SIGINT,), (signal.SIGTERM,), (signal.SIGINT, signal.SIGINT))
_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


@dataclass(frozen=True)
class Setting:
    """What is run, without its folder; what that holds at the end, and what it may begin with."""

    server: Server
    arguments: list[str]
    wanted: Contents
    before: Path | None = None
    allowed: tuple[Contents, ...] = ()

    def run(self, folder: Path, strike: Strike | None = None) -> Ended:
        """Run it into a folder."""
        return self.server.run([*self.arguments, "--output", str(folder)], folder, strike)

    def anew(self, folder: Path) -> None:
        """Make a folder anew: empty, or as another one."""
        shutil.rmtree(folder, ignore_errors=True)
        if self.before is not None:
            shutil.copytree(self.before, folder)


@dataclass(frozen=True)
class Attempt:
    """What was done, and what was wrong with it: nothing, if all is well."""

    strike: Strike
    first: Ended
    begun: str
    problems: list[str]

    def __str__(self) -> str:
        ended = f"exit {self.first.code} after {self.first.seconds:.1f} s{'' if self.first.struck else ', not reached'}"
        return f"{self.strike} [{self.begun}]: {ended}; run again: {'; '.join(self.problems) or 'equal'}"


def attempt(setting: Setting, folder: Path, strike: Strike) -> Attempt:
    """Strike a run in a folder, look at what it left, run it again, and compare."""
    setting.anew(folder)
    first = setting.run(folder, strike)
    problems = [*_how_it_ended(first, strike), *remains(setting, folder, first)]
    second = setting.run(folder)
    if second.code != 0:
        problems.append(f"LOST: the second run ended with {second.code}: {second.error.strip()[-300:]}")
    else:
        problems += [f"LOST: {text}" for text in differences(contents(folder), setting.wanted)]
    problems += [f"LEFT a process: {command[:80]}" for command in (*first.left, *second.left)]
    return Attempt(strike, first, "over other results" if setting.before else "new folder", problems)


def _how_it_ended(first: Ended, strike: Strike) -> list[str]:
    problems = []
    if first.code is None:
        problems.append("HANGS")
    if "Traceback" in first.error:
        problems.append(f"TRACEBACK: {first.error.strip()[-300:]}")
    wanted = _CODES.get(signal.Signals(strike.signals[0]))
    # a second signal ends a process as it stands, and when all is told Python ends without handlers
    done = {0, -strike.signals[0]} if first.out or len(strike.signals) > 1 else {0}
    if first.struck and wanted and first.code not in {wanted, *done}:
        problems.append(f"CODE {first.code} instead of {wanted}: {first.error.strip()[-200:]}")
    if first.struck and wanted and first.code == wanted and not first.error.strip():
        problems.append("SILENT: no message")
    return problems


def remains(setting: Setting, folder: Path, first: Ended) -> list[str]:
    """Return what must not stand in a folder whose run was stopped; files whose names begin with a dot may."""
    found, known = contents(folder), (setting.wanted, *setting.allowed)
    whole = {name: digest for name, digest in found.items() if not Path(name).name.startswith(".")}
    torn = (name for name, digest in whole.items() if all(digest != one.get(name) for one in known))
    problems = [f"TORN: {name}" for name in torn]
    if "manifest.json" in found and all(differences(whole, one) for one in known):
        problems.append("MANIFEST: stands though the results are not whole")
    if first.code == 0 and differences(found, setting.wanted):
        problems.append("WRONG: the run ended well with other results")
    return problems


def contents(folder: Path) -> Contents:
    """Return the sha256 of each file that must be the same in equal runs: all but run.json and hidden folders'."""
    names = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {
        name.as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in sorted(names.items())
        if name.as_posix() != _MAY_DIFFER and not any(part.startswith(".") for part in name.parts[:-1])
    }


def differences(found: Contents, wanted: Contents) -> list[str]:
    """Return the names of files that are missing, too many or other, each with which."""
    return [
        *(f"missing: {name}" for name in wanted if name not in found),
        *(f"too many: {name}" for name in found if name not in wanted),
        *(f"other: {name}" for name in wanted if name in found and found[name] != wanted[name]),
    ]


def kills(undisturbed: Ended, number: int, seed: int) -> list[Strike]:
    """Return kill points: two fifths before a change, two within a write, one after a random time."""
    before, within = round(0.4 * number), round(0.4 * number)
    changes, writes = undisturbed.changes, _writes(undisturbed.changes)
    times = np.sort(np.random.default_rng(seed).uniform(0.3, undisturbed.seconds, number - before - within))
    return [
        *(Strike(at=at + 1, path=_name(changes[at])) for at in _spread(len(changes), before)),
        *(
            Strike(at=writes[at][0], how="within", size=writes[at][1], path=writes[at][2])
            for at in _spread(len(writes), within)
        ),
        *(Strike(after=float(after)) for after in times),
    ]


def interrupts(undisturbed: Ended, number: int, seed: int) -> list[Strike]:
    """Return moments to interrupt: Ctrl-C, SIGTERM, Ctrl-C twice; half at changes, half by time, none in the start."""
    changes = undisturbed.changes
    times = np.sort(np.random.default_rng(seed).uniform(1.0, undisturbed.seconds, number - number // 2))
    found = [Strike(at=at + 1, path=_name(changes[at])) for at in _spread(len(changes), number // 2)]
    found += [Strike(after=float(after)) for after in times]
    return [
        Strike(at=one.at, path=one.path, after=one.after, signals=_INTERRUPTS[place % 3])
        for place, one in enumerate(found)
    ]


def _writes(changes: Sequence[dict[str, Any]]) -> list[tuple[int, int, str]]:
    """Return the writes whose size is known, since the file was renamed later: change, half of the size, path."""
    found: list[tuple[int, int, str]] = []
    opened: dict[str, int] = {}
    for place, change in enumerate(changes, start=1):
        if change["event"] == "open":
            opened[change["path"]] = place
        elif change["event"] == "os.rename" and change["path"] in opened and (change["size"] or 0) > 1:
            found.append((opened[change["path"]], change["size"] // 2, change["path"]))
    return found


def _spread(length: int, number: int) -> list[int]:
    """Return so many places of a list of a length, evenly spread, the first and last among them."""
    return [int(place) for place in np.linspace(0, length - 1, min(number, length)).round()]


def _name(change: dict[str, Any]) -> str:
    return f"{change['event']} {change['path']}"

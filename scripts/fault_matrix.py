#!/usr/bin/env python3
"""Kill and interrupt real runs at many points, run them again, and compare with an undisturbed run, byte for byte.

Usage: .venv/bin/python scripts/fault_matrix.py [--points N] [--interrupts N]
Half of the runs begin in a new folder, half over other results. Prints each point, then a table; exit code 1 when a
result was lost, half written or wrong. Linux only.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from faults.attempts import Attempt, Setting, attempt, contents, differences, interrupts, kills
from faults.processes import Ended, Server

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
from small_experiment import make_experiment

_FAULTS = ("LOST", "TORN", "MANIFEST", "WRONG", "HANGS", "LEFT", "TRACEBACK", "CODE", "SILENT")
_QUICK = ("chance.replicates=2", "uncertainty.resamples=20", "information.permutations=5", "figures.kinds=[rates]")
QUICK = [word for setting in _QUICK for word in ("--set", setting)]


def main() -> int:
    """Try every point, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=44, help="kill points")
    parser.add_argument("--interrupts", type=int, default=12, help="interruptions (Ctrl-C, SIGTERM)")
    parser.add_argument("--seed", type=int, default=20, help="of the random moments")
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder by default")
    chosen = parser.parse_args()
    tried = []
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name, Server(Path(name)) as server:
        for one in _tried(Path(name), server, chosen):
            tried.append(one)
            print(one, flush=True)
    return _table(tried)


def _tried(folder: Path, server: Server, chosen: argparse.Namespace) -> Iterator[Attempt]:
    arguments = ["run", str(make_experiment(folder, utterances=12)), "--verbose", "--workers", "1", *QUICK]
    new = Setting(server, arguments, {})
    other, whole = folder / "other", folder / "whole"
    _undisturbed(replace(new, arguments=[*arguments, "--set", "seed=5", "--set", "alignment.costs=unit"]), other)
    ended = [_undisturbed(new, whole)]
    new = replace(new, wanted=contents(whole))
    over = replace(new, before=other, allowed=(contents(other),))
    ended.append(_undisturbed(over, folder / "again"))
    if differences(contents(folder / "again"), new.wanted):
        raise SystemExit("over other results an undisturbed run has other results")
    points = []
    for half, setting in enumerate((new, over)):
        number, stops = (chosen.points + half) // 2, (chosen.interrupts + half) // 2
        found = kills(ended[half], number, chosen.seed + half) + interrupts(ended[half], stops, chosen.seed + half)
        points += [(setting, strike) for strike in found]
    random.Random(chosen.seed).shuffle(points)  # noqa: S311 - so that a matrix that is stopped has tried all kinds
    for setting, strike in points:
        yield attempt(setting, folder / "attempt", strike)


def _undisturbed(setting: Setting, folder: Path) -> Ended:
    setting.anew(folder)
    ended = setting.run(folder)
    if ended.code != 0:
        raise SystemExit(f"the undisturbed run ended with {ended.code}:\n{ended.error}")
    return ended


def _table(tried: list[Attempt]) -> int:
    faults = Counter(fault for one in tried for fault in _FAULTS if any(p.startswith(fault) for p in one.problems))
    print("\n" + "".join(f"{column.lower():>10}" for column in ("tried", "reached", *_FAULTS)))
    reached, wrong = sum(one.first.struck for one in tried), sum(bool(one.problems) for one in tried)
    print("".join(f"{value:>10}" for value in (len(tried), reached, *(faults[fault] for fault in _FAULTS))))
    print(f"{len(tried)} tried, {wrong} with a fault")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

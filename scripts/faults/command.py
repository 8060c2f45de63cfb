"""The command line of the fault matrix."""

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from faults.attempts import Attempt, Setting, attempt
from faults.disk import full_disks, places
from faults.experiment import make
from faults.folders import begin, contents, differences
from faults.points import interrupts, kills, worker_kills
from faults.processes import Ended, Server, Strike

_FAULTS = ("LATE", "LOST", "TORN", "MANIFEST", "WRONG", "HANGS", "LEFT", "TRACEBACK", "CODE", "SILENT")


def main() -> int:
    """Try every point of every mode, and print what came of it."""
    chosen = _arguments()
    attempts: dict[str, list[Attempt]] = {}
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name, ExitStack() as stack:
        folder = Path(name)
        config = make(folder)
        for mode in chosen.modes.split(","):
            found = attempts.setdefault(mode, [])
            for one in _tried(mode, config, folder / mode, chosen, stack):
                found.append(one)
                print(f"{mode}: {one}", flush=True)
    return _table(attempts)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modes", default="serial,cluster", help="of serial, cluster, disk")
    parser.add_argument("--points", type=int, default=44, help="kill points of each mode")
    parser.add_argument("--interrupts", type=int, default=12, help="interruptions (Ctrl-C, SIGTERM) of each mode")
    parser.add_argument("--seed", type=int, default=20, help="of the random moments")
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder by default")
    return parser.parse_args()


def _tried(mode: str, config: Path, folder: Path, chosen: argparse.Namespace, stack: ExitStack) -> Iterator[Attempt]:
    folder.mkdir()
    workers: str | tuple[int, ...] = "worker"
    cluster = None
    if mode == "disk":
        yield from _places(config, folder, stack)
        return
    if mode == "cluster":
        from faults.cluster import Cluster

        cluster = stack.enter_context(Cluster(2))
        arguments, workers = ["--scheduler", cluster.address], cluster.pids()
    else:
        arguments = ["--workers", "1"]
    plain = ["run", str(config), "--verbose", *arguments]
    server = stack.enter_context(Server(folder))
    other, whole = folder / "other", folder / "whole"
    _run(Setting(mode, server, [*plain, "--set", "seed=5", "--set", "alignment.costs=unit"], {}), other)
    settings = [Setting(mode, server, plain, {})]
    undisturbed = [_run(settings[0], whole)]
    wanted = contents(whole)
    settings = [replace(settings[0], wanted=wanted)]
    settings.append(replace(settings[0], before=other, allowed=(contents(other),)))
    begin(folder / "again", other)
    undisturbed.append(_run(settings[1], folder / "again"))
    if differences(contents(folder / "again"), wanted):
        raise SystemExit(f"{mode}: over other results an undisturbed run has other results")
    points = [
        (setting, strike)
        for place, (setting, found) in enumerate(zip(settings, undisturbed, strict=True))
        for strike in _points(mode, found, workers, chosen, place)
    ]
    random.Random(chosen.seed).shuffle(points)  # noqa: S311 - so that a matrix that is stopped has tried all kinds
    for setting, strike in points:
        if strike.target != "self" and cluster is not None:
            strike = replace(strike, target=cluster.pids())
        yield attempt(setting, folder / "attempt", strike)


def _places(config: Path, folder: Path, stack: ExitStack) -> Iterator[Attempt]:
    server = stack.enter_context(Server(folder))
    setting = Setting("disk", server, ["run", str(config), "--verbose", "--workers", "1"], {})
    _run(setting, folder / "whole")
    setting = replace(setting, wanted=contents(folder / "whole"))
    yield from places(setting, folder / "disk")
    yield from full_disks(setting, folder / "disk", 20)


def _points(
    mode: str, undisturbed: Ended, workers: str | tuple[int, ...], chosen: argparse.Namespace, half: int
) -> list[Strike]:
    """Return the points of one half of a mode; where there are workers, they are killed in a quarter of them."""
    number, seed = (chosen.points + half) // 2, chosen.seed + half
    some = 0 if mode == "serial" else number // 4
    return [
        *kills(undisturbed, number - some, seed),
        *worker_kills(undisturbed, workers, some, seed),
        *interrupts(undisturbed, (chosen.interrupts + half) // 2, seed),
    ]


def _run(setting: Setting, folder: Path) -> Ended:
    ended = setting.run(folder)
    if ended.code != 0:
        raise SystemExit(f"{setting.mode}: the undisturbed run ended with {ended.code}:\n{ended.error}")
    return ended


def _table(attempts: dict[str, list[Attempt]]) -> int:
    columns = ("mode", "tried", "reached", *(fault.lower() for fault in _FAULTS))
    print("\n" + "".join(f"{column:>10}" for column in columns))
    total = 0
    for mode, tried in attempts.items():
        faults = Counter(fault for one in tried for fault in _FAULTS if any(p.startswith(fault) for p in one.problems))
        reached = sum("not reached" not in one.first for one in tried)
        print("".join(f"{value:>10}" for value in (mode, len(tried), reached, *(faults[fault] for fault in _FAULTS))))
        total += sum(bool(one.problems) for one in tried)
    print(f"{sum(map(len, attempts.values()))} tried, {total} with a fault")
    return 1 if total else 0

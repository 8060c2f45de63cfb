"""Work done by us and by others, in turns: results are compared before anything is timed; and the table of it."""

import importlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

DISTRIBUTIONS = {
    "Bio.Align": "biopython",
    "kaldialign": "kaldialign",
    "rapidfuzz.distance": "rapidfuzz",
    "panphon.distance": "panphon",
}
_OURS = ("phonxling", "numba", "numpy", "scipy", "pandas")


@dataclass(frozen=True)
class Goal:
    """What is aimed at; `met` is None where a scaled-down workload cannot tell."""

    ratio: float | None = None
    seconds: float | None = None
    megabytes: float | None = None

    def __str__(self) -> str:
        parts = {"≥ {:,g}×": self.ratio, "≤ {:g} s": self.seconds, "≤ {:,g} MB": self.megabytes}
        return ", ".join(form.format(value) for form, value in parts.items() if value is not None)


@dataclass(frozen=True)
class Row:
    """One comparison; the names are the keys of the JSON.

    `ratio` is the peer's time over ours (or its memory over ours), so more is better; `ratio_low` and `ratio_high` are
    its quartiles over the rounds. `peer_seconds` is for the whole work, also where the peer did a share of it.
    """

    section: str
    work: str
    against: str
    goal: Goal | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    ours_seconds: float | None = None
    peer_seconds: float | None = None
    megabytes: float | None = None
    repeats: int = 0
    note: str = ""


def write_json(rows: Sequence[Row], versions: dict[str, str], settings: dict[str, object], path: Path) -> None:
    """Write the rows with the versions and settings under which they came about."""
    held = [{**asdict(row), "goal": str(row.goal) if row.goal else None} for row in rows]
    text = json.dumps({"settings": settings, "versions": versions, "rows": held}, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def show(rows: Sequence[Row], versions: dict[str, str]) -> None:
    """Print the table of ratios and the versions."""
    print("How many times faster than others (median, quartiles in brackets)\n")
    print("| work | against | goal | ratio | ours | other | note |\n|---|---|---:|---:|---:|---:|---|")
    for row in rows:
        memory = f"{_digits(row.megabytes)} MB" if row.megabytes else ""
        ours = ", ".join(filter(None, (_seconds(row.ours_seconds), memory)))
        cells = row.against, str(row.goal or ""), _ratio(row), ours, _seconds(row.peer_seconds), row.note
        print(f"| {row.section}: {row.work} | {' | '.join(cells)} |")
    print("\nversions: " + ", ".join(f"{name} {version}" for name, version in versions.items()))


def _ratio(row: Row) -> str:
    if row.ratio is None:
        return "–"
    spread = f" ({_digits(row.ratio_low)}–{_digits(row.ratio_high)})" if row.ratio_low and row.ratio_high else ""
    return f"{_digits(row.ratio)}×{spread}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3g} s" if value >= 1 else f"{value * 1000:.3g} ms"


@dataclass(frozen=True)
class Settings:
    """The size of the workloads, the rounds, a folder for files; for the section `run` what else is measured."""

    quick: bool
    scale: float
    repeats: int
    folder: Path
    before: Path | None = None
    experiments: tuple[Path, ...] = ()

    def size(self, full: int, quick: int) -> int:
        """Return how many items of a workload to make."""
        return max(2, round(self.scale * (quick if self.quick else full)))

    @property
    def whole(self) -> bool:
        """Whether the workloads are those that the goals in seconds and megabytes are for."""
        return not self.quick and self.scale == 1


Work = Callable[[], object]


class MismatchError(Exception):
    """A peer's result is not ours: a ratio would compare different work."""


@dataclass(frozen=True)
class Peer:
    """Another way to do the work (None: not here, see the note), whether its result is ours, and its share of ours."""

    name: str
    work: Work | None
    same: Callable[[], bool] | None = None
    goal: Goal | None = None
    share: float = 1.0
    note: str = ""


@dataclass(frozen=True)
class Contest:
    """Our way to do some work, and the others.

    Timed is the processor's time, which other programs on the machine change little; the clock's where several threads
    or processes work.
    """

    section: str
    work: str
    ours: Work
    peers: Sequence[Peer]
    threads: bool = False


def measure(contest: Contest, repeats: int) -> list[Row]:
    """Return a row for each peer: the median, over rounds, of its time over ours in the same round."""
    print(f"{contest.section}: {contest.work}", file=sys.stderr)
    works = {"": contest.ours, **{peer.name: peer.work for peer in contest.peers if peer.work is not None}}
    for peer in contest.peers:
        if peer.work is not None and peer.same is not None and not peer.same():
            raise MismatchError(f"{contest.section}, {contest.work}: the result of {peer.name} is not ours")
    contest.ours()  # compiled and warm
    clock = time.perf_counter if contest.threads else time.process_time
    rounds = [{name: _timed(work, clock) for name, work in works.items()} for _ in range(repeats)]
    seconds = {name: np.array([each[name] for each in rounds]) for name in works}
    rows = [Row(contest.section, contest.work, peer.name, peer.goal, note=peer.note) for peer in contest.peers]
    return [
        replace(row, **compared(seconds[""], seconds[peer.name] / peer.share)) if peer.name in seconds else row
        for row, peer in zip(rows, contest.peers, strict=True)
    ]


def _timed(work: Work, clock: Callable[[], float]) -> float:
    start = clock()
    result = work()
    seconds = clock() - start
    del result  # freeing is not timed
    return seconds


def compared(ours: np.ndarray, theirs: np.ndarray | None) -> dict[str, Any]:
    """Return the numbers of a row: medians of the seconds of each round, and quartiles of their ratios."""
    numbers = {"ours_seconds": float(np.median(ours)), "repeats": len(ours)}
    if theirs is None:
        return numbers
    ratios = dict(zip(("ratio_low", "ratio", "ratio_high"), np.quantile(theirs / ours, [0.25, 0.5, 0.75]), strict=True))
    return {**numbers, "peer_seconds": float(np.median(theirs)), **{name: float(one) for name, one in ratios.items()}}


def library(name: str) -> tuple[ModuleType | None, str]:
    """Return a module, or None and what to do to have it."""
    try:
        return importlib.import_module(name), ""
    except ImportError:
        return None, f"not installed: pip install {DISTRIBUTIONS[name]}"


def versions() -> dict[str, str]:
    """Return the versions of Python, of our libraries and of the peers that are installed, and the number of cores."""
    found = {"python": platform.python_version()}
    for name in dict.fromkeys((*_OURS, *DISTRIBUTIONS.values())):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {**found, "cores": str(os.cpu_count())}

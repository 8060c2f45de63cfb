"""Whole commands as users give them, beside an older checkout of ours (`--before FOLDER`), in turns."""

import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scale.measuring import Taken, taken
from scale.text import write_text

from benchmarks.contest import Goal, Row, Settings, compared

_ROOT = Path(__file__).resolve().parent.parent.parent
_YORUBA = [str(_ROOT / "data" / "demo" / "yoruba" / f"{side}.tsv") for side in ("gold", "predicted")]
_SCORE = ("score", *_YORUBA, "--symbols", "ipa,arpabet")


@dataclass(frozen=True)
class Command:
    """A command as a user gives it; RESULTS is its folder of results, which commands share that name the same one.

    Goals are how many times faster than version 0.1.0 it is, or how many seconds it may take. `first_ever`: as on a
    machine that never ran it; else everything was compiled before.
    """

    work: str
    arguments: Sequence[str]
    results: str = ""
    goal: float | None = None
    seconds: float | None = None
    first_ever: bool = False


def rows(settings: Settings) -> Iterator[Row]:
    """Yield a row for each command: seconds of the processor, peak memory, and the older checkout's."""
    checkouts = [_ROOT, *([settings.before] if settings.before else [])]
    for command in _commands(settings):
        print(f"run: {command.work}", file=sys.stderr)
        once = partial(_once, command, settings.folder)
        if not command.first_ever:
            for checkout in checkouts:
                once(checkout)  # compiled and warm
        yield _row(command, [[once(checkout) for checkout in checkouts] for _ in range(settings.repeats)], settings)


def _commands(settings: Settings) -> Iterator[Command]:
    """Yield the commands; those that need a finished run stand after it."""
    utterances = settings.size(1_666, quick=100)
    text = write_text(settings.folder / "text", utterances)
    if settings.quick:
        yield _run(text, f"{utterances:,} utterances")
        yield Command("score", _SCORE)
        return
    demo = _demo(settings.folder)
    yield _run(demo, "demo", goal=2.8)
    yield _run(text, f"{utterances:,} utterances", goal=2)
    for configuration in settings.experiments:
        yield _run(configuration, str(configuration.name))
    yield Command("run demo, nothing changed", _arguments(demo), "demo", goal=2.9)
    yield Command("check demo", ("check", str(demo)), goal=2)
    yield Command("verify demo", ("verify", "RESULTS"), "demo", goal=3.5)
    yield Command("compare the demo's corpora", ("compare", "RESULTS", "--output", "COMPARED"), "demo", goal=2.5)
    yield Command("score", _SCORE, goal=2.8)
    yield Command("score, first call on a machine", _SCORE, seconds=8, first_ever=True)
    yield Command("run demo, first run on a machine", (*_arguments(demo), "--fresh"), "first", first_ever=True)


def _demo(folder: Path) -> Path:
    """Write the demo of version 0.1.0, its first four corpora, and return the path."""
    text = (_ROOT / "configs" / "demo.yaml").read_text(encoding="utf-8").replace("../data", str(_ROOT / "data"))
    lines = [line for line in text.partition("  german:")[0].splitlines() if not line.startswith("languages:")]
    path = folder / "demo.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _run(configuration: Path, name: str, goal: float | None = None) -> Command:
    return Command(f"run {name}", (*_arguments(configuration), "--fresh"), configuration.stem, goal)


def _arguments(configuration: Path) -> Sequence[str]:
    return ("run", str(configuration), "--output", "RESULTS", "--workers", "1", "--quiet")


def _once(command: Command, folder: Path, checkout: Path) -> Taken:
    """Run a command by one checkout, with results of its own."""
    results = folder / f"{checkout.name}-{command.results}"
    compared = results.with_name(f"{results.name}-compared")
    shutil.rmtree(compared, ignore_errors=True)
    named = {"RESULTS": str(results), "COMPARED": str(compared)}
    arguments = [named.get(part, part) for part in command.arguments]
    with tempfile.TemporaryDirectory(dir=folder) as home:
        caches = ("HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR")  # font lists, and what is compiled
        empty = dict.fromkeys(caches if command.first_ever else (), home)
        project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
        module, function = project["project"]["scripts"]["phonxling"].split(":")  # what is installed as the command
        begun = ["-c", f"from {module} import {function}; {function}()", *arguments]
        return taken(begun, checkout, {"PYTHONPATH": str(checkout), **empty})


def _row(command: Command, rounds: list[list[Taken]], settings: Settings) -> Row:
    worked = np.array([[one.worked for one in turn] for turn in rounds])
    peaks = np.median([[one.memory / 1e6 for one in turn] for turn in rounds], axis=0)
    return Row(
        section="run",
        work=command.work,
        against="the older checkout" if settings.before else "",
        goal=Goal(command.goal, command.seconds) if (command.goal or command.seconds) and settings.whole else None,
        megabytes=float(peaks[0]),
        note=f"older: {peaks[1]:,.0f} MB" if settings.before else "",
        **compared(worked[:, 0], worked[:, 1] if settings.before else None),
    )

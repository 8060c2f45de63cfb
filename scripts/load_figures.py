#!/usr/bin/env python3
"""Measure whole runs over made-up corpora of any size: seconds (also by step), peak memory and disk, as Markdown.

Usage: .venv/bin/python scripts/load_figures.py FOLDER [--utterances N[,N…]] [--frames N[,N…]] [--languages N[,N…]]
       [--workers N[,N…]] [--set KEY=VALUE]…
"""

import argparse
import sys
import tempfile
from pathlib import Path

from made_languages import write_languages
from scale.frames import write_frames
from scale.measuring import CommandError, Taken, size_of, taken
from scale.text import write_text

KINDS = {"utterances": write_text, "frames": write_frames, "languages": write_languages}


def main() -> int:
    """Measure what the command line asks for; return 1 when a run fails."""
    chosen = _arguments()
    print("| corpus | workers | input | step | seconds | CPU seconds | peak MB | results | page | kept |", flush=True)
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    try:
        for kind, write in KINDS.items():
            for size in getattr(chosen, kind):
                made = chosen.folder / f"{kind}-{size}" / "made.yaml"
                _measure(f"{size:,} {kind}", made if made.exists() else write(made.parent, size), chosen)
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _measure(name: str, configuration: Path, chosen: argparse.Namespace) -> None:
    given = size_of(configuration.parent)
    options = ["--verbose", *(part for setting in chosen.settings for part in ("--set", setting))]
    for workers in map(str, chosen.workers):
        with tempfile.TemporaryDirectory(prefix="results-", dir=chosen.folder) as output:
            command = ["-m", "phonxling", "run", str(configuration), "--output", output, "--workers", workers, *options]
            found = taken(command)
            whole, page, kept = (size_of(Path(output) / name) for name in ("", "report.html", ".phonxling"))
        _show(f"{name} | {workers} | {given / 1e6:,.0f} MB", found, (whole - kept, page, kept))


def _show(name: str, found: Taken, sizes: tuple[int, ...]) -> None:
    disk = " | ".join(f"{size / 1e6:,.1f} MB" for size in sizes)
    print(f"| {name} | all | {found.seconds:,.1f} | {found.worked:,.1f} | {found.memory / 1e6:,.0f} | {disk} |")
    for step, seconds in found.steps.items():
        print(f"| | | | {step} | {seconds:,.1f} | | | | | |")
    sys.stdout.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where corpora are made (kept, and used again) and results written")
    for kind in KINDS:
        parser.add_argument(f"--{kind}", type=_numbers, default=[], metavar="N[,N…]", help="sizes of corpora")
    parser.add_argument("--workers", type=_numbers, default=[1], metavar="N[,N…]")
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="KEY=VALUE", help="of the run")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    """Return the numbers of a list, each written plainly or as 1e6."""
    return [int(float(number)) for number in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())

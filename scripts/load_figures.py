#!/usr/bin/env python3
"""Measure whole runs over made-up corpora of any size: seconds, peak memory and disk, in all and by step, as Markdown.

Usage: .venv/bin/python scripts/load_figures.py FOLDER [--utterances N[,N…]] [--frames N[,N…]] [--languages N[,N…]]
       [--phones N[,N…]] [--speakers N[,N…]] [--workers N[,N…]]
"""

import argparse
import sys
import tempfile
from itertools import pairwise, product
from pathlib import Path

from scale.frames import write_frames
from scale.measuring import CommandError, Step, Taken, size_of, taken
from scale.text import MOST_PHONES, write_languages, write_text


def main() -> int:
    """Measure what the command line asks for; return 1 when a run fails."""
    chosen = _arguments()
    languages = [chosen.languages, [chosen.utterances_each], chosen.phones, chosen.speakers]
    print("| corpus | workers | input | step | seconds | CPU seconds | peak MB | results | page | kept |", flush=True)
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    try:
        for kind, write, sizes, name in (
            ("text", write_text, [chosen.utterances, chosen.speakers], "{:,} utterances"),
            ("frames", write_frames, [chosen.frames, [chosen.frames_a_token]], "{:,} frames, {} a token"),
            ("languages", write_languages, languages, "{} languages of {:,} utterances, {} phones, {} speakers"),
        ):
            for size in product(*sizes):
                made = chosen.folder / "-".join(map(str, (kind, *size))) / "made.yaml"
                _measured(name.format(*size), made if made.exists() else write(made.parent, *size), chosen)
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _measured(name: str, configuration: Path, chosen: argparse.Namespace) -> None:
    folder = configuration.parent
    given = size_of(folder)
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
    for before, step in pairwise([Step("", 0.0), *found.steps]):
        took = f"{step.seconds:,.1f} | {step.worked - before.worked:,.1f} | {step.memory / 1e6:,.0f}"
        print(f"| | | | {step.name} | {took} | | | |")
    sys.stdout.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where corpora are made (kept, and used again) and results written")
    parser.add_argument("--utterances", type=_numbers, default=[], metavar="N[,N…]", help="sizes of corpora of text")
    parser.add_argument("--frames", type=_numbers, default=[], metavar="N[,N…]", help="sizes of those with posteriors")
    parser.add_argument("--frames-a-token", type=int, default=10, metavar="N")
    parser.add_argument("--languages", type=_numbers, default=[], metavar="N[,N…]", help="corpora of one recogniser")
    parser.add_argument("--utterances-each", type=int, default=2_000, metavar="N", help="of each language")
    parser.add_argument(
        "--phones", type=_numbers, default=[60], metavar="N[,N…]", help=f"of each language, at most {MOST_PHONES}"
    )
    parser.add_argument("--speakers", type=_numbers, default=[0], metavar="N[,N…]", help="of each corpus of text")
    parser.add_argument("--workers", type=_numbers, default=[1], metavar="N[,N…]")
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="KEY=VALUE", help="of the run")
    chosen = parser.parse_args()
    if max(chosen.phones) > MOST_PHONES:
        parser.error(f"argument --phones: at most {MOST_PHONES}")
    return chosen


def _numbers(text: str) -> list[int]:
    """Return the numbers of a list, each written plainly or as 1e6."""
    return [int(float(number)) for number in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())

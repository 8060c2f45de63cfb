#!/usr/bin/env python3
"""Measure our kernels beside other libraries, on the same work, in turns, and print how many times faster they are.

Results are compared first: a ratio never compares different work. Only ratios carry over to other machines. Libraries
that are not installed have a row that says so; all of them: pip install "phonxling[bench]".
Usage: .venv/bin/python scripts/benchmark.py [--sections NAME[,NAME…]]… [--quick] [--json FILE]
"""

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from benchmarks.contest import MismatchError, Row, Section, Settings, show, versions, write_json
from scale.measuring import CommandError

SECTIONS = {
    "alignment": "alignment with path and counts; two threads; a million pairs of text",
    "posteriors": "posteriors to joint counts; many small files; memory",
    "bootstrap": "1,000 replicates of wPER, entropy and information",
    "startup": "the command's help and the import, against a bare Python",
    "run": "whole commands: seconds and memory, beside an older checkout; when named alone",
}
_BY_DEFAULT = [name for name in SECTIONS if name != "run"]


def main() -> int:
    """Measure what the command line asks for; return 1 when a peer's result is not ours, or a command fails."""
    chosen = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        older, further = chosen.before and chosen.before.resolve(), tuple(path.resolve() for path in chosen.experiment)
        settings = Settings(chosen.quick, chosen.scale, chosen.repeats, Path(folder), older, further)
        try:
            _run(chosen, settings)
        except (MismatchError, CommandError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    return 0


def _arguments() -> argparse.Namespace:
    """Return the command line's choices; an error (exit code 2) for one that does not exist."""
    listed = "\n".join(f"  {name:<12}{text}" for name, text in SECTIONS.items())
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"sections:\n{listed}\n\nexample: python scripts/benchmark.py --quick --sections alignment,startup",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--sections", action="append", metavar="NAME[,NAME…]", help="which to measure (all but run by default)"
    )
    parser.add_argument("--quick", action="store_true", help="smaller workloads and fewer rounds: about a minute")
    parser.add_argument("--repeats", type=int, metavar="N", help="rounds; each runs ours and every other once")
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="a factor on the size of the workloads")
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="an older checkout, for the section run")
    parser.add_argument(
        "--experiment", action="append", default=[], type=Path, metavar="FILE", help="one more, for the section run"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    chosen = parser.parse_args()
    chosen.sections = _named(chosen.sections, parser)
    chosen.repeats = (3 if chosen.quick else 9) if chosen.repeats is None else chosen.repeats
    if chosen.repeats < 1 or not 0 < chosen.scale <= 1000:
        parser.error("--repeats must be 1 or more, and --scale a number above 0")
    if chosen.json is not None and not chosen.json.resolve().parent.is_dir():
        parser.error(f"--json {chosen.json}: there is no such folder")
    for path in [*chosen.experiment, *([chosen.before] if chosen.before else [])]:
        if not path.exists():
            parser.error(f"{path}: no such file or folder")
    return chosen


def _named(given: list[str] | None, parser: argparse.ArgumentParser) -> list[str]:
    names = [name.strip() for text in given or [",".join(_BY_DEFAULT)] for name in text.split(",")]
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        parser.error(f"no section is called {', '.join(map(repr, unknown))}; there are: {', '.join(SECTIONS)}")
    return [name for name in SECTIONS if name in names]


def _run(chosen: argparse.Namespace, settings: Settings) -> None:
    """Measure, print the table, and write the JSON."""
    rows: list[Row] = []
    for name in chosen.sections:
        section: Section = importlib.import_module(f"benchmarks.{name}").rows  # each loads what it compares
        rows.extend(section(settings))
    found = versions()
    show(rows, found)
    if chosen.json is not None:
        held = {"sections": chosen.sections, "quick": settings.quick, "scale": settings.scale}
        write_json(rows, found, {**held, "repeats": settings.repeats}, chosen.json)


if __name__ == "__main__":
    sys.exit(main())

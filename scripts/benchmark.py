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

from benchmarks.contest import MismatchError, Row, Settings, show, versions, write_json
from scale.measuring import CommandError

SECTIONS = {
    "alignment": "alignment with path and counts; two threads; a million pairs of text",
    "posteriors": "posteriors to joint counts; many small files; memory",
    "startup": "the command's help and the import, against a bare Python",
    "run": "whole commands: seconds and memory, beside an older checkout; when named alone",
}


def main() -> int:
    """Measure what the command line asks for; return 1 when a peer's result is not ours, or a command fails."""
    chosen = _arguments()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        further = chosen.before, tuple(chosen.experiment)
        settings = Settings(chosen.quick, chosen.scale, chosen.repeats, Path(folder), *further)
        try:
            for name in chosen.sections:
                rows.extend(importlib.import_module(f"benchmarks.{name}").rows(settings))  # each loads what it compares
        except (MismatchError, CommandError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    found = versions()
    show(rows, found)
    if chosen.json is not None:
        held = {name: getattr(chosen, name) for name in ("sections", "quick", "scale", "repeats")}
        write_json(rows, found, held, chosen.json)
    return 0


def _arguments() -> argparse.Namespace:
    """Return the command line's choices; an error (exit code 2) for one that does not exist."""
    listed = "\n".join(f"  {name:<12}{text}" for name, text in SECTIONS.items())
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"sections:\n{listed}\n\nexample: python scripts/benchmark.py --quick --sections alignment,startup",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--sections", type=_sections, action="extend", metavar="NAME[,NAME…]", help="(all but run by default)")
    add("--quick", action="store_true", help="smaller workloads and fewer rounds: about a minute")
    add("--repeats", type=int, metavar="N", help="rounds; each runs ours and every other once")
    add("--scale", type=float, default=1.0, metavar="X", help="a factor on the size of the workloads")
    add("--before", type=_there, metavar="FOLDER", help="an older checkout, for the section run")
    add("--experiment", type=_there, action="append", default=[], metavar="FILE", help="one more, for the section run")
    add("--json", type=Path, metavar="FILE", help="write the rows there too")
    chosen = parser.parse_args()
    named = chosen.sections or [name for name in SECTIONS if name != "run"]
    chosen.sections = [name for name in SECTIONS if name in named]
    chosen.repeats = (3 if chosen.quick else 9) if chosen.repeats is None else chosen.repeats
    if chosen.repeats < 1 or not 0 < chosen.scale <= 1000:
        parser.error("--repeats must be 1 or more, and --scale a number above 0")
    if chosen.json is not None and not chosen.json.resolve().parent.is_dir():
        parser.error(f"--json {chosen.json}: there is no such folder")
    return chosen


def _sections(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in SECTIONS]:
        listed = ", ".join(map(repr, unknown))
        raise argparse.ArgumentTypeError(f"no section is called {listed}; there are: {', '.join(SECTIONS)}")
    return names


def _there(text: str) -> Path:
    if not Path(text).exists():
        raise argparse.ArgumentTypeError(f"{text}: no such file or folder")
    return Path(text).resolve()


if __name__ == "__main__":
    sys.exit(main())

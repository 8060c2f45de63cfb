#!/usr/bin/env python3
"""Measure our kernels beside other libraries, on the same work, in turns, and print how many times faster they are.

Usage: .venv/bin/python scripts/benchmark.py [--sections NAME[,NAME…]]… [--quick] [--stream GB] [--json FILE]
"""

import sys
import tempfile
from pathlib import Path

from benchmarks.command import arguments, run
from benchmarks.contest import MismatchError
from benchmarks.settings import Settings
from benchmarks.whole import CommandError


def main() -> int:
    """Measure what the command line asks for; return 1 when a peer's result is not ours, or a command fails."""
    chosen = arguments()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            chosen.quick,
            chosen.scale,
            chosen.repeats,
            Path(folder),
            chosen.stream,
            chosen.before and chosen.before.resolve(),
            tuple(path.resolve() for path in chosen.experiment),
        )
        try:
            run(chosen, settings)
        except (MismatchError, CommandError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

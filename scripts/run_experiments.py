#!/usr/bin/env python3
"""Run experiments: all of configs/, or those named; go on when one fails; end with a table of what was made.

Usage: .venv/bin/python scripts/run_experiments.py [CONFIG…] [--output DIR] [--workers N]
"""

import argparse
import os
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from phonxling.core.errors import PhonxlingError
from phonxling.core.work import Silent, Threads
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.pipeline import run

CONFIGS = Path(__file__).resolve().parent.parent / "configs"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one experiment."""

    config: Path
    seconds: float
    files: int = 0
    folder: str = ""
    problem: str = ""


def main() -> int:
    """Run every experiment, and return the number that failed (at most 1, as an exit code)."""
    chosen = _arguments()
    configs = chosen.configs or sorted(CONFIGS.glob("*.yaml"))
    outcomes = [_run(config, chosen.output, chosen.workers) for config in configs]
    Console(width=None if sys.stdout.isatty() else 140).print(_table(outcomes))
    return int(any(outcome.problem for outcome in outcomes))


def _run(config: Path, output: Path, workers: int) -> Outcome:
    print(f"running {config}", file=sys.stderr)
    clock = time.perf_counter()
    try:
        experiment = load_configuration(config)
        written = run(experiment, output / experiment.name, Threads(workers), Silent())
    except PhonxlingError as error:
        return Outcome(config, time.perf_counter() - clock, problem=str(error))
    except Exception as error:  # noqa: BLE001 - one experiment's fault must not stop the others
        traceback.print_exc()
        return Outcome(config, time.perf_counter() - clock, problem=f"{type(error).__name__}: {error}")
    return Outcome(config, time.perf_counter() - clock, len(written.files), str(written.folder))


def _table(outcomes: list[Outcome]) -> Table:
    table = Table("experiment", "seconds", "files", "results, or what went wrong")
    for found in outcomes:
        files = str(found.files) if not found.problem else "–"
        table.add_row(found.config.name, f"{found.seconds:.0f}", files, found.problem or found.folder)
    return table


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run experiments, and end with a table of what was made.")
    parser.add_argument("configs", nargs="*", type=Path, metavar="CONFIG", help="all of configs/ by default")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder of the result folders")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="threads that compute")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

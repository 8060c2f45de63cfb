#!/usr/bin/env python3
"""Compare alignments with gold alignments of cognate words (.psa files of the BDPA): how many are exactly the gold.

Usage: .venv/bin/python scripts/evaluate_alignment.py PSA… [--costs KIND] [--gap COST] [--steps]
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from alignment_quality.agreement import Evaluation, evaluate_alignments, named_costs
from alignment_quality.cognate_steps import cognate_steps
from alignment_quality.psa import GoldAlignments, load_psa
from rich.console import Console
from rich.table import Table

from phonxling.alignment.costs.cognate import COGNATE
from phonxling.alignment.costs.named import KINDS
from phonxling.core.errors import PhonxlingError

SHOWN = 30


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 0, or 1 or 2 when the files or the options are wrong."""
    chosen = _parser().parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    try:
        files = [load_psa(path) for path in chosen.files]
        if chosen.steps:
            console.print(_steps(files))
        found = evaluate_alignments(files, named_costs(chosen.costs, chosen.gap))
    except PhonxlingError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    console.print(_table(found, chosen.costs))
    if found.without_features:
        print(_without_features(found.without_features, chosen.costs))
    whole = found.overall
    print(f"overall {whole.pairs} pairs, path {whole.path_percent:.2f} %, fractional {whole.fractional_percent:.2f} %")
    return 0


def _table(found: Evaluation, costs: str) -> Table:
    table = Table("file", "pairs", "path %", "fractional %", title=f"pairs aligned exactly as the gold, costs {costs}")
    for file in found.files:
        table.add_row(file.name, str(file.pairs), f"{file.path_percent:.2f}", f"{file.fractional_percent:.2f}")
    return table


def _steps(files: list[GoldAlignments]) -> Table:
    """Return the fractional share of each step towards `cognate`, file by file."""
    table = Table("fractional %", *(file.name.split(":")[-1].strip() for file in files), "overall")
    for name, make in cognate_steps().items():
        found = evaluate_alignments(files, make)
        table.add_row(name, *(f"{row.fractional_percent:.2f}" for row in (*found.files, found.overall)))
    return table


def _without_features(symbols: dict[str, int], costs: str) -> str:
    shown = " ".join(f"{symbol} ({number})" for symbol, number in list(symbols.items())[:SHOWN])
    more = f" … and {len(symbols) - SHOWN} more" if len(symbols) > SHOWN else ""
    number = "1 symbol" if len(symbols) == 1 else f"{len(symbols)} symbols"
    taken = ", taken as the longest beginning that has some" if costs == COGNATE else ""
    return f"{number} without features (tokens){taken}: {shown}{more}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compare alignments with gold alignments of cognate words.")
    parser.add_argument("files", nargs="+", type=Path, metavar="PSA", help="gold alignments, as the BDPA has them")
    parser.add_argument("--costs", default="cognate", metavar="KIND", help=f"one of {', '.join(KINDS)}")
    parser.add_argument("--gap", type=float, metavar="COST", help="of insertions and deletions, for other costs")
    parser.add_argument("--steps", action="store_true", help="show what each idea of `cognate` adds, too")
    return parser


if __name__ == "__main__":
    sys.exit(main())

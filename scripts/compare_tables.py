"""Whether a change of the code moves any table: experiments run before and after, their tables compared byte by byte.

    python scripts/compare_tables.py made FOLDER                        # data and configurations with everything on
    python scripts/compare_tables.py run FOLDER CONFIG … [--stored OLD]  # the tables of each, without figures and pages
    python scripts/compare_tables.py compare BEFORE AFTER [--most 1e-12]

`--stored` takes finished steps (alignments, chance, sums of posteriors) from the folder of an earlier `run`, whatever
source made them, so that a change of what is measured from them is checked in seconds; leave it out to check all.
`run` also compares the corpora of the first configuration, and of the first two, as `phonxling compare` does.
"""

import argparse
import math
import shutil
import sys
from pathlib import Path


def main() -> int:
    """Do what the command line says; 1 when tables differ by more than is allowed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("made").add_argument("folder", type=Path)
    run = verbs.add_parser("run")
    run.add_argument("folder", type=Path)
    run.add_argument("configurations", type=Path, nargs="+")
    run.add_argument("--stored", type=Path)
    compared = verbs.add_parser("compare")
    compared.add_argument("before", type=Path)
    compared.add_argument("after", type=Path)
    compared.add_argument("--most", type=float, default=0.0)
    chosen = parser.parse_args()
    if chosen.verb == "made":
        from gate import make_experiments  # with the toolkit, which takes a second

        print(*make_experiments(chosen.folder), sep="\n")
        return 0
    if chosen.verb == "run":
        run_all(chosen.folder, chosen.configurations, chosen.stored)
        return 0
    return report(chosen.before, chosen.after, chosen.most)


def run_all(folder: Path, configurations: list[Path], stored: Path | None) -> None:
    """Write the tables of each configuration below the folder, and two comparisons of them."""
    from gate import compare_folders, run_tables

    from phonxling.results.folder import KEPT

    names = [path.stem for path in configurations]
    for name, path in zip(names, configurations, strict=True):
        print(name, flush=True)
        shutil.rmtree(folder / name, ignore_errors=True)
        if stored is not None and (stored / name / KEPT).is_dir():
            shutil.copytree(stored / name / KEPT, folder / name / KEPT)
        run_tables(path, folder / name)
    for chosen in ([names[0]], names[:2]) if len(names) > 1 else ([names[0]],):
        target = folder / f"compared-{'-'.join(chosen)}"
        shutil.rmtree(target, ignore_errors=True)
        compare_folders([folder / name for name in chosen], target)


def report(before: Path, after: Path, most: float) -> int:
    """Print every table that differs, with the greatest relative difference of its numbers; 1 if one is too great."""
    names = {path.relative_to(side).as_posix() for side in (before, after) for path in side.rglob("*.tsv")}
    tables, wrong = sorted(name for name in names if "/figures/" not in name), 0
    for table in tables:
        text, greatest = differences(before / table, after / table)
        wrong += bool(text) or greatest > most
        if text or greatest:
            print(f"{table}: {text or f'numbers differ by {greatest:.1e} of themselves at most'}")
    print(f"{len(tables)} tables, {wrong} of them differ by more than {most:g}")
    return int(wrong > 0 or not tables)


def differences(before: Path, after: Path) -> tuple[str, float]:
    """Return what differs but numbers, "" for nothing, and the greatest relative difference of numbers."""
    for path, word in ((before, "new"), (after, "gone")):
        if not path.exists():
            return f"is {word}", 0.0
    if before.read_bytes() == after.read_bytes():
        return "", 0.0
    old, new = ([line.split("\t") for line in path.read_text("utf-8").split("\n")] for path in (before, after))
    if len(old) != len(new):
        return f"{len(old) - 1} rows before, {len(new) - 1} after", 0.0
    greatest = 0.0
    for line, (first, second) in enumerate(zip(old, new, strict=True), start=1):
        if len(first) != len(second):
            return f"line {line}: {len(first)} columns before, {len(second)} after", 0.0
        for column, one, other in zip(old[0], first, second, strict=False):
            if one != other:
                apart = _relative(one, other)
                if math.isnan(apart):
                    return f"line {line}, {column}: {one!r} before, {other!r} after", 0.0
                greatest = max(greatest, apart)
    return "", greatest


def _relative(one: str, other: str) -> float:
    """Return the difference of two numbers relative to the larger; NaN where they are no finite numbers."""
    try:
        first, second = float(one), float(other)
    except ValueError:
        return math.nan
    apart = abs(first - second) / max(abs(first), abs(second), 1e-300)
    return apart if math.isfinite(apart) else math.nan


if __name__ == "__main__":
    sys.exit(main())

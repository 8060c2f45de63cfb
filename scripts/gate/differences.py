"""How two tables differ."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs but numbers, "" for nothing, and the greatest relative difference of numbers."""

    text: str = ""
    greatest: float = 0.0


def differences(before: Path, after: Path) -> Difference:
    """Return how two files differ."""
    for path, word in ((before, "new"), (after, "gone")):
        if not path.exists():
            return Difference(f"is {word}")
    if before.read_bytes() == after.read_bytes():
        return Difference()
    old, new = _rows(before), _rows(after)
    if len(old) != len(new):
        return Difference(f"{len(old)} rows before, {len(new)} after")
    greatest = 0.0
    for line, (first, second) in enumerate(zip(old, new, strict=True), start=1):
        if len(first) != len(second):
            return Difference(f"line {line}: {len(first)} columns before, {len(second)} after")
        for column, one, other in zip(old[0], first, second, strict=True):
            if one != other:
                apart = _relative(one, other)
                if math.isnan(apart):
                    return Difference(f"line {line}, {column}: {one!r} before, {other!r} after")
                greatest = max(greatest, apart)
    return Difference(greatest=greatest)


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _relative(one: str, other: str) -> float:
    """Return the difference of two numbers relative to the larger; NaN where they are no finite numbers."""
    try:
        first, second = float(one), float(other)
    except ValueError:
        return math.nan
    if not math.isfinite(first) or not math.isfinite(second):
        return math.nan
    return abs(first - second) / max(abs(first), abs(second), 1e-300)

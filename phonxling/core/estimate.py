"""Numbers with their uncertainty."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

DESCRIPTIVE = "descriptive: "
"""How the note of an interval begins that rests on too few clusters for any verdict."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, and an interval that is meant to hold the truth with probability `level`; NaN where there is none.

    `note` says why a value or an interval is missing, or warns of what weakens it.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = math.nan
    note: str = ""

    def within(self, low: float, high: float) -> "Estimate":
        """Return the same value with limits that do not leave the measure's range; a missing limit stays missing.

        Examples
        --------
        >>> Estimate(0.1, -0.2, 0.4, 0.95).within(0, 1)
        Estimate(value=0.1, low=0.0, high=0.4, level=0.95, note='')
        """
        limits = [float(min(max(limit, low), high)) for limit in (self.low, self.high)]  # NaN first: it stays NaN
        return replace(self, low=limits[0], high=limits[1])


def is_descriptive(note: str) -> bool:
    """Return whether a note says that its interval rests on too few clusters for a verdict of better or worse.

    Examples
    --------
    >>> is_descriptive("few tokens; descriptive: the interval rests on 4 speakers"), is_descriptive("few tokens")
    (True, False)
    """
    return any(part.startswith(DESCRIPTIVE) for part in note.split("; "))


def joined(notes: Iterable[str]) -> str:
    r"""Return notes as one line, without empty ones; a message of several lines has its lines side by side.

    Examples
    --------
    >>> joined(["few tokens", "", "one speaker"])
    'few tokens; one speaker'
    >>> joined(["2 intervals overlap:\n  u1\n  u2"])
    '2 intervals overlap: u1; u2'
    """
    lines = [line.strip() for note in notes for line in note.splitlines()]
    return "; ".join(filter(None, lines)).replace(":; ", ": ")

"""Numbers with their uncertainty."""

import math
from dataclasses import dataclass


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

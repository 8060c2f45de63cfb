"""How utterances differ: median, standard deviation and range of their rates, over utterances that have gold phones.

They are of these utterances, and have no intervals: those of a standard deviation held too seldom.
"""

import math
from collections.abc import Iterator

import numpy as np

from phonxling.analyses.measures import measures_by_name
from phonxling.analyses.rows import Row, row_of
from phonxling.core.arrays import Floats

_NONE, _ONE = "no utterance has gold phones", "not defined for one utterance"


def utterance_spread(rate: str, rates: Floats) -> Iterator[Row]:
    """Yield median and standard deviation of rates of utterances [U], NaN left out, and the range where declared."""
    known = rates[~np.isnan(rates)]
    numbers = {}
    if len(known):
        numbers = {"median": np.median(known), "sd": math.nan, "min": known.min(), "max": known.max()}
    if len(known) > 1:
        numbers["sd"] = np.std(known, ddof=1)
    for name in ("median", "sd", "min", "max"):
        if f"{rate}_{name}" in measures_by_name():
            number = numbers.get(name, math.nan)
            note = "" if not math.isnan(number) else _ONE if len(known) else _NONE
            yield row_of(f"{rate}_{name}", number, len(known), "", note)

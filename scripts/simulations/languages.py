"""Languages around a mean, speakers around their language: how often limits over whole languages hold the truth.

A language's true rate is 0.3 + its family's part (sd 0.05; seven families, or each its own) + its own (sd 0.08); its
speakers' rates vary around it (sd 0.08). What is given is the mean of its speakers: of equal languages eight speakers
each, of unequal ones 5 to 40. For group differences the second half of the languages is 0 apart, and families lie
within a half.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from phonxling.analyses.languages import mean_spread
from phonxling.core.arrays import Codes
from phonxling.stats.student import EstimateSpread, spread_of_difference, t_margin
from simulations.corpora import LEVEL
from simulations.runner import trial_table

NUMBERS = (8, 20, 100)
WITHIN, OF_FAMILY, OWN, MEAN = 0.08, 0.05, 0.08, 0.3
FAMILIES = 14


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of limits that held the truth."""
    cases = {
        ("families" if families else "alone", number, "unequal" if unequal else "equal"): (number, unequal, families)
        for families, number, unequal in product((False, True), NUMBERS, (False, True))
    }
    yield from trial_table(times, seed, ["languages are", "number", "sizes", "mean", "difference"], cases, _trial)


def _trial(number: int, unequal: bool, families: bool, rng: np.random.Generator) -> list[bool]:
    """Return whether the limits of the mean and of the difference hold in one world."""
    group = np.arange(number) >= number // 2
    family: Codes = rng.integers(0, FAMILIES // 2, number) + group * (FAMILIES // 2)
    truth = MEAN + rng.normal(0, OWN, number) + families * rng.normal(0, OF_FAMILY, FAMILIES)[family]
    speakers = rng.integers(5, 41, number) if unequal else np.full(number, 8)
    values = np.array([rng.normal(rate, WITHIN, count).mean() for rate, count in zip(truth, speakers, strict=True)])
    names = [f"f{one}" if families else "" for one in family]
    mean, spread, _ = mean_spread(values, names)
    sides = [mean_spread(values[own], np.array(names)[own].tolist()) for own in (group, ~group)]
    return [
        _within(mean - MEAN, spread),
        _within(sides[0][0] - sides[1][0], spread_of_difference(sides[0][1], sides[1][1])),
    ]


def _within(off: float, spread: EstimateSpread) -> bool:
    """Return whether limits of a spread around a number that is so far off hold the truth."""
    return bool(abs(off) <= t_margin(spread.freedom, LEVEL)[0] * np.sqrt(spread.variance[0]))

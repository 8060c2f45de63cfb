"""Languages around a mean, speakers around their language: how often limits over whole languages hold the truth.

A language's true rate is 0.3 + its family's part (sd 0.05; seven families, or each its own) + its own (sd 0.08); its
speakers' rates vary around it (sd 0.08). What is given is the mean of its speakers, with their standard error: of equal
languages eight speakers each, of unequal ones 5 to 40. For group differences the second half of the languages is 0 or
more apart, and families lie within a half. Ranks: how often all limits that are given hold, and each.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from phonxling.core.arrays import Codes
from phonxling.resample.across import heterogeneity, mean_spread, rank_limits
from phonxling.resample.student import Spread, between, t_reach
from simulations.corpora import LEVEL
from simulations.runner import markdown, percent

NUMBERS = (8, 20, 100)
WITHIN, OF_FAMILY, OWN, MEAN = 0.08, 0.05, 0.08, 0.3
FAMILIES = 14


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield two tables as Markdown: per cent of limits that held the truth, and errors of τ² and of values."""
    held, values = [], []
    for families, number, unequal in product((False, True), NUMBERS, (False, True)):
        found = np.array([_trial([seed, number, unequal, families, one], number) for one in range(times)])
        *shares, width, tau2, raw, shrunken = np.nanmean(found, axis=0)
        case = ["families" if families else "alone", number, "unequal" if unequal else "equal"]
        held.append([*case, *map(percent, shares), f"{width:.0f}"])
        ratio = f"{tau2 / (OWN**2 + families * OF_FAMILY**2):.2f}"
        values.append([*case, ratio, *(f"{np.sqrt(error):.4f}" for error in (raw, shrunken))])
    heads = ["languages are", "number", "sizes"]
    yield from markdown([*heads, "mean", "pooled", "next one", "difference", "shrunken", "rank", "ranks open"], held)
    yield from markdown([*heads, "τ² / truth", "error, raw", "error, shrunken"], values)


def _trial(seeds: list[int], number: int) -> list[float]:
    """Return what one world gives; ranks, which take long, of every tenth world of a hundred languages.

    Whether limits of the mean, the pooled mean, the next language, the difference, shrunken values and ranks hold; how
    many ranks a language may have, τ², and squared errors of values as they are and shrunken.
    """
    rng, (_, _, unequal, families, place) = np.random.default_rng(seeds), seeds
    group = np.arange(number) >= number // 2
    family: Codes = rng.integers(0, FAMILIES // 2, number) + group * (FAMILIES // 2)
    truth = MEAN + rng.normal(0, OWN, number) + families * rng.normal(0, OF_FAMILY, FAMILIES)[family]
    speakers = rng.integers(5, 41, number) if unequal else np.full(number, 8)
    drawn = [rng.normal(rate, WITHIN, count) for rate, count in zip(truth, speakers, strict=True)]
    values = np.array([one.mean() for one in drawn])
    variances = np.array([one.var(ddof=1) / len(one) for one in drawn])
    names = [f"f{one}" if families else "" for one in family]
    across = heterogeneity(values, variances, LEVEL, families=names)
    further = MEAN + rng.normal(0, np.hypot(OWN, families * OF_FAMILY))
    reach = t_reach(np.minimum(number - 1.0, speakers - 1.0), LEVEL) * across.shrunken[1]
    rank, limits = 1 + np.argsort(np.argsort(truth)), np.full((2, number), np.nan)
    if place % (number // 8) == 0:
        limits = np.stack(rank_limits(values, variances, speakers - 1.0, level=LEVEL, generator=rng)).astype(float)
    first, last = limits
    ranked = np.nan if np.isnan(limits).any() else float(((first <= rank) & (rank <= last)).mean())
    mean, spread, _ = mean_spread(values, names)
    sides = [mean_spread(values[own], np.array(names)[own].tolist()) for own in (group, ~group)]
    return [
        _within(mean - MEAN, spread),
        abs(across.mean - MEAN) <= across.reach,
        abs(further - across.mean) <= across.predicted,
        _within(sides[0][0] - sides[1][0], between(sides[0][1], sides[1][1])),
        float((np.abs(across.shrunken[0] - truth) <= reach).mean()),
        ranked,
        float((last - first + 1).mean()),
        across.tau2,
        float(((values - truth) ** 2).mean()),
        float(((across.shrunken[0] - truth) ** 2).mean()),
    ]


def _within(off: float, spread: Spread) -> bool:
    """Return whether limits of a spread around a number that is so far off hold the truth."""
    return bool(abs(off) <= t_reach(spread.freedom, LEVEL)[0] * np.sqrt(spread.variance[0]))

"""What all studies share: worlds with a generator each, whether limits hold in them, and tables in Markdown."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from phonxling.core.arrays import Floats
from phonxling.core.estimate import Estimate
from phonxling.resample.intervals import Resampling, resampling
from simulations.corpora import REPLICATES, SPEAKERS, TOKENS

Held = Mapping[str, tuple[float, float]]  # of each measure the share of intervals that held the truth, and warned
Outcome = tuple[float, float]  # whether one interval held the truth, NaN without one, and whether its note warned
Simulate = Callable[[Resampling, int, np.random.Generator], Mapping[str, Sequence[Outcome]]]


def markdown(
    heads: Sequence[object], rows: Iterable[Sequence[object]], left: int = 1, texts: Sequence[int] = ()
) -> Iterator[str]:
    """Yield the lines of a table whose first columns, and those at further places, are text; the others are numbers."""
    yield f"| {' | '.join(map(str, heads))} |"
    yield "|" + "".join("---|" if place < left or place in texts else "---:|" for place in range(len(heads)))
    yield from (f"| {' | '.join(map(str, row))} |" for row in rows)
    yield ""


def percent(held: ArrayLike, digits: int = 0) -> str:
    """Return the share of True in per cent; NaN is left out."""
    return f"{100 * np.nanmean(held):.{digits}f}"


def trials(times: int, seeds: Sequence[int], trial: Callable[[np.random.Generator], ArrayLike]) -> Floats:
    """Return what a trial gives in so many worlds, [times, numbers]; each world has a generator of its own."""
    return np.array([trial(np.random.default_rng([*seeds, number])) for number in range(times)], dtype=np.float64)


def study(times: int, seed: int, simulate: Simulate) -> Iterator[str]:
    """Yield the table of a study as Markdown."""
    found = {}
    for speakers, tokens in product(SPEAKERS, TOKENS):
        names = [f"{number:02}" for number in range(speakers)]
        weights, rows = resampling(speakers, names, resamples=REPLICATES, seed=seed), defaultdict(list)
        for number in range(times):
            generator = np.random.default_rng([seed, speakers, tokens, number])
            for name, each in simulate(weights, tokens, generator).items():
                rows[name] += each
        found[speakers, tokens] = {name: np.nanmean(each, axis=0).tolist() for name, each in rows.items()}
    yield from held_table(found, SPEAKERS, TOKENS)


def held_table(found: Mapping[tuple[int, int], Held], speakers: Sequence[int], tokens: Sequence[int]) -> Iterator[str]:
    """Yield as Markdown, by measure and tokens, how often intervals held the truth (and how often a note warned)."""
    rows = []
    for name, size in product(next(iter(found.values())), tokens):
        cells = [found[number, size][name] for number in speakers]
        shown = (f"{100 * held:.0f}" + f" ({100 * warned:.0f})" * (warned >= 0.005) for held, warned in cells)
        rows.append([name, f"{size:,}", *shown])
    yield from markdown(["measure", "tokens", *(f"{number} speakers" for number in speakers)], rows)


def outcome(number: Estimate, truth: float, warned: bool = False) -> Outcome:
    """Return whether an interval held the truth, NaN without one, and whether its note warned."""
    inside = float(number.low <= truth <= number.high)
    return (float("nan") if np.isnan(number.low) else inside), float(warned)

"""What all studies share: worlds with a generator each, whether limits hold in them, and tables in Markdown."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from phonxling.core.arrays import Floats
from phonxling.core.estimate import Estimate
from simulations.corpora import SPEAKERS, TOKENS, sizes_of

Held = Mapping[str, tuple[float, float]]  # of each measure the share of intervals that held the truth, and warned
Outcome = tuple[float, float]  # whether one interval held the truth, NaN without one, and whether its note warned
Simulate = Callable[[list[int], np.random.Generator], Mapping[str, Sequence[Outcome]]]
DESIGNS = {  # how many speakers there are, and the share of tokens that one of them has
    f"{number} speakers{label}": (number, share)
    for label, share in (("", 0.0), (", one has 40 %", 0.4))
    for number in SPEAKERS
}


def markdown(
    heads: Sequence[object], rows: Iterable[Sequence[object]], left: int = 1, texts: Sequence[int] = ()
) -> Iterator[str]:
    """Yield the lines of a table whose first columns, and those at further places, are text; the others are numbers."""
    yield f"| {' | '.join(map(str, heads))} |"
    yield "|" + "".join("---|" if place < left or place in texts else "---:|" for place in range(len(heads)))
    yield from (f"| {' | '.join(map(str, row))} |" for row in rows)
    yield ""


def percent(held: ArrayLike, digits: int = 0) -> str:
    """Return the share of True in per cent; NaN is left out, and – stands where there is nothing else."""
    if np.isnan(held).all():
        return "–"
    return f"{100 * np.nanmean(held):.{digits}f}"


def trials(times: int, seeds: Sequence[int], trial: Callable[[np.random.Generator], ArrayLike]) -> Floats:
    """Return what a trial gives in so many worlds, [times, numbers]; each world has a generator of its own."""
    return np.array([trial(np.random.default_rng([*seeds, number])) for number in range(times)], dtype=np.float64)


def trial_table(
    times: int,
    seed: int,
    heads: Sequence[object],
    cases: Mapping[tuple[object, ...], tuple[float, ...]],
    trial: Callable[..., ArrayLike],
    digits: int = 0,
) -> Iterator[str]:
    """Yield as Markdown a row for each case, by its names: of each column of a trial the share of worlds, in per cent.

    `trial` takes the numbers of the case and a generator, and returns [columns] or [columns, K]; NaN is left out.
    """
    rows = []
    for names, case in cases.items():
        worlds = trials(times, [seed, *(round(1000 * number) for number in case)], partial(trial, *case))
        rows.append([*names, *(percent(column, digits) for column in np.moveaxis(worlds, 1, 0))])
    columns = enumerate(zip(*cases, strict=True))
    texts = [place for place, names in columns if not all(re.fullmatch("[0-9.,]+", str(name)) for name in names)]
    yield from markdown(heads, rows, left=0, texts=texts)


def study(times: int, seed: int, simulate: Simulate) -> Iterator[str]:
    """Yield the table of a study as Markdown: `simulate` returns the outcomes of speakers with so many tokens."""
    found = {
        (label, tokens): outcomes(
            times, [seed, speakers, tokens, int(100 * largest)], sizes_of(speakers, tokens, largest), simulate
        )
        for (label, (speakers, largest)), tokens in product(DESIGNS.items(), TOKENS)
    }
    yield from held_table(found, list(DESIGNS), TOKENS)


def outcomes(times: int, seeds: Sequence[int], sizes: list[int], simulate: Simulate) -> Held:
    """Return how often intervals of each measure held the truth in so many worlds, and how often notes warned."""
    rows = defaultdict(list)
    for number in range(times):
        for name, each in simulate(sizes, np.random.default_rng([*seeds, number])).items():
            rows[name] += each
    return {name: _mean(np.array(each)) for name, each in rows.items()}


def _mean(each: Floats) -> Outcome:
    held, warned = each.T
    return float(np.nanmean(held)) if np.isfinite(held).any() else float("nan"), float(warned.mean())


def held_table(found: Mapping[tuple[str, int], Held], designs: Sequence[str], tokens: Sequence[int]) -> Iterator[str]:
    """Yield as Markdown, by measure and tokens, how often intervals held the truth (and how often a note warned).

    – stands where there was no interval.
    """
    rows = []
    for name, size in product(next(iter(found.values())), tokens):
        cells = [found[design, size][name] for design in designs]
        shown = (percent(held) + f" ({100 * warned:.0f})" * (warned >= 0.005) for held, warned in cells)
        rows.append([name, f"{size:,}", *shown])
    yield from markdown(["measure", "tokens", *designs], rows)


def outcome(number: Estimate, truth: float, warned: bool = False) -> Outcome:
    """Return whether an interval held the truth, NaN without one, and whether its note warned."""
    inside = float(number.low <= truth <= number.high)
    return (float("nan") if np.isnan(number.low) else inside), float(warned)

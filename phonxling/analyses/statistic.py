"""Statistics of confusion counts: each stands once, and is computed of many tables of counts at once.

A statistic is a function of `Counts`, the counts of R replicates side by side: of the corpus itself (one), of its
bootstrap draws, of predictions without information. Its value, interval, chance level, skill and comparison are calls
of that one function; measures.tsv says what else it is.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.resample.entropies import (
    ClusterCells,
    information,
    jackknife,
    largest_information,
    n_log_n,
    sparse_entropy_sums,
)
from phonxling.resample.intervals import Resampling
from phonxling.resample.replicates import Halving, cell_counts

UNDEFINED = "not defined: no phones, one utterance only, or a null that leaves nothing to explain"


@dataclass(frozen=True, eq=False)
class CountSettings:
    """How counts are read."""

    half: np.typing.NDArray[np.int8]
    gaps: bool = False
    similarity: CostTable | None = None
    halving: Halving | None = None


@dataclass(frozen=True, eq=False)
class Counts:
    """Confusion counts of R replicates."""

    cells: Codes
    halves: Floats
    empty: ConfusionMatrix
    settings: CountSettings
    whole: bool

    @cached_property
    def attested(self) -> Floats:
        """Counts of the cells in both halves, [K, R]."""
        return np.asarray(self.halves.sum(axis=1))

    @property
    def replicates(self) -> int:
        return int(self.halves.shape[2])

    @cached_property
    def total(self) -> Floats:
        """Counts of both halves, [G + 1, P + 1, R]."""
        shape = self.empty.counts.shape
        table = np.zeros((shape[0] * shape[1], self.replicates))
        table[self.cells] = self.attested
        return table.reshape(*shape, self.replicates)

    @property
    def pairs(self) -> Floats:
        """Counts of pairs of two phones, [G, P, R]."""
        return self.total[:-1, :-1]

    @property
    def symbols(self) -> Floats:
        """Counts of the symbols that entropies are of: with ∅ where it is one, [G (+ 1), P (+ 1), R]."""
        return self.total if self.settings.gaps else self.pairs

    @cached_property
    def n_log_n(self) -> Floats:
        """N log2 n of each count of `symbols`."""
        return n_log_n(self.symbols)

    @cached_property
    def information(self) -> Mapping[str, Floats]:
        """Entropies and information in bits, [R] each: by Miller–Madow, of fractional counts by the plug-in."""
        shape = self.empty.counts.shape
        rows, columns = np.divmod(self.cells, shape[1])
        symbols = self.settings.gaps | ((rows < shape[0] - 1) & (columns < shape[1] - 1))
        chosen = rows[symbols], columns[symbols], self.attested[symbols]
        return information(sparse_entropy_sums(*chosen, shape, corrected=self.whole))

    @cached_property
    def same(self) -> Bools:
        """Which pairs are one symbol, [G, P]."""
        return self.empty.same_symbol()


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A number of confusion counts."""

    name: str
    of: Callable[[Counts], Floats]
    variant: str = ""
    left_out: Callable[[ClusterCells], Floats] | None = None
    entropic: bool = False
    low: float = 0.0
    high: float = np.inf
    row: bool = True
    note: str = ""
    undefined: str = UNDEFINED
    redrawn: Literal["predictions", "errors"] = "predictions"
    most_draws: Callable[[int, int], int] | None = None

    @property
    def key(self) -> str:
        """What tells it apart: its name, with the variant where there are several."""
        return f"{self.name} {self.variant}".strip()

    def most(self, shape: tuple[int, int]) -> float:
        """Return the greatest number that it can be of tables of a shape."""
        return largest_information(shape).get(self.name, self.high)

    def possible(self, number: float, shape: tuple[int, int]) -> float:
        """Return the nearest number that it can be of tables of a shape; a corrected estimate may lie outside."""
        return min(max(number, self.low), self.most(shape))  # NaN first: it stays NaN


def values(
    statistics: Iterable[Statistic], stack: ConfusionStack, settings: CountSettings, clusters: ClusterCells
) -> dict[str, float]:
    """Return each statistic of a whole corpus by its key; NaN where it is not defined."""
    counts, numbers = whole_counts(stack, settings), dict[str, float]()
    for one in statistics:
        number = numbers[one.key] = float(one.of(counts)[0])
        if one.left_out and not np.isnan(number):
            jackknifed = jackknife(number, one.left_out(clusters))
            numbers[one.key] = number if np.isnan(jackknifed) else jackknifed
    return numbers


def whole_counts(stack: ConfusionStack, settings: CountSettings) -> Counts:
    """Return the counts of a whole corpus as those of one replicate."""
    counts = stack.sums_by(settings.half, 2 if settings.half.any() else 1)[:, stack.attested].T
    empty = ConfusionMatrix.zero(stack.gold, stack.predicted)
    return Counts(stack.attested, np.ascontiguousarray(counts)[:, :, None], empty, settings, stack.whole)


def replicates(stack: ConfusionStack, resampling: Resampling, settings: CountSettings) -> Iterator[Counts]:
    """Yield the counts of the bootstrap replicates, some at a time; none without replicates."""
    cells, empty = stack.attested, ConfusionMatrix.zero(stack.gold, stack.predicted)
    for counts in cell_counts(stack, resampling, cells, settings.halving):
        yield Counts(cells, counts, empty, settings, stack.whole)


def draws(
    statistics: Iterable[Statistic], stack: ConfusionStack, resampling: Resampling, settings: CountSettings
) -> dict[str, Floats]:
    """Return each statistic of each bootstrap replicate by its key, [R] each; NaN after its most draws."""
    chosen, done = tuple(statistics), 0
    drawn = {one.key: np.full(resampling.replicates, np.nan) for one in chosen}
    for counts in replicates(stack, resampling, settings):
        for one in chosen:
            most = len(range(resampling.first, draws_of(one, stack), resampling.step)) - done
            number = max(0, min(counts.replicates, most))
            some = counts if number == counts.replicates else replace(counts, halves=counts.halves[..., :number])
            drawn[one.key][done : done + number] = one.of(some)
        done += counts.replicates
    return drawn


def draws_of(statistic: Statistic, stack: ConfusionStack) -> int:
    """Return how many bootstrap draws of a statistic there are at most."""
    return statistic.most_draws(len(stack.gold), len(stack.predicted)) if statistic.most_draws else sys.maxsize

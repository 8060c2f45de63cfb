"""Statistics of confusion counts: each stands once, and is computed of many tables of counts at once.

A statistic is a function of `Counts`, the counts of R replicates side by side: of the corpus itself (one), of its
bootstrap draws, of predictions without information. Its value, interval, chance level, skill and comparison are calls
of that one function; measures.tsv says what else it is.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phonxling.core.arrays import Bools, Floats
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.resample.entropy_sums import entropy_sums, information, largest_information, n_log_n
from phonxling.resample.jackknife import ClusterCells, jackknife
from phonxling.resample.replicates import grouped_counts, grouped_replicate_counts
from phonxling.resample.weights import Resampling

UNDEFINED = "not defined: no phones, one utterance only, or a null that leaves nothing to explain"


@dataclass(frozen=True, eq=False)
class CountSettings:
    """How counts are read.

    Parameters
    ----------
    half : int8 array [U]
        The half of each utterance, for cross-fitting; all 0 where there are no halves.
    gaps : bool
        Whether ∅ is a symbol of entropies.
    similarity : CostTable, optional
        Feature costs, which confusions are ranked against.
    """

    half: np.typing.NDArray[np.int8]
    gaps: bool = False
    similarity: CostTable | None = None

    @property
    def has_halves(self) -> bool:
        """Whether utterances are in both halves."""
        return len(np.unique(self.half)) > 1


@dataclass(frozen=True, eq=False)
class Counts:
    """Confusion counts of R replicates, `halves` [2, G + 1, P + 1, R]: by half of the utterances, ∅ last.

    `whole` says whether they are of whole tokens.
    """

    halves: Floats
    empty: ConfusionMatrix
    settings: CountSettings
    whole: bool

    @cached_property
    def total(self) -> Floats:
        """Counts of both halves, [G + 1, P + 1, R]."""
        return np.asarray(self.halves.sum(axis=0))

    @property
    def pairs(self) -> Floats:
        """Counts of pairs of two phones, [G, P, R]."""
        return self.total[:-1, :-1]

    @property
    def symbols(self) -> Floats:
        """Counts of the symbols that entropies are of: with ∅ where it is one, [G (+ 1), P (+ 1), R]."""
        return self.total if self.settings.gaps else self.pairs

    @cached_property
    def cells(self) -> Floats:
        """N log2 n of each count of `symbols`."""
        return n_log_n(self.symbols)

    @cached_property
    def information(self) -> Mapping[str, Floats]:
        """Entropies and information in bits, [R] each: by Miller–Madow, of fractional counts by the plug-in."""
        return information(entropy_sums(self.symbols, self.cells, corrected=self.whole))

    @cached_property
    def same(self) -> Bools:
        """Which pairs are one symbol, [G, P]."""
        return self.empty.same_symbol()


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A number of confusion counts.

    Parameters
    ----------
    name, variant : str
        As in measures.tsv; the variant is the measure's own unless there are several statistics of one measure.
    of : callable
        Counts to the number of each replicate, [R]; NaN where it is not defined.
    exact : callable, optional
        The number of a whole corpus, for statistics with ties that replicates need not settle.
    left_out : callable, optional
        The counts of clusters to the number without each cluster, [C]: of a whole corpus the statistic is then the
        jackknife of `of`, which has less bias in small samples.
    entropic : bool
        An entropy or information: ∅ may be a symbol of it, and predictions of one phone alone are no chance level.
    low, high : float
        The numbers it lies between.
    row : bool
        Whether its row is its value with t limits from its draws; else an analysis of its own makes the row.
    note : str
        What its row says of it.
    undefined : str
        Why it may be missing.
    """

    name: str
    of: Callable[[Counts], Floats]
    variant: str = ""
    exact: Callable[[ConfusionStack, CountSettings], float] | None = None
    left_out: Callable[[ClusterCells], Floats] | None = None
    entropic: bool = False
    low: float = 0.0
    high: float = np.inf
    row: bool = True
    note: str = ""
    undefined: str = UNDEFINED

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
    """Return each statistic of a whole corpus by its key; NaN where it is not defined.

    Those with `left_out` are jackknifed, and may leave their range by a little; of one cluster they are as `of` gives.
    """
    counts = whole_counts(stack, settings)
    numbers = {one.key: float(one.of(counts)[0]) for one in statistics}
    defined = [one for one in statistics if not np.isnan(numbers[one.key])]
    exact = {one.key: one.exact(stack, settings) for one in defined if one.exact}
    jackknifed = {one.key: jackknife(numbers[one.key], one.left_out(clusters)) for one in defined if one.left_out}
    return numbers | exact | {key: number for key, number in jackknifed.items() if not np.isnan(number)}


def whole_counts(stack: ConfusionStack, settings: CountSettings) -> Counts:
    """Return the counts of a whole corpus as those of one replicate."""
    return _counts(grouped_counts(stack, settings.half, 2)[..., None], stack, settings)


def replicates(stack: ConfusionStack, resampling: Resampling, settings: CountSettings) -> Iterator[Counts]:
    """Yield the counts of the bootstrap replicates, some at a time; none without replicates."""
    for halves in grouped_replicate_counts(stack, resampling, settings.half, 2):
        yield _counts(halves, stack, settings)


def draws(
    statistics: Iterable[Statistic], stack: ConfusionStack, resampling: Resampling, settings: CountSettings
) -> dict[str, Floats]:
    """Return each statistic of each bootstrap replicate by its key, [R] each."""
    chosen = tuple(statistics)
    parts = [{one.key: one.of(counts) for one in chosen} for counts in replicates(stack, resampling, settings)]
    return {one.key: np.concatenate([np.zeros(0), *(part[one.key] for part in parts)]) for one in chosen}


def _counts(halves: Floats, stack: ConfusionStack, settings: CountSettings) -> Counts:
    return Counts(halves, ConfusionMatrix.zero(stack.gold, stack.predicted), settings, stack.whole)

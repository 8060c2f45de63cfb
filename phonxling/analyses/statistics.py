"""Statistics of confusion counts: each stands once, and is computed of many tables of counts at once.

A statistic is a function of `Counts`, the counts of R replicates side by side: of the corpus itself (one), of its
bootstrap draws, of predictions without information. Its value, interval, chance level, skill and comparison are calls
of that one function; measures.tsv says what else it is. `STATISTICS` has them all.
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from phonxling.analyses.measures import derived
from phonxling.analyses.one_to_one import assigned
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.resample import entropies
from phonxling.resample.entropies import ClusterCells, n_log_n, row_entropies
from phonxling.resample.intervals import Resampling
from phonxling.resample.kernel import NOTHING
from phonxling.resample.replicates import Halving, cell_counts

_FEWEST = 100  # draws at least
_STEPS = 20_000_000_000  # of all assignments together, G · P · min(G, P) each
NO_PAIRS = "no gold phone was aligned with a predicted one"
UNDEFINED = "not defined: no phones, one utterance only, or a null that leaves nothing to explain"


@dataclass(frozen=True, eq=False)
class CountSettings:
    half: np.typing.NDArray[np.int8]
    gaps: bool = False
    halving: Halving | None = None


@dataclass(frozen=True, eq=False)
class Counts:
    """Confusion counts of R replicates."""

    cells: Codes
    halves: Floats
    empty: ConfusionMatrix
    settings: CountSettings

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
        table = np.zeros((self.empty.counts.size, self.replicates))
        table[self.cells] = self.attested
        return table.reshape(*self.empty.counts.shape, self.replicates)

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
        return n_log_n(self.symbols)

    @cached_property
    def information(self) -> Mapping[str, Floats]:
        """Entropies and information in bits by Miller–Madow, [R] each."""
        shape = self.empty.counts.shape
        rows, columns = np.divmod(self.cells, shape[1])
        symbols = self.settings.gaps | ((rows < shape[0] - 1) & (columns < shape[1] - 1))
        chosen = rows[symbols], columns[symbols], self.attested[symbols]
        return entropies.information(entropies.sparse_entropy_sums(*chosen, shape))

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
    high: float = np.inf
    row: bool = True
    undefined: str = UNDEFINED
    most_draws: Callable[[int, int], int] | None = None

    @property
    def key(self) -> str:
        """What tells it apart: its name, with the variant where there are several."""
        return f"{self.name} {self.variant}".strip()

    def most(self, shape: tuple[int, int]) -> float:
        return entropies.largest_information(shape).get(self.name, self.high)

    def possible(self, number: float, shape: tuple[int, int]) -> float:
        """Return the nearest number that it can be of tables of a shape; a corrected estimate may lie outside."""
        return min(max(number, 0.0), self.most(shape))  # NaN first: it stays NaN


def values(
    statistics: Iterable[Statistic], stack: ConfusionStack, settings: CountSettings, clusters: ClusterCells
) -> dict[str, float]:
    """Return each statistic of a whole corpus by its key; NaN where it is not defined."""
    counts, numbers = whole_counts(stack, settings), dict[str, float]()
    for one in statistics:
        number = numbers[one.key] = float(one.of(counts)[0])
        if one.left_out and not np.isnan(number):
            numbers[one.key] = entropies.jackknife(number, one.left_out(clusters))
    return numbers


def whole_counts(stack: ConfusionStack, settings: CountSettings) -> Counts:
    counts = stack.sums_by(settings.half, 2 if settings.half.any() else 1)[:, stack.attested].T
    empty = ConfusionMatrix.zero(stack.gold, stack.predicted)
    return Counts(stack.attested, np.ascontiguousarray(counts)[:, :, None], empty, settings)


def replicates(stack: ConfusionStack, resampling: Resampling, settings: CountSettings) -> Iterator[Counts]:
    """Yield the counts of the bootstrap replicates, some at a time; none without replicates."""
    cells, empty = stack.attested, ConfusionMatrix.zero(stack.gold, stack.predicted)
    for counts in cell_counts(stack, resampling, cells, settings.halving):
        yield Counts(cells, counts, empty, settings)


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
    return statistic.most_draws(len(stack.gold), len(stack.predicted)) if statistic.most_draws else sys.maxsize


def _cross_fitted(counts: Counts) -> Floats:
    """Return the share of each half's tokens that the other half's assignment matches, [R]; NaN without two halves."""
    rows, columns = (size - 1 for size in counts.empty.counts.shape)
    row, column = np.divmod(counts.cells, columns + 1)
    pairs = np.flatnonzero((row < rows) & (column < columns))
    row, column, tokens = row[pairs], column[pairs], counts.halves[pairs]  # [K, H, R]
    if tokens.shape[1] < 2:
        return np.full(counts.replicates, np.nan)
    matched = np.zeros(counts.replicates)
    for half in (0, 1):
        partners = assigned(row, column, tokens[:, half].T, (rows, columns))
        matched += (tokens[:, 1 - half] * (partners.T[row] == column[:, None])).sum(axis=0)
    return divided(matched, np.where(tokens.any(axis=0).all(axis=0), tokens.sum(axis=(0, 1)), 0.0))


def _information(name: str, side: str = "") -> Statistic:
    """Return a measure of information as a statistic, jackknifed over clusters."""
    key = f"{name}_{side}" if side else name
    return Statistic(
        name=name,
        variant=side,
        of=lambda counts: counts.information[key],
        left_out=lambda clusters: clusters.left_out[key],
        entropic=True,
        high=1.0 if side else math.inf,  # of bits the numbers of symbols say, see `Statistic.most`
        row=False,
    )


def _of_gaps(name: str, variant: str) -> Statistic:
    """Return the entropy of the gold phones that were deleted, or of the phones that were inserted."""
    deleted = variant == "deleted"

    def of(counts: Counts) -> Floats:
        codes, last = np.divmod(counts.cells, counts.empty.counts.shape[1]), np.subtract(counts.empty.counts.shape, 1)
        own = counts.attested[codes[deleted] == last[int(deleted)]]
        return row_entropies(own.sum(axis=0), n_log_n(own).sum(axis=0), _seen(own.T))

    def left_out(clusters: ClusterCells) -> Floats:
        every, without = replace(clusters, gaps=True, turned=deleted), [np.zeros(0)]
        for cells in every.parts():
            own = cells.row == every.shape[0] - 1
            counts = np.zeros((len(cells.offsets) - 1, every.shape[1]))
            counts[cells.cluster[own] - cells.first, cells.column[own]] = cells.tokens[own]
            left = every.table[-1] - counts
            left[left < NOTHING] = 0.0
            without.append(row_entropies(left.sum(axis=1), n_log_n(left).sum(axis=1), _seen(left)))
        return np.concatenate(without)

    return Statistic(name=name, variant=variant, of=of, left_out=left_out, entropic=True, row=False)


def _seen(counts: Floats) -> Codes:
    return np.asarray(np.count_nonzero(counts, axis=-1))


MUTUAL_INFORMATION = _information("mutual_information")
INFORMATION = (
    _information("conditional_entropy"),
    _information("conditional_entropy_given_predicted"),
    MUTUAL_INFORMATION,
    _information("entropy_gold"),
    _information("entropy_predicted"),
    _information("uncertainty_coefficient", "gold"),
    _of_gaps("entropy_gold", "deleted"),
    _of_gaps("entropy_predicted", "inserted"),
)
ONE_TO_ONE = Statistic(
    name="one_to_one_accuracy",
    of=_cross_fitted,
    high=1.0,
    undefined="one utterance has no halves",
    most_draws=lambda gold, predicted: max(_FEWEST, _STEPS // max(1, gold * predicted * min(gold, predicted))),
)
STATISTICS = (*INFORMATION, ONE_TO_ONE)  # in the order of their rows beside chance


def beside_chance() -> tuple[Statistic, ...]:
    """Return the statistics that measures.tsv sets beside chance, which something is `of`."""
    return tuple(one for one in STATISTICS if not one.variant and derived(one.name))


def keyed(keys: Sequence[str]) -> tuple[Statistic, ...]:
    """Return the statistics of some keys, in the order of the keys."""
    own = {one.key: one for one in STATISTICS}
    return tuple(own[key] for key in keys)


def named(name: str) -> Statistic | None:
    """Return the statistic that is a measure's value; None for a measure that is none of confusion counts."""
    return next((one for one in STATISTICS if one.name == name and not one.variant), None)

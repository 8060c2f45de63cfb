"""Statistics of confusion counts: each stands once, and is computed of many tables of counts at once.

A statistic is a function of `Counts`, several tables side by side: that of the corpus (one), those without each
cluster, those of predictions without information. Its value, interval, chance level, skill and comparison are calls of
that one function; measures.tsv says what else it is. `STATISTICS` has them all.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.measures import derived
from phonxling.analyses.one_to_one import assigned
from phonxling.core.arrays import Bools, Codes, Floats, divided, sum_by
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.resample import entropies
from phonxling.resample.entropies import n_log_n, row_entropies
from phonxling.resample.jackknife import Clusters, jackknifed
from phonxling.resample.student import Kind

NO_PAIRS = "no gold phone was aligned with a predicted one"
UNDEFINED = "not defined: no phones, one utterance only, or a null that leaves nothing to explain"
_CELLS = 4_000_000  # of full tables that are held at one time


@dataclass(frozen=True, eq=False)
class CountSettings:
    """Which half each utterance is in, [U], all 0 without halves; whether ∅ is a symbol of entropies."""

    half: NDArray[np.int8]
    gaps: bool = False


@dataclass(frozen=True, eq=False)
class Counts:
    """R tables of confusion counts: `halves` [K, H, R] of K cells, which are places in a table [G + 1, P + 1]."""

    cells: Codes
    halves: Floats
    empty: ConfusionMatrix
    settings: CountSettings

    @cached_property
    def attested(self) -> Floats:
        """Counts of the cells in both halves, [K, R]."""
        return np.asarray(self.halves.sum(axis=1))

    @property
    def tables(self) -> int:
        return int(self.halves.shape[2])

    @cached_property
    def total(self) -> Floats:
        """Counts of both halves, [G + 1, P + 1, R]."""
        table = np.zeros((self.empty.counts.size, self.tables))
        table[self.cells] = self.attested
        return table.reshape(*self.empty.counts.shape, self.tables)

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


class Measured(NamedTuple):
    """A number, and its values without each group of clusters, [C]."""

    value: float
    left_out: Floats

    def __sub__(self, other: "Measured") -> "Measured":
        return Measured(self.value - other.value, self.left_out - other.left_out)


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A number of confusion counts; `corrected` where its value is the jackknifed one."""

    name: str
    of: Callable[[Counts], Floats]
    variant: str = ""
    corrected: bool = False
    high: float = np.inf
    row: bool = True
    undefined: str = UNDEFINED

    @property
    def key(self) -> str:
        """What tells it apart: its name, with the variant where there are several."""
        return f"{self.name} {self.variant}".strip()

    def most(self, shape: tuple[int, int]) -> float:
        return entropies.largest_information(shape).get(self.name, self.high)

    def estimate(self, number: Measured, clusters: Clusters, shape: tuple[int, int], sizes: Floats | None) -> Estimate:
        """Return its estimate within what tables of a shape can have; `sizes` as for `Clusters.estimate`."""
        kind: Kind = "share" if self.high == 1 else "number"
        found = clusters.estimate(*number, kind, corrected=self.corrected, sizes=sizes)
        return found.within(0.0, self.most(shape))

    def corrected_value(self, number: Measured, shape: tuple[int, int], sizes: Floats) -> float:
        """Return the value that its estimate has."""
        value = float(jackknifed(*number, sizes)) if self.corrected else number.value
        return min(max(value, 0.0), self.most(shape))  # NaN first: it stays NaN


def measured(
    statistics: Iterable[Statistic], stack: ConfusionStack, clusters: Clusters, settings: CountSettings
) -> dict[str, Measured]:
    """Return each statistic of a corpus by its key, with its values without each group of clusters."""
    whole, chosen = whole_counts(stack, settings), tuple(statistics)
    value = {one.key: float(one.of(whole)[0]) for one in chosen}
    parts = list(left_out_counts(stack, clusters, settings))
    left_out = {one.key: np.concatenate([np.zeros(0), *(one.of(part) for part in parts)]) for one in chosen}
    return {one.key: Measured(value[one.key], left_out[one.key]) for one in chosen}


def whole_counts(stack: ConfusionStack, settings: CountSettings) -> Counts:
    """Return the counts of the whole corpus: one table."""
    halves = _sums(stack, settings.half.astype(np.int64), 2 if settings.half.any() else 1)
    return Counts(stack.attested, halves[:, :, None], ConfusionMatrix.zero(stack.gold, stack.predicted), settings)


def left_out_counts(
    stack: ConfusionStack, clusters: Clusters, settings: CountSettings, most: int = _CELLS
) -> Iterator[Counts]:
    """Yield the counts without each group of clusters, in order, those of some groups at a time."""
    whole, number = whole_counts(stack, settings), len(clusters.sizes)
    halves = whole.halves.shape[1]
    by_group = _sums(stack, clusters.group * halves + settings.half * (halves > 1), number * halves)
    left = whole.halves - by_group.reshape(-1, number, halves).swapaxes(1, 2)
    together = max(1, most // max(1, whole.empty.counts.size))
    for first in range(0, number, together):
        part = np.ascontiguousarray(left[..., first : first + together])
        yield Counts(whole.cells, part, whole.empty, settings)


def _sums(stack: ConfusionStack, group: Codes, groups: int) -> Floats:
    """Return the counts of the attested cells in each group of utterances, [K, groups]."""
    owner, cells = np.repeat(group, np.diff(stack.offsets)), stack.attested
    place = np.searchsorted(cells, stack.cells) * groups + owner
    return sum_by(place, stack.counts, len(cells) * groups).reshape(len(cells), groups)


def by_cluster(stack: ConfusionStack, clusters: Clusters) -> Floats:
    """Return the counts of each group of clusters, [C, G + 1, P + 1]."""
    return stack.sums_by(clusters.group, len(clusters.sizes)).reshape(len(clusters.sizes), len(stack.gold) + 1, -1)


def _cross_fitted(counts: Counts) -> Floats:
    """Return the share of each half's tokens that the other half's assignment matches, [R]; NaN without two halves."""
    rows, columns = (size - 1 for size in counts.empty.counts.shape)
    row, column = np.divmod(counts.cells, columns + 1)
    pairs = np.flatnonzero((row < rows) & (column < columns))
    row, column, tokens = row[pairs], column[pairs], counts.halves[pairs]  # [K, H, R]
    if tokens.shape[1] < 2:
        return np.full(counts.tables, np.nan)
    matched = np.zeros(counts.tables)
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
        corrected=True,
        high=1.0 if side else np.inf,  # of bits the numbers of symbols say, see `Statistic.most`
        row=False,
    )


def _of_gaps(name: str, variant: str) -> Statistic:
    """Return the entropy of the gold phones that were deleted, or of the phones that were inserted."""
    deleted = variant == "deleted"

    def of(counts: Counts) -> Floats:
        codes, last = np.divmod(counts.cells, counts.empty.counts.shape[1]), np.subtract(counts.empty.counts.shape, 1)
        own = counts.attested[codes[deleted] == last[int(deleted)]]
        return row_entropies(own.sum(axis=0), n_log_n(own).sum(axis=0), np.count_nonzero(own.T, axis=-1))

    return Statistic(name=name, variant=variant, of=of, corrected=True, row=False)


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
ONE_TO_ONE = Statistic(name="one_to_one_accuracy", of=_cross_fitted, high=1.0, undefined="one utterance has no halves")
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

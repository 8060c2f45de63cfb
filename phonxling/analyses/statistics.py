"""Statistics of confusion counts: each stands once, and is computed of many tables of counts at once.

A statistic is a function of `Counts`, several tables side by side: that of the corpus (one), those without each
cluster, those of predictions without information. Its value, interval, chance level, skill and comparison are calls of
that one function; measures.tsv says what else it is. `STATISTICS` has them all.

References
----------
Shannon (1948), A mathematical theory of communication. Miller & Nicely (1955). Kuhn (1955), The Hungarian method for
the assignment problem. Christodoulopoulos, Goldwater & Steedman (2010), Two decades of unsupervised POS induction
(one-to-one accuracy).
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.measures import derived_measures
from phonxling.core.arrays import Bools, Codes, Floats, divide, sum_by
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.errors import check_arguments
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import GAP
from phonxling.core.sequences import Corpus, contents_of
from phonxling.stats.estimators import cell_information, entropy, largest_information, n_log_n
from phonxling.stats.jackknife import Clusters
from phonxling.stats.student import Kind

if TYPE_CHECKING:
    from pandas import Series

GivenSide = Literal["gold", "predicted"]
Gaps = Literal["exclude", "include"]
NO_PAIRS = "no gold phone was aligned with a predicted one"
UNDEFINED_NOTE = "not defined: no phones, one utterance only, or a null that leaves nothing to explain"
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

    @cached_property
    def total(self) -> Floats:
        """Counts of both halves, [G + 1, P + 1, R]."""
        table = np.zeros((self.empty.counts.size, self.halves.shape[2]))
        table[self.cells] = self.attested
        return table.reshape(*self.empty.counts.shape, -1)

    @property
    def pairs(self) -> Floats:
        """Counts of pairs of two phones, [G, P, R]."""
        return self.total[:-1, :-1]

    @cached_property
    def same(self) -> Bools:
        """Which pairs are one symbol, [G, P]."""
        return self.empty.same_symbol()

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
        return cell_information(*chosen, shape)


class MeasuredValue(NamedTuple):
    """A number, and its values without each group of clusters, [C]."""

    value: float
    left_out: Floats

    def __sub__(self, other: "MeasuredValue") -> "MeasuredValue":
        return MeasuredValue(self.value - other.value, self.left_out - other.left_out)


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A number of confusion counts; `corrected` where its value is the jackknifed one."""

    name: str
    of: Callable[[Counts], Floats]
    corrected: bool = False
    high: float = np.inf

    def estimate(
        self, number: MeasuredValue, clusters: Clusters, shape: tuple[int, int], sizes: Floats | None
    ) -> Estimate:
        """Return its estimate within what tables of a shape can have; `sizes` as for `Clusters.estimate`."""
        kind: Kind = "share" if self.high == 1 else "number"
        found = clusters.estimate(*number, kind, corrected=self.corrected, sizes=sizes)
        return found.within(0.0, largest_information(shape).get(self.name, self.high))


def measure_statistics(
    statistics: Iterable[Statistic], stack: ConfusionStack, clusters: Clusters, settings: CountSettings
) -> dict[str, MeasuredValue]:
    """Return each statistic of a corpus by its name, with its values without each group of clusters."""
    tables = [whole_counts(stack, settings), *left_out_counts(stack, clusters, settings)]
    values = {one.name: np.concatenate([one.of(counts) for counts in tables]) for one in statistics}
    return {name: MeasuredValue(float(own[0]), own[1:]) for name, own in values.items()}


def whole_counts(stack: ConfusionStack, settings: CountSettings) -> Counts:
    """Return the counts of the whole corpus: one table."""
    halves = _sum_groups(stack, settings.half.astype(np.int64), 2 if settings.half.any() else 1)
    return Counts(stack.attested, halves[:, :, None], ConfusionMatrix.zero(stack.gold, stack.predicted), settings)


def left_out_counts(
    stack: ConfusionStack, clusters: Clusters, settings: CountSettings, most: int = _CELLS
) -> Iterator[Counts]:
    """Yield the counts without each group of clusters, in order, those of some groups at a time."""
    whole, number = whole_counts(stack, settings), len(clusters.sizes)
    halves = whole.halves.shape[1]
    by_group = _sum_groups(stack, clusters.group * halves + settings.half * (halves > 1), number * halves)
    left = whole.halves - by_group.reshape(-1, number, halves).swapaxes(1, 2)
    # a group's whole table is made at once, so few groups at a time where inventories are large
    together = max(1, most // max(1, whole.empty.counts.size))
    for first in range(0, number, together):
        part = np.ascontiguousarray(left[..., first : first + together])
        yield Counts(whole.cells, part, whole.empty, settings)


def _sum_groups(stack: ConfusionStack, group: Codes, groups: int) -> Floats:
    """Return the counts of the attested cells in each group of utterances, [K, groups]."""
    owner, cells = np.repeat(group, np.diff(stack.offsets)), stack.attested
    place = np.searchsorted(cells, stack.cells) * groups + owner
    return sum_by(place, stack.counts, len(cells) * groups).reshape(len(cells), groups)


def assign_partners(row: Codes, column: Codes, tokens: Floats, shape: tuple[int, int]) -> Codes:
    """Return the partner of each gold phone by code, −1 for none, [T, G], by the tokens [T, K] in K cells."""
    from scipy.optimize import linear_sum_assignment  # a quarter of a second, which `check` need not wait

    partners = np.full((len(tokens), shape[0]), -1, np.int64)
    for own, counts in zip(partners, tokens, strict=True):
        table = np.zeros(shape)
        table[row, column] = counts
        rows, columns = linear_sum_assignment(table, maximize=True)
        # a pair without tokens only completes the assignment: nothing shows that the two correspond
        own[rows] = np.where(table[rows, columns] > 0, columns, -1)
    return partners


def halves_of(corpus: Corpus, seed: int, *, by_speaker: bool) -> NDArray[np.int8]:
    """Return the half of each utterance, [U]: speakers, or utterances, are dealt from the seed, tokens balanced.

    In random order each goes to the half that has fewer tokens, so that no file order and no name decides.
    """
    owner, ordered = np.arange(len(corpus.gold)), contents_of(corpus.gold, corpus.predicted).argsort(kind="stable")
    if by_speaker and corpus.speaker_numbers is not None and corpus.speaker_numbers.any():
        owner, ordered = corpus.speaker_numbers, np.arange(corpus.speaker_numbers.max() + 1)
    # a CRC and not hash(), whose value changes from process to process
    generator = np.random.default_rng([seed, zlib.crc32(b"halves")])
    sizes = np.bincount(owner, weights=np.maximum(corpus.gold.lengths, 1))
    half, first_has_more = np.zeros(len(sizes), np.int8), 0.0
    for one in ordered[generator.permutation(len(sizes))].tolist():
        half[one] = first_has_more > 0
        first_has_more += -sizes[one] if half[one] else sizes[one]
    return half[owner]


def measure_one_to_one(counts: Counts) -> Floats:
    """Return the share of each half's tokens that the other half's assignment matches, [R]; NaN without two halves.

    Each gold phone has one predicted partner at most, and each predicted phone one gold partner: the assignment that
    matches most tokens, of equally good ones that of SciPy's `linear_sum_assignment`.
    """
    rows, columns = (size - 1 for size in counts.empty.counts.shape)
    row, column = np.divmod(counts.cells, columns + 1)
    pairs = np.flatnonzero((row < rows) & (column < columns))
    row, column, tokens = row[pairs], column[pairs], counts.halves[pairs]  # [K, H, R]
    if tokens.shape[1] < 2:
        return np.full(tokens.shape[2], np.nan)
    # Each half is matched by the other half's assignment: in the sample that it was chosen from the share is too high,
    # since an assignment fits chance, too, where tokens are few.
    matched = np.zeros(tokens.shape[2])
    for half in (0, 1):
        partners = assign_partners(row, column, tokens[:, half].T, (rows, columns))
        matched += (tokens[:, 1 - half] * (partners.T[row] == column[:, None])).sum(axis=0)
    return divide(matched, np.where(tokens.any(axis=0).all(axis=0), tokens.sum(axis=(0, 1)), 0.0))


def _information_statistic(name: str) -> Statistic:
    # Jackknifed: the plug-in estimate is biased where counts are small.
    return Statistic(name=name, of=lambda counts: counts.information[name], corrected=True)


INFORMATION = (
    *map(_information_statistic, ("conditional_entropy", "conditional_entropy_given_predicted", "mutual_information")),
    *map(_information_statistic, ("entropy_gold", "entropy_predicted")),
)
ONE_TO_ONE = Statistic(name="one_to_one_accuracy", of=measure_one_to_one, high=1.0)
STATISTICS = (*INFORMATION, ONE_TO_ONE)  # in the order of their rows beside chance


def beside_chance() -> tuple[Statistic, ...]:
    """Return the statistics that measures.tsv sets beside chance, which something is `of`."""
    return tuple(one for one in STATISTICS if derived_measures(one.name))


def statistics_called(names: Sequence[str]) -> tuple[Statistic, ...]:
    """Return the statistics of some names, in the order of the names."""
    own = {one.name: one for one in STATISTICS}
    return tuple(own[name] for name in names)


def statistic_named(name: str) -> Statistic | None:
    """Return the statistic that is a measure's value; None for a measure that is none of confusion counts."""
    return next((one for one in STATISTICS if one.name == name), None)


def counted_symbols(matrix: ConfusionMatrix, given: GivenSide = "gold", gaps: Gaps = "exclude") -> Floats:
    """Return the counts with the given side as rows, [given, other]; with gaps included ∅ is last on both."""
    counts = matrix.counts if gaps == "include" else matrix.substitutions
    return counts if given == "gold" else counts.T


# Y gold (rows), X predicted (columns); bits. H_y = H(X | Y=y) = −Σ_x p̂(x|y) log2 p̂(x|y); H(X|Y) = Σ_y p̂(y) H_y;
# I(X;Y) = H(X) + H(Y) − H(X,Y). ∅ is left out unless `gaps="include"` makes it a symbol of X (deletions) and Y
# (insertions): with gaps left out everything, H(Y) too, describes the tokens that were not deleted. Where an estimator
# (see `estimators`) needs the number of possible symbols, they are those of the inventory, empty cells included.
@check_arguments
def confusion_entropy(
    matrix: ConfusionMatrix, estimator: str = "ml", given: GivenSide = "gold", gaps: Gaps = "exclude"
) -> "Series":
    """Return the confusion entropy of each phone in bits, a Series by phone; NaN for a phone without tokens.

    `given="gold"`: H(X|Y=y), how uncertain what y is heard as. `given="predicted"`: H(Y|X=x), how uncertain what x
    stands for. Errors as for `entropy`.

    Examples
    --------
    >>> m = ConfusionMatrix(["a", "b"], ["a", "b"], [[2, 2], [0, 4]])
    >>> confusion_entropy(m).tolist()
    [1.0, 0.0]
    """
    import pandas as pd  # takes half a second

    values = [entropy(row, estimator) for row in counted_symbols(matrix, given, gaps)]
    labels = [*(matrix.gold if given == "gold" else matrix.predicted), *([GAP] if gaps == "include" else [])]
    return pd.Series(values, index=pd.Index(labels, name=given), name="entropy", dtype=float)


@check_arguments
def conditional_entropy(
    matrix: ConfusionMatrix, estimator: str = "ml", given: GivenSide = "gold", gaps: Gaps = "exclude"
) -> float:
    """Return H(X|Y) = Σ_y p̂(y) H_y in bits, or H(Y|X) with `given="predicted"`; NaN without tokens.

    Examples
    --------
    A one-to-one correspondence is certain, whatever the symbols are:

    >>> conditional_entropy(ConfusionMatrix(["a", "b"], ["x", "y"], [[0, 5], [3, 0]]))
    0.0
    """
    counts = counted_symbols(matrix, given, gaps)
    tokens = counts.sum(axis=1)
    if not tokens.sum():
        return float("nan")
    values = [entropy(row, estimator) for row in counts[tokens > 0]]
    return float(np.dot(tokens[tokens > 0] / tokens.sum(), values))


def marginal_entropy(
    matrix: ConfusionMatrix, of: GivenSide = "gold", estimator: str = "ml", gaps: Gaps = "exclude"
) -> float:
    """Return H(Y) (`of="gold"`) or H(X) (`of="predicted"`) in bits, over the same tokens as the conditional entropy."""
    return entropy(counted_symbols(matrix, "gold", gaps).sum(axis=1 if of == "gold" else 0), estimator)


def confusion_information(matrix: ConfusionMatrix, estimator: str = "ml", gaps: Gaps = "exclude") -> float:
    """Return I(X;Y) = H(X) + H(Y) − H(X,Y) in bits, each by the same estimator; NaN without tokens."""
    sides: tuple[GivenSide, GivenSide] = ("gold", "predicted")
    both = sum(marginal_entropy(matrix, side, estimator, gaps) for side in sides)
    value = both - entropy(counted_symbols(matrix, "gold", gaps), estimator)
    return max(value, 0.0) if estimator == "ml" else value

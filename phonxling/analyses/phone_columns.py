"""The phones of one side of an analysed corpus: what the columns of phones.tsv are made of.

The columns of phones.tsv, each declared once: its values, what replicates show of it, its limits.

A new column is an entry of `COLUMNS` and a row of `tables/columns.tsv`; three rows if it has limits.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.costs import is_feature_cost
from phonxling.analyses.entropy import Gaps, Given, Support, cells, confusion_entropy
from phonxling.analyses.one_to_one import correspondence_tau, nearest_phones, phone_taus, tau_interval, top_confusions
from phonxling.analyses.statistic import Counts, CountSettings, replicates
from phonxling.core.arrays import Bools, Floats, divided, narrow, whole
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.resample.entropy_sums import row_entropies
from phonxling.resample.estimators import refusal
from phonxling.resample.information_interval import information_interval
from phonxling.resample.intervals import estimate
from phonxling.resample.jackknife import ClusterCells, jackknifed_rows
from phonxling.resample.proportion import ClusteredTokens, share_limits
from phonxling.resample.weights import Resampling


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneSide:
    """The S phones of a side, gold or predicted."""

    side: Given
    gaps: Gaps
    support: Support
    matrix: ConfusionMatrix
    counts: ClusterCells
    symbols: ClusterCells
    drawn: Mapping[str, Floats]
    costs: Floats
    scoring: CostTable
    learned: bool
    resampling: Resampling

    @property
    def is_gold(self) -> bool:
        """Whether these are the gold phones."""
        return self.side == "gold"

    @property
    def phones(self) -> Inventory:
        """The phones of this side."""
        return self.matrix.gold if self.is_gold else self.matrix.predicted

    @property
    def tokens(self) -> Floats:
        """Tokens of each phone, [S]."""
        return self.matrix.tokens if self.is_gold else self.matrix.predicted_tokens

    @property
    def correct(self) -> Floats:
        """Tokens of each phone with the same symbol, [S]."""
        right = np.where(self.matrix.same_symbol(), self.matrix.substitutions, 0.0)
        return np.asarray(right.sum(axis=1 if self.is_gold else 0))

    @cached_property
    def clusters(self) -> ClusterCells:
        """The counts of each cluster, this side in rows, with ∅."""
        return self.counts if self.is_gold else self.counts.transposed()

    @cached_property
    def entropy_clusters(self) -> ClusterCells:
        """The same of the symbols that entropies are of."""
        return self.symbols if self.is_gold else self.symbols.transposed()

    @property
    def same(self) -> Bools:
        """Which pairs are one symbol, this side in rows, [S, O]."""
        same = self.matrix.same_symbol()
        return same if self.is_gold else same.T

    def entropy(self, estimator: str) -> Floats:
        """Return each phone's entropy in bits, [S]; NaN by an estimator that needs whole counts where they are not."""
        if refusal(cells(self.matrix, self.side, self.gaps), estimator):
            return np.full(len(self.phones), np.nan)
        entropies = confusion_entropy(self.matrix, estimator, self.side, self.gaps, self.support)
        return entropies.to_numpy()[: len(self.phones)]

    @cached_property
    def entropies(self) -> list[Estimate]:
        """Each phone's corrected entropy in bits with its interval."""
        corrected, most = jackknifed_rows(self.entropy_clusters), math.log2(max(self.entropy_clusters.shape[1], 1))
        columns = corrected.value, self.drawn["entropy"], corrected.error, corrected.clusters
        number = len(self.phones)  # with gaps the jackknife has a row of ∅, last
        return [
            information_interval(
                float(value), drawn, self.resampling, error=float(error), clusters=float(clusters), most=most
            )
            for value, drawn, error, clusters in zip(*(column[:number] for column in columns), strict=True)
        ]


# The counts that a phone's numbers are of: one side's phones in many replicates.


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneCounts:
    """Counts of one side's S phones with the O of the other, in R replicates."""

    total: Floats  # [S + 1, O + 1, R], ∅ last
    symbols: Floats  # of the symbols that entropies are of, [S (+ 1), O (+ 1), R]
    n_log_n: Floats  # n log2 n of each count of `symbols`
    whole: bool  # whether they are of whole tokens
    same: Bools  # which pairs are one symbol, [S, O]
    prices: Floats  # what a substitution costs, [S, O]
    similarity: CostTable | None  # feature costs, gold to predicted, which confusions are ranked against

    @property
    def pairs(self) -> Floats:
        """Counts of pairs of two phones, [S, O, R]."""
        return self.total[:-1, :-1]

    @property
    def gaps(self) -> Floats:
        """Counts of each phone with ∅, [S, R]."""
        return self.total[:-1, -1]

    @cached_property
    def tokens(self) -> Floats:
        """Tokens of each phone, [S, R]."""
        return np.asarray(self.total[:-1].sum(axis=1))

    @cached_property
    def correct(self) -> Floats:
        """Tokens of each phone with the same symbol, [S, R]."""
        return np.asarray(np.einsum("gpr,gp->gr", self.pairs, self.same.astype(np.float64)))

    @cached_property
    def entropies(self) -> Floats:
        """Entropy of each phone in bits, [S, R]: by Miller–Madow, of fractional counts by the plug-in."""
        seen = np.count_nonzero(self.symbols, axis=1) if self.whole else None
        entropies = row_entropies(self.symbols.sum(axis=1), self.n_log_n.sum(axis=1), seen)
        return entropies[: len(self.total) - 1]  # without that of ∅


def counts_of(side: Given, counts: Counts, prices: Floats) -> PhoneCounts:
    """Return the counts of one side's phones; `prices` [G, P] is what a substitution costs."""

    def this_side_first(array: NDArray[Any]) -> NDArray[Any]:
        return array if side == "gold" else array.swapaxes(0, 1)

    return PhoneCounts(
        total=this_side_first(counts.total),
        symbols=this_side_first(counts.symbols),
        n_log_n=this_side_first(counts.n_log_n),
        whole=counts.whole,
        same=this_side_first(counts.same),
        prices=this_side_first(prices),
        similarity=counts.settings.similarity,
    )


# The limits of each column of phones.tsv that has some, [S] each, from the side, the column's name and its values.

Limits = tuple[Floats, Floats]


def cost_limits(side: PhoneSide, column: str, values: Floats) -> Limits:
    """Return the limits of each phone's mean cost."""
    of_cost = partial(estimate, resampling=side.resampling, kind="rate")
    return _limits(map(of_cost, values.tolist(), side.drawn[column]))


def tau_limits(side: PhoneSide, column: str, values: Floats) -> Limits:
    """Return the limits of each gold phone's τ."""
    return _limits(map(partial(tau_interval, resampling=side.resampling), values.tolist(), side.drawn[column]))


def correct_limits(side: PhoneSide, column: str, *_: object) -> Limits:
    """Return the limits of each phone's share of correct tokens."""
    same = np.pad(side.same, ((0, 1), (0, 1)))
    return _share_limits(side, column, same)


def deleted_limits(side: PhoneSide, column: str, *_: object) -> Limits:
    """Return the limits of each gold phone's share of deleted tokens."""
    gap = np.arange(len(side.matrix.predicted) + 1) == len(side.matrix.predicted)
    return _share_limits(side, column, np.tile(gap, (len(side.phones) + 1, 1)))


def _share_limits(side: PhoneSide, column: str, event: Bools) -> Limits:
    """Return the limits of each phone's share of tokens in cells [S + 1, O + 1] with an event."""
    return share_limits(_clustered(side, event), side.drawn[column], side.resampling)


def _clustered(side: PhoneSide, event: Bools) -> ClusteredTokens:
    """Return how many tokens each phone has in each cluster, and how many of them are in cells with the event."""
    phones, parts = len(side.phones), [tuple(narrow(np.zeros(0)) for _ in range(3))]
    for part in side.clusters.parts():
        row, sums = part.by_row(part.tokens, part.tokens * event[part.row, part.column])
        parts.append(tuple(narrow(values[row < phones]) for values in (row, *sums)))
    kind, tokens, events = (np.concatenate(part) for part in zip(*parts, strict=True))
    return ClusteredTokens(kind, tokens, events, phones)


def entropy_limits(side: PhoneSide, *_: object) -> Limits:
    """Return the limits of each phone's entropy, in bits."""
    return _limits(side.entropies)


def perplexity_limits(side: PhoneSide, *_: object) -> Limits:
    """Return the limits of each phone's perplexity."""
    low, high = _limits(side.entropies)
    return 2.0**low, 2.0**high


def _limits(estimates: Iterable[Estimate]) -> Limits:
    limits = np.array([(one.low, one.high) for one in estimates], dtype=np.float64).reshape(-1, 2)
    return limits[:, 0], limits[:, 1]


# The columns of phones.tsv, each declared once: its values, what replicates show of it, its limits.


@dataclass(frozen=True, kw_only=True)
class PhoneColumn:
    """A column of phones.tsv."""

    name: str
    values: Callable[[PhoneSide], Any]
    drawn: Callable[[PhoneCounts], Floats] | None = None
    limits: Callable[[PhoneSide, str, Any], Limits] | None = None
    of: tuple[Given, ...] = ("gold", "predicted")


def _mean_cost(side: PhoneSide) -> Floats:
    counts = np.where(side.same, 0.0, side.matrix.substitutions)
    costs = (counts * side.costs[:-1, :-1]).sum(axis=1)
    return divided(costs, counts.sum(axis=1))


def _drawn_mean_cost(counts: PhoneCounts) -> Floats:
    costs = np.einsum("gpr,gp->gr", counts.pairs, np.where(counts.same, 0.0, counts.prices))
    return divided(costs, counts.pairs.sum(axis=1) - counts.correct)


def _tau(side: PhoneSide) -> Floats:
    if side.learned or not side.scoring.as_rate:
        return np.full(len(side.phones), np.nan)
    return correspondence_tau(side.matrix, side.scoring)[0]


def _drawn_tau(counts: PhoneCounts) -> Floats:
    if counts.similarity is None:
        return np.full(counts.tokens.shape, np.nan)
    return phone_taus(counts.pairs, counts.same, counts.similarity)


def _nearest(side: PhoneSide) -> list[str]:
    by_features = side.scoring.as_rate and is_feature_cost(side.scoring.name)
    return [" ".join(row) for row in nearest_phones(side.scoring)] if by_features else [""] * len(side.phones)


COLUMNS = (
    PhoneColumn(name="side", values=lambda side: [side.side] * len(side.phones)),
    PhoneColumn(name="phone", values=lambda side: list(side.phones)),
    PhoneColumn(name="tokens", values=lambda side: whole(np.round(side.tokens, 6))),  # shares add up to whole ones
    PhoneColumn(name="correct", values=lambda side: whole(side.correct)),
    PhoneColumn(
        name="accuracy",
        values=lambda side: divided(side.correct, side.tokens),
        drawn=lambda counts: divided(counts.correct, counts.tokens),
        limits=correct_limits,
    ),
    PhoneColumn(
        name="deletion_rate",
        values=lambda side: divided(side.matrix.deletions, side.tokens),
        drawn=lambda counts: divided(counts.gaps, counts.tokens),
        limits=deleted_limits,
        of=("gold",),
    ),
    PhoneColumn(
        name="entropy", values=lambda side: np.array([one.value for one in side.entropies]),
        drawn=lambda counts: counts.entropies, limits=entropy_limits,
    ),
    PhoneColumn(
        name="perplexity", values=lambda side: np.array([2.0**one.value for one in side.entropies]),
        limits=perplexity_limits,
    ),
    PhoneColumn(name="nearest", values=_nearest, of=("gold",)),
    PhoneColumn(
        name="confused_with", values=lambda side: [" ".join(row) for row in top_confusions(side.matrix)], of=("gold",)
    ),
    PhoneColumn(name="tau", values=_tau, drawn=_drawn_tau, limits=tau_limits, of=("gold",)),
    PhoneColumn(
        name="mean_substitution_cost", values=_mean_cost, drawn=_drawn_mean_cost, limits=cost_limits, of=("gold",)
    ),
)  # fmt: skip


def columns_of(side: Given) -> list[PhoneColumn]:
    """Return the columns that the phones of a side have."""
    return [column for column in COLUMNS if side in column.of]


# What bootstrap replicates show of each phone, in one pass over them.


@dataclass(frozen=True, eq=False)
class PhoneDraws:
    """What the replicates show: numbers of each side's phones by column, [phones, R]."""

    gold: Mapping[str, Floats]
    predicted: Mapping[str, Floats]


def phone_draws(stack: ConfusionStack, resampling: Resampling, settings: CountSettings, prices: Floats) -> PhoneDraws:
    """Return what the replicates of a corpus' confusions show; `prices` [G, P] is what a substitution costs."""
    none = PhoneDraws(
        gold={column.name: np.zeros((len(stack.gold), 0)) for column in columns_of("gold") if column.drawn},
        predicted={
            column.name: np.zeros((len(stack.predicted), 0)) for column in columns_of("predicted") if column.drawn
        },
    )
    whole = replace(settings, halving=None)
    parts = [none, *(_of(counts, prices) for counts in replicates(stack, resampling, whole))]
    return PhoneDraws(_joined([part.gold for part in parts]), _joined([part.predicted for part in parts]))


def _of(counts: Counts, prices: Floats) -> PhoneDraws:
    return PhoneDraws(_of_phones("gold", counts, prices), _of_phones("predicted", counts, prices))


def _of_phones(side: Given, counts: Counts, prices: Floats) -> dict[str, Floats]:
    own = counts_of(side, counts, prices)
    return {column.name: column.drawn(own) for column in columns_of(side) if column.drawn}


def _joined(parts: Sequence[Mapping[str, Floats]]) -> dict[str, Floats]:
    return {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}

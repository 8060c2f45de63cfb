"""What each gold phone is heard as: shares of its tokens, of all, over replicates, and without each cluster."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import Inventory
from phonxling.resample.proportion import ClusteredTokens, share_limits
from phonxling.resample.replicates import over_replicates
from phonxling.resample.student import effective_number
from phonxling.resample.weights import Resampling

_PARTS = 200  # of a jackknife at most


@dataclass(frozen=True, eq=False)
class Heard:
    """The confusions of a corpus, read as shares of all tokens of a gold phone; ∅, nothing heard, is the last outcome.

    Parameters
    ----------
    stack : ConfusionStack
        Counts by utterance.
    resampling : Resampling
        Which utterances are drawn together.
    """

    stack: ConfusionStack
    resampling: Resampling

    @property
    def gold(self) -> Inventory:
        """The G gold phones."""
        return self.stack.gold

    @property
    def categories(self) -> Inventory:
        """The P phones that something can be heard as."""
        return self.stack.predicted

    @cached_property
    def sizes(self) -> Floats:
        """The tokens of each phone in each cluster, [G, C]."""
        return self._by_cluster(np.ones((len(self.gold), len(self.categories) + 1)))

    @cached_property
    def tokens(self) -> Floats:
        """The tokens of each phone, deleted ones included, [G]."""
        return np.asarray(self.sizes.sum(axis=1))

    @cached_property
    def clusters(self) -> Floats:
        """How many effective clusters the tokens of each phone come from, [G]."""
        return effective_number(self.sizes.sum(axis=1), (self.sizes**2).sum(axis=1))

    @cached_property
    def shares(self) -> Floats:
        """p(x|y), [G, P + 1]; NaN for a phone without tokens."""
        return shares_of(self.stack.total().counts)

    @cached_property
    def best(self) -> Codes:
        """The category that each phone is heard as most often, the first of equal ones, [G]."""
        return np.asarray(self.shares[:, :-1].argmax(axis=1))

    @cached_property
    def best_limits(self) -> tuple[Floats, Floats]:
        """The limits of the share of each phone's tokens that are heard as this category, [G] each."""
        phones = np.arange(len(self.gold))
        chosen = np.zeros((len(self.gold), len(self.categories) + 1))
        chosen[phones, self.best] = 1
        kind, cluster = np.nonzero(self.sizes)
        tokens, events = self.sizes[kind, cluster], self._by_cluster(chosen)[kind, cluster]
        clustered = ClusteredTokens(kind, tokens, events, len(self.gold))
        return share_limits(clustered, self.drawn[phones, self.best], self.resampling)

    @cached_property
    def drawn(self) -> Floats:
        """The shares of each replicate, [G, P + 1, R]."""
        return over_replicates(self.stack, self.resampling, shares_of)

    @cached_property
    def left_out(self) -> Floats:
        """The shares without each cluster, or without each of 200 parts of them, [G, P + 1, B]."""
        parts = min(self.resampling.number, _PARTS)
        by_part = self.stack.sums_by(self.resampling.clusters % max(parts, 1), parts)
        shape = len(self.gold) + 1, len(self.categories) + 1
        rest = np.maximum(by_part.sum(axis=0) - by_part, 0.0)  # less than 0 by rounding alone
        return shares_of(np.moveaxis(rest.reshape(parts, *shape), 0, -1))

    def _by_cluster(self, weights: Floats) -> Floats:
        """Return Σ_x weights[y, x] · C[y, x] of each phone and cluster, [G, C]."""
        row, column = np.divmod(self.stack.cells.astype(np.int64), len(self.categories) + 1)
        owner = np.repeat(self.resampling.clusters, np.diff(self.stack.offsets))
        own, shape = row < len(self.gold), (len(self.gold), self.resampling.number)
        values = self.stack.counts[own] * weights[row[own], column[own]]
        return sum_by(row[own] * shape[1] + owner[own], values, shape[0] * shape[1]).reshape(shape)


def shares_of(counts: Floats) -> Floats:
    """Return C[y, x] / Σ_x C[y, x] of counts [G + 1, P + 1 …], without the row of insertions, [G, P + 1 …].

    Examples
    --------
    >>> shares_of(np.array([[3.0, 1.0], [1.0, 0.0]])).tolist()
    [[0.75, 0.25]]
    """
    return divided(counts[:-1], counts[:-1].sum(axis=1, keepdims=True))

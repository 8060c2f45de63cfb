"""The phones of one side of an analysed corpus: what the columns of phones.tsv are made of."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phonxling.analyses.information.entropy import Gaps, Given, Support, cells, confusion_entropy
from phonxling.core.arrays import Bools, Floats
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.resample.estimators import refusal
from phonxling.resample.information_interval import information_interval
from phonxling.resample.jackknife import ClusterCells, jackknifed_rows
from phonxling.resample.weights import Resampling


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneSide:
    """The S phones of a side, gold or predicted.

    Parameters
    ----------
    side, gaps, support : str
        Whose phones these are, and how their entropies are taken.
    matrix : ConfusionMatrix
        The confusion counts, gold in rows whichever side this is.
    counts, symbols : ClusterCells
        The counts of each cluster, gold in rows: with ∅, and of the symbols that entropies are of.
    drawn : mapping of str to float64 array [S, R]
        What the replicates show of each phone, by column.
    costs : float64 array [G + 1, P + 1]
        What a pair of phones costs.
    scoring : CostTable
        The costs that weigh errors.
    learned : bool
        Whether those are learned.
    resampling : Resampling
        The bootstrap weights.
    """

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

"""The counts that a phone's numbers are of: one side's phones in many replicates."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.information.entropy import Given
from phonxling.analyses.statistic import Counts
from phonxling.core.arrays import Bools, Floats
from phonxling.core.costs import CostTable
from phonxling.resample.entropy_sums import row_entropies


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

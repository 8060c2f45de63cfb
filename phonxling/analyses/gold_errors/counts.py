"""Counts and costs with the errors of the gold taken out.

Conventions
-----------
n(y, x) counts gold as it is written, m(z, x) by the true phone: n = eᵀm, so m = (eᵀ)⁻¹n, `unmix` times n. Both have ∅
last; ∅ of the gold side (insertions) stays as it is.

Alignment
---------
The gold was aligned as it is written, and an aligner makes the best even of a wrong phone: n has fewer errors than
eᵀm, and m too few. How many, further errors show: the gold is written wrongly once more, at a known rate δ, and
aligned anew. The costs that the new alignments save, beside the old ones with the same phones exchanged, are g(δ) ≥ 0
for an utterance; at a rate of ε the first errors have saved about g(δ) ε/δ, which is put back.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.gold_errors.errors import WritingErrors
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Codes, Floats, sum_by
from phonxling.core.confusion import ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.sequences import PhoneSequences
from phonxling.count.confusions import count_costs, stack_confusions


def by_truth(counts: Floats, unmix: Floats) -> Floats:
    """Return counts [G + 1, P + 1, …] by true phone; some are below 0 by chance."""
    return np.asarray(np.tensordot(unmix, counts, axes=1))


@dataclass(frozen=True, eq=False)
class Priced:
    """What utterances cost: counts by utterance, what a pair costs [G + 1, P + 1], and what aligning saves.

    `saved` [U] is what alignment saves of errors at a rate of 1, in proportion; 0 where nothing is aligned anew.
    """

    stack: ConfusionStack
    prices: Floats
    saved: Floats

    def cost(self, errors: WritingErrors, rate: float) -> Floats:
        """Return the cost of each utterance with errors at a rate taken out, [U]; Σ m c = Σ n c̃ with c̃ = e⁻¹c."""
        prices = self.prices if not rate else np.tensordot(errors.unmix(rate).T, self.prices, axes=1)
        owner = np.repeat(np.arange(len(self.stack)), np.diff(self.stack.offsets))
        paid = sum_by(owner, self.stack.counts * prices.ravel()[self.stack.cells], len(self.stack))
        return np.asarray(paid + rate * self.saved)


def priced(
    gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable, writing: "Rewriting", scoring: CostTable
) -> Priced:
    """Return what utterances cost in their best alignments; what aligning saves only where the costs also weigh."""
    aligned = align_sequences(gold, predicted, costs)
    saved = writing.saved(aligned, gold, predicted, costs) if scoring is costs else np.zeros(len(gold))
    return Priced(stack_confusions(aligned), scoring.with_gaps(), saved)


@dataclass(frozen=True, eq=False)
class Rewriting:
    """Gold written wrongly once more: e(y|z) at a rate, so many times."""

    errors: WritingErrors
    rate: float
    times: int
    generator: np.random.Generator

    def codes(self, codes: NDArray[np.integer]) -> Codes:
        """Return codes of gold phones as they may be written, [N]."""
        bounds = self.errors.written(self.rate).cumsum(axis=1)
        drawn = self.generator.random(len(codes))
        return np.asarray(np.minimum((drawn[:, None] > bounds[codes]).sum(axis=1), len(bounds) - 1), dtype=np.int64)

    def saved(self, aligned: Alignments, gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable) -> Floats:
        """Return what aligning anew saves of each utterance, a unit of the rate, [U]."""
        total, spoken = np.zeros(len(gold)), aligned.gold != len(costs.gold)
        for _ in range(self.times):
            codes = self.codes(gold.codes)
            exchanged = aligned.gold.copy()
            exchanged[spoken] = codes
            anew = align_sequences(replace(gold, codes=codes), predicted, costs)
            total += count_costs(replace(aligned, gold=exchanged), costs) - anew.cost
        return np.asarray(total / costs.denominator / self.times / self.rate)

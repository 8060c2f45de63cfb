"""Divergence from the reference language over bootstrap replicates, and over rows redrawn from it.

Everything here is of many restricted count tables at once, [T, P, R]. In a replicate a phone without reference tokens
is left out, as it would be from data of that kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.expected.confusions import ExpectedConfusions
from phonxling.core.inventory import Inventory
from phonxling.core.stack import ConfusionStack
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.weights import Resampling, divided

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExpectedDraws:
    """Restricted counts of both languages in R replicates, float64 [T, P, R] each."""

    target: Floats
    reference: Floats

    @property
    def _known(self) -> Floats:
        """The target's counts of phones that have reference tokens."""
        return np.where(self.reference.sum(axis=1, keepdims=True) > 0, self.target, 0.0)

    @property
    def observed(self) -> Floats:
        """P(x,y), [T, P, R]; NaN for replicates without tokens."""
        known = self._known
        return divided(known, np.broadcast_to(known.sum(axis=(0, 1)), known.shape))

    @property
    def expected(self) -> Floats:
        """P(Y=y)·p_E(x|y), [T, P, R]."""
        return np.asarray(self.observed.sum(axis=1, keepdims=True) * np.nan_to_num(_rows(self.reference)))

    def residual(self) -> Floats:
        """Return observed less expected, [T, P, R]; NaN for a phone without reference tokens in a replicate."""
        unknown = self.reference.sum(axis=1, keepdims=True) == 0
        return np.where(unknown, np.nan, self.observed - self.expected)

    def jensen_shannon(self) -> Floats:
        """Return the divergence of both joints of each replicate in bits, [R]."""
        p, q = self.observed, self.expected
        middle = (p + q) / 2
        return np.asarray((_relative(p, middle) + _relative(q, middle)) / 2)

    def kullback_leibler(self, smoothing: float) -> Floats:
        """Return Σ_y P(y) KL_y in bits with a pseudo-count > 0 in every cell of both, [R]."""
        p, q = _rows(self._known + smoothing), _rows(self.reference + smoothing)
        each = (p * (np.log2(p) - np.log2(q))).sum(axis=1)
        return np.asarray((self.observed.sum(axis=1) * each).sum(axis=0))

    def cost_excess(self, costs: Floats) -> Floats:
        """Return Σ r(x,y) c(y→x) of each replicate for costs [T, P], [R]."""
        return np.asarray(((self.observed - self.expected) * costs[..., None]).sum(axis=(0, 1)))


def resampled(
    found: ExpectedConfusions,
    target: tuple[ConfusionStack, Resampling],
    reference: tuple[ConfusionStack, Resampling],
    counterparts: Sequence[str],
) -> ExpectedDraws:
    """Return both languages' restricted counts, resampled independently of each other.

    The reference's replicates are taken in another order, since two corpora with as many clusters would else be drawn
    alike.

    Parameters
    ----------
    found : ExpectedConfusions
        The restriction.
    target, reference : pair of ConfusionStack and Resampling
        The counts of each utterance and the weights of each corpus.
    counterparts : list of str
        The reference phone that stands for each gold phone of `found`.

    Raises
    ------
    ValueError
        If the counts are not those that were restricted.
    """
    for stack, gold, counts in (
        (target[0], found.gold.phones, found.target),
        (reference[0], counterparts, found.reference),
    ):
        if not np.allclose(_cut(stack.total().counts[..., None], stack, gold, found.predicted)[..., 0], counts):
            raise ValueError("the restricted counts are not of these utterances or counterparts")
    mine = _restricted(*target, found.gold.phones, found.predicted)
    theirs = _restricted(*reference, counterparts, found.predicted)
    return ExpectedDraws(mine, np.roll(theirs, 1, axis=-1))


def redrawn(found: ExpectedConfusions, replicates: int, generator: np.random.Generator) -> ExpectedDraws:
    """Return tables that differ by chance alone: the tokens of each gold phone dealt anew to the two languages.

    Each language keeps its number of tokens of each phone. This is a permutation test: were the tokens independent,
    its p-values would be exact. (Rows drawn from p_E itself would not do: the reference shows fewer kinds of rare
    confusions than there are, so that what is drawn from it is too much like it.) Fractional counts are rounded.
    """
    mine, theirs = (np.rint(counts).astype(np.int64) for counts in (found.target, found.reference))
    both = mine + theirs
    deals = [
        generator.multivariate_hypergeometric(row, number, replicates, method="marginals").T
        for row, number in zip(both, mine.sum(axis=1), strict=True)
    ]
    dealt = np.stack(deals) if deals else np.zeros((*mine.shape, replicates), dtype=np.int64)
    return ExpectedDraws(dealt.astype(np.float64), (both[..., None] - dealt).astype(np.float64))


def _restricted(stack: ConfusionStack, weights: Resampling, gold: Sequence[str], predicted: Inventory) -> Floats:
    none = np.zeros((len(gold), len(predicted), 0))
    parts = [_cut(counts, stack, gold, predicted) for counts in replicate_counts(stack, weights)]
    return np.concatenate([none, *parts], axis=-1)


def _cut(counts: Floats, stack: ConfusionStack, gold: Sequence[str], predicted: Inventory) -> Floats:
    """Return the rows and columns [T, P, R] of these phones; 0 for a phone that is never predicted."""
    there = [place for place, phone in enumerate(predicted) if phone in stack.predicted]
    rows, columns = (
        [stack.gold.code(phone) for phone in gold],
        [stack.predicted.code(predicted.phones[k]) for k in there],
    )
    found = np.zeros((len(rows), len(predicted), counts.shape[-1]))
    found[:, there] = counts[np.ix_(rows, columns)]
    return found


def _rows(counts: Floats) -> Floats:
    return divided(counts, np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape))


def _relative(p: Floats, q: Floats) -> Floats:
    ratio = divided(p, q)
    return np.asarray((p * np.log2(np.where(p > 0, ratio, 1.0))).sum(axis=(0, 1)))

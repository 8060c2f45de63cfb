"""Both languages' restricted counts over bootstrap replicates, and with their tokens dealt anew."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from phonxling.analyses.expected.confusions import ExpectedConfusions, restricted
from phonxling.core.arrays import Floats
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.two_corpora import Resampled


def resampled(
    confusions: ExpectedConfusions, target: Resampled, reference: Resampled, *, counterparts: Sequence[str]
) -> ExpectedConfusions:
    """Return the counts of R replicates, both languages resampled independently of each other.

    `counterparts` has the reference phone that stands for each gold phone. The reference's replicates are taken in
    another order, since two corpora with as many clusters would else be drawn alike.
    """
    own = _replicates(target, confusions.gold.phones, confusions)
    other = _replicates(reference, counterparts, confusions)
    return replace(confusions, target=own, reference=np.roll(other, 1, axis=-1))


def redealt(confusions: ExpectedConfusions, replicates: int, generator: np.random.Generator) -> ExpectedConfusions:
    """Return tables that differ by chance alone: the tokens of each gold phone dealt anew to the two languages.

    Each language keeps its number of tokens of each phone. This is a permutation test: were the tokens independent,
    its p-values would be exact. (Rows drawn from p_E itself would not do: the reference shows fewer kinds of rare
    confusions than there are, so that what is drawn from it is too much like it.) Fractional counts are rounded.
    """
    own, other = (np.rint(counts).astype(np.int64) for counts in (confusions.target, confusions.reference))
    pooled, dealt = own + other, np.zeros((*own.shape, replicates))
    for row, tokens, number in zip(dealt, pooled, own.sum(axis=1), strict=True):
        row[:] = generator.multivariate_hypergeometric(tokens, number, replicates, method="marginals").T
    return replace(confusions, target=dealt, reference=pooled.astype(np.float64)[..., None] - dealt)


def _replicates(corpus: Resampled, gold: Sequence[str], confusions: ExpectedConfusions) -> Floats:
    """Return the restricted counts of each replicate, [T, P, R]."""
    (stack, weights), chosen = corpus, {"gold": gold, "predicted": confusions.predicted.phones}
    phones, shape = stack.total(), (len(gold), len(confusions.predicted), 0)
    parts = (restricted(phones, counts, **chosen) for counts in replicate_counts(stack, weights))
    return np.concatenate([np.zeros(shape), *parts], axis=-1)

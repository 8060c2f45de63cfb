"""Any measure of a confusion matrix over bootstrap replicates, and the interval that they give.

The replicates' matrices come from the corpus' one set of weights (see `resample`), so that all measures, and both sides
of a comparison, are resampled together.

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap. Bisani & Ney (2004).
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from phonxling.core.arrays import Codes, Floats, sum_by
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.core.interface.arguments import checked_types
from phonxling.resample.intervals import Method, estimate
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.student import Kind
from phonxling.resample.weights import Resampling, resampling

Measure = Callable[[Floats], ArrayLike]


def replicate_values(stack: ConfusionStack, resampling: Resampling, measure: Measure) -> Floats:
    """Return measure(counts) of each replicate, [R, …]; counts are [G + 1, P + 1], ∅ last.

    Examples
    --------
    >>> from phonxling.core.inventory import Inventory
    >>> from phonxling.resample.weights import resampling
    >>> one = ConfusionStack(utterances=("u", "v"), gold=Inventory(("a",)), predicted=Inventory(("a",)),
    ...                      offsets=[0, 1, 2], cells=[0, 0], counts=[2, 2])
    >>> replicate_values(one, resampling(2, None, resamples=3, seed=1), lambda counts: counts[0, 0]).tolist()
    [4.0, 4.0, 4.0]
    """
    parts = (np.moveaxis(counts, -1, 0) for counts in replicate_counts(stack, resampling))
    values = [measure(np.ascontiguousarray(counts)) for part in parts for counts in part]
    return np.asarray(values, dtype=np.float64)


def left_out_values(stack: ConfusionStack, resampling: Resampling, measure: Measure) -> Floats:
    """Return measure(counts) with each cluster left out in turn, [C, …]: the jackknife's values."""
    shape = len(stack.gold) + 1, len(stack.predicted) + 1
    total = stack.total().counts
    owner = np.repeat(resampling.clusters, np.diff(stack.offsets))
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(resampling.number + 1))
    values = []
    for first, last in pairwise(bounds):
        own = order[first:last]
        part = np.bincount(stack.cells[own], weights=stack.counts[own], minlength=total.size)
        values.append(measure(np.maximum(total - part.reshape(shape), 0.0)))
    return np.asarray(values, dtype=np.float64)


@checked_types
def bootstrap(
    statistic: Callable[[ConfusionMatrix], float],
    stack: ConfusionStack,
    *,
    speakers: Sequence[str] | Codes | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    method: Method = "auto",
    kind: Kind = "number",
    corrected: bool = False,
    seed: int = 20,
) -> Estimate:
    """Return a statistic of a confusion matrix with its bootstrap interval, over speakers or utterances.

    Parameters
    ----------
    statistic : callable
        ConfusionMatrix to float; NaN where it is not defined.
    stack : ConfusionStack
        Counts of each utterance, see `stack_confusions`.
    speakers : sequence of str or int64 array [U], optional
        One an utterance, by name or number: whose utterances are drawn together. Without them utterances are drawn.
        `Corpus.speaker_numbers` gives the draws of an experiment, which no name changes.
    replicates : int
        How many times; the statistic is computed for each.
    level : float
        Of the interval.
    method : {"auto", "percentile", "bca", "basic"}
        How limits are made; auto: g(value) ± t · standard error on C − 1 degrees of freedom for C effective clusters,
        the standard error the larger of the draws' · √(C/(C − 1)) and the jackknife's.
    kind : {"number", "share", "rate", "skill"}
        The scale g of these limits: x, logit x, log x, −log(1 − x).
    corrected : bool
        Whether the value is the jackknife's estimate, for statistics that are biased in small samples.
    seed : int
        Replicate r draws from the seed [seed, r]: the same for every statistic.

    Raises
    ------
    ValueError
        If there is not one speaker an utterance.

    Examples
    --------
    Two utterances of two phones, one all wrong and one all right: the rate is 0, 0.5 or 1 in each replicate.

    >>> from phonxling.core.inventory import Inventory
    >>> from phonxling.analyses.rates.error_rate import aligned_error_rate
    >>> two = ConfusionStack(utterances=("u", "v"), gold=Inventory(("a",)), predicted=Inventory(("a", "b")),
    ...                      offsets=[0, 1, 2], cells=[0, 1], counts=[2, 2])
    >>> found = bootstrap(aligned_error_rate, two, replicates=200, method="percentile")
    >>> found.value, found.low, found.high, found.note
    (0.5, 0.0, 1.0, 'descriptive: the interval rests on 2 utterances only')
    """
    owner, said = np.repeat(np.arange(len(stack)), np.diff(stack.offsets)), stack.cells // (len(stack.predicted) + 1)
    tokens = sum_by(owner, stack.counts * (said < len(stack.gold)), len(stack))
    drawn = resampling(len(stack), speakers, resamples=replicates, level=level, seed=seed, method=method, tokens=tokens)

    def measure(counts: Floats) -> float:
        return float(statistic(ConfusionMatrix(stack.gold, stack.predicted, counts)))

    value, left_out = measure(stack.total().counts), left_out_values(stack, drawn, measure)
    if corrected and len(left_out) > 1:
        value = drawn.number * value - (drawn.number - 1) * float(np.nanmean(left_out))
    return estimate(value, replicate_values(stack, drawn, measure), drawn, kind=kind, left_out=left_out)

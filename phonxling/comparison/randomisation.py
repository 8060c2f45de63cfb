"""Approximate randomisation: how often labels put on at random give two systems so large a difference.

When two systems are alike, swapping their outputs for a cluster of utterances changes nothing but chance. Each random
trial swaps every cluster with probability ½; p = (c + 1) / (n + 1), c of n trials at least as large, of either sign.

References
----------
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Riezler & Maxwell (2005), On some pitfalls in
automatic evaluation and significance testing for MT.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from phonxling.core.arrays import Floats
from phonxling.resample.p_values import p_of_draws

SWAPS = 9_999
FEWER_SWAPS = 999  # of measures that are computed anew for each
_SAME = 1e-9  # of Σ |d|: sums that differ by rounding alone are equal
_PART = 4_000_000  # signs drawn at one time
_TOGETHER = 64  # swaps whose counts are held at one time


def approximate_randomisation(differences: ArrayLike, seed: int, swaps: int = SWAPS) -> Floats:
    """Return the two-sided p-value of Σ_c d_c for each measure, [K], in (0, 1].

    `differences` [C, K] are, by cluster, the first system's errors (or cost) less the second's. Both are over the same
    gold phones, so that a difference of rates is a difference of these sums. All measures are swapped together.

    Examples
    --------
    Three clusters that all differ by 1: of the eight ways to swap, two give a sum as large as 3, so p is near 1/4.

    >>> bool(abs(approximate_randomisation([[1], [1], [1]], seed=1)[0] - 0.25) < 0.02)
    True
    """
    given = np.asarray(differences, dtype=np.float64)
    least = np.abs(given.sum(axis=0)) - _SAME * np.abs(given).sum(axis=0)
    generator, count = np.random.default_rng(seed), np.zeros(given.shape[1], np.int64)
    rows = max(1, _PART // max(1, len(given)))
    for first in range(0, swaps, rows):
        signs = generator.integers(0, 2, (min(rows, swaps - first), len(given)), dtype=np.int8)
        count += (np.abs((2.0 * signs - 1.0) @ given) >= least).sum(axis=0)
    return p_of_draws(count, swaps)


def randomised_measure(
    first: csr_array, second: csr_array, measure: Callable[[Floats], Floats], seed: int, swaps: int = FEWER_SWAPS
) -> Floats:
    """Return the two-sided p-value of measure(Σ first) − measure(Σ second), for measures that are no sums, [K].

    `first` and `second` [C, N] are the two systems' counts by cluster; `measure` is of the summed counts of R swaps,
    [N, R] to [K, R]. A measure that is not defined for all swaps has p NaN.

    Examples
    --------
    >>> a, b = csr_array([[3.0], [3.0], [3.0]]), csr_array([[2.0], [2.0], [2.0]])
    >>> bool(abs(randomised_measure(a, b, lambda counts: counts, seed=1)[0] - 0.25) < 0.05)
    True
    """
    both, apart = (first + second).sum(axis=0), first - second

    def differences(signs: Floats) -> Floats:
        moved = np.asarray(signs @ apart)
        return np.abs(measure(((both + moved) / 2).T) - measure(((both - moved) / 2).T))

    number, generator = first.shape[0], np.random.default_rng(seed)
    observed = differences(np.ones((1, number)))
    least, at_least, defined = observed - _SAME * np.maximum(1.0, observed), 0, np.isfinite(observed[:, 0])
    for begin in range(0, swaps, _TOGETHER):
        signs = [generator.choice(np.array([-1.0, 1.0]), number) for _ in range(begin, min(begin + _TOGETHER, swaps))]
        drawn = differences(np.array(signs))
        at_least = at_least + (drawn >= least).sum(axis=1)
        defined &= np.isfinite(drawn).all(axis=1)
    return np.where(defined, p_of_draws(at_least, swaps), np.nan)

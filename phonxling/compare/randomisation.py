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
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]
SWAPS = 9_999
FEWER_SWAPS = 999  # of measures that are computed anew for each
_SAME = 1e-9  # of Σ |d|: sums that differ by rounding alone are equal
_PART = 4_000_000  # signs drawn at one time


def approximate_randomisation(differences: ArrayLike, seed: int, swaps: int = SWAPS) -> Floats:
    """Return the two-sided p-value of Σ_c d_c for each measure, float64 [K], in (0, 1].

    Parameters
    ----------
    differences : array [C, K]
        By cluster, the first system's errors (or cost) less the second's. Both are over the same gold phones, so a
        difference of rates is a difference of these sums.
    seed : int
        Of the swaps, which are the same for all measures.
    swaps : int
        n, how many trials.

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
    return np.asarray((count + 1) / (swaps + 1))


def randomised_measure(
    first: csr_array, second: csr_array, measure: Callable[[Floats], Floats], seed: int, swaps: int = FEWER_SWAPS
) -> Floats:
    """Return the two-sided p-value of measure(Σ first) − measure(Σ second), for measures that are no sums, [K].

    Parameters
    ----------
    first, second : sparse array [C, N]
        The two systems' counts by cluster, over the same N cells.
    measure : function of float64 [N] to float64 [K]
        The measures of summed counts. One that is not defined for all swaps has p NaN.
    seed, swaps : int
        As for `approximate_randomisation`.

    Examples
    --------
    >>> a, b = csr_array([[3.0], [3.0], [3.0]]), csr_array([[2.0], [2.0], [2.0]])
    >>> bool(abs(randomised_measure(a, b, lambda counts: counts, seed=1)[0] - 0.25) < 0.05)
    True
    """
    both, apart = (first + second).sum(axis=0), first - second

    def difference(signs: Floats) -> Floats:
        moved = signs @ apart
        return np.abs(measure((both + moved) / 2) - measure((both - moved) / 2))

    observed = difference(np.ones(first.shape[0]))
    generator = np.random.default_rng(seed)
    signs = (generator.choice(np.array([-1.0, 1.0]), first.shape[0]) for _ in range(swaps))
    drawn = np.array([difference(one) for one in signs])
    p = ((drawn >= observed - _SAME * np.maximum(1.0, observed)).sum(axis=0) + 1) / (swaps + 1)
    return np.where(np.isfinite(drawn).all(axis=0) & np.isfinite(observed), p, np.nan)

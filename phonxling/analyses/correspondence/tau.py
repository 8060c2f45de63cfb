"""Whether like phones are confused: Kendall's τ_b of confusion probability and feature similarity.

Over the pairs of different symbols, ∅ left out; positive when phones that are alike are confused more. Overall, the
probabilities p̂(x|y) of all gold phones with tokens are ranked together, and phones that are never predicted are left
out, so that no declared inventory moves τ.

References
----------
Kendall (1945), The treatment of ties in ranking problems (τ_b).
"""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Bools, Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate
from phonxling.resample.intervals import estimate
from phonxling.resample.kernel import rank_correlations
from phonxling.resample.weights import Resampling


def correspondence_tau(matrix: ConfusionMatrix, costs: CostTable) -> tuple[Floats, float]:
    """Return τ_b by gold phone, [G], and overall; NaN where a ranking has no two values.

    Raises
    ------
    ValueError
        If the costs are not between the matrix' inventories.
    """
    if (costs.gold, costs.predicted) != (matrix.gold, matrix.predicted):
        raise ValueError("the costs are not between the matrix' gold and predicted phones")
    pairs, same = matrix.substitutions[..., None], matrix.same_symbol()
    return phone_taus(pairs, same, costs)[:, 0], float(overall_tau(pairs, same, costs)[0])


def overall_tau(pairs: Floats, same: Bools, costs: CostTable) -> Floats:
    """Return τ_b over all gold phones of counts [G, P, R], [R]."""
    other = ~same & pairs.any(axis=(0, 2))
    return _rank(_shares(pairs)[other], -costs.substitution[other])


def phone_taus(pairs: Floats, same: Bools, costs: CostTable) -> Floats:
    """Return τ_b of each gold phone of counts [G, P, R], [G, R]."""
    rows = zip(_shares(pairs), -costs.substitution, ~same, strict=True)
    taus = [_rank(shares[other], similarity[other]) for shares, similarity, other in rows]
    return np.array(taus).reshape(len(pairs), pairs.shape[2])


def tau_interval(value: float, drawn: Floats, resampling: Resampling) -> Estimate:
    """Return τ with its limits, within −1 and 1; draws have more ties than the data, which moves them to one side."""
    return estimate(value, drawn, resampling, biased=True).within(-1, 1)


def _shares(pairs: Floats) -> Floats:
    return divided(pairs, pairs.sum(axis=1, keepdims=True))


def _rank(values: Floats, level: NDArray[np.integer]) -> Floats:
    """Return τ_b of values [n, R] and their level [n], [R]."""
    order, taus = np.argsort(level, kind="stable"), np.full(values.shape[1], np.nan)
    rows = np.ascontiguousarray(values[order].T)
    some = np.flatnonzero((rows > 0).any(axis=0))  # sorting very many zeros takes long
    rank_correlations(rows, some[np.argsort(rows[:, some], axis=1)], level[order].astype(np.int64), taus)
    return taus

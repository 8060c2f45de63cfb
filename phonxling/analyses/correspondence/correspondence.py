"""Correspondences: what a phone is confused with, beside what phonological features would lead one to expect.

References
----------
Kendall (1945), The treatment of ties in ranking problems (τ_b). Webber, Moffat & Zobel (2010), A similarity measure for
indefinite rankings (average overlap).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable

Floats = NDArray[np.float64]


def top_confusions(matrix: ConfusionMatrix, k: int = 3) -> list[list[str]]:
    """Return, for each gold phone, its k most frequent confusions with another symbol, most frequent first, ∅ left out.

    Equal counts stand in the order of the inventory.

    Examples
    --------
    >>> top_confusions(ConfusionMatrix(["a"], ["a", "b", "c"], [[9, 1, 2]]))
    [['c', 'b']]
    """
    counts = np.where(matrix.same_symbol(), 0, matrix.substitutions)
    return [_first(-row, row > 0, matrix.predicted.phones, k) for row in counts]


def nearest_phones(costs: CostTable, k: int = 3) -> list[list[str]]:
    """Return, for each gold phone, the k predicted phones of least substitution cost other than itself.

    Equal costs stand in the order of the inventory.
    """
    other = ~costs.identical()
    rows = zip(costs.substitution.astype(np.float64), other, strict=True)
    return [_first(row, allowed, costs.predicted.phones, k) for row, allowed in rows]


def correspondence_tau(matrix: ConfusionMatrix, costs: CostTable) -> tuple[Floats, float]:
    """Return Kendall's τ_b between confusion probability and feature similarity: by gold phone, [G], and overall.

    Over the pairs of different symbols; positive when phones that are alike are confused more. Overall, the
    probabilities p̂(x|y) of all gold phones with tokens are ranked together. NaN where a ranking has no two values.

    Raises
    ------
    ValueError
        If the costs are not between the matrix' inventories.
    """
    if (costs.gold, costs.predicted) != (matrix.gold, matrix.predicted):
        raise ValueError("the costs are not between the matrix' gold and predicted phones")
    counts, other = matrix.substitutions, ~matrix.same_symbol()
    tokens = counts.sum(axis=1)
    share = counts / np.where(tokens > 0, tokens, 1)[:, None]
    similarity = -costs.substitution.astype(np.float64)
    each = [
        _tau(p[use], s[use]) if n else math.nan for p, s, use, n in zip(share, similarity, other, tokens, strict=True)
    ]
    used = other & (tokens > 0)[:, None]
    return np.array(each, dtype=np.float64), _tau(share[used], similarity[used])


def average_overlap(first: Sequence[str], second: Sequence[str]) -> float:
    """Return the mean over depths d of the share of the first d entries that two rankings have in common, in [0, 1].

    d goes from 1 to the length of the shorter one; NaN when one is empty.

    Examples
    --------
    Nothing at depth 1, both at depth 2:

    >>> average_overlap(["b", "p"], ["p", "b", "d"])
    0.5
    """
    depth = min(len(first), len(second))
    shares = [len({*first[:d]} & {*second[:d]}) / d for d in range(1, depth + 1)]
    return sum(shares) / depth if depth else math.nan


def _tau(first: Floats, second: Floats) -> float:
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan
    return float(kendalltau(first, second, variant="b").statistic)


def _first(keys: Floats, allowed: NDArray[np.bool_], phones: tuple[str, ...], k: int) -> list[str]:
    order = [code for code in np.argsort(keys, kind="stable") if allowed[code]]
    return [phones[code] for code in order[:k]]

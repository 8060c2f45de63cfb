"""Correspondences: what a phone is confused with, beside what phonological features would lead one to expect.

References
----------
Webber, Moffat & Zobel (2010), A similarity measure for
indefinite rankings (average overlap).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable


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


def _first(keys: Floats, allowed: NDArray[np.bool_], phones: tuple[str, ...], k: int) -> list[str]:
    order = [code for code in np.argsort(keys, kind="stable") if allowed[code]]
    return [phones[code] for code in order[:k]]

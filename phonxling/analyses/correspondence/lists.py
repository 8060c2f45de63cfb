"""Correspondences: what a phone is confused with, beside what phonological features would lead one to expect.

References
----------
Webber, Moffat & Zobel (2010), A similarity measure for
indefinite rankings (average overlap).
"""

import math
from collections.abc import Sequence

import numpy as np

from phonxling.core.arrays import Bools, Floats, nearest_first
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
    rows = zip(costs.substitution.astype(np.float64), ~costs.identical(), strict=True)
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


def _first(keys: Floats, allowed: Bools, phones: tuple[str, ...], k: int) -> list[str]:
    return [phones[code] for code in first_allowed(keys, allowed, k)]


def first_allowed(keys: Floats, allowed: Bools, k: int) -> list[int]:
    """Return the places of the k least keys [P] that are allowed; equal ones in the order of the inventory."""
    order = nearest_first(keys[None], allowed[None])[0]
    return [int(code) for code in order[: min(k, np.count_nonzero(allowed))]]

"""The space in which phones lie: square roots of distributions, where Euclidean distance is Hellinger's.

H(p, q) = √(1 − Σ √(p_e q_e)) = ‖√p − √q‖ / √2, in [0, 1].
"""

import numpy as np

from phonxling.core.arrays import Floats
from phonxling.core.errors import DataError
from phonxling.core.means import PhoneMeans
from phonxling.resample.entropy_sums import shares_entropy

_LARGEST = 2**20  # numbers worked on at one time


def hellinger_points(means: Floats) -> Floats:
    """Return √(p/2) of each distribution, [N, K]: their Euclidean distances are Hellinger distances."""
    return np.asarray(np.sqrt(means / 2), dtype=np.float64)


def check_columns(reference: PhoneMeans, target: PhoneMeans) -> None:
    """Raise DataError unless both are distributions over the same recogniser's phones."""
    if reference.columns != target.columns:
        odd = sorted(set(reference.columns.phones) ^ set(target.columns.phones))
        msg = "reference and target posteriors must be over the same recogniser's phones; only one side has"
        raise DataError(f"{msg}: {' '.join(odd) or '(the same phones in another order)'}")


def jensen_shannon_distances(first: Floats, second: Floats) -> Floats:
    """Return Jensen–Shannon distances √JS (base 2, in [0, 1]) between distributions, [N, M].

    Source: Endres & Schindelin (2003), A new metric for probability distributions.

    Examples
    --------
    >>> jensen_shannon_distances(np.eye(2), np.array([[1.0, 0.0]])).ravel().tolist()
    [0.0, 1.0]
    """
    halves = shares_entropy(first) / 2, shares_entropy(second) / 2
    excess = np.empty((len(first), len(second)))
    together = max(1, _LARGEST // max(1, second.size))
    for start in range(0, len(first), together):
        rows = slice(start, start + together)
        middle = shares_entropy((first[rows, None] + second) / 2)
        excess[rows] = middle - halves[0][rows, None] - halves[1]
    return np.sqrt(np.clip(excess, 0, 1))

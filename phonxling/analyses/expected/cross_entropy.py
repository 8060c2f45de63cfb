"""Cross-entropy of the target's confusions under those of the reference language.

Conventions
-----------
As in `expected`: counts of the common phones, gold rows, predicted columns, bits. With smoothing α both rows are
estimated as (c + α) / (n + αP).

Measures
--------
H(p, p_E) = Σ_y P(y) Σ_x −p(x|y) log2 p_E(x|y) = H(p) + KL(p ‖ p_E), P(y) the target's: bits that a confusion of the
target costs one who knows the reference's confusions. Perplexity 2^H(p, p_E).

References
----------
Shannon (1948). Kullback & Leibler (1951).
"""

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.expected.confusions import ExpectedConfusions

Floats = NDArray[np.float64]


def confusion_cross_entropy(found: ExpectedConfusions, smoothing: float = 0.0) -> float:
    """Return H(p, p_E) in bits, ≥ H(p); infinite where the reference never makes a confusion seen here, NaN if empty.

    Examples
    --------
    The target hears a as a, the reference hears it half of the time as e: one bit for each a, and none for each e.

    >>> from phonxling.core.confusion import ConfusionMatrix
    >>> from phonxling.analyses.expected.confusions import expected_confusions
    >>> english = ConfusionMatrix(["a", "e"], ["a", "e"], [[1, 1], [0, 2]])
    >>> target = ConfusionMatrix(["a", "e"], ["a", "e"], [[4, 0], [0, 4]])
    >>> confusion_cross_entropy(expected_confusions(target, english))
    0.5
    """
    return float(cross_entropy_of(found.target, found.reference, smoothing))


def cross_entropy_of(target: Floats, reference: Floats, smoothing: float = 0.0) -> Floats:
    """Return H(p, p_E) of tables of counts [..., T, P], bits [...]; see `confusion_cross_entropy`."""
    tokens = target.sum(axis=-1)
    p, q = _rows(target, smoothing), _rows(reference, smoothing)
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = np.where(p > 0, -p * np.log2(q), 0.0).sum(axis=-1)
        shares = tokens / tokens.sum(axis=-1, keepdims=True)
        paid = np.where(tokens > 0, shares * costs, 0.0).sum(axis=-1)
    return np.asarray(np.where(tokens.sum(axis=-1) > 0, np.maximum(paid, 0.0), np.nan))


def _rows(counts: Floats, smoothing: float) -> Floats:
    values = counts + smoothing
    with np.errstate(invalid="ignore"):
        return np.asarray(values / values.sum(axis=-1, keepdims=True))

"""p-values of many tests, corrected over those that there are.

References
----------
Benjamini & Hochberg (1995). Benjamini & Yekutieli (2001), which holds however the tests depend. Holm (1979).
"""

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import false_discovery_control

Floats = NDArray[np.float64]
Correction = Literal["benjamini-hochberg", "benjamini-yekutieli", "holm"]


def adjusted(p: ArrayLike, correction: Correction = "benjamini-hochberg") -> Floats:
    """Return p-values of any shape corrected over the family of those that are not NaN; NaN elsewhere.

    Examples
    --------
    >>> adjusted([0.01, np.nan, 0.04]).tolist(), adjusted([0.01, np.nan, 0.04], "holm").tolist()
    ([0.02, nan, 0.04], [0.02, nan, 0.04])
    """
    given = np.asarray(p, dtype=np.float64)
    found, there = np.full(given.shape, np.nan), np.isfinite(given)
    if there.any():
        found[there] = _CORRECTIONS[correction](given[there])
    return found


def _holm(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    found = np.empty(len(p))
    found[order] = stepped
    return found


_CORRECTIONS: dict[Correction, Callable[[Floats], Floats]] = {
    "benjamini-hochberg": partial(false_discovery_control, method="bh"),
    "benjamini-yekutieli": partial(false_discovery_control, method="by"),
    "holm": _holm,
}

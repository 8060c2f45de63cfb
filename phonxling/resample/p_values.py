"""p-values: of one value among draws of chance, and of many tests, corrected over those that there are.

References
----------
Davison & Hinkley (1997), chapter 4. Benjamini & Hochberg (1995). Benjamini & Yekutieli (2001), which holds however the
tests depend. Holm (1979).
"""

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from phonxling.core.arrays import Floats

SIGNIFICANT = 0.05  # cells with q below this are said to differ
Correction = Literal["benjamini-hochberg", "benjamini-yekutieli", "holm"]


def p_of_draws(at_least: ArrayLike, draws: int) -> Floats:
    """Return (draws at least as high + 1) / (draws + 1): the value itself is one draw more, so that p is never 0.

    Examples
    --------
    >>> p_of_draws([0, 4], 99).tolist()
    [0.01, 0.05]
    """
    return np.asarray((np.asarray(at_least) + 1) / (draws + 1), dtype=np.float64)


def p_value(value: float, drawn: Floats) -> float:
    """Return the p-value of a value among draws [R] of chance, of which high ones speak against it; NaN for NaN.

    Examples
    --------
    >>> p_value(3.0, np.array([1.0, 2, 3, 0])), p_value(np.nan, np.array([1.0]))
    (0.4, nan)
    """
    return float("nan") if np.isnan(value) else float(p_of_draws(np.count_nonzero(drawn >= value), len(drawn)))


def adjusted(p: ArrayLike, correction: Correction = "benjamini-hochberg") -> Floats:
    """Return p-values of any shape corrected over the family of those that are not NaN; NaN elsewhere.

    Examples
    --------
    >>> adjusted([0.01, np.nan, 0.04]).tolist(), adjusted([0.01, np.nan, 0.04], "holm").tolist()
    ([0.02, nan, 0.04], [0.02, nan, 0.04])
    """
    p_values = np.asarray(p, dtype=np.float64)
    corrected, tested = np.full(p_values.shape, np.nan), np.isfinite(p_values)
    if tested.any():
        corrected[tested] = _CORRECTIONS[correction](p_values[tested])
    return corrected


def _holm(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    corrected = np.empty(len(p))
    corrected[order] = stepped
    return corrected


def _false_discovery(p: Floats, method: Literal["bh", "by"]) -> Floats:
    return np.asarray(scipy.stats.false_discovery_control(p, method=method))


_CORRECTIONS: dict[Correction, Callable[[Floats], Floats]] = {
    "benjamini-hochberg": partial(_false_discovery, method="bh"),
    "benjamini-yekutieli": partial(_false_discovery, method="by"),
    "holm": _holm,
}

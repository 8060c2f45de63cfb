"""Estimators of the entropy of a discrete distribution from counts. All in bits.

Small counts bias the plug-in estimate down; the others correct for that in different ways.

- `ml`: the plug-in, −Σ p̂ log2 p̂.
- `miller-madow`: plug-in + (m − 1) / 2n nats, m the number of symbols seen (Miller 1955).
- `chao-shen`: coverage-adjusted Horvitz–Thompson: with coverage C = 1 − f₁/n (f₁ symbols seen once; n − 1 in place of
  f₁ = n, as R's `entropy` does) and p̃ = C·p̂, −Σ p̃ log2 p̃ / (1 − (1 − p̃)ⁿ) (Chao & Shen 2003).
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def entropy(counts: ArrayLike, estimator: str = "ml") -> float:
    """Return the entropy in bits of the distribution that counts were drawn from; NaN when all counts are 0.

    Parameters
    ----------
    counts : array
        Counts ≥ 0 of each symbol (probabilities do for `ml`).
    estimator : str
        One of `ESTIMATORS`.

    Raises
    ------
    ValueError
        If no estimator has that name.
        If a count is negative or not finite.
        If the estimator needs whole numbers and a count is fractional.

    Examples
    --------
    >>> entropy([1, 1]), entropy([2, 1, 1]), round(entropy([1] * 26), 2), entropy([5])
    (1.0, 1.5, 4.7, 0.0)
    """
    values = np.asarray(counts, dtype=np.float64).ravel()
    if estimator not in ESTIMATORS:
        raise ValueError(f"no entropy estimator is called '{estimator}'; there are: {', '.join(ESTIMATORS)}")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("counts must be finite and not negative")
    seen = values[values > 0]
    return ESTIMATORS[estimator](seen) if len(seen) else math.nan


def plug_in(seen: Floats) -> float:
    """Return −Σ p̂ log2 p̂ over the symbols seen."""
    share = seen / seen.sum()
    share = share[share > 0]  # the smallest floats become 0 when divided
    return float(-(share * np.log2(share)).sum()) + 0.0


def miller_madow(seen: Floats) -> float:
    """Return the plug-in plus (m − 1) / (2n ln 2) bits."""
    _whole(seen, "miller-madow")
    return plug_in(seen) + (len(seen) - 1) / (2 * float(seen.sum()) * math.log(2))


def chao_shen(seen: Floats) -> float:
    """Return the coverage-adjusted estimate of Chao & Shen (2003)."""
    _whole(seen, "chao-shen")
    n, singletons = float(seen.sum()), float((seen == 1).sum())
    coverage = 1 - (min(singletons, n - 1)) / n
    share = coverage * seen / n
    inclusion = -np.expm1(n * np.log1p(-share)) if (share < 1).all() else np.ones_like(share)
    return float(-(share * np.log2(share) / inclusion).sum()) + 0.0


def _whole(seen: Floats, name: str) -> None:
    if (seen != np.round(seen)).any():
        raise ValueError(f"the estimator '{name}' needs whole counts, and some are fractional; use ml")


ESTIMATORS: dict[str, Callable[[Floats], float]] = {"ml": plug_in, "miller-madow": miller_madow, "chao-shen": chao_shen}

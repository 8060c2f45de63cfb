"""The spaces in which phones lie: points whose Euclidean distance is the distance between mean posteriors p [K].

- `hellinger`: √(1 − Σ √(p_e q_e)) = ‖√p − √q‖ / √2, in [0, 1]. Nearly one-hot means all lie about 1 apart.
- `tempered`: Hellinger's of √p / Σ √p, in [0, 1]: what a phone is heard as seldom weighs more.
- `aitchison`: of centred log-ratios log((p_e + 10⁻³) / geometric mean), from 0 without bound: ratios count, and
  posteriors far below the pseudo-mass 10⁻³ do not.

References
----------
Aitchison (1982), The statistical analysis of compositional data. Hellinger (1909).
"""

import math

import numpy as np

from phonxling.analyses.map.points_kernel import euclidean
from phonxling.core.arrays import Floats
from phonxling.core.errors import DataError
from phonxling.core.means import PhoneMeans
from phonxling.settings.phone_map import Metric

PSEUDO_MASS = 1e-3


def metric_points(means: Floats, metric: Metric) -> Floats:
    """Return the points of distributions [..., K] whose Euclidean distances are those of the metric, [..., K].

    Examples
    --------
    >>> apart = metric_points(np.eye(2), "tempered")
    >>> bool(np.isclose(np.linalg.norm(apart[0] - apart[1]), 1))
    True
    """
    if metric == "aitchison":
        logs = np.log(means + PSEUDO_MASS)
        return np.asarray(logs - logs.mean(axis=-1, keepdims=True), dtype=np.float64)
    roots = np.sqrt(means)
    shares = roots / roots.sum(axis=-1, keepdims=True) if metric == "tempered" else means
    return np.asarray(np.sqrt(shares / 2), dtype=np.float64)


def distances_between(first: Floats, second: Floats, metric: Metric) -> Floats:
    """Return the distances between distributions [..., N, K] and others [..., M, K], [..., N, M].

    Examples
    --------
    >>> distances_between(np.eye(2), np.array([[1.0, 0.0]]), "hellinger").ravel().tolist()
    [0.0, 1.0]
    """
    sides = (metric_points(side, metric) for side in (first, second))
    apart = euclidean(*(side.reshape(math.prod(side.shape[:-2]), *side.shape[-2:]) for side in sides))
    return apart.reshape(*first.shape[:-1], second.shape[-2])


def check_columns(reference: PhoneMeans, target: PhoneMeans) -> None:
    """Raise DataError unless both are distributions over the same recogniser's phones."""
    if reference.columns != target.columns:
        odd = sorted(set(reference.columns.phones) ^ set(target.columns.phones))
        msg = "reference and target posteriors must be over the same recogniser's phones; only one side has"
        raise DataError(f"{msg}: {' '.join(odd) or '(the same phones in another order)'}")

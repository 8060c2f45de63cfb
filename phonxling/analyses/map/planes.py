"""Coordinates in the plane, and the plane of the two directions in which points vary most."""

import math
from dataclasses import dataclass

import numpy as np

from phonxling.core.arrays import Floats

_NOTHING = 1e-12  # of the largest root: what rounding leaves of an axis without extent


@dataclass(frozen=True, eq=False)
class Plane:
    """Coordinates of the fitted points [N, 2] and of the placed ones [M, 2].

    `variance_kept` is the share of the fitted points' variance that the two axes hold; NaN for UMAP, which has none.
    """

    fitted: Floats
    placed: Floats
    variance_kept: float = math.nan


def principal_plane(points: Floats, others: Floats) -> Plane:
    """Return the plane of the two directions in which points [N, K] vary most, and the others [M, K] projected on it.

    Examples
    --------
    >>> plane = principal_plane(np.array([[0.0, 1], [1, 1], [5, 1]]), np.array([[3.0, 8]]))
    >>> (plane.placed + 0.0).round(9).tolist(), plane.variance_kept
    ([[1.0, 0.0]], 1.0)
    """
    middle = points.mean(axis=0)
    _, widths, axes = np.linalg.svd(points - middle, full_matrices=False)
    axes = np.where(widths[:, None] > math.sqrt(_NOTHING) * widths[0], axes, 0)[:2]
    return _signed((points - middle) @ axes.T, (others - middle) @ axes.T, _share(widths**2))


def _signed(fitted: Floats, placed: Floats, variance_kept: float) -> Plane:
    farthest = fitted[np.abs(fitted).argmax(axis=0), np.arange(fitted.shape[1])]
    signs = np.where(farthest < 0, -1.0, 1.0)
    return Plane(fitted * signs, placed * signs, variance_kept)


def _share(variances: Floats) -> float:
    total = float(variances.sum())
    return float(variances[:2].sum()) / total if total else math.nan

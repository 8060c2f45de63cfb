"""Points to the plane: principal components, classical scaling, UMAP; each fitted on some points and placing others.

Signs
-----
The sign of an axis is free. Here the fitted point farthest from 0 on an axis has a positive coordinate, so that the
same points give the same picture.

References
----------
Pearson (1901), On lines and planes of closest fit. Torgerson (1952), Multidimensional scaling. Gower (1966), Some
distance properties of latent root and vector methods; (1968), Adding a point to vector diagrams. McInnes, Healy &
Melville (2018), UMAP.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_NOTHING = 1e-12  # of the largest root: what rounding leaves of an axis without extent


@dataclass(frozen=True, eq=False)
class Plane:
    """Coordinates of the fitted points [N, 2] and of the placed ones [M, 2].

    `kept` is the share of the fitted points' variance that the two axes hold, NaN for UMAP, whose axes have none.
    """

    fitted: Floats
    placed: Floats
    kept: float = math.nan


def principal_plane(points: Floats, others: Floats) -> Plane:
    """Return the plane of the two directions in which points [N, K] vary most, and the others [M, K] projected on it.

    Examples
    --------
    >>> plane = principal_plane(np.array([[0.0, 1], [1, 1], [5, 1]]), np.array([[3.0, 8]]))
    >>> (plane.placed + 0.0).round(9).tolist(), plane.kept
    ([[1.0, 0.0]], 1.0)
    """
    middle = points.mean(axis=0)
    _, widths, axes = np.linalg.svd(points - middle, full_matrices=False)
    axes = np.where(widths[:, None] > math.sqrt(_NOTHING) * widths[0], axes, 0)[:2]
    return _signed((points - middle) @ axes.T, (others - middle) @ axes.T, _share(widths**2))


def scaled_plane(distances: Floats, to_others: Floats) -> Plane:
    """Return classical scaling of distances [N, N], and others placed by their distances to the fitted points [M, N].

    B = −½ J D² J is centred twice; its two largest roots λ and their vectors v give √λ·v. Another point with squared
    distances d² to the fitted ones stands at ½ Λ⁻¹ Xᵀ (diag B − d²), Gower's formula: where projection would put it.
    Of Euclidean distances this is `principal_plane`.

    Examples
    --------
    >>> square = np.abs(np.subtract.outer([0.0, 1, 5], [0.0, 1, 5]))
    >>> (scaled_plane(square, np.array([[3.0, 2.0, 2.0]])).placed + 0.0).round(9).tolist()
    [[1.0, 0.0]]
    """
    squares = distances**2
    rows = squares.mean(axis=0)
    centred = -(squares - rows - rows[:, None] + rows.mean()) / 2
    roots, vectors = np.linalg.eigh(centred)
    largest = roots[::-1][:2]
    wide = np.where(largest > _NOTHING * roots[-1], largest, 0)
    axes = vectors[:, ::-1][:, :2] * np.sqrt(wide)
    pull = np.divide(axes, 2 * wide, out=np.zeros_like(axes), where=wide > 0)
    return _signed(axes, (np.diag(centred) - to_others**2) @ pull, _share(roots[::-1].clip(0)))


def umap_plane(points: Floats, others: Floats, n_neighbors: int, seed: int) -> Plane:
    """Return UMAP's coordinates, begun at the principal plane; others [M, K] are transformed together, in their order.

    One seed gives one picture on one machine and set of versions, not on all.
    """
    from umap import UMAP  # takes seconds to import

    found = UMAP(
        n_neighbors=n_neighbors,
        metric="euclidean",
        init=principal_plane(points, others[:0]).fitted.astype(np.float32),
        random_state=seed,
        n_jobs=1,
    ).fit(points)
    placed = found.transform(others) if len(others) else np.zeros((0, 2))
    return Plane(np.asarray(found.embedding_, np.float64), np.asarray(placed, np.float64))


def _signed(fitted: Floats, placed: Floats, kept: float) -> Plane:
    farthest = fitted[np.abs(fitted).argmax(axis=0), np.arange(fitted.shape[1])]
    signs = np.where(farthest < 0, -1.0, 1.0)
    return Plane(fitted * signs, placed * signs, kept)


def _share(variances: Floats) -> float:
    total = float(variances.sum())
    return float(variances[:2].sum()) / total if total else math.nan

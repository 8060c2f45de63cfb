"""Projects phone means into the plane: fitted on the reference language, the targets placed on it.

UMAP keeps neighbourhoods, not distances. PCA and classical multidimensional scaling stand beside it: there is no chance
in them, and they keep distances as far as two axes can. All are fitted on the reference's phone means and batch means,
and place the targets' phone means.

Distances
---------
UMAP and PCA work on Hellinger distances, which are Euclidean between square roots. Scaling them would give PCA again
(Gower 1966), so MDS scales Jensen–Shannon distances, those of `nearest_references`: a second opinion on the space too.

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
from typing import Literal

import numpy as np

from phonxling.analyses.map.points import check_columns, hellinger_points, jensen_shannon_distances
from phonxling.core.arrays import Floats, divided, read_only
from phonxling.core.errors import DataError
from phonxling.core.means import PhoneMeans

Method = Literal["umap", "pca", "mds"]
FEWEST_PHONES = 4  # UMAP has no neighbourhoods to keep below that
FEWEST_POINTS = 3  # fewer lie on a line, and UMAP's coordinates are not numbers
_NOTHING = 1e-12  # of the largest root: what rounding leaves of an axis without extent


@dataclass(frozen=True, eq=False, kw_only=True)
class Projection:
    """Coordinates of the reference's phones and batches, and of each target's phones; what `project` returns.

    Parameters
    ----------
    method : {"umap", "pca", "mds"}
        How they were made.
    reference : float64 array [G, 2]
        The reference's phones, in the order of its means.
    batches : float64 array [B, 2]
        Its batches.
    targets : tuple of float64 arrays [G_t, 2]
        Each target's phones.
    variance_kept : float
        Share of the variance of reference and batches that the two axes hold, in [0, 1]; NaN for UMAP.
    """

    method: Method
    reference: Floats
    batches: Floats
    targets: tuple[Floats, ...]
    variance_kept: float = math.nan

    def __post_init__(self) -> None:
        object.__setattr__(self, "reference", read_only(self.reference, np.float64))
        object.__setattr__(self, "batches", read_only(self.batches, np.float64))
        object.__setattr__(self, "targets", tuple(read_only(target, np.float64) for target in self.targets))


@dataclass(frozen=True, eq=False)
class Plane:
    """Coordinates of the fitted points [N, 2] and of the placed ones [M, 2].

    `variance_kept` is the share of the fitted points' variance that the two axes hold; NaN for UMAP, which has none.
    """

    fitted: Floats
    placed: Floats
    variance_kept: float = math.nan


def project(
    reference: PhoneMeans, *targets: PhoneMeans, method: Method = "umap", n_neighbors: int = 10, seed: int = 20
) -> Projection:
    """Return a projection fitted on the reference's phones, with the targets' phones placed on it in the given order.

    Parameters
    ----------
    reference : PhoneMeans
        At least four phones.
    *targets : PhoneMeans
        Over the same recogniser's phones. UMAP's transform depends on what it transforms together, so all targets go
        through it at once, in this order.
    method : {"umap", "pca", "mds"}
        The projection.
    n_neighbors : int
        UMAP's neighbourhood, in phones: multiplied by the fitted points a phone (its mean and its batches), without
        which every phone would be an island of its own batches; capped below the number of fitted points.
    seed : int
        UMAP's random state. Coordinates agree for one machine and set of versions, not across them: store them.

    Raises
    ------
    DataError
        If the reference has fewer than four phones, or fewer than three different mean posteriors.
        If a target is over other phones than the reference.

    Examples
    --------
    Four phones, heard as p, t and k; a language placed on its own map falls onto itself.

    >>> from phonxling.core.inventory import Inventory
    >>> rows = np.array([[1, 0, 0], [0.5, 0.25, 0.25], [0, 1, 0], [0, 0, 1]])
    >>> english = PhoneMeans(
    ...     phones=Inventory(("p", "b", "t", "k")), columns=Inventory(("p", "t", "k")), means=rows,
    ...     tokens=[9, 9, 9, 9], batch_phones=[0, 1, 2, 3], batch_means=rows)
    >>> plane = project(english, english, method="pca")
    >>> plane.reference.shape, len(plane.targets), bool(np.allclose(plane.targets[0], plane.reference))
    ((4, 2), 1, True)
    """
    _check(reference, targets)
    fitted = np.concatenate([reference.means, reference.batch_means])
    placed = np.concatenate([target.means for target in targets]) if targets else fitted[:0]
    size = len(reference.phones)
    near = max(2, min(n_neighbors * len(fitted) // size, len(fitted) - 1))
    plane = _plane(fitted, placed, method, near, seed)
    cuts = np.cumsum([len(target.phones) for target in targets])[:-1]
    return Projection(
        method=method,
        reference=plane.fitted[:size],
        batches=plane.fitted[size:],
        targets=tuple(np.split(plane.placed, cuts)) if targets else (),
        variance_kept=plane.variance_kept,
    )


def spread(projection: Projection, reference: PhoneMeans) -> Floats:
    """Return, for each reference phone, the root mean square distance of its batches from it in the plane, [G].

    NaN for a phone with one batch only.
    """
    distance = ((projection.batches - projection.reference[reference.batch_phones]) ** 2).sum(axis=1)
    number = np.bincount(reference.batch_phones, minlength=len(reference.phones))
    total = np.bincount(reference.batch_phones, weights=distance, minlength=len(reference.phones))
    return np.sqrt(divided(total, np.where(number > 1, number, 0)))


def _plane(fitted: Floats, placed: Floats, method: Method, near: int, seed: int) -> Plane:
    if method == "mds":
        return scaled_plane(jensen_shannon_distances(fitted, fitted), jensen_shannon_distances(placed, fitted))
    points, others = hellinger_points(fitted), hellinger_points(placed)
    return principal_plane(points, others) if method == "pca" else umap_plane(points, others, near, seed)


def _check(reference: PhoneMeans, targets: tuple[PhoneMeans, ...]) -> None:
    if len(reference.phones) < FEWEST_PHONES:
        msg = f"a map needs at least {FEWEST_PHONES} reference phones with frames; there are {len(reference.phones)}"
        raise DataError(msg)
    for target in targets:
        check_columns(reference, target)
    points = hellinger_points(np.concatenate([reference.means, reference.batch_means]))
    different = len(np.unique(points.round(9), axis=0))
    if different < FEWEST_POINTS:
        msg = f"a map needs at least {FEWEST_POINTS} different mean posteriors; the reference's phones have {different}"
        raise DataError(f"{msg}: the recogniser hardly tells them apart")


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

    fitted = UMAP(
        n_neighbors=n_neighbors,
        metric="euclidean",
        init=principal_plane(points, others[:0]).fitted.astype(np.float32),
        random_state=seed,
        n_jobs=1,
    ).fit(points)
    placed = fitted.transform(others) if len(others) else np.zeros((0, 2))
    return Plane(np.asarray(fitted.embedding_, np.float64), np.asarray(placed, np.float64))


def _signed(fitted: Floats, placed: Floats, variance_kept: float) -> Plane:
    farthest = fitted[np.abs(fitted).argmax(axis=0), np.arange(fitted.shape[1])]
    signs = np.where(farthest < 0, -1.0, 1.0)
    return Plane(fitted * signs, placed * signs, variance_kept)


def _share(variances: Floats) -> float:
    total = float(variances.sum())
    return float(variances[:2].sum()) / total if total else math.nan

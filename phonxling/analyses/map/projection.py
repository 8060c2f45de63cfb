"""Projects phone means into the plane: fitted on the reference language, the targets placed on it.

UMAP keeps neighbourhoods, not distances. PCA and classical multidimensional scaling stand beside it: there is no chance
in them, and they keep distances as far as two axes can. All are fitted on the reference and place the targets' phone
means.

Distances
---------
All work on one metric's distances, which are Euclidean between its points (`points.py`). Classical scaling of such
distances is PCA (Gower 1966): here PCA is of phone means and batch means, MDS of phone means alone, so that each phone
counts once and what batches differ by does not.

Signs
-----
The sign of an axis is free. Here the fitted point farthest from 0 on an axis has a positive coordinate, so that the
same points give the same picture.

References
----------
Pearson (1901), On lines and planes of closest fit. Torgerson (1952), Multidimensional scaling. Gower (1966), Some
distance properties of latent root and vector methods. McInnes, Healy & Melville (2018), UMAP.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from phonxling.analyses.map.planes import principal_plane
from phonxling.analyses.map.points import check_columns, metric_points
from phonxling.analyses.map.umap_plane import umap_plane
from phonxling.core.arrays import Floats, divided, read_only
from phonxling.core.display.shown import Shown, counted
from phonxling.core.errors import DataError
from phonxling.core.interface.arguments import checked_types
from phonxling.core.means import PhoneMeans
from phonxling.settings.phone_map import METRIC, Method, Metric

LEAST_KEPT = 0.2  # of the variance: a picture that keeps less misleads
FEWEST_PHONES = 4  # UMAP has no neighbourhoods to keep below that
FEWEST_POINTS = 3  # fewer lie on a line, and UMAP's coordinates are not numbers


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Projection(Shown):
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
        Share of the variance of the fitted points that the two axes hold, in [0, 1]; NaN for UMAP.
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

    def _facts(self) -> Iterator[str]:
        yield f"{self.method} of {counted(len(self.reference), 'reference phone')}"
        yield f"{counted(len(self.batches), 'batch', 'batches')} of tokens"
        yield from (f"target {counted(len(target), 'phone')}" for target in self.targets)
        yield "" if math.isnan(self.variance_kept) else f"{self.variance_kept:.0%} of the variance kept"

    @property
    def weak(self) -> bool:
        """Whether its axes keep too little of the variance to stand beside another picture."""
        return self.variance_kept < LEAST_KEPT


@checked_types
def project(
    reference: PhoneMeans,
    *targets: PhoneMeans,
    method: Method = "umap",
    metric: Metric = METRIC,
    n_neighbors: int = 10,
    seed: int = 20,
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
    metric : {"hellinger", "tempered", "aitchison"}
        The distance between mean posteriors.
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
    parts = [reference.means, reference.batch_means, *(target.means for target in targets)]
    ends = np.cumsum([len(part) for part in parts])
    points = metric_points(np.concatenate(parts), metric)
    _check_variety(points[: ends[1]])
    fitted, placed = np.split(points, [ends[0] if method == "mds" else ends[1]])
    near = max(2, min(n_neighbors * len(fitted) // len(reference.phones), len(fitted) - 1))
    plane = umap_plane(fitted, placed, near, seed) if method == "umap" else principal_plane(fitted, placed)
    own, batches, *others = np.split(np.concatenate([plane.fitted, plane.placed]), ends[:-1])
    return Projection(
        method=method, reference=own, batches=batches, targets=tuple(others), variance_kept=plane.variance_kept
    )


def spread(projection: Projection, reference: PhoneMeans) -> Floats:
    """Return, for each reference phone, the mean distance of its batches from it in the plane, [G].

    NaN for a phone with one batch only.
    """
    distance = np.linalg.norm(projection.batches - projection.reference[reference.batch_phones], axis=1)
    number = np.bincount(reference.batch_phones, minlength=len(reference.phones))
    total = np.bincount(reference.batch_phones, weights=distance, minlength=len(reference.phones))
    return divided(total, np.where(number > 1, number, 0))


def _check(reference: PhoneMeans, targets: tuple[PhoneMeans, ...]) -> None:
    if len(reference.phones) < FEWEST_PHONES:
        msg = f"a map needs at least {FEWEST_PHONES} reference phones with frames; there are {len(reference.phones)}"
        raise DataError(msg)
    for target in targets:
        check_columns(reference, target)


def _check_variety(fitted: Floats) -> None:
    different = len(np.unique(fitted.round(9), axis=0))
    if different < FEWEST_POINTS:
        msg = f"a map needs at least {FEWEST_POINTS} different mean posteriors; the reference's phones have {different}"
        raise DataError(f"{msg}: the recogniser hardly tells them apart")

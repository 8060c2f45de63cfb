"""Projects phone means into the plane: fitted on the reference language, the targets placed on it.

UMAP keeps neighbourhoods, not distances; PCA keeps distances as far as two axes can. Both are fitted on the reference's
phone means and batch means, and transform the targets' phone means.

References
----------
McInnes, Healy & Melville (2018), UMAP. Pearson (1901), On lines and planes of closest fit.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import read_only
from phonxling.core.errors import DataError
from phonxling.core.means import PhoneMeans
from phonxling.projection.points import check_columns, fitting_points, hellinger_points

Floats = NDArray[np.float64]
Method = Literal["umap", "pca"]
FEWEST_PHONES = 4  # UMAP has no neighbourhoods to keep below that
FEWEST_POINTS = 3  # fewer lie on a line, and UMAP's coordinates are not numbers


@dataclass(frozen=True, eq=False, kw_only=True)
class Projection:
    """Coordinates of the reference's phones and batches, and of each target's phones.

    Parameters
    ----------
    method : {"umap", "pca"}
        How they were made.
    reference : float64 array [G, 2]
        The reference's phones, in the order of its means.
    batches : float64 array [B, 2]
        Its batches.
    targets : tuple of float64 arrays [G_t, 2]
        Each target's phones.
    """

    method: Method
    reference: Floats
    batches: Floats
    targets: tuple[Floats, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "reference", read_only(self.reference, np.float64))
        object.__setattr__(self, "batches", read_only(self.batches, np.float64))
        object.__setattr__(self, "targets", tuple(read_only(target, np.float64) for target in self.targets))


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
    method : {"umap", "pca"}
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
    """
    if len(reference.phones) < FEWEST_PHONES:
        msg = f"a map needs at least {FEWEST_PHONES} reference phones with frames; there are {len(reference.phones)}"
        raise DataError(msg)
    for target in targets:
        check_columns(reference, target)
    fitted = fitting_points(reference)
    different = len(np.unique(fitted.round(9), axis=0))
    if different < FEWEST_POINTS:
        msg = f"a map needs at least {FEWEST_POINTS} different mean posteriors; the reference's phones have {different}"
        raise DataError(f"{msg}: the recogniser hardly tells them apart")
    placed = hellinger_points(np.concatenate([target.means for target in targets]) if targets else fitted[:0])
    size = len(reference.phones)
    near = max(2, min(n_neighbors * len(fitted) // size, len(fitted) - 1))
    first, second = _pca(fitted, placed) if method == "pca" else _umap(fitted, placed, near, seed)
    cuts = np.cumsum([len(target.phones) for target in targets])[:-1]
    parts = tuple(np.split(second, cuts)) if targets else ()
    return Projection(method=method, reference=first[:size], batches=first[size:], targets=parts)


def spread(projection: Projection, reference: PhoneMeans) -> Floats:
    """Return, for each reference phone, the root mean square distance of its batches from it in the plane, [G]."""
    distance = ((projection.batches - projection.reference[reference.batch_phones]) ** 2).sum(axis=1)
    number = np.bincount(reference.batch_phones, minlength=len(reference.phones))
    total = np.bincount(reference.batch_phones, weights=distance, minlength=len(reference.phones))
    return np.asarray(np.sqrt(total / np.maximum(number, 1)), dtype=np.float64)


def _pca(fitted: Floats, placed: Floats) -> tuple[Floats, Floats]:
    from sklearn.decomposition import PCA  # takes a second to import, and only projections need it

    plane = PCA(n_components=2, svd_solver="full").fit(fitted)
    return plane.transform(fitted), plane.transform(placed) if len(placed) else np.zeros((0, 2))


def _umap(fitted: Floats, placed: Floats, n_neighbors: int, seed: int) -> tuple[Floats, Floats]:
    from umap import UMAP  # takes seconds to import

    first_guess, _ = _pca(fitted, placed)
    plane = UMAP(
        n_neighbors=n_neighbors,
        metric="euclidean",  # of √(p/2): Hellinger's
        init=first_guess.astype(np.float32),
        random_state=seed,
        n_jobs=1,
    ).fit(fitted)
    return plane.embedding_, plane.transform(placed) if len(placed) else np.zeros((0, 2))

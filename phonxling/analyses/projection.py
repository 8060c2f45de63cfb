"""Projects phone means into the plane: fitted on the reference language, the targets placed on it.

UMAP keeps neighbourhoods, not distances. There is no chance in principal components, and they keep distances as far as
two axes can.

Distances
---------
Both work on one metric's distances between mean posteriors p [K], which are Euclidean between its points:

- `hellinger`: √(1 − Σ √(p_e q_e)) = ‖√p − √q‖ / √2, in [0, 1]. Nearly one-hot means all lie about 1 apart.
- `aitchison`: of centred log-ratios log((p_e + 10⁻³) / geometric mean), from 0 without bound: ratios count, and
  posteriors far below the pseudo-mass 10⁻³ do not.

The sign of an axis is free. Here the fitted point farthest from 0 on an axis has a positive coordinate, so that the
same points give the same picture.

References
----------
Pearson (1901), On lines and planes of closest fit. McInnes, Healy & Melville (2018), UMAP. Aitchison (1982), The
statistical analysis of compositional data. Hellinger (1909).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from phonxling.core.arrays import Floats, divided, read_only
from phonxling.core.display import Shown, counted
from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import PhoneMeans
from phonxling.settings.models import METRIC, Method, Metric

PSEUDO_MASS = 1e-3
_NOTHING = 1e-12  # of the largest root: what rounding leaves of an axis without extent
LEAST_KEPT = 0.2  # of the variance: a picture that keeps less misleads
FEWEST_PHONES = 4  # UMAP has no neighbourhoods to keep below that
FEWEST_POINTS = 3  # fewer lie on a line, and UMAP's coordinates are not numbers


def metric_points(means: Floats, metric: Metric) -> Floats:
    """Return the points of distributions [..., K] whose Euclidean distances are those of the metric, [..., K]."""
    if metric == "aitchison":
        logs = np.log(means + PSEUDO_MASS)
        return np.asarray(logs - logs.mean(axis=-1, keepdims=True), dtype=np.float64)
    return np.asarray(np.sqrt(means / 2), dtype=np.float64)


def distances_between(first: Floats, second: Floats, metric: Metric) -> Floats:
    """Return the distances between distributions [..., N, K] and others [..., M, K], [..., N, M]."""
    one, other = (metric_points(side, metric) for side in (first, second))
    squares = np.zeros((*first.shape[:-1], second.shape[-2]))
    for axis in range(first.shape[-1]):  # one after the other, so that no bit depends on the machine
        squares += (one[..., :, None, axis] - other[..., None, :, axis]) ** 2
    return np.sqrt(squares)


def check_columns(reference: PhoneMeans, target: PhoneMeans) -> None:
    """Raise DataError unless both are distributions over the same recogniser's phones."""
    if reference.columns != target.columns:
        odd = sorted(set(reference.columns.phones) ^ set(target.columns.phones))
        msg = "reference and target posteriors must be over the same recogniser's phones; only one side has"
        raise DataError(f"{msg}: {' '.join(odd) or '(the same phones in another order)'}")


def principal_plane(points: Floats, others: Floats) -> tuple[Floats, Floats, float]:
    """Return points [N, K] and others on the two axes in which points vary most, [N, 2], [M, 2]; the variance kept."""
    middle = points.mean(axis=0)
    _, widths, axes = np.linalg.svd(points - middle, full_matrices=False)
    axes = np.where(widths[:, None] > math.sqrt(_NOTHING) * widths[0], axes, 0)[:2]
    fitted, placed, variances = (points - middle) @ axes.T, (others - middle) @ axes.T, widths**2
    farthest = fitted[np.abs(fitted).argmax(axis=0), np.arange(fitted.shape[1])]
    signs, total = np.where(farthest < 0, -1.0, 1.0), float(variances.sum())
    return fitted * signs, placed * signs, float(variances[:2].sum()) / total if total else math.nan


def umap_plane(points: Floats, others: Floats, n_neighbors: int, seed: int) -> tuple[Floats, Floats, float]:
    """Return UMAP's coordinates, begun at the principal plane; others [M, K] are transformed together."""
    import umap  # takes seconds

    model = umap.UMAP(
        n_neighbors=n_neighbors,
        metric="euclidean",
        init=principal_plane(points, others[:0])[0].astype(np.float32),
        random_state=seed,
        n_jobs=1,
    )
    fitted = model.fit_transform(points)
    placed = model.transform(others) if len(others) else np.zeros((0, 2))
    return np.asarray(fitted, np.float64), np.asarray(placed, np.float64), math.nan


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Projection(Shown):
    """Coordinates of the reference's phones and batches, and of each target's phones; what `project` returns.

    `reference` [G, 2] and `batches` [B, 2] are in the order of its means, `targets` [G_t, 2] of each target's phones.
    `variance_kept` is the share of the fitted points' variance that the two axes hold, in [0, 1]; NaN for UMAP.
    """

    method: Method
    reference: Floats
    batches: Floats
    targets: tuple[Floats, ...]
    variance_kept: float = math.nan

    def __post_init__(self) -> None:
        for name in ("reference", "batches"):
            object.__setattr__(self, name, read_only(getattr(self, name), np.float64))
        object.__setattr__(self, "targets", tuple(read_only(target, np.float64) for target in self.targets))

    def _facts(self) -> Iterator[str]:
        yield f"{self.method} of {counted(len(self.reference), 'reference phone')}"
        yield f"{counted(len(self.batches), 'batch', 'batches')} of tokens"
        yield from (f"target {counted(len(target), 'phone')}" for target in self.targets)
        yield "" if math.isnan(self.variance_kept) else f"{self.variance_kept:.0%} of the variance kept"

    @property
    def weak(self) -> bool:
        """Whether its axes keep so little of the variance that distances on the map mean little."""
        return self.variance_kept < LEAST_KEPT


def project(
    reference: PhoneMeans,
    *targets: PhoneMeans,
    method: Method = "umap",
    metric: Metric = METRIC,
    n_neighbors: int = 10,
    seed: int = 20,
) -> Projection:
    """Return a projection fitted on the reference's phones, with the targets' phones placed on it in the given order.

    `method` is "umap" or "pca", `metric` "hellinger" or "aitchison". UMAP's transform depends on
    what it transforms together: all targets go through it at once, in this order. Its neighbourhood, `n_neighbors`
    phones, is multiplied by the fitted points a phone (its mean and its batches), or every phone would be an island of
    its own batches. For one `seed` coordinates agree on one machine and set of versions, not across them: store them.

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
    if len(reference.phones) < FEWEST_PHONES:
        msg = f"a map needs at least {FEWEST_PHONES} reference phones with frames; there are {len(reference.phones)}"
        raise DataError(msg)
    for target in targets:
        check_columns(reference, target)
    parts = [reference.means, reference.batch_means, *(target.means for target in targets)]
    ends = np.cumsum([len(part) for part in parts])
    points = metric_points(np.concatenate(parts), metric)
    different = len(np.unique(points[: ends[1]].round(9), axis=0))
    if different < FEWEST_POINTS:
        msg = f"a map needs at least {FEWEST_POINTS} different mean posteriors; the reference's phones have {different}"
        raise DataError(f"{msg}: the recogniser hardly distinguishes them")
    fitted, placed = np.split(points, [ends[1]])
    near = max(2, min(n_neighbors * len(fitted) // len(reference.phones), len(fitted) - 1))
    *parts, kept = umap_plane(fitted, placed, near, seed) if method == "umap" else principal_plane(fitted, placed)
    own, batches, *others = np.split(np.concatenate(parts), ends[:-1])
    return Projection(method=method, reference=own, batches=batches, targets=tuple(others), variance_kept=kept)


def spread(projection: Projection, reference: PhoneMeans) -> Floats:
    """Return, for each reference phone, the mean distance of its batches from it in the plane, [G]."""
    owner, phones = reference.batch_phones, len(reference.phones)
    distance = np.linalg.norm(projection.batches - projection.reference[owner], axis=1)
    number, total = np.bincount(owner, minlength=phones), np.bincount(owner, distance, phones)
    return divided(total, np.where(number > 1, number, 0))

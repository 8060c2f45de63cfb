"""The phone map: fitted on the reference's means, all targets placed on it; and the nearest phone of the reference.

UMAP keeps neighbourhoods, not distances. There is no chance in principal components, and they keep distances as far as
two axes can. Both work on one metric's distances between mean posteriors p [K], which are Euclidean between its points:

- `hellinger`: √(1 − Σ √(p_e q_e)) = ‖√p − √q‖ / √2, in [0, 1]. Nearly one-hot means all lie about 1 apart.
- `aitchison`: of centred log-ratios log((p_e + 10⁻³) / geometric mean), from 0 without bound: ratios count, and
  posteriors far below the pseudo-mass 10⁻³ do not.

References
----------
Pearson (1901), On lines and planes of closest fit. McInnes, Healy & Melville (2018), UMAP. Aitchison (1982), The
statistical analysis of compositional data. Hellinger (1909).
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from scipy.spatial.distance import pdist, squareform

from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.loaded import recogniser_note
from phonxling.analyses.measures import Row, row_of
from phonxling.configuration.models import METRIC, Map, Method, Metric
from phonxling.core.arrays import Codes, Floats, divide, make_read_only, read_only
from phonxling.core.errors import DataError, check_arguments
from phonxling.core.estimate import ReadableValue, format_count
from phonxling.core.posteriorgram import PhoneMeans, TokenPosteriors
from phonxling.core.work import SERIAL, Record, Work
from phonxling.posteriors.joint import means_of_tokens

FAITHFULNESS = ("trustworthiness", "distance_correlation")
# Of each phone, in whose ranks trust is measured: scikit-learn's default.
_NEIGHBOURS = 5
# A share of 0 has no logarithm. Of this size, posteriors that a network's noise decides count for little.
PSEUDO_MASS = 1e-3
_NOTHING = 1e-12  # of the largest variance: what rounding leaves of an axis without extent
# Of the variance: a picture that keeps less misleads.
LEAST_KEPT = 0.2
# UMAP has no neighbourhoods to keep below that.
FEWEST_PHONES = 4
# Fewer lie on a line, and UMAP's coordinates are not numbers.
FEWEST_POINTS = 3


def metric_points(means: Floats, metric: Metric) -> Floats:
    """Return the points of distributions [..., K] whose Euclidean distances are those of the metric, [..., K]."""
    if metric == "aitchison":
        # The centred log-ratio.
        logs = np.log(means + PSEUDO_MASS)
        return np.asarray(logs - logs.mean(axis=-1, keepdims=True), dtype=np.float64)
    # Hellinger: the Euclidean distance of √p / √2, from 0 to 1.
    return np.asarray(np.sqrt(means / 2), dtype=np.float64)


def distances_between(first: Floats, second: Floats, metric: Metric) -> Floats:
    """Return the distances between distributions [..., N, K] and others [..., M, K], [..., N, M]."""
    one, other = (metric_points(side, metric) for side in (first, second))
    squares = np.zeros((*first.shape[:-1], second.shape[-2]))
    # One axis after the other, so that no bit depends on the machine.
    for axis in range(first.shape[-1]):
        squares += (one[..., :, None, axis] - other[..., None, :, axis]) ** 2
    return np.sqrt(squares)


def check_columns(reference: PhoneMeans, target: PhoneMeans) -> None:
    """Raise DataError unless both are distributions over the same recogniser's phones."""
    if reference.columns != target.columns:
        odd = " ".join(sorted({*reference.columns.phones} ^ {*target.columns.phones}))
        msg = "reference and target posteriors must be over the same recogniser's phones; only one side has"
        raise DataError(f"{msg}: {odd or '(the same phones in another order)'}")


def principal_plane(points: Floats, others: Floats) -> tuple[Floats, Floats, float]:
    """Return points [N, K] and others on the two axes in which points vary most, [N, 2], [M, 2]; the variance kept."""
    middle = points.mean(axis=0)
    _, widths, axes = np.linalg.svd(points - middle, full_matrices=False)
    # An axis without variance has a direction that rounding decides.
    axes = np.where(widths[:, None] > math.sqrt(_NOTHING) * widths[0], axes, 0)[:2]
    fitted, placed, variances = (points - middle) @ axes.T, (others - middle) @ axes.T, widths**2
    farthest = fitted[np.abs(fitted).argmax(axis=0), np.arange(fitted.shape[1])]
    # Axes have no sign of their own: the farthest point is positive, on every machine.
    signs, total = np.where(farthest < 0, -1.0, 1.0), float(variances.sum())
    return fitted * signs, placed * signs, float(variances[:2].sum()) / total if total else math.nan


def umap_plane(points: Floats, others: Floats, n_neighbors: int, seed: int) -> tuple[Floats, Floats, float]:
    """Return UMAP's coordinates, begun at the principal plane; others [M, K] are transformed together."""
    import umap  # takes seconds

    # A start that chance has no part in, one thread and a seed: the same picture again.
    begun = principal_plane(points, others[:0])[0].astype(np.float32)
    model = umap.UMAP(n_neighbors=n_neighbors, metric="euclidean", init=begun, random_state=seed, n_jobs=1)
    fitted = model.fit_transform(points)
    placed = model.transform(others) if len(others) else np.zeros((0, 2))
    return np.asarray(fitted, np.float64), np.asarray(placed, np.float64), math.nan


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Projection(ReadableValue):
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
        make_read_only(self, reference=np.float64, batches=np.float64)
        object.__setattr__(self, "targets", tuple(read_only(target, np.float64) for target in self.targets))

    def _facts(self) -> Iterator[str]:
        yield f"{self.method} of {format_count(len(self.reference), 'reference phone')}"
        yield f"{format_count(len(self.batches), 'batch', 'batches')} of tokens"
        yield from (f"target {format_count(len(target), 'phone')}" for target in self.targets)
        yield "" if math.isnan(self.variance_kept) else f"{self.variance_kept:.0%} of the variance kept"

    @property
    def weak(self) -> bool:
        """Whether its axes keep so little of the variance that distances on the map mean little."""
        return self.variance_kept < LEAST_KEPT


@check_arguments
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
    Four phones, recognised as p, t and k; a language placed on its own map falls onto itself.

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
    # Each phone has its batches about it, which would be all of its neighbours.
    near = max(2, min(n_neighbors * len(fitted) // len(reference.phones), len(fitted) - 1))
    *parts, kept = umap_plane(fitted, placed, near, seed) if method == "umap" else principal_plane(fitted, placed)
    own, batches, *others = np.split(np.concatenate(parts), ends[:-1])
    return Projection(method=method, reference=own, batches=batches, targets=tuple(others), variance_kept=kept)


def spread_of_batches(projection: Projection, reference: PhoneMeans) -> Floats:
    """Return, for each reference phone, the mean distance of its batches from it in the plane, [G]."""
    owner, phones = reference.batch_phones, len(reference.phones)
    distance = np.linalg.norm(projection.batches - projection.reference[owner], axis=1)
    number, total = np.bincount(owner, minlength=phones), np.bincount(owner, distance, phones)
    # A single batch is the phone's mean itself, which would look as if it did not vary.
    return divide(total, np.where(number > 1, number, 0))


def phone_map(case: CorpusContext, _: Map) -> AnalysisOutput:
    if case.phone_map is not None:
        if case.name in case.phone_map.tables:
            yield "map", case.phone_map.tables[case.name]
        yield from case.phone_map.rows.get(case.name, ())


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneMap:
    """Tables and summary rows of the map, by corpus; `problems` say what is not on it, and so do the rows."""

    tables: Mapping[str, pd.DataFrame]
    rows: Mapping[str, list[Row]]
    problems: tuple[str, ...] = ()


def map_phones(
    tokens: Mapping[str, TokenPosteriors],
    settings: Map,
    *,
    reference: str | None,
    recognisers: Mapping[str, str | None],
    allow_other_recogniser: bool,
    seed: int,
    work: Work = SERIAL,
) -> PhoneMap:
    """Return the map of all corpora with posteriors; what cannot be placed on it is left out, with the reason."""
    if reference is None or reference not in tokens:
        lacking = f"the reference {reference} has no posteriors"
        return _no_map(tokens, "no corpus has the role reference" if reference is None else lacking)
    means = {name: means_of_tokens(tokens[name], settings.batches) for name in dict.fromkeys([reference, *tokens])}
    notes = {name: recogniser_note(recognisers[name], recognisers[reference]) for name in means}
    left_out: dict[str, str] = {}
    for name, own in means.items():
        try:
            check_columns(means[reference], own)
        except DataError as error:
            left_out[name] = f"not on the phone map: {error}"
        if notes[name] and not allow_other_recogniser:
            allow = "allow with expected: {allow_other_recogniser: true}"
            left_out[name] = f"not on the phone map: {notes[name]}; {allow}"
    placed = {name: own for name, own in means.items() if name not in left_out}
    try:
        (arrays,) = work.map(_project_record, (tuple(placed.values()), settings), [seed])
    except DataError as error:
        return _no_map(means, str(error))
    plane = Projection(
        method=settings.method,
        reference=arrays["reference"],
        batches=arrays["batches"],
        targets=tuple(arrays[f"target {number}"] for number in range(len(placed) - 1)),
        variance_kept=float(arrays["variance_kept"]),
    )
    tables, rows = dict[str, pd.DataFrame](), {name: _missing_rows(why) for name, why in left_out.items()}
    for place, (name, own) in enumerate(placed.items()):
        tables[name] = _map_table(place, own, plane, placed[reference], settings.metric)
        shown = [placed[reference].means, own.means][: 1 + bool(place)]
        rows[name] = list(_trust_rows(metric_points(np.concatenate(shown), settings.metric), plane, place, notes[name]))
    problems = tuple(f"{name}: {why}" for name, why in left_out.items())
    return PhoneMap(tables=tables, rows=rows, problems=problems)


def _no_map(names: Iterable[str], why: str) -> PhoneMap:
    rows = {name: _missing_rows(f"no phone map: {why}") for name in names}
    return PhoneMap(tables={}, rows=rows, problems=(f"no phone map: {why}",) if rows else ())


def _missing_rows(why: str) -> list[Row]:
    return [row_of(measure, math.nan, 0, "", why) for measure in FAITHFULNESS]


def _project_record(common: tuple[tuple[PhoneMeans, ...], Map], seed: int) -> Record:
    """Return the arrays of the projection fitted on the first means, with the others placed on it, to be kept."""
    means, settings = common
    method, metric, near = settings.method, settings.metric, settings.n_neighbors
    plane = project(*means, method=method, metric=metric, n_neighbors=near, seed=seed)
    placed = {f"target {number}": target for number, target in enumerate(plane.targets)}
    kept = np.array(plane.variance_kept)
    return {"reference": plane.reference, "batches": plane.batches, "variance_kept": kept, **placed}


def _map_table(place: int, means: PhoneMeans, plane: Projection, reference: PhoneMeans, metric: Metric) -> pd.DataFrame:
    """Return the table of the reference, place 0, or of a target: no reference phone is its own neighbour."""
    x, y = (plane.targets[place - 1] if place else plane.reference).T
    nearest, distance = nearest_phones(means, reference, metric)
    spread = np.nan if place else spread_of_batches(plane, means)
    of_phones = {"phone": means.phones.phones, "tokens": means.tokens, "x": x, "y": y, "spread": spread}
    names = np.array(reference.phones.phones, dtype=object)[nearest]
    return pd.DataFrame(of_phones | {"nearest_reference": names, "distance": distance})


def nearest_phones(means: PhoneMeans, reference: PhoneMeans, metric: Metric) -> tuple[Codes, Floats]:
    """Return the nearest reference phone of each phone in full space, [G], of equal ones the first, and how far."""
    distances = distances_between(means.means, reference.means, metric)
    if means is reference:
        np.fill_diagonal(distances, np.inf)  # no phone is its own neighbour
    nearest = distances.argmin(axis=1)
    return nearest, distances[np.arange(len(nearest)), nearest]


def _trust_rows(before: Floats, plane: Projection, place: int, note: str) -> Iterator[Row]:
    """Yield how far the map is to be trusted of one corpus, over what its panel shows."""
    n, after = float(len(before)), np.concatenate([plane.reference, *plane.targets[place - 1 : place]])
    kept = f"{plane.method.upper()} keeps {100 * plane.variance_kept:.0f} % of the variance"
    weak = f"{kept}: distances on the map mean little" if plane.weak and place == 0 else ""
    trust, rank = neighbourhood_trust(before, after), distance_correlation(before, after)
    few = "too few phones" if math.isnan(trust) else note
    flat = "too few phones, or all distances are equal" if math.isnan(rank) else note
    yield row_of(FAITHFULNESS[0], trust, n, "", weak, few)
    yield row_of(FAITHFULNESS[1], rank, n, "", weak, flat)


# From 0 to 1: 1 less the ranks, beyond the five nearest, of phones that are near in the picture alone (Venna & Kaski
# 2001).
def neighbourhood_trust(points: Floats, plane: Floats) -> float:
    """Return the trustworthiness of a picture of points [N, K], in [0, 1]."""
    near = min(_NEIGHBOURS, (len(points) - 1) // 2)
    if len(points) < 4 or near < 1:
        return math.nan
    from sklearn.manifold import trustworthiness  # takes seconds

    # By sums of squares: scikit-learn's own distances round, and part what is equal.
    apart = squareform(pdist(points))
    return float(trustworthiness(apart, plane, n_neighbors=near, metric="precomputed"))


def distance_correlation(points: Floats, plane: Floats) -> float:
    """Return Spearman's ρ between distances of points [N, K] in full space and in the picture, in [−1, 1]."""
    before, after = (pdist(each) for each in (points, plane))
    if len(before) < 3 or np.ptp(before) == 0 or np.ptp(after) == 0:
        return math.nan
    return float(scipy.stats.spearmanr(before, after).statistic)

"""The phone map: fitted on the reference's means, all targets placed on it, and how far it can be trusted.

Trustworthiness, from 0 to 1: 1 less the ranks, beyond the five nearest, of phones that are near in the picture alone.
Distance correlation: Spearman's ρ between distances in full space and in the picture. Stability: 1 less Procrustes'
disparity of pictures of other seeds. PCA and MDS stand beside the map, whatever its method.

References
----------
Venna & Kaski (2001), Neighborhood preservation in nonlinear projection methods. Spearman (1904).
Gower (1975), Generalized Procrustes analysis. Peres-Neto & Jackson (2001), How well do multivariate data sets match?
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform

from phonxling.analyses.loaded import recogniser_note
from phonxling.analyses.nearest import PhoneTokens, nearest_table
from phonxling.analyses.projection import LEAST_KEPT, Projection, check_columns, metric_points, project, spread
from phonxling.analyses.rows import Row, row_of
from phonxling.core.arrays import Floats, divided
from phonxling.core.errors import DataError
from phonxling.core.means import PhoneMeans, TokenPosteriors
from phonxling.core.work import SERIAL, Record, Work
from phonxling.count.posteriors import means_of_tokens
from phonxling.resample.intervals import Resampling
from phonxling.settings.sections import Embedding, Method

CHECKS: tuple[Method, ...] = ("pca", "mds")  # beside the map, whatever its method
FAITHFULNESS = ("trustworthiness", "distance_correlation")
_NEIGHBOURS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneMap:
    """Tables and summary rows of the map, by corpus; `problems` say what is not on it, and so do the rows."""

    embedding: Mapping[str, pd.DataFrame]
    nearest: Mapping[str, pd.DataFrame]
    rows: Mapping[str, list[Row]]
    problems: tuple[str, ...] = ()


def map_phones(
    tokens: Mapping[str, TokenPosteriors],
    resamplings: Mapping[str, Resampling],
    settings: Embedding,
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
        return _no_map(tokens, {}, "no corpus has the role reference" if reference is None else lacking)
    names = [reference, *(name for name in tokens if name != reference)]
    means = {name: means_of_tokens(tokens[name], settings.batches) for name in names}
    notes = {name: recogniser_note(recognisers[name], recognisers[reference]) for name in names}
    left_out: dict[str, str] = {}
    for name in names:
        try:
            check_columns(means[reference], means[name])
            why = ""
        except DataError as error:
            why = str(error)
        if notes[name] and not allow_other_recogniser:
            why = f"{notes[name]}; allow with expected: {{allow_other_recogniser: true}}"
        if why:
            left_out[name] = f"not on the phone map: {why}"
    corpora = {
        name: PhoneTokens(tokens=tokens[name], means=means[name], resampling=resamplings[name])
        for name in names
        if name not in left_out
    }
    drawn = corpora[reference].replicates()
    nearest = {
        name: nearest_table(corpus, corpora[reference], settings.metric, drawn=drawn)
        for name, corpus in corpora.items()
    }
    further = range(seed + 1, seed + settings.seeds + 1) if settings.method == "umap" else ()
    tasks = [(method, seed) for method in dict.fromkeys([settings.method, *CHECKS])]
    own = tuple(corpus.means for corpus in corpora.values())
    try:
        planes, refitted = (
            [_fitted(own, settings, task, work) for task in each]
            for each in (tasks, [(settings.method, other) for other in further])
        )
    except DataError as error:
        return _no_map(names, nearest, str(error))
    rows = {name: _missing_rows(why) for name, why in left_out.items()}
    embedding = {}
    for place, name in enumerate(corpora):
        panel = np.concatenate([means[one].means for one in dict.fromkeys([reference, name])])
        points = metric_points(panel, settings.metric)
        rows[name] = list(_map_rows(points, planes, refitted, place, notes[name]))
        embedding[name] = _table(place, means[name], planes, nearest[name])
    problems = tuple(f"{name}: {why}" for name, why in left_out.items())
    return PhoneMap(embedding=embedding, nearest=nearest, rows=rows, problems=problems)


def _no_map(names: Iterable[str], nearest: Mapping[str, pd.DataFrame], why: str) -> PhoneMap:
    rows = {name: _missing_rows(f"no phone map: {why}") for name in names}
    return PhoneMap(embedding={}, nearest=nearest, rows=rows, problems=(f"no phone map: {why}",) if rows else ())


def _missing_rows(why: str) -> list[Row]:
    return [row_of(measure, math.nan, 0, "", why) for measure in FAITHFULNESS]


def _fitted(means: tuple[PhoneMeans, ...], settings: Embedding, task: tuple[Method, int], work: Work) -> Projection:
    """Return one projection fitted on the first means, with the others placed on it."""
    (arrays,) = work.map(_projected, (means, settings), [task])
    return Projection(
        method=task[0],
        reference=arrays["reference"],
        batches=arrays["batches"],
        targets=tuple(arrays[f"target {number}"] for number in range(len(means) - 1)),
        variance_kept=float(arrays["variance_kept"]),
    )


def _projected(common: tuple[tuple[PhoneMeans, ...], Embedding], task: tuple[Method, int]) -> Record:
    ((reference, *targets), settings), (method, seed) = common, task
    metric, near = settings.metric, settings.n_neighbors
    plane = project(reference, *targets, method=method, metric=metric, n_neighbors=near, seed=seed)
    placed = {f"target {number}": target for number, target in enumerate(plane.targets)}
    variance = np.array(plane.variance_kept)
    return {"reference": plane.reference, "batches": plane.batches, "variance_kept": variance, **placed}


def _shown(plane: Projection, place: int) -> Floats:
    """Return what a panel shows: the reference's phones, and with a target, counted from 1, its phones too."""
    return np.concatenate([plane.reference, plane.targets[place - 1]]) if place else plane.reference


def _table(place: int, means: PhoneMeans, planes: list[Projection], nearest: pd.DataFrame) -> pd.DataFrame:
    """Return embedding.tsv: `x`, `y` of the chosen method, those of PCA and MDS beside where they keep enough."""
    first = nearest[nearest["rank"] == 1].set_index("phone").reindex(means.phones.phones)
    by_method = {plane.method: plane for plane in planes}

    def columns(plane: Projection) -> tuple[Floats, Floats, Floats]:
        x, y = (plane.targets[place - 1] if place else plane.reference).T
        return x, y, np.full(len(means.phones), np.nan) if place else spread(plane, means)

    x, y, apart = columns(planes[0])
    table: dict[str, Any] = {
        "phone": means.phones.phones,
        "tokens": means.tokens,
        "x": x,
        "y": y,
        "nearest_reference": first["reference"].fillna("").to_numpy(),
        "distance": first["distance"].to_numpy(),
        "spread": apart,
    }
    for method in CHECKS:
        plane = by_method[method]
        x, y, apart = columns(plane)
        values = {f"{method}_x": x, f"{method}_y": y, f"{method}_spread": apart}
        table |= dict.fromkeys(values, np.nan) if plane.weak and plane is not planes[0] else values
    return pd.DataFrame(table)


def _map_rows(
    before: Floats, planes: Sequence[Projection], refitted: Sequence[Projection], place: int, note: str
) -> Iterator[Row]:
    """Yield how far the map is to be trusted of one corpus, over what its panel shows."""
    n = float(len(before))
    for plane in planes:
        chosen, after = plane is planes[0], _shown(plane, place)
        follows = "distances on the map mean little" if chosen else f"under {100 * LEAST_KEPT:.0f} %, so not drawn"
        weak = f"keeps {100 * plane.variance_kept:.0f} % of the variance: {follows}" if plane.weak else ""
        kept = weak if place == 0 else ""
        if plane.weak and not chosen:
            if place == 0:
                yield from (row_of(measure, math.nan, n, plane.method, kept) for measure in FAITHFULNESS)
            continue
        trust, rank = neighbourhood_trust(before, after), distance_correlation(before, after)
        few = "too few phones" if math.isnan(trust) else note
        flat = "too few phones, or all distances are equal" if math.isnan(rank) else note
        yield row_of(FAITHFULNESS[0], trust, n, plane.method, kept, few)
        yield row_of(FAITHFULNESS[1], rank, n, plane.method, kept, flat)
    if refitted:
        alike = agreements(_shown(planes[0], place), [_shown(other, place) for other in refitted])
        seeds = f"{len(alike)} other seed{'s' * (len(alike) > 1)}: {alike.min():.3g} to {alike.max():.3g}"
        yield row_of("embedding_stability", float(alike.mean()), n, planes[0].method, note, seeds)


def neighbourhood_trust(points: Floats, plane: Floats) -> float:
    """Return the trustworthiness of a picture of points [N, K], in [0, 1]."""
    near = min(_NEIGHBOURS, (len(points) - 1) // 2)
    if len(points) < 4 or near < 1:
        return math.nan
    full, pictured = (squareform(pdist(place)) + np.diag(np.full(len(points), np.inf)) for place in (points, plane))
    ranks = np.argsort(np.argsort(full, axis=1), axis=1) + 1
    nearest = np.argsort(pictured, axis=1)[:, :near]
    beyond = np.maximum(np.take_along_axis(ranks, nearest, axis=1) - near, 0).sum()
    return float(1 - beyond * (2 / (len(points) * near * (2 * len(points) - 3 * near - 1))))


def distance_correlation(points: Floats, plane: Floats) -> float:
    """Return Spearman's ρ between distances of points [N, K] in full space and in the picture, in [−1, 1]."""
    return float(rank_agreement(pdist(points), pdist(plane)))


def rank_agreement(first: Floats, second: Floats) -> Floats:
    """Return Spearman's ρ of numbers [..., N] and others [..., N]; NaN below three."""
    one, other = centred_ranks(first), centred_ranks(second)
    products = [np.vecdot(*pair) for pair in ((one, other), (one, one), (other, other))]
    size = np.sqrt(products[1] * products[2])
    return divided(products[0], size if first.shape[-1] > 2 else 0 * size)


def centred_ranks(values: Floats) -> Floats:
    """Return the ranks of numbers [..., N] less their mean, [..., N]; equal numbers share a rank."""
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    number, places = values.shape[-1], np.arange(values.shape[-1])
    new = np.ones((*values.shape[:-1], number + 1), dtype=bool)
    new[..., 1:-1] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(new[..., :-1], places, 0), axis=-1)
    last = np.minimum.accumulate(np.where(new[..., 1:], places, number)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last - (number - 1)) / 2, axis=-1)
    return ranks


def agreements(plane: Floats, others: Iterable[Floats]) -> Floats:
    """Return, for each other picture of the same points [N, 2], 1 − Procrustes' disparity from this one, in [0, 1]."""
    from scipy.spatial import procrustes  # takes a quarter of a second to import

    return np.array([1 - procrustes(plane, other)[2] for other in others], dtype=np.float64)

"""The phone map: fitted on the reference's means, all targets placed on it, with its faithfulness beside it.

How far the phone map can be trusted: neighbourhoods, distances, and pictures of other seeds.

References
----------
Venna & Kaski (2001), Neighborhood preservation in nonlinear projection methods. Spearman (1904).
Gower (1975), Generalized Procrustes analysis. Peres-Neto & Jackson (2001), How well do multivariate data sets match?
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

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
from phonxling.resample.weights import Resampling
from phonxling.settings.sections import Embedding, Method, Metric

# How far the phone map can be trusted: neighbourhoods, distances, and pictures of other seeds.

_NEIGHBOURS = 5
FAITHFULNESS = ("trustworthiness", "distance_correlation")


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


def coordinates(plane: Projection, place: int) -> Floats:
    """Return the coordinates of the reference's phones, or of a target's, counted from 1."""
    return plane.reference if place == 0 else plane.targets[place - 1]


def shown(plane: Projection, place: int) -> Floats:
    """Return what a panel shows: the reference's phones, and with a target its phones too."""
    return np.concatenate([coordinates(plane, number) for number in sorted({0, place})])


def map_rows(
    before: Floats, planes: Sequence[Projection], refitted: Sequence[Projection], place: int, note: str = ""
) -> Iterator[Row]:
    """Yield the rows of one corpus, over what its panel shows."""
    n = float(len(before))
    for plane in planes:
        kept, after = _kept(plane, chosen=plane is planes[0]) * (place == 0), shown(plane, place)
        if plane.weak and plane is not planes[0]:
            if place == 0:
                yield from (row_of(measure, math.nan, n, plane.method, kept) for measure in FAITHFULNESS)
            continue
        trust, rank = neighbourhood_trust(before, after), distance_correlation(before, after)
        few = "too few phones" if math.isnan(trust) else note
        flat = "too few phones, or all distances are equal" if math.isnan(rank) else note
        yield row_of(FAITHFULNESS[0], trust, n, plane.method, kept, few)
        yield row_of(FAITHFULNESS[1], rank, n, plane.method, kept, flat)
    if refitted:
        yield _stability(planes[0], refitted, place, n, note)


def _kept(plane: Projection, *, chosen: bool) -> str:
    """Return what is to be said of a picture that keeps little of the variance, "" of one that keeps enough."""
    follows = "distances on the map mean little" if chosen else f"under {100 * LEAST_KEPT:.0f} %, so not drawn"
    return f"keeps {100 * plane.variance_kept:.0f} % of the variance: {follows}" if plane.weak else ""


def missing_rows(why: str) -> list[Row]:
    """Return the rows of a corpus that has no place on a map."""
    return [row_of(measure, math.nan, 0, "", why) for measure in FAITHFULNESS]


def _stability(plane: Projection, refitted: Sequence[Projection], place: int, n: float, note: str) -> Row:
    alike = agreements(shown(plane, place), [shown(other, place) for other in refitted])
    seeds = f"{len(alike)} other seed{'s' * (len(alike) > 1)}: {alike.min():.3g} to {alike.max():.3g}"
    return row_of("embedding_stability", float(alike.mean()), n, plane.method, note, seeds)


CHECKS: tuple[Method, ...] = ("pca", "mds")  # beside the map, whatever its method


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
    if reference is None:
        return _no_map(tokens, {}, "no corpus has the role reference")
    if reference not in tokens:
        return _no_map(tokens, {}, f"the reference {reference} has no posteriors")
    names = [reference, *(name for name in tokens if name != reference)]
    means = {name: means_of_tokens(tokens[name], settings.batches) for name in names}
    notes = {name: recogniser_note(recognisers[name], recognisers[reference]) for name in names}
    left_out: dict[str, str] = {}
    for name in names:
        if why := _refusal(means[name], means[reference], "" if allow_other_recogniser else notes[name]):
            left_out[name] = f"not on the phone map: {why}"
    corpora = {
        name: PhoneTokens(tokens=tokens[name], means=means[name], resampling=resamplings[name])
        for name in names
        if name not in left_out
    }
    nearest = _nearest(corpora, corpora[reference], settings.metric)
    placed = {name: corpus.means for name, corpus in corpora.items()}
    try:
        planes, refitted = _fitted(tuple(placed.values()), settings, seed, work)
    except DataError as error:
        return _no_map(names, nearest, str(error))
    rows = {name: missing_rows(why) for name, why in left_out.items()}
    embedding = {}
    for place, name in enumerate(placed):
        shown = np.concatenate([placed[panel].means for panel in dict.fromkeys([reference, name])])
        points = metric_points(shown, settings.metric)
        rows[name] = list(map_rows(points, planes, refitted, place, notes[name]))
        embedding[name] = _table(place, placed[name], planes, nearest[name])
    return PhoneMap(
        embedding=embedding,
        nearest=nearest,
        rows=rows,
        problems=tuple(f"{name}: {why}" for name, why in left_out.items()),
    )


def _no_map(names: Iterable[str], nearest: Mapping[str, pd.DataFrame], why: str) -> PhoneMap:
    rows = {name: missing_rows(f"no phone map: {why}") for name in names}
    return PhoneMap(embedding={}, nearest=nearest, rows=rows, problems=(f"no phone map: {why}",) if rows else ())


def _nearest(corpora: Mapping[str, PhoneTokens], reference: PhoneTokens, metric: Metric) -> dict[str, pd.DataFrame]:
    drawn = reference.replicates()
    return {name: nearest_table(corpus, reference, metric, drawn=drawn) for name, corpus in corpora.items()}


def _refusal(target: PhoneMeans, reference: PhoneMeans, other_recogniser: str) -> str:
    """Return why a corpus cannot be placed on the reference's map, "" when it can."""
    if other_recogniser:
        return f"{other_recogniser}; allow with expected: {{allow_other_recogniser: true}}"
    try:
        check_columns(reference, target)
    except DataError as error:
        return str(error)
    return ""


def _fitted(
    means: tuple[PhoneMeans, ...], settings: Embedding, seed: int, work: Work
) -> tuple[list[Projection], list[Projection]]:
    """Return the chosen projection with PCA and MDS, and the chosen one with other seeds; all on the first means."""
    methods = dict.fromkeys([settings.method, *CHECKS])
    further = range(seed + 1, seed + settings.seeds + 1) if settings.method == "umap" else ()
    fit = partial(_fitted_by, means, settings, work)
    return [fit((method, seed)) for method in methods], [fit((settings.method, other)) for other in further]


def _fitted_by(means: tuple[PhoneMeans, ...], settings: Embedding, work: Work, task: tuple[Method, int]) -> Projection:
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


def _table(place: int, means: PhoneMeans, planes: list[Projection], nearest: pd.DataFrame) -> pd.DataFrame:
    """Return embedding.tsv: `x`, `y` of the chosen method, those of PCA and MDS beside where they keep enough."""
    first = nearest[nearest["rank"] == 1].set_index("phone").reindex(means.phones.phones)
    by_method = {plane.method: plane for plane in planes}
    columns = {
        "phone": means.phones.phones,
        "tokens": means.tokens,
        **dict(zip(("x", "y"), coordinates(planes[0], place).T, strict=True)),
        "nearest_reference": first["reference"].fillna("").to_numpy(),
        "distance": first["distance"].to_numpy(),
        "spread": _spread(planes[0], means, place),
    }
    for method in CHECKS:
        plane = by_method[method]
        x, y = coordinates(plane, place).T
        values = {f"{method}_x": x, f"{method}_y": y, f"{method}_spread": _spread(plane, means, place)}
        columns |= dict.fromkeys(values, np.nan) if plane.weak and plane is not planes[0] else values
    return pd.DataFrame(columns)


def _spread(plane: Projection, means: PhoneMeans, place: int) -> Floats:
    return spread(plane, means) if place == 0 else np.full(len(means.phones), np.nan)

"""The phone map: fitted on the reference's means, all targets placed on it, with its faithfulness beside it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from phonxling.analyses.case.loaded import recogniser_note
from phonxling.analyses.map.faithfulness import coordinates, map_rows, missing_rows
from phonxling.analyses.map.nearest import PhoneTokens, nearest_table
from phonxling.analyses.map.points import check_columns, metric_points
from phonxling.analyses.map.projection import Projection, project, spread
from phonxling.analyses.rows import Row
from phonxling.core.arrays import Floats
from phonxling.core.errors import DataError
from phonxling.core.means import PhoneMeans, TokenPosteriors
from phonxling.core.work import SERIAL, Record, Work
from phonxling.count.posteriors import means_of_tokens
from phonxling.resample.weights import Resampling
from phonxling.settings.phone_map import Method, Metric
from phonxling.settings.sections import Embedding

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
    """Return embedding.tsv: `x`, `y` of the chosen method, those of PCA and MDS beside where they keep enough.

    `nearest_reference` is the nearest other phone for the reference's own; spreads are of the reference only.
    """
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

"""The phone map: fitted on the reference's means, all targets placed on it, with its faithfulness beside it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from phonxling.analyses.map.faithfulness import coordinates, map_rows, missing_rows
from phonxling.analyses.map.nearest import PhoneTokens, nearest_table
from phonxling.analyses.map.points import check_columns
from phonxling.analyses.map.projection import Method, Projection, project, spread
from phonxling.analyses.rows import Row
from phonxling.core.arrays import Floats
from phonxling.core.errors import DataError
from phonxling.core.means import PhoneMeans, TokenPosteriors
from phonxling.core.work import SERIAL, Record, Work
from phonxling.count.posteriors import means_of_tokens
from phonxling.resample.weights import Resampling
from phonxling.settings.models import Experiment

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
    reference: str | None,
    experiment: Experiment,
    work: Work = SERIAL,
) -> PhoneMap:
    """Return the map of all corpora with posteriors; what cannot be placed on it is left out, with the reason."""
    if reference is None or reference not in tokens:
        why = (
            "no corpus has the role reference" if reference is None else f"the reference {reference} has no posteriors"
        )
        return _no_map(tokens, {}, why)
    names = [reference, *(name for name in tokens if name != reference)]
    means = {name: means_of_tokens(tokens[name], experiment.embedding.batches) for name in names}
    refused = {name: _refusal(name, reference, means, experiment) for name in names}
    found = {
        name: PhoneTokens(tokens=tokens[name], means=means[name], resampling=resamplings[name])
        for name in names
        if not refused[name]
    }
    left_out = {name: f"not on the phone map: {why}" for name, why in refused.items() if why}
    nearest = {name: nearest_table(one, found[reference]) for name, one in found.items()}
    try:
        embedding, rows = _placed(found, nearest, experiment, work)
    except DataError as error:
        return _no_map(names, nearest, str(error))
    return PhoneMap(
        embedding=embedding,
        nearest=nearest,
        rows={**rows, **{name: missing_rows(why) for name, why in left_out.items()}},
        problems=tuple(f"{name}: {why}" for name, why in left_out.items()),
    )


def _no_map(names: Iterable[str], nearest: Mapping[str, pd.DataFrame], why: str) -> PhoneMap:
    rows = {name: missing_rows(f"no phone map: {why}") for name in names}
    return PhoneMap(embedding={}, nearest=nearest, rows=rows, problems=(f"no phone map: {why}",) if rows else ())


def _refusal(name: str, reference: str, means: Mapping[str, PhoneMeans], experiment: Experiment) -> str:
    """Return why a corpus cannot be placed on the reference's map, "" when it can."""
    mark = _mark(name, reference, experiment)
    if mark and not experiment.expected.allow_other_recogniser:
        return f"{mark}; allow with expected: {{allow_other_recogniser: true}}"
    try:
        check_columns(means[reference], means[name])
    except DataError as error:
        return str(error)
    return ""


def _mark(name: str, reference: str, experiment: Experiment) -> str:
    """Return the warning that a corpus was heard by another recogniser than the reference, "" when it was not."""
    here, there = (experiment.corpora[corpus].recogniser for corpus in (name, reference))
    return "" if here == there else f"another recogniser: {here or 'not named'}, reference {there or 'not named'}"


def _placed(
    found: Mapping[str, PhoneTokens], nearest: Mapping[str, pd.DataFrame], experiment: Experiment, work: Work
) -> tuple[dict[str, pd.DataFrame], dict[str, list[Row]]]:
    """Return embedding.tsv and the summary rows of each corpus, the reference first."""
    chosen, seed, means = experiment.embedding, experiment.seed, [one.means for one in found.values()]
    fit = partial(_fitted, work, tuple(means), chosen.n_neighbors)
    planes = [fit(method, seed) for method in dict.fromkeys([chosen.method, *CHECKS])]
    steps = range(1, chosen.seeds + 1) if chosen.method == "umap" else ()
    refitted = [fit(chosen.method, seed + step) for step in steps]
    embedding, rows = {}, {}
    for place, name in enumerate(found):
        before = np.concatenate([means[number].means for number in sorted({0, place})])
        note = _mark(name, next(iter(found)), experiment)
        embedding[name] = _table(place, means[place], planes, nearest[name])
        rows[name] = list(map_rows(before, planes, refitted, place, note))
    return embedding, rows


def _fitted(work: Work, means: tuple[PhoneMeans, ...], n_neighbors: int, method: Method, seed: int) -> Projection:
    """Return a projection fitted on the first means, with the others placed on it."""
    (found,) = work.map(_projected, (means, n_neighbors), [(method, seed)])
    targets = tuple(found[f"target {number}"] for number in range(len(means) - 1))
    kept = float(found["variance_kept"])
    return Projection(
        method=method, reference=found["reference"], batches=found["batches"], targets=targets, variance_kept=kept
    )


def _projected(common: tuple[tuple[PhoneMeans, ...], int], task: tuple[Method, int]) -> Record:
    ((reference, *targets), n_neighbors), (method, seed) = common, task
    plane = project(reference, *targets, method=method, n_neighbors=n_neighbors, seed=seed)
    placed = {f"target {number}": target for number, target in enumerate(plane.targets)}
    kept = np.array(plane.variance_kept)
    return {"reference": plane.reference, "batches": plane.batches, "variance_kept": kept, **placed}


def _table(place: int, found: PhoneMeans, planes: list[Projection], nearest: pd.DataFrame) -> pd.DataFrame:
    """Return embedding.tsv: `x`, `y` of the chosen method, those of PCA and MDS beside; spreads of the reference only.

    `nearest_reference` is the nearest other phone for the reference's own.
    """
    first = nearest[nearest["rank"] == 1].set_index("phone").reindex(found.phones.phones)
    by_method = {plane.method: plane for plane in planes}
    columns = {
        "phone": found.phones.phones,
        "tokens": found.tokens,
        **dict(zip(("x", "y"), coordinates(planes[0], place).T, strict=True)),
        "nearest_reference": first["reference"].fillna("").to_numpy(),
        "distance": first["distance"].to_numpy(),
        "spread": _spread(planes[0], found, place),
    }
    for method in CHECKS:
        plane = by_method[method]
        x, y = coordinates(plane, place).T
        columns |= {f"{method}_x": x, f"{method}_y": y, f"{method}_spread": _spread(plane, found, place)}
    return pd.DataFrame(columns)


def _spread(plane: Projection, found: PhoneMeans, place: int) -> Floats:
    return spread(plane, found) if place == 0 else np.full(len(found.phones), np.nan)

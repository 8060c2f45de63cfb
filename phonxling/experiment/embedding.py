"""The phone map: fitted on the reference's means, all targets placed on it, with its faithfulness beside it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from phonxling.core.errors import DataError
from phonxling.core.means import PhoneMeans, TokenPosteriors
from phonxling.count.posteriors import means_of_tokens
from phonxling.experiment.configuration.models import Experiment
from phonxling.experiment.summary import Row, plain
from phonxling.projection.faithfulness import distance_correlation, nearest_references, neighbourhood_trust
from phonxling.projection.projection import Projection, project, spread

_MEASURES = ("trustworthiness", "distance_correlation")


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneMap:
    """Tables and summary rows of the map, by corpus; `problem` says why there is none, and so does each row then."""

    embedding: Mapping[str, pd.DataFrame]
    nearest: Mapping[str, pd.DataFrame]
    rows: Mapping[str, list[Row]]
    problem: str = ""


def map_phones(tokens: Mapping[str, TokenPosteriors], reference: str | None, experiment: Experiment) -> PhoneMap:
    """Return the map of all corpora with posteriors; empty, with the reason, when it cannot be made."""
    if reference is None or reference not in tokens:
        why = (
            "no corpus has the role reference" if reference is None else f"the reference {reference} has no posteriors"
        )
        return _no_map(tokens, why)
    means = {name: means_of_tokens(found, experiment.embedding.batches) for name, found in tokens.items()}
    names = [reference, *(name for name in means if name != reference)]
    try:
        planes = [
            _project(method, names, means, experiment) for method in dict.fromkeys([experiment.embedding.method, "pca"])
        ]
    except DataError as error:
        return _no_map(tokens, str(error))
    nearest = {name: nearest_references(means[name], means[reference]) for name in names}
    return PhoneMap(
        embedding={name: _table(place, names, means, planes, nearest[name]) for place, name in enumerate(names)},
        nearest=nearest,
        rows={name: _rows(place, names, means, planes) for place, name in enumerate(names)},
    )


def _no_map(corpora: Iterable[str], why: str) -> PhoneMap:
    problem = f"no phone map: {why}"
    rows = {name: [plain(measure, math.nan, "ratio", 0, note=problem) for measure in _MEASURES] for name in corpora}
    return PhoneMap(embedding={}, nearest={}, rows=rows, problem=problem if rows else "")


def _project(method: str, names: list[str], means: Mapping[str, PhoneMeans], experiment: Experiment) -> Projection:
    reference, *targets = (means[name] for name in names)
    chosen = experiment.embedding
    return project(
        reference,
        *targets,
        method="pca" if method == "pca" else "umap",
        n_neighbors=chosen.n_neighbors,
        seed=experiment.seed,
    )


def _points(plane: Projection, place: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return plane.reference if place == 0 else plane.targets[place - 1]


def _table(
    place: int, names: list[str], means: Mapping[str, PhoneMeans], planes: list[Projection], nearest: pd.DataFrame
) -> pd.DataFrame:
    """Return embedding.tsv: `x`, `y` of the chosen method, `pca_x`, `pca_y` beside it; spreads of the reference only.

    `nearest_reference` is the nearest other phone for the reference's own.
    """
    found, first, second = means[names[place]], planes[0], planes[-1]
    others = nearest[nearest["phone"] != nearest["reference"]] if place == 0 else nearest
    closest = others.drop_duplicates("phone").set_index("phone").reindex(found.phones.phones)
    unknown = np.full(len(found.phones), np.nan)
    widths = [spread(plane, found) if place == 0 else unknown for plane in (first, second)]
    columns = {
        "phone": found.phones.phones,
        "tokens": found.tokens,
        "x": _points(first, place)[:, 0],
        "y": _points(first, place)[:, 1],
        "nearest_reference": closest["reference"].fillna("").to_numpy(),
        "distance": closest["distance"].to_numpy(),
        "spread": widths[0],
        "pca_x": _points(second, place)[:, 0],
        "pca_y": _points(second, place)[:, 1],
        "pca_spread": widths[1],
    }
    return pd.DataFrame(columns)


def _rows(place: int, names: list[str], means: Mapping[str, PhoneMeans], planes: list[Projection]) -> list[Row]:
    """Return faithfulness over what a panel shows: the reference's phones, and with a target its phones too."""
    shown = [0] if place == 0 else [0, place]
    before = np.concatenate([means[names[number]].means for number in shown])
    rows = []
    for plane in planes:
        after = np.concatenate([_points(plane, number) for number in shown])
        n = float(len(before))
        trust, rank = neighbourhood_trust(before, after), distance_correlation(before, after)
        few = "" if not np.isnan(trust) else "too few phones"
        flat = "" if not np.isnan(rank) else "too few phones, or all distances are equal"
        rows += [
            plain(_MEASURES[0], trust, "ratio", n, plane.method, few),
            plain(_MEASURES[1], rank, "ratio", n, plane.method, flat),
        ]
    return rows

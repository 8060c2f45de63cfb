"""The phone map: fitted on the reference's means, all targets placed on it; and the nearest phones.

Trustworthiness, from 0 to 1: 1 less the ranks, beyond the five nearest, of phones that are near in the picture alone.
Distance correlation: Spearman's ρ between distances in full space and in the picture.

References
----------
Venna & Kaski (2001), Neighborhood preservation in nonlinear projection methods. Spearman (1904).
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from scipy.spatial.distance import pdist, squareform

from phonxling.analyses import projection
from phonxling.analyses.case import Case, Items
from phonxling.analyses.loaded import recogniser_note
from phonxling.analyses.measures import Row, row_of
from phonxling.analyses.projection import Projection, check_columns, metric_points
from phonxling.core.arrays import Floats, nearest_first
from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import PhoneMeans, TokenPosteriors
from phonxling.core.work import SERIAL, Record, Work
from phonxling.count.posteriors import means_of_tokens
from phonxling.settings.models import METRIC, Embedding, Metric

FAITHFULNESS = ("trustworthiness", "distance_correlation")
_NEIGHBOURS = 5
_NEAREST = 3
_FEW = 20  # tokens


def phone_map(case: Case, _: Embedding) -> Items:
    """Yield embedding.tsv, nearest.tsv, and the rows on how far the map can be trusted."""
    if case.phone_map is None:
        return
    for name, tables in (("embedding", case.phone_map.embedding), ("nearest", case.phone_map.nearest)):
        if case.name in tables:
            yield name, tables[case.name]
    yield from case.phone_map.rows.get(case.name, ())


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneMap:
    """Tables and summary rows of the map, by corpus; `problems` say what is not on it, and so do the rows."""

    embedding: Mapping[str, pd.DataFrame]
    nearest: Mapping[str, pd.DataFrame]
    rows: Mapping[str, list[Row]]
    problems: tuple[str, ...] = ()


def map_phones(
    tokens: Mapping[str, TokenPosteriors],
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
    placed = {name: means[name] for name in names if name not in left_out}
    nearest = {name: nearest_table(own, placed[reference], settings.metric) for name, own in placed.items()}
    rows = {name: _missing_rows(why) for name, why in left_out.items()}
    problems = tuple(f"{name}: {why}" for name, why in left_out.items())
    try:
        plane = _fitted(tuple(placed.values()), settings, seed, work)
    except DataError as error:
        return _no_map(names, nearest, str(error))
    embedding = {}
    for place, (name, own) in enumerate(placed.items()):
        shown = {reference: placed[reference].means, name: own.means}
        embedding[name] = _table(place, own, plane, nearest[name])
        points = metric_points(np.concatenate([*shown.values()]), settings.metric)
        rows[name] = list(_map_rows(points, plane, place, notes[name]))
    if len(embedding) > 1:
        _add_namesakes(embedding, reference)
    return PhoneMap(embedding=embedding, nearest=nearest, rows=rows, problems=problems)


def _no_map(names: Iterable[str], nearest: Mapping[str, pd.DataFrame], why: str) -> PhoneMap:
    rows = {name: _missing_rows(f"no phone map: {why}") for name in names}
    return PhoneMap(embedding={}, nearest=nearest, rows=rows, problems=(f"no phone map: {why}",) if rows else ())


def _missing_rows(why: str) -> list[Row]:
    return [row_of(measure, math.nan, 0, "", why) for measure in FAITHFULNESS]


def _fitted(means: tuple[PhoneMeans, ...], settings: Embedding, seed: int, work: Work) -> Projection:
    """Return the projection fitted on the first means, with the others placed on it."""
    (arrays,) = work.map(_projected, (means, settings), [seed])
    return Projection(
        method=settings.method,
        reference=arrays["reference"],
        batches=arrays["batches"],
        targets=tuple(arrays[f"target {number}"] for number in range(len(means) - 1)),
        variance_kept=float(arrays["variance_kept"]),
    )


def _projected(common: tuple[tuple[PhoneMeans, ...], Embedding], seed: int) -> Record:
    (reference, *targets), settings = common
    method, metric, near = settings.method, settings.metric, settings.n_neighbors
    plane = projection.project(reference, *targets, method=method, metric=metric, n_neighbors=near, seed=seed)
    placed = {f"target {number}": target for number, target in enumerate(plane.targets)}
    variance = np.array(plane.variance_kept)
    return {"reference": plane.reference, "batches": plane.batches, "variance_kept": variance, **placed}


def _shown(plane: Projection, place: int) -> Floats:
    """Return what a panel shows: the reference's phones, and with a target, counted from 1, its phones too."""
    return np.concatenate([plane.reference, *plane.targets[place - 1 : place]])


def _table(place: int, means: PhoneMeans, plane: Projection, nearest: pd.DataFrame) -> pd.DataFrame:
    """Return embedding.tsv of the reference, place 0, or of a target."""
    first = nearest[nearest["rank"] == 1].set_index("phone").reindex(means.phones.phones)
    x, y = (plane.targets[place - 1] if place else plane.reference).T
    return pd.DataFrame(
        {
            "phone": means.phones.phones,
            "tokens": means.tokens,
            "x": x,
            "y": y,
            "nearest_reference": first["reference"].fillna("").to_numpy(),
            "distance": first["distance"].to_numpy(),
            "spread": np.full(len(means.phones), np.nan) if place else projection.spread(plane, means),
        }
    )


def _add_namesakes(embedding: Mapping[str, pd.DataFrame], reference: str) -> None:
    """Add to each table how far a phone lies, on the map, from the reference phone of the same symbol."""
    of_reference = embedding[reference].set_index("phone")[["x", "y"]]
    for name, table in embedding.items():
        theirs = of_reference.reindex(table["phone"]).to_numpy()
        apart = np.linalg.norm(table[["x", "y"]].to_numpy() - theirs, axis=1)
        table["namesake_distance"] = np.nan if name == reference else apart


def _map_rows(before: Floats, plane: Projection, place: int, note: str) -> Iterator[Row]:
    """Yield how far the map is to be trusted of one corpus, over what its panel shows."""
    n, after = float(len(before)), _shown(plane, place)
    kept = f"{plane.method.upper()} keeps {100 * plane.variance_kept:.0f} % of the variance"
    weak = f"{kept}: distances on the map mean little" if plane.weak and place == 0 else ""
    trust, rank = neighbourhood_trust(before, after), distance_correlation(before, after)
    few = "too few phones" if math.isnan(trust) else note
    flat = "too few phones, or all distances are equal" if math.isnan(rank) else note
    yield row_of(FAITHFULNESS[0], trust, n, plane.method, weak, few)
    yield row_of(FAITHFULNESS[1], rank, n, plane.method, weak, flat)


def neighbourhood_trust(points: Floats, plane: Floats) -> float:
    """Return the trustworthiness of a picture of points [N, K], in [0, 1]."""
    near = min(_NEIGHBOURS, (len(points) - 1) // 2)
    if len(points) < 4 or near < 1:
        return math.nan
    from sklearn.manifold import trustworthiness  # takes seconds

    apart = squareform(pdist(points))  # by sums of squares: scikit-learn's own distances round, and part what is equal
    return float(trustworthiness(apart, plane, n_neighbors=near, metric="precomputed"))


def distance_correlation(points: Floats, plane: Floats) -> float:
    """Return Spearman's ρ between distances of points [N, K] in full space and in the picture, in [−1, 1]."""
    before, after = (pdist(each) for each in (points, plane))
    if len(before) < 3 or np.ptp(before) == 0 or np.ptp(after) == 0:
        return math.nan
    return float(scipy.stats.spearmanr(before, after).statistic)


def nearest_references(
    target: PhoneMeans,
    reference: PhoneMeans,
    k: int = 3,
    *,
    metric: Metric = METRIC,
    own: bool = False,
    namesakes: bool = False,
) -> pd.DataFrame:
    """Return each target phone's k nearest reference phones by the distance of their mean posteriors in full space.

    Columns: phone, rank (from 1), reference, distance (at most 1, but for `aitchison`, which has no bound), and the
    tokens that the phone's mean and the reference's rest on: a mean of few tokens lies too far from all others. Equal
    distances keep the reference's order. With `own` both are of one language, and no phone counts as its own neighbour.
    With `namesakes` the reference phone of the same symbol has a row of its own at whatever rank. DataError if the two
    are over different recognisers' phones.

    Examples
    --------
    >>> from phonxling.core.inventory import Inventory
    >>> rows = np.array([[1, 0], [0.5, 0.5]])
    >>> english = PhoneMeans(
    ...     phones=Inventory(("p", "b")), columns=Inventory(("p", "t")), means=rows, tokens=[9, 4],
    ...     batch_phones=[0, 1], batch_means=rows)
    >>> nearest_references(english, english, k=1)[["phone", "reference", "distance"]].to_numpy().tolist()
    [['p', 'p', 0.0], ['b', 'b', 0.0]]
    """
    check_columns(reference, target)
    phones, others = (np.array(side.phones.phones, dtype=object) for side in (target, reference))
    distances = projection.distances_between(target.means, reference.means, metric)
    if own:
        np.fill_diagonal(distances, np.inf)
    ranks = np.empty(distances.shape, dtype=np.int64)
    np.put_along_axis(ranks, nearest_first(distances), np.arange(1, len(others) + 1)[None], axis=1)
    wanted = (ranks <= k) | (phones[:, None] == others) if namesakes else ranks <= k
    row, column = np.nonzero(wanted & np.isfinite(distances))
    order = np.lexsort([ranks[row, column], row])
    row, column = row[order], column[order]
    return pd.DataFrame(
        {
            "phone": phones[row],
            "rank": ranks[row, column],
            "reference": others[column],
            "distance": distances[row, column],
            "tokens": target.tokens[row],
            "reference_tokens": reference.tokens[column],
        }
    )


def nearest_table(target: PhoneMeans, reference: PhoneMeans, metric: Metric = METRIC) -> pd.DataFrame:
    """Return nearest.tsv of one corpus: each phone's three nearest reference phones and, at its rank, its namesake."""
    own = target is reference
    table = nearest_references(target, reference, _NEAREST, metric=metric, own=own, namesakes=not own)
    notes = []
    for row in table.to_dict("records"):
        tokens = (row["phone"], row["tokens"]), (f"reference {row['reference']}", row["reference_tokens"])
        few = ", ".join(f"{phone} {n}" for phone, n in tokens if n < _FEW)
        notes.append(f"few tokens ({few}): the distance is likely too large" if few else "")
    return table.assign(namesake=np.where(table["phone"] == table["reference"], "yes", ""), note=notes)

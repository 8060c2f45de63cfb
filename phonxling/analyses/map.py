"""The phone map: fitted on the reference's means, all targets placed on it; the nearest phones; and features.

Trustworthiness, from 0 to 1: 1 less the ranks, beyond the five nearest, of phones that are near in the picture alone.
Distance correlation: Spearman's ρ between distances in full space and in the picture. Stability: 1 less Procrustes'
disparity of pictures of other seeds. PCA and MDS stand beside the map, whatever its method.

A map may be of each corpus alone, of correct tokens, or of each token's first peak: the first of its frames in which
the phone that is most probable over all of them is the most probable label, silence and blank included. Tokens without
one are left out.

Whether distances on the map follow features: Pearson's r over all pairs of a corpus' phones, of their distance on the
map and their feature distance, with p when features are dealt anew. A distance on the map is not that of a metric.

Whether phones that are heard alike are alike by their features: ρ over all pairs of a corpus' phones of the distance
between their mean posteriors (`projection.py`) and of their feature distance, the mean of |f − f′| / 2. Pairs share
phones, so they are no independent draws: the null deals features anew among phones (Mantel 1967), the interval
resamples utterances or speakers. The noise of means draws ρ towards 0: the value is jackknifed over clusters, which
takes off most of that where phones have hundreds of tokens.

References
----------
Venna & Kaski (2001), Neighborhood preservation in nonlinear projection methods. Spearman (1904).
Gower (1975), Generalized Procrustes analysis. Peres-Neto & Jackson (2001), How well do multivariate data sets match?
Mantel (1967), The detection of disease clustering and a generalized regression approach.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import scipy
from scipy.spatial.distance import pdist, squareform

from phonxling.analyses import projection
from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.case import Case, Items
from phonxling.analyses.forced import ForcedCorpus
from phonxling.analyses.loaded import LoadedCorpus, recogniser_note
from phonxling.analyses.measures import Row, row_of
from phonxling.analyses.projection import Projection, check_columns, metric_points
from phonxling.analyses.utterances import same_tokens
from phonxling.core.arrays import Bools, Codes, Floats, divided, nearest_first
from phonxling.core.confusion import CORRECT
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, joined
from phonxling.core.posteriorgram import PhoneMeans, Posteriorgrams, TokenPosteriors
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work
from phonxling.count.kernel import tie_tokens
from phonxling.count.posteriors import means_of_tokens
from phonxling.resample.entropies import jackknife, moved_to
from phonxling.resample.intervals import Resampling, estimate
from phonxling.resample.p_values import least_p, p_value
from phonxling.resample.replicates import TokenGroups
from phonxling.resample.two_corpora import jackknifed
from phonxling.settings.models import METRIC, Embedding, Method, Metric

CHECKS: tuple[Method, ...] = ("pca", "mds")  # beside the map, whatever its method
FAITHFULNESS = ("trustworthiness", "distance_correlation")
_NEIGHBOURS = 5
_NEAREST = 3
_FEW, _FEW_OF_ALL = 20, 500  # tokens; below 500 of the median phone ρ's intervals held the truth in 10 to 76 %
_LARGEST, _FEWEST = 20_000_000, 100  # pairs of phones over all replicates, and replicates in any case
_TOGETHER = 1_000_000  # distances that are in memory, or pairs that are ranked, at one time
_ROUNDING = 1e-12  # sums in another order
_FEATURES = "feature_distance_correlation"
_TOO_FEW = "fewer than three phones with features, or all distances are equal"


def phone_map(case: Case, settings: Embedding) -> Items:
    """Yield embedding.tsv, nearest.tsv, the rows on how far the map can be trusted, and those of features."""
    yield from feature_rows(case, settings.metric)
    if case.phone_map is None:
        return
    for name, tables in (("embedding", case.phone_map.embedding), ("nearest", case.phone_map.nearest)):
        if case.name in tables:
            yield name, tables[case.name]
    yield from case.phone_map.rows.get(case.name, ())
    if case.name in case.phone_map.embedding:
        yield map_and_features(case.phone_map.embedding[case.name], case, settings.method)


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneMap:
    """Tables and summary rows of the map, by corpus; `problems` say what is not on it, and so do the rows."""

    embedding: Mapping[str, pd.DataFrame]
    nearest: Mapping[str, pd.DataFrame]
    rows: Mapping[str, list[Row]]
    problems: tuple[str, ...] = ()


def mapped_tokens(
    loaded: LoadedCorpus,
    tokens: TokenPosteriors,
    forced: ForcedCorpus | None,
    aligned: AnalysedCorpus | None,
    settings: Embedding,
) -> TokenPosteriors:
    """Return the tokens that stand on the map, as the settings choose them."""
    segments = loaded.segments if forced is None else forced.forced.segments
    if segments is None or loaded.posteriorgrams is None:
        raise AssertionError(f"{loaded.name} has no posteriors")
    if settings.frames == "first-peak":
        tokens = first_peaks(tokens, loaded.posteriorgrams, segments)
    if settings.tokens == "correct":
        if aligned is None:
            raise DataError(f"{loaded.name}: embedding: tokens: correct needs predictions; write tokens: all")
        path, right = aligned.path, np.zeros(len(segments.codes), dtype=bool)
        spoken = path.gold < len(path.gold_inventory)
        ours, theirs = same_tokens(aligned.corpus.gold, segments)
        right[theirs] = (path.operations[spoken] == CORRECT)[ours]
        tokens = tokens.among(right[tokens.places])
    return tokens


def first_peaks(tokens: TokenPosteriors, posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> TokenPosteriors:
    """Return the tokens with the posterior of their first peak in place of their mean, without those that have none."""
    if segments.start is None or segments.end is None:
        raise AssertionError("tokens have times")
    rows, own, phones = np.array(tokens.rows, dtype=np.float64), tokens.hard, len(tokens.columns)
    found = np.zeros(len(tokens), dtype=bool)
    first, last = np.zeros((2, len(segments.codes)), np.int64)
    for utterance in np.unique(tokens.utterances).tolist():
        name = segments.utterances[utterance]
        frames, _ = posteriorgrams.by_phone(posteriorgrams.raw(name), posteriorgrams.where(name), rest=True)
        times = posteriorgrams.frame_shift, posteriorgrams.frame_offset
        run = slice(*segments.offsets[utterance : utterance + 2])
        tie_tokens(segments.start[run], segments.end[run], len(frames), *times, first[run], last[run])
        top = frames.argmax(axis=1)
        for token in range(*np.searchsorted(tokens.utterances, [utterance, utterance + 1])):
            place = tokens.places[token]
            peaks = np.flatnonzero(top[first[place] : last[place]] == own[token])
            if len(peaks):
                peak = frames[first[place] + peaks[0], :phones]
                rows[token], found[token] = peak / peak.sum(), True
    return replace(tokens, rows=rows).among(found)


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
    rows = {name: _missing_rows(why) for name, why in left_out.items()}
    embedding = {}
    for together in [(name,) for name in corpora] if settings.fit == "own" else [tuple(corpora)]:
        own = tuple(means[name] for name in together)
        try:
            planes, refitted = (
                [_fitted(own, settings, task, work) for task in each]
                for each in (tasks, [(settings.method, other) for other in further])
            )
        except DataError as error:
            return _no_map(names, nearest, str(error))
        for place, name in enumerate(together):
            panel = np.concatenate([means[one].means for one in dict.fromkeys([together[0], name])])
            points = metric_points(panel, settings.metric)
            embedding[name] = _table(place, means[name], planes, nearest[name])
            rows[name] = list(_map_rows(points, planes, refitted, place, notes[name]))
        if place:
            _add_namesakes(embedding, together[0])
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
    plane = projection.project(reference, *targets, method=method, metric=metric, n_neighbors=near, seed=seed)
    placed = {f"target {number}": target for number, target in enumerate(plane.targets)}
    variance = np.array(plane.variance_kept)
    return {"reference": plane.reference, "batches": plane.batches, "variance_kept": variance, **placed}


def _shown(plane: Projection, place: int) -> Floats:
    """Return what a panel shows: the reference's phones, and with a target, counted from 1, its phones too."""
    return np.concatenate([plane.reference, *plane.targets[place - 1 : place]])


def _table(place: int, means: PhoneMeans, planes: list[Projection], nearest: pd.DataFrame) -> pd.DataFrame:
    """Return embedding.tsv: `x`, `y` of the chosen method, those of PCA and MDS beside where they keep enough."""
    first = nearest[nearest["rank"] == 1].set_index("phone").reindex(means.phones.phones)
    by_method = {plane.method: plane for plane in planes}

    def columns(plane: Projection) -> tuple[Floats, Floats, Floats]:
        x, y = (plane.targets[place - 1] if place else plane.reference).T
        return x, y, np.full(len(means.phones), np.nan) if place else projection.spread(plane, means)

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


def _add_namesakes(embedding: Mapping[str, pd.DataFrame], reference: str) -> None:
    """Add to each table how far a phone lies, on the map, from the reference phone of the same symbol."""
    of_reference = embedding[reference].set_index("phone")[["x", "y"]]
    for name, table in embedding.items():
        theirs = of_reference.reindex(table["phone"]).to_numpy()
        apart = np.linalg.norm(table[["x", "y"]].to_numpy() - theirs, axis=1)
        table["namesake_distance"] = np.nan if name == reference else apart


def map_and_features(table: pd.DataFrame, case: Case, method: Method) -> Row:
    """Return Pearson's r of the distances of phones on the map and by features, noting p when features are dealt."""
    vectors, known = case.features.vectors(table["phone"])
    x, y = pdist(table.loc[known, ["x", "y"]].to_numpy()), pdist(vectors[known].astype(np.float64), "cityblock")
    n = int(known.sum())
    if n < 3 or not np.ptp(x) or not np.ptp(y):
        return row_of(_FEATURES, math.nan, n, method, _TOO_FEW)
    r, number = float(np.corrcoef(x, y)[0, 1]), case.experiment.information.permutations
    null = dealt_anew(x - x.mean(), y - y.mean(), n, number, case.generator("map features"))
    p = f"p = {p_value(r - _ROUNDING, null):.2g} when features are dealt anew" if number else ""
    return row_of(_FEATURES, r, n, method, "Pearson’s r with distances on the map", p)


def _map_rows(
    before: Floats, planes: Sequence[Projection], refitted: Sequence[Projection], place: int, note: str
) -> Iterator[Row]:
    """Yield how far the map is to be trusted of one corpus, over what its panel shows."""
    n = float(len(before))
    for plane in planes:
        chosen, after = plane is planes[0], _shown(plane, place)
        follows = (
            "distances on the map mean little" if chosen else f"under {100 * projection.LEAST_KEPT:.0f} %, so not drawn"
        )
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
    return np.asarray(scipy.stats.rankdata(values, axis=-1) - (values.shape[-1] + 1) / 2)


def agreements(plane: Floats, others: Iterable[Floats]) -> Floats:
    """Return, for each other picture of the same points [N, 2], 1 − Procrustes' disparity from this one, in [0, 1]."""
    return np.array([1 - scipy.spatial.procrustes(plane, other)[2] for other in others], dtype=np.float64)


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
    distances = _distances(target.means, reference.means, metric, own=own)
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


def _distances(target: Floats, reference: Floats, metric: Metric, *, own: bool) -> Floats:
    """Return the distances of each target mean from each of the reference's, [..., G, M]; a phone's own is infinite."""
    distances = projection.distances_between(target, reference, metric)
    if own:
        each = np.arange(target.shape[-2])
        distances[..., each, each] = np.inf
    return distances


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneTokens:
    """A corpus' token posteriors, its phone means, and the weights that resample its utterances or speakers."""

    tokens: TokenPosteriors
    means: PhoneMeans
    resampling: Resampling
    drawn: Floats | None = None

    @cached_property
    def by_phone(self) -> TokenGroups:
        """The tokens by their phone's place among the phones that have tokens."""
        codes = np.searchsorted(np.unique(self.tokens.codes), self.tokens.codes)
        return TokenGroups(codes, len(self.means.phones), self.tokens.utterances, self.resampling)

    def replicates(self) -> Floats:
        """Return the phone means of each replicate, [R, G, K]."""
        drawn = None if self.drawn is None else self.drawn[:, np.unique(self.tokens.codes)]
        return self.by_phone.drawn_means(self.tokens.rows, drawn)

    def left_out(self) -> Floats:
        """Return the phone means without each cluster, or without each of 200 parts of the clusters, [B, G, K]."""
        total, number = map(self.by_phone.left_out, (self.tokens.rows, np.ones((len(self.tokens.rows), 1))))
        return divided(total, np.broadcast_to(number, total.shape))


def nearest_table(
    target: PhoneTokens, reference: PhoneTokens, metric: Metric = METRIC, *, drawn: Floats | None = None
) -> pd.DataFrame:
    """Return nearest.tsv of one corpus: each phone's three nearest reference phones and, at its rank, its namesake."""
    own = target is reference
    table = nearest_references(target.means, reference.means, _NEAREST, metric=metric, own=own, namesakes=not own)
    sides = (target.means.phones, table["phone"]), (reference.means.phones, table["reference"])
    rows = [np.array([phones.code(phone) for phone in named], dtype=np.int64) for phones, named in sides]
    theirs = reference.replicates() if drawn is None else drawn
    distances, share = _drawn(theirs if own else target.replicates(), theirs, rows, metric, own=own)
    means, others = target.means.means, reference.means.means
    whole = _squares(means, others, rows, metric)
    first = [_squares(part, part if own else others, rows, metric) for part in target.left_out()]
    second = [] if own else [_squares(means, part, rows, metric) for part in reference.left_out()]
    left_out = (np.reshape(side, (len(side), len(whole))).T for side in (first, second))
    squares = [jackknifed(*each) for each in zip(whole.tolist(), *left_out, strict=True)]  # without their noise
    held = [side.by_phone.clusters()[1, places] for side, places in zip((target, reference), rows, strict=True)]
    numbers = []  # by the side whose phone has fewer effective speakers
    for (square, error), of_pair, own_side, other in zip(squares, distances.T, *held, strict=True):
        weights, clusters = (target.resampling, own_side) if own_side <= other else (reference.resampling, other)
        numbers.append(estimate(square, of_pair**2, weights, error=error, clusters=float(clusters)))
    low, high = (np.sqrt(np.maximum([getattr(one, end) for one in numbers], 0.0)) for end in ("low", "high"))
    notes = []
    for row, number in zip(table.to_dict("records"), numbers, strict=True):
        tokens = (row["phone"], row["tokens"]), (f"reference {row['reference']}", row["reference_tokens"])
        few = ", ".join(f"{phone} {n}" for phone, n in tokens if n < _FEW)
        notes.append(joined([f"few tokens ({few}): the distance is likely too large" if few else "", number.note]))
    return table.assign(
        low=np.minimum(low, table["distance"]),
        high=np.maximum(high, table["distance"]),
        share_nearest=share,
        namesake=np.where(table["phone"] == table["reference"], "yes", ""),
        note=notes,
    )


def _squares(ours: Floats, theirs: Floats, rows: Sequence[Codes], metric: Metric) -> Floats:
    apart = metric_points(ours, metric)[rows[0]] - metric_points(theirs, metric)[rows[1]]
    return np.asarray((apart**2).sum(axis=1), dtype=np.float64)


def _drawn(ours: Floats, theirs: Floats, rows: Sequence[Codes], metric: Metric, *, own: bool) -> tuple[Floats, Floats]:
    """Return the distances of each replicate, [R, rows], and how often each of them was the least of all, [rows]."""
    phones, others = rows
    number = min(len(ours), len(theirs)) if len(phones) else 0
    drawn, nearest, defined = np.full((number, len(phones)), np.nan), np.zeros(len(phones)), np.zeros(len(phones))
    step = 1 + _TOGETHER // (1 + ours.shape[1] * theirs.shape[1])
    for first in range(0, number, step):
        part = np.arange(first, min(first + step, number))
        distances = _distances(ours[part], theirs[part if own else part - 1], metric, own=own)
        drawn[part] = distances[:, phones, others]
        known = np.where(np.isnan(distances), np.inf, distances)
        any_known = np.isfinite(known.min(axis=2))[:, phones]
        nearest += (any_known & (known.argmin(axis=2)[:, phones] == others)).sum(axis=0)
        defined += any_known.sum(axis=0)
    return drawn, divided(nearest, defined)


def feature_rows(case: Case, metric: Metric) -> Iterator[Row]:
    """Yield ρ of distances between mean posteriors and by features, with its p when features are dealt anew."""
    tokens = case.token_posteriors
    corpus = PhoneTokens(
        tokens=tokens, means=means_of_tokens(tokens), resampling=case.token_resampling, drawn=case.drawn_mass
    )
    vectors, known = case.features.vectors(corpus.means.phones)
    features, means = vectors[known].astype(np.float64), corpus.means.means[known]
    (agreement,) = feature_agreements(means[None], features, metric).tolist()
    n = len(features)
    if math.isnan(agreement):
        yield row_of(_FEATURES, math.nan, n, "", _TOO_FEW)
        return
    lost = [phone for phone, has in zip(corpus.means.phones, known, strict=True) if not has]
    median, wanted = float(np.median(corpus.means.tokens[known])), corpus.resampling.replicates
    few, number = f"few tokens, {median:.0f} of the median phone", _replicates(n, wanted)
    notes = (
        f"without features, and left out: {' '.join(lost)}" if lost else "",
        f"{few}: likely too low; the interval holds the truth too seldom" if median < _FEW_OF_ALL else "",
        f"{number} replicates, since phones are many" if number < wanted else "",
    )
    yield row_of(_FEATURES, agreement_estimate(corpus, known, features, metric), n, "", *notes)
    null = mantel_null(means, features, metric, case.experiment.information.permutations, case.generator("mantel"))
    if len(null):
        about, least = f"{len(null)} permutations of the labels of phones", least_p(len(null))
        yield row_of(f"{_FEATURES}_p", p_value(agreement - _ROUNDING, null), n, "", about, least)


def agreement_estimate(corpus: PhoneTokens, known: Bools, features: Floats, metric: Metric) -> Estimate:
    """Return ρ jackknifed over clusters, with its interval."""
    number = _replicates(len(features), corpus.resampling.replicates)
    whole, drawn, left_out = (
        feature_agreements(parts[:, known], features, metric)
        for parts in (corpus.means.means[None], corpus.replicates()[:number], corpus.left_out())
    )
    left_out = left_out[~np.isnan(left_out)]
    value = float(np.clip(jackknife(whole[0], left_out), -1, 1))
    return estimate(value, moved_to(value, drawn), corpus.resampling, left_out=left_out).within(-1, 1)


def _replicates(phones: int, wanted: int) -> int:
    """Return how many replicates are drawn: fewer of many phones, whose pairs have to be ranked in each."""
    return min(wanted, max(_FEWEST, _LARGEST // (phones * (phones - 1) // 2)))


def feature_agreements(means: Floats, features: Floats, metric: Metric) -> Floats:
    """Return ρ of the distances between mean posteriors [R, G, K] and between features [G, F] of each replicate."""
    agreements = np.empty(len(means))
    present, which = np.unique(~np.isnan(means).any(axis=2), axis=0, return_inverse=True)
    for number, known in enumerate(present):
        by_features = pdist(features[known], "cityblock")
        same = np.flatnonzero(which == number)
        for part in np.array_split(same, 1 + len(same) * len(by_features) // _TOGETHER):
            heard = [pdist(metric_points(means[one][known], metric)) for one in part]
            agreements[part] = rank_agreement(np.reshape(heard, (len(part), -1)), by_features)
    return agreements


def mantel_null(
    means: Floats, features: Floats, metric: Metric, permutations: int, generator: np.random.Generator
) -> Floats:
    """Return ρ with the features of phones dealt anew among them, [permutations]."""
    heard, by_features = pdist(metric_points(means, metric)), pdist(features, "cityblock")
    return dealt_anew(centred_ranks(heard), centred_ranks(by_features), len(means), permutations, generator)


def dealt_anew(one: Floats, other: Floats, phones: int, permutations: int, generator: np.random.Generator) -> Floats:
    """Return the correlation of centred numbers of pairs with phones of the other dealt anew, [permutations]."""
    first, second = squareform(one), squareform(other)
    size = np.linalg.norm(first) * np.linalg.norm(second)
    orders = [generator.permutation(phones) for _ in range(permutations)]
    return np.array([np.vdot(first, second[np.ix_(order, order)]) / size for order in orders])

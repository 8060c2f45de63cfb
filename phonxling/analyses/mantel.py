"""Whether phones that the recogniser hears alike are alike by their features: ρ of two kinds of distances.

Conventions
-----------
Spearman's ρ over all pairs of a corpus' phones, of the distance between their mean posteriors (`projection.py`) and of
their feature distance, the mean of |f − f′| / 2. Pairs share phones, so they are no independent draws: the null deals
features anew among phones (Mantel 1967), the interval resamples utterances or speakers. The noise of means draws ρ
towards 0: the value is jackknifed over clusters, which takes off most of that where phones have hundreds of tokens.

References
----------
Mantel (1967), The detection of disease clustering and a generalized regression approach. Spearman (1904).
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import pdist, squareform

from phonxling.analyses.case import Case, Items
from phonxling.analyses.map import centred_ranks, rank_agreement
from phonxling.analyses.nearest import PhoneTokens
from phonxling.analyses.projection import metric_points
from phonxling.analyses.rows import Row, row_of
from phonxling.core.arrays import Bools, Floats
from phonxling.core.estimate import Estimate
from phonxling.count.posteriors import means_of_tokens
from phonxling.resample.entropies import jackknife, moved_to
from phonxling.resample.intervals import estimate
from phonxling.resample.p_values import p_value
from phonxling.settings.sections import Embedding, Metric

_LARGEST, _FEWEST = 20_000_000, 100  # pairs of phones over all replicates, and replicates in any case
_TOGETHER = 1_000_000  # pairs that are ranked at one time
_ROUNDING = 1e-12  # sums in another order
_FEW = 500  # tokens of the median phone: below, intervals held the truth in 10 to 76 % of simulations
_NAME = "feature_distance_correlation"


def phone_map(case: Case, settings: Embedding) -> Items:
    """Yield embedding.tsv, nearest.tsv, the rows on how far the map can be trusted, and those of mantel.py."""
    yield from feature_rows(case, settings.metric)
    if case.phone_map is None:
        return
    for name, tables in (("embedding", case.phone_map.embedding), ("nearest", case.phone_map.nearest)):
        if case.name in tables:
            yield name, tables[case.name]
    yield from case.phone_map.rows.get(case.name, ())


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
        yield row_of(_NAME, math.nan, n, "", "fewer than three phones with features, or all distances are equal")
        return
    lost = [phone for phone, has in zip(corpus.means.phones, known, strict=True) if not has]
    median, wanted = float(np.median(corpus.means.tokens[known])), corpus.resampling.replicates
    few, number = f"few tokens, {median:.0f} of the median phone", _replicates(n, wanted)
    notes = (
        f"without features, and left out: {' '.join(lost)}" if lost else "",
        f"{few}: likely too low; the interval holds the truth too seldom" if median < _FEW else "",
        f"{number} replicates, since phones are many" if number < wanted else "",
    )
    yield row_of(_NAME, agreement_estimate(corpus, known, features, metric), n, "", *notes)
    null = mantel_null(means, features, metric, case.experiment.information.permutations, case.generator("mantel"))
    if len(null):
        about, least = f"{len(null)} permutations of the labels of phones", f"least possible: {1 / (len(null) + 1):.2g}"
        yield row_of(f"{_NAME}_p", p_value(agreement - _ROUNDING, null), n, "", about, least)


def agreement_estimate(corpus: PhoneTokens, known: Bools, features: Floats, metric: Metric) -> Estimate:
    """Return ρ jackknifed over clusters, with its interval."""
    number = _replicates(len(features), corpus.resampling.replicates)
    whole, drawn, left_out = (
        feature_agreements(parts[:, known], features, metric)
        for parts in (corpus.means.means[None], corpus.replicates()[:number], corpus.left_out())
    )
    left_out = left_out[~np.isnan(left_out)]
    best = jackknife(whole[0], left_out) if len(left_out) > 1 else whole[0]
    value = float(np.clip(best, -1, 1))
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
    first, second = (squareform(centred_ranks(distances)) for distances in (heard, by_features))
    size = np.linalg.norm(first) * np.linalg.norm(second)
    orders = [generator.permutation(len(means)) for _ in range(permutations)]
    return np.array([np.vdot(first, second[np.ix_(order, order)]) / size for order in orders])

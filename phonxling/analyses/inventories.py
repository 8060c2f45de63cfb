"""Whether the phones that were predicted at all are those that were said: precision, recall and F1 of inventories.

With G the gold phones that have tokens, P the predicted ones, and a similarity s of two phones in [0, 1]:
precision = (1/|P|) Σ_{x∈P} max_{y∈G} s(y, x), recall = (1/|G|) Σ_{y∈G} max_{x∈P} s(y, x), and F1 is
2 · precision · recall / (precision + recall). Plain: s is 1 for one symbol and else 0, so that these are shares of
phones in common; by features: s is 1 less the mean difference of features. One token is enough for a phone to count.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from phonxling.alignment.costs import cost_table
from phonxling.analyses.case import Case, Items
from phonxling.analyses.rows import row_of
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.sequences import PhoneSequences
from phonxling.count.kernel import find_clusters
from phonxling.resample.intervals import estimate
from phonxling.resample.weights import Resampling

NAMES = ("inventory_precision", "inventory_recall", "inventory_f1")
_RARE = 50  # clusters: a phone of more is in every draw, but for a chance of e⁻⁵⁰
_RAW = "raw symbols have no phonological features"
_NOTHING = "nothing was predicted"


def inventories(case: Case, _: None) -> Items:
    """Yield precision, recall and F1 of the predicted phones, and F1 by features."""
    corpus, weights = case.counted.corpus, case.counted.resampling
    gold, predicted = _presence(corpus.gold, weights), _presence(corpus.predicted, weights)
    number = np.array([gold.whole.sum(), predicted.whole.sum()])
    unit, features = (
        cost_table(name, corpus.gold_inventory, corpus.predicted_inventory, case.features)
        for name in ("unit", "panphon")
    )
    numbers_of_phones = f"{number[1]} phones were predicted, {number[0]} said"
    for variant, costs in (("", unit), ("features", features)):
        missing = _NOTHING if not number[1] else _RAW if variant and case.loaded.raw else ""
        similarity = 1 - costs.substitution / costs.denominator
        for name, value, drawn, left_out in _numbers(similarity, gold, predicted, weights.number):
            if variant and name != NAMES[-1]:
                continue
            if missing:
                yield row_of(name, math.nan, number.sum(), variant, missing)
            else:
                result = estimate(value, drawn, weights, kind="share", left_out=left_out)
                yield row_of(name, result, number.sum(), variant, numbers_of_phones)


def scores(similarity: Floats, gold: Bools, predicted: Bools) -> Floats:
    """Return precision, recall and F1 of present phones [G] and [P] by their similarity [G, P]; NaN without any."""
    between = similarity[np.ix_(gold, predicted)]
    if not between.size:
        return np.full(3, np.nan)
    precision, recall = between.max(axis=0).mean(), between.max(axis=1).mean()
    return np.array([precision, recall, 2 * precision * recall / (precision + recall or 1)])


@dataclass(frozen=True, eq=False)
class _Presence:
    """Which of S phones occur: in the corpus, [S], in each bootstrap draw, [S, R], and in which cluster alone, [S]."""

    whole: Bools
    drawn: Bools
    alone: Codes

    def without(self, cluster: int) -> Bools:
        """Which phones occur without a cluster."""
        return np.asarray(self.whole & (self.alone != cluster))


def _presence(side: PhoneSequences, weights: Resampling) -> _Presence:
    order, number = np.argsort(weights.clusters, kind="stable"), np.zeros(side.size, np.int64)
    first_ones = np.full((side.size, _RARE), -1)
    find_clusters(order, weights.clusters, side.offsets, side.codes, number, first_ones)
    alone = np.where(number == 1, first_ones[:, 0], -1)
    drawn = np.repeat((number > 0)[:, None], weights.replicates, axis=1)
    rare = [(code, first_ones[code, : number[code]]) for code in np.flatnonzero((number > 0) & (number <= _RARE))]
    first = 0
    for part in weights.parts(max(1, weights.replicates // 16)):
        for code, own in rare:
            drawn[code, first : first + len(part)] = part[:, own].any(axis=1)
        first += len(part)
    return _Presence(number > 0, drawn, alone)


def _numbers(
    similarity: Floats, gold: _Presence, predicted: _Presence, clusters: int
) -> Iterator[tuple[str, float, Floats, Floats]]:
    """Yield each score of the corpus, of its draws, [R], and without each cluster, [C]."""
    value = scores(similarity, gold.whole, predicted.whole)
    both, back = np.unique(np.concatenate([gold.drawn, predicted.drawn]), axis=1, return_inverse=True)
    each = np.array([scores(similarity, *np.split(column, [len(gold.whole)])) for column in both.T]).reshape(-1, 3)
    drawn = each[back.ravel()]
    alone = np.unique([*gold.alone[gold.alone >= 0], *predicted.alone[predicted.alone >= 0]]).astype(np.int64)
    left_out = np.tile(value, (clusters, 1))
    for cluster in alone:
        left_out[cluster] = scores(similarity, gold.without(cluster), predicted.without(cluster))
    yield from zip(NAMES, value.tolist(), drawn.T, left_out.T, strict=True)

"""Whether the phones that were predicted at all are those that were said: precision, recall and F1 of inventories.

With G the gold phones that have tokens, P the predicted ones, and a similarity s of two phones in [0, 1]:
precision = (1/|P|) Σ_{x∈P} max_{y∈G} s(y, x), recall = (1/|G|) Σ_{y∈G} max_{x∈P} s(y, x), and F1 is
2 · precision · recall / (precision + recall). Plain: s is 1 for one symbol and else 0, so that these are shares of
phones in common; by features: s is 1 less the mean difference of features. One token is enough for a phone to count.
"""

import math

import numpy as np

from phonxling.alignment.costs import cost_table
from phonxling.analyses.case import Case, Items
from phonxling.analyses.rows import row_of
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.sequences import PhoneSequences
from phonxling.resample.intervals import Resampling, estimate

_NAMES = ("inventory_precision", "inventory_recall", "inventory_f1")
_RAW = "raw symbols have no phonological features"
_NOTHING = "nothing was predicted"
Presence = tuple[Bools, Bools, Codes]
"""Which of S phones occur: in the corpus, [S], in each bootstrap draw, [S, R], and in which cluster alone, [S]."""


def inventories(case: Case, _: None) -> Items:
    """Yield precision, recall and F1 of the predicted phones, and F1 by features."""
    corpus, weights = case.counted.corpus, case.counted.resampling
    gold, predicted = presence(corpus.gold, weights), presence(corpus.predicted, weights)
    said, heard = gold[0].sum(), predicted[0].sum()
    for variant, costs, names in (("", "unit", _NAMES), ("features", "panphon", _NAMES[2:])):
        table = cost_table(costs, corpus.gold_inventory, corpus.predicted_inventory, case.features)
        missing = _NOTHING if not heard else _RAW if variant and case.loaded.raw else ""
        numbers = resampled_scores(1 - table.substitution / table.denominator, gold, predicted, weights.number)
        for name in names:
            value, drawn, left_out = (part.T[_NAMES.index(name)] for part in numbers)
            result = estimate(float(value), drawn, weights, kind="share", left_out=left_out)
            about = missing or f"{heard} phones were predicted, {said} said"
            yield row_of(name, math.nan if missing else result, said + heard, variant, about)


def scores(similarity: Floats, gold: Bools, predicted: Bools) -> Floats:
    """Return precision, recall and F1 of present phones [G] and [P] by their similarity [G, P]; NaN without any."""
    between = similarity[np.ix_(gold, predicted)]
    if not between.size:
        return np.full(3, np.nan)
    precision, recall = between.max(axis=0).mean(), between.max(axis=1).mean()
    return np.array([precision, recall, 2 * precision * recall / (precision + recall or 1)])


def presence(side: PhoneSequences, weights: Resampling) -> Presence:
    """Return which phones occur."""
    has = np.zeros((side.size, weights.number), np.float32)  # whether a cluster has a phone
    has[side.codes, weights.clusters[side.token_utterances()]] = 1
    drawn = [has @ part.T.astype(np.float32) > 0 for part in weights.parts(max(1, weights.replicates // 16))]
    number = has.sum(axis=1)
    every = np.concatenate([np.zeros((side.size, 0), bool), *drawn], axis=1)
    return number > 0, every, np.where(number == 1, has.argmax(axis=1), -1)


def resampled_scores(
    similarity: Floats, gold: Presence, predicted: Presence, clusters: int
) -> tuple[Floats, Floats, Floats]:
    """Return the scores of the corpus, [3], of its draws, [R, 3], and without each cluster, [C, 3]."""
    (whole, drawn, alone), (other, other_drawn, other_alone) = gold, predicted
    value = scores(similarity, whole, other)
    both, back = np.unique(np.concatenate([drawn, other_drawn]), axis=1, return_inverse=True)
    each = np.array([scores(similarity, *np.split(column, [len(whole)])) for column in both.T]).reshape(-1, 3)
    left_out = np.tile(value, (clusters, 1))
    for cluster in {*alone[alone >= 0], *other_alone[other_alone >= 0]}:
        left_out[cluster] = scores(similarity, whole & (alone != cluster), other & (other_alone != cluster))
    return value, each[back.ravel()], left_out

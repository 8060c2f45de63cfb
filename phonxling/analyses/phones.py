"""What happened to each gold phone, and what each predicted phone stands for; inventories, and contexts on request.

Accuracy is a share, with limits by the jackknife over clusters on the logit scale, and Wilson's near 0 and 1. Entropy
is the jackknifed estimate over the clusters that have the phone, within 0 and log₂ of the number of symbols. Both are
of `phone_sums`, which is a function of `Counts`. S are the phones of a side, R tables, C groups of clusters.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from phonxling.alignment.confusions import EDGE, gold_neighbours
from phonxling.analyses.context import RAW_NOTE, AnalysisOutput, CorpusContext
from phonxling.analyses.costs import needs_features, observed_phones
from phonxling.analyses.measures import row_of
from phonxling.analyses.statistics import Counts, CountSettings, GivenSide, left_out_counts, whole_counts
from phonxling.core.arrays import Bools, Codes, Floats, divide, nearest_first, sum_by
from phonxling.core.confusion import Alignments, ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable, cost_table
from phonxling.core.estimate import FEW_TOKENS
from phonxling.core.features import FeatureTable, chart_steps
from phonxling.core.inventory import GAP, Inventory
from phonxling.results.tables import column_names
from phonxling.stats.estimators import row_entropies
from phonxling.stats.jackknife import Clusters, correct_bias, limits_of_rows
from phonxling.stats.student import effective_number, too_few, with_wilson

SIDES: tuple[GivenSide, GivenSide] = ("gold", "predicted")
Limits = tuple[Floats, Floats]


def phone_sums(counts: Counts, side: GivenSide = "gold") -> Floats:
    """Return each phone's tokens, correct ones, those that its entropy is of, and its entropy in bits, [4, S, R]."""
    tables = counts.total, counts.symbols, counts.n_log_n, counts.same
    total, symbols, n_log_n, same = (table if side == "gold" else table.swapaxes(0, 1) for table in tables)
    number = len(same)
    correct = np.einsum("gpr,gp->gr", total[:-1, :-1], same.astype(np.float64))
    own = symbols[:number]  # without ∅, which is no phone
    answers = own.sum(axis=1)
    entropy = row_entropies(answers, n_log_n[:number].sum(axis=1), np.count_nonzero(own, axis=1))
    return np.stack([total[:-1].sum(axis=1), correct, answers, entropy])


def left_out_sums(
    stack: ConfusionStack, clusters: Clusters, settings: CountSettings
) -> dict[GivenSide, tuple[Floats, Floats]]:
    """Return the `phone_sums` of each side, [4, S], and those without each group of clusters, [4, S, C].

    Full tables are made of some groups at a time, which bounds the memory that large inventories need.
    """
    whole = {side: phone_sums(whole_counts(stack, settings), side) for side in SIDES}
    parts: dict[GivenSide, list[Floats]] = {side: [whole[side][..., :0]] for side in SIDES}
    for counts in left_out_counts(stack, clusters, settings):
        for side in SIDES:
            parts[side].append(phone_sums(counts, side))
    return {side: (whole[side][..., 0], np.concatenate(parts[side], axis=-1)) for side in SIDES}


def share_limits(events: Floats, tokens: Floats, clusters: Clusters) -> Limits:
    """Return the limits of K shares, [K] each, of what groups of clusters have of each, [K, C]."""
    above, below = (each.sum(axis=1, keepdims=True) for each in (events, tokens))
    left_out = divide(above - events, below - tokens)
    low, high = limits_of_rows(divide(above, below)[:, 0], left_out, tokens, clusters, "share")
    low, high = with_wilson(events, tokens, (low, high), clusters.level)
    return np.where(clusters.few, np.nan, low), np.where(clusters.few, np.nan, high)


def entropy_limits(bits: Floats, left_out: Floats, tokens: Floats, clusters: Clusters, most: float) -> Limits:
    """Return the limits of jackknifed entropies [K], within 0 and `most`; `left_out` and `tokens` are [K, C].

    NaN where all of an interval lies outside that range, and below 20 tokens, of which 89 to 92 % held the truth.
    """
    low, high = limits_of_rows(bits, left_out, tokens, clusters)
    none = (high < 0) | (low > most) | (tokens.sum(axis=1) < FEW_TOKENS)
    low, high = np.clip(low, 0, most), np.clip(high, 0, most)
    return np.where(none, np.nan, low), np.where(none, np.nan, high)


def phones(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield the table of phones."""
    sums, matrix, chosen = left_out_sums(case.stack, case.clusters, case.counting), case.matrix, case.experiment
    # The nearest phone by the features of the costs: to a gold phone of all that the recogniser has.
    name = str(chosen.alignment.costs) if needs_features(chosen) else "panphon"
    known, within = case.recogniser_inventory, observed_phones(case.corpus)
    sides = (known.phones, matrix.predicted) if not known.missing else (matrix.predicted, matrix.predicted)
    costs = [cost_table(name, matrix.gold, inventory, case.features, within=within) for inventory in sides]
    parts = [
        _phone_table(side, case, *sums[side]).assign(nearest=nearest_phones(own, case.features, side), confidence=mean)
        for side, own, mean in zip(SIDES, costs, _average_confidences(case), strict=True)
    ]
    yield "phones", pd.concat(parts, ignore_index=True)[column_names("phones")[1:]]


def _phone_table(side: GivenSide, case: CorpusContext, whole: Floats, left_out: Floats) -> pd.DataFrame:
    """Return the phones of one side; `whole` [4, S] and `left_out` [4, S, C] are their sums."""
    matrix, clusters = case.matrix, case.clusters
    (tokens, correct, answers, bits), by_cluster = whole, whole[:3, :, None] - left_out[:3]
    most = math.log2(max(case.entropy_shape[side == "gold"], 1))
    bits = np.clip(correct_bias(bits, left_out[3], by_cluster[2]), 0, most)
    own = matrix.gold if side == "gold" else matrix.predicted
    confused, count = top_confusions(matrix, side)
    # what weakens a phone's numbers most
    effective = effective_number(tokens, (by_cluster[0] ** 2).sum(axis=1))
    few = too_few(np.count_nonzero(by_cluster[0], axis=1), effective) | clusters.few
    weak = {"undefined": tokens == 0, "too-few-clusters": few, "bias-warning": answers < FEW_TOKENS}
    values: dict[str, Any] = {
        "side": [side] * len(own),
        "phone": list(own),
        "class": [case.classes.default_of(phone) if case.classes.differ else "" for phone in own],
        "tokens": tokens.astype(np.int64),
        "correct": correct.astype(np.int64),
        "accuracy": divide(correct, tokens),
        "deletion_rate": divide(matrix.deletions if side == "gold" else matrix.insertions, tokens),
        "entropy": bits,
        "perplexity": 2.0**bits,
        "confused_with": confused,
        "share": divide(count, np.where(count > 0, tokens, 0.0)),
        "status": [str(one) for one in np.select([*weak.values()], [*weak], clusters.status)],
    }
    limits = {
        "accuracy": share_limits(by_cluster[1], by_cluster[0], clusters),
        "entropy": entropy_limits(bits, left_out[3], by_cluster[2], clusters, most),
    }
    for name, (low, high) in limits.items():
        values |= {f"{name}_low": low, f"{name}_high": high}
    return pd.DataFrame(values)


def nearest_phones(costs: CostTable, features: FeatureTable, side: GivenSide = "gold") -> list[str]:
    """Return, for each phone of a side, the other side's phone of least cost but itself; "" without features.

    Of equally near ones the neighbour on the IPA chart comes first.
    """
    (_, gold), (_, predicted) = (features.vectors(side) for side in (costs.gold, costs.predicted))
    allowed = np.logical_and.outer(gold, predicted) & ~costs.identical()
    distances, steps = costs.substitution.astype(np.float64), chart_steps(costs.gold, costs.predicted)
    if side == "predicted":
        distances, allowed, steps = distances.T, allowed.T, steps.T
    return _first_of(costs.predicted if side == "gold" else costs.gold, distances, allowed, steps)


def top_confusions(matrix: ConfusionMatrix, side: GivenSide = "gold") -> tuple[list[str], Floats]:
    """Return each phone's most frequent confusion with another symbol, "" for none, and its count, [S]."""
    counts = np.where(matrix.same_symbol(), 0, matrix.substitutions)
    counts, others = (counts, matrix.predicted) if side == "gold" else (counts.T, matrix.gold)
    phones = _first_of(others, -counts, counts > 0, np.zeros(counts.shape, np.int64))
    return phones, np.asarray(counts.max(axis=1, initial=0))


def _first_of(phones: Inventory, keys: Floats, allowed: Bools, ties: Codes) -> list[str]:
    """Return the allowed phone of the least key in each row [S, K], of equal ones that of less `ties`; "" for none."""
    if not len(phones):
        return [""] * len(keys)
    first, known = nearest_first(keys, allowed, ties)[:, 0].tolist(), np.any(allowed, axis=1).tolist()
    return [phones.phones[code] if is_known else "" for code, is_known in zip(first, known, strict=True)]


def _average_confidences(case: CorpusContext) -> tuple[Floats, Floats]:
    """Return the mean confidence of the answers to each gold phone, and of each predicted phone; NaN without any."""
    aligned, predicted = case.alignments, case.corpus.predicted
    sizes = len(aligned.gold_inventory), len(aligned.predicted_inventory)
    if predicted.confidence is None:
        return np.full(sizes[0], np.nan), np.full(sizes[1], np.nan)
    known = np.isfinite(predicted.confidence)  # an alignment spells the predictions in their order
    gold = aligned.gold[aligned.predicted < sizes[1]][known]
    values, codes = predicted.confidence[known], (gold, predicted.codes[known])
    counts = zip(codes, (sizes[0] + 1, sizes[1]), strict=True)  # the last gold code is that of no phone
    of_gold, of_predicted = (divide(sum_by(own, values, n), np.bincount(own, minlength=n)) for own, n in counts)
    return of_gold[:-1], of_predicted


# Inventories: whether the phones that were predicted at all are those of the language. With G the gold phones that have
# tokens, P the predicted ones, and a similarity s of two phones in [0, 1]: precision = (1/|P|) Σ_{x∈P} max_{y∈G} s(y,
# x), recall = (1/|G|) Σ_{y∈G} max_{x∈P} s(y, x), and F1 is 2 · precision · recall / (precision + recall). Plain: s is 1
# for one symbol and else 0, so that these are shares of phones in common; by features: s is 1 less the mean difference
# of features. One token is enough for a phone to count, and one cluster alone may have it: leaving that out says little
# of other speakers, so there is no interval.
def inventories(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield F1 of the predicted phones, plain and by features."""
    corpus, matrix = case.corpus, case.matrix
    gold, predicted = matrix.tokens > 0, matrix.predicted_tokens > 0
    number = int(gold.sum()), int(predicted.sum())
    about = f"{number[1]} phones were predicted, {number[0]} are gold" if number[1] else "nothing was predicted"
    for variant, costs in (("", "unit"), ("features", "panphon")):
        table = cost_table(costs, corpus.gold_inventory, corpus.predicted_inventory, case.features)
        raw = variant and case.loaded.raw and number[1]
        f1 = math.nan if raw else scores(1 - table.substitution / table.denominator, gold, predicted)[2]
        yield row_of("inventory_f1", f1, sum(number), variant, RAW_NOTE if raw else about)


def scores(similarity: Floats, gold: Bools, predicted: Bools) -> Floats:
    """Return precision, recall and F1 of present phones [G] and [P] by their similarity [G, P]; NaN without any."""
    between = similarity[np.ix_(gold, predicted)]
    if not between.size:
        return np.full(3, np.nan)
    precision, recall = between.max(axis=0).mean(), between.max(axis=1).mean()
    return np.array([precision, recall, 2 * precision * recall / (precision + recall or 1)])


POSITIONS = ("initial", "medial", "final", "alone")
Contexts: TypeAlias = tuple[tuple[str, ...], Codes]  # distinct labels, and that of each of N gold tokens, [N]


# Contexts are of gold phones. Insertions have no gold phone, and so no context.


def neighbours(aligned: Alignments, side: str, name_of: Callable[[str], str]) -> Contexts:
    """Return the gold neighbour on the `left` or `right` of each gold token, named by `name_of`; `#` at an edge."""
    names = [*map(name_of, aligned.gold_inventory), EDGE]
    labels = tuple(dict.fromkeys(names))
    label_of = np.array([labels.index(name) for name in names], dtype=np.int64)
    neighbour = gold_neighbours(aligned)[0 if side == "left" else 1]
    return labels, label_of[neighbour[aligned.gold < len(aligned.gold_inventory)]]


def positions(aligned: Alignments, words: Codes | None = None) -> Contexts:
    """Return whether each gold token is initial, medial, final or alone in its utterance, or word by number, [N]."""
    labels = POSITIONS if words is None else tuple(f"word {label}" for label in POSITIONS)
    edge = len(aligned.gold_inventory)
    first, last = (side[aligned.gold < edge] == edge for side in gold_neighbours(aligned))
    if words is not None:
        changes = np.diff(words) != 0
        first[1:] |= changes
        last[:-1] |= changes
    return labels, np.select([first & last, first, last], [3, 0, 2], 1).astype(np.int64)


def contexts(case: CorpusContext, context: str) -> AnalysisOutput:
    """Yield the table of contexts; nothing unless one is asked for, nor by class for phones without features."""
    aligned, words, chosen = case.alignments, case.corpus.gold.words, list[Contexts]()
    if context == "position":
        chosen = [positions(aligned), *([] if words is None else [positions(aligned, words)])]
    elif context != "none" and case.classes.differ:
        chosen = [neighbours(aligned, context, case.classes.default_of)]
    if chosen:
        yield "contexts", pd.concat([context_table(aligned, one) for one in chosen], ignore_index=True)


def context_table(aligned: Alignments, contexts: Contexts) -> pd.DataFrame:
    """Return the attested cells of each gold phone in each context."""
    labels, codes = contexts
    is_gold, width = aligned.gold < len(aligned.gold_inventory), len(aligned.predicted_inventory) + 1
    pairs, row = np.unique(aligned.gold[is_gold].astype(np.int64) * len(labels) + codes, return_inverse=True)
    counts = np.bincount(row * width + aligned.predicted[is_gold], minlength=len(pairs) * width).reshape(-1, width)
    phones, places = np.divmod(pairs, len(labels))
    rows, columns = np.nonzero(counts)
    sides = aligned.gold_inventory.phones, (*aligned.predicted_inventory, GAP), labels
    gold, predicted, names = (np.array(side, dtype=object) for side in sides)
    return pd.DataFrame(
        {
            "context": names[places[rows]],
            "gold": gold[phones[rows]],
            "predicted": predicted[columns],
            "count": counts[rows, columns],
            "share_of_gold": divide(counts, counts.sum(axis=1, keepdims=True))[rows, columns],
        }
    )

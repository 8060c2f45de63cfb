"""phones.tsv: what happened to each gold phone, and what each predicted phone stands for.

Accuracy is a share, with limits by the jackknife over clusters on the logit scale, and Wilson's near 0 and 1. Entropy
is the jackknifed estimate over the clusters that have the phone, within 0 and log₂ of the number of symbols. Both are
of `phone_sums`, which is a function of `Counts`. S are the phones of a side, R tables, C groups of clusters.

Inventories: whether the phones that were predicted at all are those of the language.

With G the gold phones that have tokens, P the predicted ones, and a similarity s of two phones in [0, 1]:
precision = (1/|P|) Σ_{x∈P} max_{y∈G} s(y, x), recall = (1/|G|) Σ_{y∈G} max_{x∈P} s(y, x), and F1 is
2 · precision · recall / (precision + recall). Plain: s is 1 for one symbol and else 0, so that these are shares of
phones in common; by features: s is 1 less the mean difference of features. One token is enough for a phone to count,
and one cluster alone may have it: leaving that out says little of other speakers, so there is no interval.
"""

import math
from typing import Any

import numpy as np
import pandas as pd

from phonxling.alignment.costs import cost_table, is_feature_cost
from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.case import Case, Items
from phonxling.analyses.costs import attested
from phonxling.analyses.entropy import Given, confusion_entropy
from phonxling.analyses.measures import row_of
from phonxling.analyses.statistics import Counts, CountSettings, left_out_counts, whole_counts
from phonxling.core.arrays import Bools, Codes, Floats, divided, nearest_first
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.estimate import FEW_TOKENS
from phonxling.core.features import FeatureTable, chart_steps
from phonxling.resample.entropies import row_entropies
from phonxling.resample.jackknife import Clusters, jackknifed, limits_of_rows
from phonxling.resample.shares import with_wilson
from phonxling.resample.student import effective_number, too_few
from phonxling.settings.models import Entropy
from phonxling.tables.files import declared_columns

SIDES: tuple[Given, Given] = ("gold", "predicted")
Limits = tuple[Floats, Floats]


def phone_sums(counts: Counts, side: Given = "gold") -> Floats:
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
) -> dict[Given, tuple[Floats, Floats]]:
    """Return the `phone_sums` of each side, [4, S], and those without each group of clusters, [4, S, C].

    Full tables are made of some groups at a time, which bounds the memory that large inventories need.
    """
    whole = {side: phone_sums(whole_counts(stack, settings), side) for side in SIDES}
    parts: dict[Given, list[Floats]] = {side: [whole[side][..., :0]] for side in SIDES}
    for counts in left_out_counts(stack, clusters, settings):
        for side in SIDES:
            parts[side].append(phone_sums(counts, side))
    return {side: (whole[side][..., 0], np.concatenate(parts[side], axis=-1)) for side in SIDES}


def share_limits(events: Floats, tokens: Floats, clusters: Clusters) -> Limits:
    """Return the limits of K shares, [K] each, of what groups of clusters have of each, [K, C]."""
    above, below = (each.sum(axis=1, keepdims=True) for each in (events, tokens))
    left_out = divided(above - events, below - tokens)
    low, high = limits_of_rows(divided(above, below)[:, 0], left_out, tokens, clusters, "share")
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


def phones(case: Case, settings: Entropy) -> Items:
    """Yield phones.tsv."""
    analysis = case.counted
    sums = left_out_sums(analysis.stack, analysis.clusters, analysis.counting)
    parts = [_table(side, analysis, *sums[side], settings) for side in SIDES]
    parts[0] = parts[0].assign(nearest=[" ".join(row) for row in _nearest_phones(case)])
    declared = [column for column in declared_columns() if column.table == "phones"]
    of_estimators = [f"entropy_{name}" for name in dict.fromkeys(settings.estimators)]
    order = [name for one in declared for name in (of_estimators if "<" in one.column else [one.column])]
    texts = {column.column: "" for column in declared if column.type == "text"}
    yield "phones", pd.concat(parts, ignore_index=True)[order].fillna(texts)


def _table(side: Given, analysis: AnalysedCorpus, whole: Floats, left_out: Floats, settings: Entropy) -> pd.DataFrame:
    """Return the phones of one side; `whole` [4, S] and `left_out` [4, S, C] are their sums."""
    matrix, clusters = analysis.matrix, analysis.clusters
    (tokens, correct, answers, bits), by_cluster = whole, whole[:3, :, None] - left_out[:3]
    most = math.log2(max(analysis.entropy_shape[side == "gold"], 1))
    bits = np.clip(jackknifed(bits, left_out[3], by_cluster[2]), 0, most)
    own = matrix.gold if side == "gold" else matrix.predicted
    values: dict[str, Any] = {
        "side": [side] * len(own),
        "phone": list(own),
        "tokens": tokens.astype(np.int64),
        "correct": correct.astype(np.int64),
        "accuracy": divided(correct, tokens),
        "entropy": bits,
        "perplexity": 2.0**bits,
        "status": _statuses(tokens, answers, by_cluster[0], clusters),
    }
    limits = {
        "accuracy": share_limits(by_cluster[1], by_cluster[0], clusters),
        "entropy": entropy_limits(bits, left_out[3], by_cluster[2], clusters, most),
    }
    for name, (low, high) in limits.items():
        values |= {f"{name}_low": low, f"{name}_high": high}
    if side == "gold":
        values["deletion_rate"] = divided(matrix.deletions, tokens)
        values["confused_with"] = [" ".join(row) for row in top_confusions(matrix)]
    for name in dict.fromkeys(settings.estimators):
        of_phones = confusion_entropy(matrix, name, side, settings.gaps, settings.support)
        values[f"entropy_{name}"] = of_phones.to_numpy()[: len(own)]  # without that of ∅
    return pd.DataFrame(values)


def _statuses(tokens: Floats, answers: Floats, by_cluster: Floats, clusters: Clusters) -> list[str]:
    """Return what weakens each phone's numbers most: [S] of its tokens by group of clusters, [S, C]."""
    effective = effective_number(tokens, (by_cluster**2).sum(axis=1))
    few = too_few(np.count_nonzero(by_cluster, axis=1), effective) | clusters.few
    chosen = [tokens == 0, few, answers < FEW_TOKENS]
    return [str(one) for one in np.select(chosen, ["undefined", "too-few-clusters", "bias-warning"], clusters.status)]


def _nearest_phones(case: Case) -> list[list[str]]:
    """Return the phones nearest to each gold phone among all that the recogniser has, by the features of the costs."""
    settings, matrix, known = case.experiment.alignment, case.counted.matrix, case.recogniser_inventory
    name = str(settings.costs) if is_feature_cost(str(settings.costs)) else "panphon"
    inventory = known.phones if known.declared else matrix.predicted
    within = attested(case.counted.corpus)
    costs = cost_table(name, matrix.gold, inventory, case.features, tone_weight=settings.tone_weight, within=within)
    return nearest_phones(costs, case.features)


def nearest_phones(costs: CostTable, features: FeatureTable, k: int = 3) -> list[list[str]]:
    """Return, for each gold phone, the k phones of least cost but itself; none for phones without features.

    Of equally near ones the neighbour on the IPA chart comes first.
    """
    (_, gold), (_, predicted) = (features.vectors(side) for side in (costs.gold, costs.predicted))
    allowed = np.logical_and.outer(gold, predicted) & ~costs.identical()
    distances, steps = costs.substitution.astype(np.float64), chart_steps(costs.gold, costs.predicted)
    rows = zip(distances, allowed, steps, strict=True)
    return [[costs.predicted.phones[code] for code in _first_allowed(*row, k)] for row in rows]


def top_confusions(matrix: ConfusionMatrix, k: int = 3) -> list[list[str]]:
    """Return, for each gold phone, its k most frequent confusions with another symbol, most frequent first."""
    counts = np.where(matrix.same_symbol(), 0, matrix.substitutions)
    ties = np.zeros(counts.shape[1], np.int64)
    return [[matrix.predicted.phones[code] for code in _first_allowed(-row, row > 0, ties, k)] for row in counts]


def _first_allowed(keys: Floats, allowed: Bools, ties: Codes, k: int) -> list[int]:
    """Return the places of the k least keys [P] that are allowed; of equal ones those of less `ties`."""
    order = nearest_first(keys[None], allowed[None], ties[None])[0]
    return [int(code) for code in order[: min(k, np.count_nonzero(allowed))]]


_NAMES = ("inventory_precision", "inventory_recall", "inventory_f1")
_RAW = "raw symbols have no phonological features"
_NOTHING = "nothing was predicted"


def inventories(case: Case, _: None) -> Items:
    """Yield precision, recall and F1 of the predicted phones, and F1 by features."""
    corpus, matrix = case.counted.corpus, case.counted.matrix
    gold, predicted = matrix.tokens > 0, matrix.predicted_tokens > 0
    number = int(gold.sum()), int(predicted.sum())
    about = f"{number[1]} phones were predicted, {number[0]} are gold"
    for variant, costs, names in (("", "unit", _NAMES), ("features", "panphon", _NAMES[2:])):
        table = cost_table(costs, corpus.gold_inventory, corpus.predicted_inventory, case.features)
        missing = _NOTHING if not number[1] else _RAW if variant and case.loaded.raw else ""
        found = dict(zip(_NAMES, scores(1 - table.substitution / table.denominator, gold, predicted), strict=True))
        for name in names:
            yield row_of(name, math.nan if missing else found[name], sum(number), variant, missing or about)


def scores(similarity: Floats, gold: Bools, predicted: Bools) -> Floats:
    """Return precision, recall and F1 of present phones [G] and [P] by their similarity [G, P]; NaN without any."""
    between = similarity[np.ix_(gold, predicted)]
    if not between.size:
        return np.full(3, np.nan)
    precision, recall = between.max(axis=0).mean(), between.max(axis=1).mean()
    return np.array([precision, recall, 2 * precision * recall / (precision + recall or 1)])

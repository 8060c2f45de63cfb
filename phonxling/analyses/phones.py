"""phones.tsv: what happened to each gold phone, and what each predicted phone stands for.

A column is an entry of `_table`; what replicates show of it, if it has limits, is one of `phone_measures`. A new one
takes a row of `tables/tables.tsv` as well, three with limits. S are the phones of a side, O those of the other, R
replicates.

Whether the phones that were predicted at all are those that were said: precision, recall and F1 of inventories.

With G the gold phones that have tokens, P the predicted ones, and a similarity s of two phones in [0, 1]:
precision = (1/|P|) Σ_{x∈P} max_{y∈G} s(y, x), recall = (1/|G|) Σ_{y∈G} max_{x∈P} s(y, x), and F1 is
2 · precision · recall / (precision + recall). Plain: s is 1 for one symbol and else 0, so that these are shares of
phones in common; by features: s is 1 less the mean difference of features. One token is enough for a phone to count.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from phonxling.alignment.costs import cost_table, is_feature_cost
from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.case import Case, Items
from phonxling.analyses.costs import attested
from phonxling.analyses.entropy import Given, confusion_entropy
from phonxling.analyses.measures import row_of
from phonxling.analyses.statistics import Counts, CountSettings, replicates, whole_counts
from phonxling.core.arrays import Bools, Codes, Floats, divided, narrow, nearest_first
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.estimate import FEW_TOKENS, Estimate, joined
from phonxling.core.features import FeatureTable, chart_steps
from phonxling.core.sequences import PhoneSequences
from phonxling.resample.entropies import ClusterCells, information_interval, jackknifed_rows, row_entropies
from phonxling.resample.intervals import ClusteredTokens, Resampling, estimate, share_limits, weakness
from phonxling.settings.models import Entropy
from phonxling.tables.files import declared_columns

SIDES: tuple[Given, Given] = ("gold", "predicted")
Limits = tuple[Floats, Floats]
_ENTROPIES = ("entropy", "perplexity")  # whose notes say themselves why there is no interval
_OF_ONE_PHONE = ("no interval", "the estimate")  # how notes begin that are not the same for all phones


def phone_measures(side: Given, counts: Counts, prices: Floats | None = None) -> dict[str, Floats]:
    """Return accuracy and entropy of a side's phones in R replicates, [S, R]; with `prices` [G, P] all of gold's."""
    total, symbols, n_log_n = counts.total, counts.symbols, counts.n_log_n
    if side == "predicted":
        total, symbols, n_log_n = (values.swapaxes(0, 1) for values in (total, symbols, n_log_n))
    same = counts.same if side == "gold" else counts.same.T
    pairs, tokens = total[:-1, :-1], total[:-1].sum(axis=1)
    correct = np.einsum("gpr,gp->gr", pairs, same.astype(np.float64))
    bits = row_entropies(symbols.sum(axis=1), n_log_n.sum(axis=1), np.count_nonzero(symbols, axis=1))
    measures = {"accuracy": divided(correct, tokens), "entropy": bits[: len(pairs)]}  # without that of ∅
    if side == "predicted" or prices is None:
        return measures
    costs = np.einsum("gpr,gp->gr", pairs, np.where(same, 0.0, prices))
    return {
        **measures,
        "deletion_rate": divided(total[:-1, -1], tokens),
        "mean_substitution_cost": divided(costs, pairs.sum(axis=1) - correct),
    }


def phone_draws(
    stack: ConfusionStack, resampling: Resampling, settings: CountSettings, prices: Floats
) -> dict[Given, dict[str, Floats]]:
    """Return what replicates show of each side by column, [S, R] each; `prices` of substitutions are [G, P]."""
    unhalved, found = replace(settings, halving=None), dict[Given, dict[str, Floats]]()
    none = whole_counts(stack, unhalved)
    parts = chain([replace(none, halves=none.halves[..., :0])], replicates(stack, resampling, unhalved))
    drawn = [{side: phone_measures(side, counts, prices) for side in SIDES} for counts in parts]
    for side in SIDES:
        found[side] = {name: np.concatenate([part[side][name] for part in drawn], axis=-1) for name in drawn[0][side]}
    return found


def phones(case: Case, settings: Entropy) -> Items:
    analysis, estimators = case.counted, dict.fromkeys(settings.estimators)
    prices = analysis.costs.with_gaps()[:-1, :-1]
    drawn = phone_draws(analysis.stack, analysis.resampling, analysis.counting, prices)
    parts = [_table(side, analysis, drawn[side], settings) for side in SIDES]
    parts[0] = parts[0].assign(nearest=[" ".join(row) for row in _nearest_phones(case)])
    declared = [column for column in declared_columns() if column.table == "phones"]
    of_estimators = [f"entropy_{name}" for name in estimators]
    order = [name for one in declared for name in (of_estimators if "<" in one.column else [one.column])]
    texts = {column.column: "" for column in declared if column.type == "text"}
    yield "phones", pd.concat(parts, ignore_index=True)[order].fillna(texts)


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


def _table(side: Given, analysis: AnalysedCorpus, drawn: Mapping[str, Floats], settings: Entropy) -> pd.DataFrame:
    """Return the phones of one side."""
    matrix, resampling, costs = analysis.matrix, analysis.resampling, analysis.costs
    clusters, same, pairs = analysis.clusters, matrix.same_symbol(), matrix.substitutions
    own, tokens = matrix.gold, matrix.tokens
    if side == "predicted":
        clusters, same, pairs = replace(clusters, turned=True), same.T, pairs.T
        own, tokens = matrix.predicted, matrix.predicted_tokens
    correct = np.where(same, pairs, 0.0).sum(axis=1)
    entropies = _entropies(clusters, drawn["entropy"], resampling)
    low, high = _ends(entropies)
    right = _clustered(np.pad(same, ((0, 1), (0, 1))), clusters, len(own))
    values: dict[str, Any] = {
        "side": [side] * len(own),
        "phone": list(own),
        "tokens": tokens.astype(np.int64),
        "correct": correct.astype(np.int64),
        "accuracy": divided(correct, tokens),
        "entropy": np.array([one.value for one in entropies]),
        "perplexity": np.array([2.0**one.value for one in entropies]),
    }
    limits = {
        "accuracy": share_limits(right, drawn["accuracy"], resampling),
        "entropy": (low, high),
        "perplexity": (2.0**low, 2.0**high),
    }
    if side == "gold":
        wrong, gap = np.where(same, 0.0, pairs), np.arange(len(matrix.predicted) + 1) == len(matrix.predicted)
        deleted = _clustered(np.tile(gap, (len(own) + 1, 1)), clusters, len(own))
        cost = divided((wrong * costs.with_gaps()[:-1, :-1]).sum(axis=1), wrong.sum(axis=1))
        values |= {
            "deletion_rate": divided(matrix.deletions, tokens),
            "confused_with": [" ".join(row) for row in top_confusions(matrix)],
            "mean_substitution_cost": cost,
        }
        limits["deletion_rate"] = share_limits(deleted, drawn["deletion_rate"], resampling)
        each = zip(cost.tolist(), drawn["mean_substitution_cost"], strict=True)
        limits["mean_substitution_cost"] = _ends(
            [estimate(mean, draws, resampling, kind="rate") for mean, draws in each]
        )
    for name, (low, high) in limits.items():
        values |= {f"{name}_low": low, f"{name}_high": high}
    for name in dict.fromkeys(settings.estimators):
        bits = confusion_entropy(matrix, name, side, settings.gaps, settings.support)
        values[f"entropy_{name}"] = bits.to_numpy()[: len(own)]  # without that of ∅
    few = [
        weakness(resampling, clusters=number) if resampling.replicates and number > 1 else ""
        for number in right.clusters.tolist()
    ]
    notes = [few, _notes(values, entropies, np.asarray(same.any(axis=1)), clusters)]
    constant = _without_limits(values) if resampling.number >= 2 and resampling.replicates else [""] * len(own)
    return pd.DataFrame({**values, "note": [joined(each) for each in zip(*notes, constant, strict=True)]})


def _ends(estimates: Sequence[Estimate]) -> Limits:
    low, high = np.array([(one.low, one.high) for one in estimates], dtype=np.float64).reshape(-1, 2).T
    return low, high


def _entropies(clusters: ClusterCells, drawn: Floats, resampling: Resampling) -> list[Estimate]:
    """Return each phone's corrected entropy in bits with its interval."""
    corrected, most = jackknifed_rows(clusters), math.log2(max(clusters.shape[1], 1))
    columns = corrected.value, corrected.error, corrected.clusters  # with gaps ∅ has a row, last
    rows = zip(drawn, *(column[: len(drawn)].tolist() for column in columns), strict=True)
    return [
        information_interval(value, of_phone, resampling, error=error, clusters=number, most=most)
        for of_phone, value, error, number in rows
    ]


def _clustered(event: Bools, clusters: ClusterCells, phones: int) -> ClusteredTokens:
    """Return each phone's tokens by cluster, and those that show an event, given by cell, [S + 1, O + 1]."""
    parts = [tuple(narrow(np.zeros(0)) for _ in range(3))]
    for part in replace(clusters, gaps=True).parts():
        row, sums = part.by_row(part.tokens, part.tokens * event[part.row, part.column])
        parts.append(tuple(narrow(values[row < phones]) for values in (row, *sums)))
    kind, tokens, events = (np.concatenate(part) for part in zip(*parts, strict=True))
    return ClusteredTokens(kind, tokens, events, phones)


def _notes(
    values: Mapping[str, Any], entropies: Sequence[Estimate], has_other: Bools, clusters: ClusterCells
) -> list[str]:
    """Return what weakens each phone's numbers: a symbol of one side alone, few tokens, no entropy to be trusted."""
    other, notes = {"gold": "predicted", "predicted": "gold"}, list[str]()
    few = f"fewer than {FEW_TOKENS} tokens: no estimate of the entropy is to be trusted"
    for phone, (bits, tokens) in enumerate(zip(entropies, clusters.table.sum(axis=1), strict=False)):  # ∅ is last
        alone = "" if has_other[phone] else f"no {other[values['side'][phone]]} phone has this symbol"
        why = joined(part for part in bits.note.split("; ") if part.startswith(_OF_ONE_PHONE))
        notes.append(joined([alone, few * bool(0 < tokens < FEW_TOKENS), f"entropy: {why}" if why else ""]))
    return notes


def _without_limits(values: Mapping[str, Any]) -> list[str]:
    """Return which numbers of each phone have no interval though there are replicates."""
    names = [name for name in values if f"{name}_low" in values and name not in _ENTROPIES]
    lacking = [~np.isnan(values[name]) & np.isnan(values[f"{name}_low"]) for name in names]
    alike = [[name for name, one in zip(names, row, strict=True) if one] for row in np.transpose(lacking)]
    return [f"no interval of {', '.join(own)}: the resampled values do not differ" * bool(own) for own in alike]


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

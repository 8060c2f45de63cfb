"""phones.tsv: what happened to each gold phone, and what each predicted phone stands for."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from phonxling.align.costs.named import is_feature_cost
from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.correspondence.lists import nearest_phones, top_confusions
from phonxling.analyses.correspondence.tau import correspondence_tau
from phonxling.analyses.information.entropy import Gaps, Given, Support, cells, confusion_entropy
from phonxling.analyses.phones.intervals import cost_limits, entropy_limits, share_limits, tau_limits
from phonxling.core.arrays import Floats, divided, whole
from phonxling.resample.estimators import refusal

_BOUNDED = ("deletion_rate", "perplexity", "tau", "mean_substitution_cost")
_AT_THE_END = (*(f"{name}_{end}" for name in _BOUNDED for end in ("low", "high")), "note")


def phone_table(analysis: AnalysedCorpus, estimators: Sequence[str], gaps: Gaps, support: Support) -> pd.DataFrame:
    """Return phones.tsv: each gold and each predicted phone with its accuracy, entropy and correspondences.

    For a predicted phone, accuracy is the share of its tokens that are right (precision). `deletion_rate`, `nearest`,
    `confused_with`, `tau` and `mean_substitution_cost` are of gold phones alone. An estimator that needs whole counts
    is missing where there are fractional ones; the summary says so. `note` tells of phones with too few tokens.
    """
    gold: dict[str, Any] = {**_both_sides(analysis, "gold", estimators, gaps, support), **_gold_side(analysis)}
    gold["note"] = [_with_unbounded(note, phone, gold, analysis) for phone, note in enumerate(gold["note"])]
    predicted = _both_sides(analysis, "predicted", estimators, gaps, support)
    order = [name for name in gold if name not in _AT_THE_END]
    return pd.concat([pd.DataFrame(gold), pd.DataFrame(predicted)], ignore_index=True)[[*order, *_AT_THE_END]].fillna(
        {"nearest": "", "confused_with": "", "note": ""}
    )


def _both_sides(
    analysis: AnalysedCorpus, side: Given, estimators: Sequence[str], gaps: Gaps, support: Support
) -> dict[str, object]:
    matrix, gold = analysis.matrix, side == "gold"
    labels = matrix.gold if gold else matrix.predicted
    tokens = matrix.tokens if gold else matrix.predicted_tokens
    correct = np.where(matrix.same_symbol(), matrix.substitutions, 0.0).sum(axis=1 if gold else 0)
    empty = np.full(len(labels), np.nan)
    bits = {
        name: empty
        if refusal(cells(matrix, side, gaps), name)
        else confusion_entropy(matrix, name, side, gaps, support).to_numpy()[: len(labels)]
        for name in {"ml": 0, **dict.fromkeys(estimators)}
    }
    right, bounds = share_limits(analysis, side, "correct"), entropy_limits(analysis, side, bits["ml"])
    return {
        "side": side,
        "phone": list(labels),
        "tokens": whole(np.round(tokens, 6)),  # sums of shares are whole up to rounding
        "correct": whole(correct),
        "accuracy": divided(correct, tokens),
        "accuracy_low": right[0],
        "accuracy_high": right[1],
        "deletion_rate": empty,
        "entropy": bits["ml"],
        "entropy_low": bounds[0],
        "entropy_high": bounds[1],
        **{f"entropy_{name}": values for name, values in bits.items() if name != "ml"},
        "perplexity": 2.0 ** bits["ml"],
        "perplexity_low": 2.0 ** bounds[0],
        "perplexity_high": 2.0 ** bounds[1],
        "note": bounds[2],
    }


def _gold_side(analysis: AnalysedCorpus) -> dict[str, object]:
    matrix, scoring = analysis.matrix, analysis.scoring
    deleted = share_limits(analysis, "gold", "deleted")
    tau = _tau(analysis)
    taus, cost = tau_limits(analysis, tau), _mean_cost(analysis)
    costs = cost_limits(analysis, cost)
    near = nearest_phones(scoring) if scoring.as_rate and is_feature_cost(scoring.name) else [[]] * len(matrix.gold)
    return {
        "deletion_rate": divided(matrix.deletions, matrix.tokens),
        "nearest": [" ".join(row) for row in near],
        "confused_with": [" ".join(row) for row in top_confusions(matrix)],
        "tau": tau,
        "mean_substitution_cost": cost,
        "deletion_rate_low": deleted[0],
        "deletion_rate_high": deleted[1],
        "tau_low": taus[0],
        "tau_high": taus[1],
        "mean_substitution_cost_low": costs[0],
        "mean_substitution_cost_high": costs[1],
    }


def _with_unbounded(note: str, phone: int, gold: Mapping[str, Any], analysis: AnalysedCorpus) -> str:
    """Return a gold phone's note with the names of its numbers that resampling could give no interval."""
    if analysis.resampling.number < 2 or not analysis.resampling.replicates:
        return note
    alike = [
        name
        for name in ("tau", "mean_substitution_cost")
        if not np.isnan(gold[name][phone]) and np.isnan(gold[f"{name}_low"][phone])
    ]
    said = f"no interval of {', '.join(alike)}: the resampled values do not differ" if alike else ""
    return "; ".join(filter(None, [note, said]))


def _tau(analysis: AnalysedCorpus) -> Floats:
    if analysis.weighed.learned or not analysis.scoring.as_rate:
        return np.full(len(analysis.matrix.gold), np.nan)
    return correspondence_tau(analysis.matrix, analysis.scoring)[0]


def _mean_cost(analysis: AnalysedCorpus) -> Floats:
    counts = np.where(analysis.matrix.same_symbol(), 0.0, analysis.matrix.substitutions)
    paid = (counts * analysis.cell_costs[:-1, :-1]).sum(axis=1)
    return divided(paid, counts.sum(axis=1))

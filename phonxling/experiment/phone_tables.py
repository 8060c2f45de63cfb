"""phones.tsv: what happened to each gold phone, and what each predicted phone stands for."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.alignment.costs import is_feature_cost
from phonxling.experiment.analysis import Analysis
from phonxling.experiment.tables import share, whole
from phonxling.measure.correspondence import correspondence_tau, nearest_phones, top_confusions
from phonxling.measure.entropy import Gaps, Given, Support, cells, confusion_entropy, perplexity
from phonxling.measure.estimators import refusal

Floats = NDArray[np.float64]


def phone_table(analysis: Analysis, estimators: Sequence[str], gaps: Gaps, support: Support) -> pd.DataFrame:
    """Return phones.tsv: each gold and each predicted phone with its accuracy, entropy and correspondences.

    For a predicted phone, accuracy is the share of its tokens that are right (precision). `deletion_rate`, `nearest`,
    `confused_with`, `tau` and `mean_substitution_cost` are of gold phones alone. An estimator that needs whole counts
    is missing where there are fractional ones; the summary says so.
    """
    gold = {**_both_sides(analysis, "gold", estimators, gaps, support), **_gold_side(analysis)}
    predicted = _both_sides(analysis, "predicted", estimators, gaps, support)
    return pd.concat([pd.DataFrame(gold), pd.DataFrame(predicted)], ignore_index=True)[list(gold)].fillna(
        {"nearest": "", "confused_with": ""}
    )


def _both_sides(
    analysis: Analysis, side: Given, estimators: Sequence[str], gaps: Gaps, support: Support
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
    return {
        "side": side,
        "phone": list(labels),
        "tokens": whole(np.round(tokens, 6)),  # sums of shares are whole up to rounding
        "correct": whole(correct),
        "accuracy": share(correct, tokens),
        "accuracy_low": empty,
        "accuracy_high": empty,
        "deletion_rate": empty,
        "entropy": bits["ml"],
        "entropy_low": empty,
        "entropy_high": empty,
        **{f"entropy_{name}": values for name, values in bits.items() if name != "ml"},
        "perplexity": [perplexity(value) for value in bits["ml"]],
    }


def _gold_side(analysis: Analysis) -> dict[str, object]:
    matrix, scoring = analysis.matrix, analysis.scoring
    near = nearest_phones(scoring) if scoring.as_rate and is_feature_cost(scoring.name) else [[]] * len(matrix.gold)
    return {
        "deletion_rate": share(matrix.deletions, matrix.tokens),
        "nearest": [" ".join(row) for row in near],
        "confused_with": [" ".join(row) for row in top_confusions(matrix)],
        "tau": np.full(len(matrix.gold), np.nan)
        if analysis.weighed.learned or not scoring.as_rate
        else correspondence_tau(matrix, scoring)[0],
        "mean_substitution_cost": _mean_cost(analysis),
    }


def _mean_cost(analysis: Analysis) -> Floats:
    counts = np.where(analysis.matrix.same_symbol(), 0.0, analysis.matrix.substitutions)
    paid = (counts * analysis.cell_costs[:-1, :-1]).sum(axis=1)
    return share(paid, counts.sum(axis=1))

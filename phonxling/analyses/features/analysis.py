"""What became of each phonological feature: features.tsv."""

import numpy as np
import pandas as pd

from phonxling.alignment.costs.features import substitution_parts
from phonxling.alignment.costs.named import is_feature_cost
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.features.errors import cost_shares, feature_errors
from phonxling.analyses.features.transfer import feature_transfer, feature_values, relative_transfer
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.estimate import Estimate
from phonxling.core.phonology.features import FeatureTable
from phonxling.resample.estimators import refusal
from phonxling.resample.intervals import estimate
from phonxling.resample.replicates import over_replicates
from phonxling.settings.sections import Alignment

CORRECTED = "grassberger"  # of the estimators in docs/measures/features.md, the one that takes most of the bias off


def features(case: Case, settings: Alignment) -> Items:
    """Yield features.tsv: each feature's errors, its share of the weighted rate, and the information transferred.

    Rows for deletions, insertions, and phones without features (where there are some) have the rest of the weighted
    rate: `share_of_wper` sums to 1, and is missing where costs do not come from features. `transfer` is the share of
    the gold feature's entropy that comes through, `transfer_sinfa` the same with the features before it in
    `sinfa_order` held, over pairs of phones with features; empty for a feature without entropy.
    """
    table, matrix = case.features, case.counted.matrix
    errors, shares = feature_errors(matrix, table), _shares(case, settings.tone_weight)
    known = _with_features(matrix, table)
    at_once = feature_transfer(known, table).set_index("feature")
    sequential = feature_transfer(known, table, sequential=True).reset_index().set_index("feature")
    columns = {
        **{name: errors[name] for name in ("changed", "plus_to_minus", "minus_to_plus")},
        "share_of_wper": shares,
        "transfer": at_once["relative"],
        "transfer_sinfa": sequential["relative"],
        "from_zero": errors["from_zero"],
        "to_zero": errors["to_zero"],
        "entropy": at_once["entropy"],
        "sinfa_order": sequential.loc[sequential["relative"].notna(), "index"] + 1,
        "substitutions": errors["substitutions"],
        **_uncertain(case, known),
    }
    rows = [name for name in shares.index if name in table.features or shares[name] != 0]
    yield "features", pd.DataFrame(columns).reindex(rows).rename_axis("feature").reset_index().fillna({"note": ""})


def _uncertain(case: Case, known: ConfusionMatrix) -> dict[str, pd.Series]:
    """Return the interval of each feature's transfer, the estimate for few tokens, and the transfer with deletions.

    The interval is that of the corrected estimate ± t times the resampled standard error, within [0, 1]; of fractional
    counts, which have no such correction, that of the draws' bias.
    """
    counted, table = case.counted, case.features
    counts, values = counted.matrix.counts, feature_values(counted.matrix.gold, counted.matrix.predicted, table)
    whole = not refusal(counts, CORRECTED)
    transfer = relative_transfer(values.collapse(counts))
    corrected = np.full(len(transfer), np.nan)
    if whole:
        corrected = feature_transfer(known, table, estimator=CORRECTED)["relative"].to_numpy()
    drawn = over_replicates(counted.stack, counted.resampling, lambda some: relative_transfer(values.collapse(some)))
    estimates = [
        estimate(centre if whole else value, draws, counted.resampling, biased=not whole).within(0, 1)
        for value, draws, centre in zip(transfer, drawn, corrected, strict=True)
    ]
    columns = {
        "transfer_low": [number.low for number in estimates],
        "transfer_high": [number.high for number in estimates],
        "transfer_corrected": np.where(np.isnan(transfer), np.nan, corrected),
        "transfer_with_deletions": relative_transfer(values.collapse(counts, deletions=True)),
        "note": [_note(number, known) for number in estimates],
    }
    return {name: pd.Series(column, index=list(table.features)) for name, column in columns.items()}


def _note(transfer: Estimate, known: ConfusionMatrix) -> str:
    if not np.isnan(transfer.value):
        return transfer.note
    return "no gold phone differs in it" if len(known.gold) else "no gold phone has features"


def _shares(case: Case, tone_weight: float) -> pd.Series:
    """Return each feature's share of the weighted rate; NaN where the scoring costs do not come from features."""
    scoring, table = case.counted.scoring, case.features
    if not (is_feature_cost(scoring.name) and scoring.as_rate):
        return pd.Series(np.nan, index=list(table.features))
    parts = substitution_parts(scoring.name, scoring.gold, scoring.predicted, table, tone_weight)
    return cost_shares(case.counted.matrix, parts, scoring.with_gaps(), table.features)


def _with_features(matrix: ConfusionMatrix, table: FeatureTable) -> ConfusionMatrix:
    """Return the counts of pairs of phones that have features."""
    sides = matrix.gold, matrix.predicted
    known = [table.vectors(side)[1] for side in sides]
    gold, predicted = (np.array(side.phones, object)[own] for side, own in zip(sides, known, strict=True))
    return ConfusionMatrix(gold, predicted, matrix.substitutions[np.ix_(*known)])

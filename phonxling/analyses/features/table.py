"""features.tsv: what became of each phonological feature."""

import numpy as np
import pandas as pd

from phonxling.align.costs.features import substitution_parts
from phonxling.align.costs.named import is_feature_cost
from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.features.errors import cost_shares, feature_errors
from phonxling.analyses.features.transfer import feature_transfer
from phonxling.analyses.features.transfer_replicates import feature_values, relative_transfer
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.phonology.features import FeatureTable
from phonxling.resample.bootstrap import estimate, replicate_values
from phonxling.resample.estimators import refusal

CORRECTED = "grassberger"  # of the estimators compared in docs/measures.md, the one that takes most of the bias off
_NO_FEATURES = "no gold phone has features"


def feature_table(analysis: AnalysedCorpus, table: FeatureTable, tone_weight: float) -> pd.DataFrame:
    """Return features.tsv: each feature's errors, its share of the weighted rate, and the information transferred.

    Rows for deletions, insertions, and phones without features (where there are some) have the rest of the weighted
    rate: `share_of_wper` sums to 1, and is missing where costs do not come from features. `transfer` is the share of
    the gold feature's entropy that comes through, `transfer_sinfa` the same with the features before it in
    `sinfa_order` held, over pairs of phones with features; empty for a feature without entropy.
    """
    errors = feature_errors(analysis.matrix, table)
    shares = _shares(analysis, table, tone_weight)
    known = _with_features(analysis.matrix, table)
    at_once = feature_transfer(known, table).set_index("feature")
    held = feature_transfer(known, table, sequential=True).reset_index().set_index("feature")
    told = held["relative"].notna()
    columns = {
        **{name: errors[name] for name in ("changed", "plus_to_minus", "minus_to_plus")},
        "share_of_wper": shares,
        "transfer": at_once["relative"],
        "transfer_sinfa": held["relative"],
        "from_zero": errors["from_zero"],
        "to_zero": errors["to_zero"],
        "entropy": at_once["entropy"],
        "sinfa_order": held.loc[told, "index"] + 1,
        "substitutions": errors["substitutions"],
        **_uncertain(analysis, known, table),
    }
    rows = [name for name in shares.index if name in table.features or shares[name] != 0]
    return pd.DataFrame(columns).reindex(rows).rename_axis("feature").reset_index().fillna({"note": ""})


def _uncertain(analysis: AnalysedCorpus, known: ConfusionMatrix, table: FeatureTable) -> dict[str, pd.Series]:
    """Return the interval of each feature's transfer, the estimate for few tokens, and the transfer with deletions.

    The interval is that of the corrected estimate ± z times the resampled standard error, within [0, 1]; of fractional
    counts, which have no such correction, the basic bootstrap's.
    """
    matrix, draws = analysis.matrix, analysis.resampling
    blank = not table.vectors(matrix.gold)[1].any()
    values = feature_values(matrix.gold, matrix.predicted, table)
    plain = relative_transfer(values.collapse(matrix.counts))
    whole = not refusal(matrix.counts, CORRECTED)
    correct = np.full(len(plain), np.nan)
    if whole:
        correct = feature_transfer(known, table, estimator=CORRECTED)["relative"].to_numpy()
    drawn = replicate_values(analysis.stack, draws, lambda counts: relative_transfer(values.collapse(counts)))
    found = [
        estimate(value, replicates, draws, "normal" if whole else "basic", centre=centre)
        for value, replicates, centre in zip(plain, drawn.reshape(-1, len(plain)).T, correct, strict=True)
    ]
    columns = {
        "transfer_low": [np.clip(one.low, 0.0, 1.0) for one in found],
        "transfer_high": [np.clip(one.high, 0.0, 1.0) for one in found],
        "transfer_corrected": np.where(np.isnan(plain), np.nan, correct),
        "transfer_with_deletions": relative_transfer(values.collapse(matrix.counts, deletions=True)),
        "note": [
            (_NO_FEATURES if blank else "no gold phone differs in it") * bool(np.isnan(one.value)) or one.note
            for one in found
        ],
    }
    return {name: pd.Series(column, index=list(table.features)) for name, column in columns.items()}


def _shares(analysis: AnalysedCorpus, table: FeatureTable, tone_weight: float) -> pd.Series:
    name, scoring = analysis.scoring.name, analysis.scoring
    if not (is_feature_cost(name) and scoring.as_rate):
        return pd.Series(np.nan, index=list(table.features))
    parts = substitution_parts(name, scoring.gold, scoring.predicted, table, tone_weight)
    return cost_shares(analysis.matrix, parts, scoring.with_gaps(), table.features)


def _with_features(matrix: ConfusionMatrix, table: FeatureTable) -> ConfusionMatrix:
    """Return the counts of pairs of phones that have features."""
    gold, predicted = (table.vectors(side)[1] for side in (matrix.gold, matrix.predicted))
    rows, columns = (
        [phone for phone, known in zip(side, there, strict=True) if known]
        for side, there in ((matrix.gold, gold), (matrix.predicted, predicted))
    )
    return ConfusionMatrix(rows, columns, matrix.substitutions[np.ix_(gold, predicted)])

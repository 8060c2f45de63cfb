"""Errors by feature, features.tsv: which values change when a phone is taken for another, and in which direction.

Conventions
-----------
Only substituted pairs count, two different symbols of which both have features; N is their number. A value is +1, 0
(unspecified) or −1. Shares of the cost are of the total cost of all edits, insertions and deletions included.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import pdist

from phonxling.alignment.costs import is_feature_cost, substitution_parts
from phonxling.analyses.case import Case, Items
from phonxling.analyses.feature_transfer import feature_transfer, feature_values, relative_transfer
from phonxling.analyses.fitting import attested
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.features import FeatureTable
from phonxling.resample.estimators import refusal
from phonxling.resample.intervals import estimate
from phonxling.resample.replicates import over_replicates
from phonxling.settings.models import Alignment

REST = ("deletions", "insertions", "phones without features")
CORRECTED = "grassberger"  # of the estimators in docs/measures/features.md, the one that takes most of the bias off


def feature_errors(matrix: ConfusionMatrix, table: FeatureTable) -> pd.DataFrame:
    """Return how often each feature's value changed over the substituted pairs, and in which direction."""
    (gold, known_gold), (predicted, known_predicted) = table.vectors(matrix.gold), table.vectors(matrix.predicted)
    counted = ~matrix.same_symbol() & known_gold[:, None] & known_predicted[None, :]
    counts = np.where(counted, matrix.substitutions, 0.0)
    number = counts.sum()
    before, after = gold[:, None, :], predicted[None, :, :]
    moves = {
        "changed": before != after,
        "plus_to_minus": (before > 0) & (after < 0),
        "minus_to_plus": (before < 0) & (after > 0),
        "from_zero": (before == 0) & (after != 0),
        "to_zero": (before != 0) & (after == 0),
    }
    shares = {name: divided(np.tensordot(counts, moved, axes=2), number) for name, moved in moves.items()}
    return pd.DataFrame({"substitutions": number, **shares}, index=pd.Index(table.features, name="feature"))


def cost_shares(matrix: ConfusionMatrix, parts: Floats, costs: Floats, features: tuple[str, ...]) -> pd.Series:
    """Return each feature's share of the total cost, and those of gaps and of phones without features."""
    paid = matrix.counts * costs
    by_feature = np.tensordot(matrix.substitutions, parts, axes=2)
    deleted, inserted = paid[:-1, -1].sum(), paid[-1, :-1].sum()
    rest = np.array([deleted, inserted, paid[:-1, :-1].sum() - by_feature.sum()])
    rest[np.abs(rest) < 1e-9 * max(paid.sum(), 1e-300)] = 0.0  # what is left is rounding where all have features
    shares = divided(np.append(by_feature, rest), paid.sum())
    return pd.Series(shares, index=pd.Index([*features, *REST], name="feature"))


def features(case: Case, settings: Alignment) -> Items:
    """Yield features.tsv: each feature's errors, its share of the weighted rate, and the information transferred."""
    table, matrix, scoring = case.features, case.counted.matrix, case.counted.scoring
    errors, sides = feature_errors(matrix, table), (matrix.gold, matrix.predicted)
    shares = pd.Series(np.nan, index=list(table.features))
    if is_feature_cost(scoring.name) and scoring.as_rate:
        parts = substitution_parts(
            scoring.name, *sides, table, settings.tone_weight, within=attested(case.counted.corpus)
        )
        shares = cost_shares(matrix, parts, scoring.with_gaps(), table.features)
    having = [table.vectors(side)[1] for side in sides]
    gold, predicted = (np.array(side.phones, object)[own] for side, own in zip(sides, having, strict=True))
    known = ConfusionMatrix(gold, predicted, matrix.substitutions[np.ix_(*having)])
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


def _uncertain(case: Case, known: ConfusionMatrix) -> pd.DataFrame:
    """Return the interval of each feature's transfer, the estimate for few tokens, and the transfer with deletions."""
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
    none = "no gold phone differs in it" if len(known.gold) else "no gold phone has features"
    columns = {
        "transfer_low": [number.low for number in estimates],
        "transfer_high": [number.high for number in estimates],
        "transfer_corrected": np.where(np.isnan(transfer), np.nan, corrected),
        "transfer_with_deletions": relative_transfer(values.collapse(counts, deletions=True)),
        "note": [none if np.isnan(number.value) else number.note for number in estimates],
    }
    return pd.DataFrame(columns, index=list(table.features))


def order_rows(profiles: Floats) -> NDArray[np.intp]:
    """Return the order of rows that puts similar profiles side by side."""
    if len(profiles) < 3:
        return np.arange(len(profiles))
    roots = np.sqrt(np.clip(np.nan_to_num(profiles), 0, None))
    leaves = leaves_list(linkage(pdist(roots), method="average", optimal_ordering=True))
    return np.asarray(leaves if leaves[0] < leaves[-1] else leaves[::-1], dtype=np.intp)


def by_features(phones: Sequence[str], vectors: Mapping[str, Floats]) -> list[str]:
    """Return the phones, each once, so that those of like features are neighbours; those without features come last."""
    known = [phone for phone in dict.fromkeys(phones) if phone in vectors]
    rows = np.array([vectors[phone] for phone in known])
    # the Hellinger distance of 0 and 1 is the square root of how many differ: − as one column, + as another
    ordered = order_rows(np.hstack([rows < 0, rows > 0]).astype(float)) if known else range(0)
    return [*(known[place] for place in ordered), *(phone for phone in dict.fromkeys(phones) if phone not in vectors)]

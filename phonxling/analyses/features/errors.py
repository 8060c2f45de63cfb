"""Errors by feature: which feature values change when a phone is taken for another, and in which direction.

Conventions
-----------
Only substituted pairs count, two different symbols of which both have features; N is their number. A value is +1, 0
(unspecified) or −1. Shares of the cost are of the total cost of all edits, insertions and deletions included.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.phonology.features import FeatureTable

REST = ("deletions", "insertions", "phones without features")


def feature_errors(matrix: ConfusionMatrix, table: FeatureTable) -> pd.DataFrame:
    """Return how often each feature's value changed over the substituted pairs, and in which direction.

    Returns
    -------
    DataFrame
        By feature: `substitutions` (N), and the shares of N in which the value `changed`, went `plus_to_minus`,
        `minus_to_plus`, `from_zero` and `to_zero`, in [0, 1]; these four sum to `changed`. NaN where N is 0.

    Examples
    --------
    Three of four wrong tokens lost their voice, the other is a vowel taken for another:

    >>> toy = FeatureTable(name="toy", digest="", features=("voi", "hi"), segments=("p", "b", "a", "i"),
    ...                    values=[[-1, 0], [1, 0], [1, -1], [1, 1]], weights={})
    >>> m = ConfusionMatrix(["b", "a"], ["p", "b", "i"], [[3, 5, 0], [0, 0, 1]])
    >>> feature_errors(m, toy)[["changed", "plus_to_minus", "minus_to_plus"]].to_numpy().tolist()
    [[0.75, 0.75, 0.0], [0.25, 0.0, 0.25]]
    """
    gold, predicted, counts = _substituted(matrix, table)
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
    """Return each feature's share of the total cost, and those of gaps and of phones without features; they sum to 1.

    `parts` [G, P, F] is what each feature adds to each substitution's cost, and `costs` [G + 1, P + 1] are all costs,
    ∅ last. NaN when nothing costs anything.
    """
    paid = matrix.counts * costs
    by_feature = np.tensordot(matrix.substitutions, parts, axes=2)
    deleted, inserted = paid[:-1, -1].sum(), paid[-1, :-1].sum()
    rest = np.array([deleted, inserted, paid[:-1, :-1].sum() - by_feature.sum()])
    rest[np.abs(rest) < 1e-9 * max(paid.sum(), 1e-300)] = 0.0  # what is left is rounding where all have features
    shares = divided(np.append(by_feature, rest), paid.sum())
    return pd.Series(shares, index=pd.Index([*features, *REST], name="feature"))


def _substituted(matrix: ConfusionMatrix, table: FeatureTable) -> tuple[NDArray[np.int8], NDArray[np.int8], Floats]:
    (gold, known_gold), (predicted, known_predicted) = table.vectors(matrix.gold), table.vectors(matrix.predicted)
    counted = ~matrix.same_symbol() & known_gold[:, None] & known_predicted[None, :]
    return gold, predicted, np.where(counted, matrix.substitutions, 0.0)

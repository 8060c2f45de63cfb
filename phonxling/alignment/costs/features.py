"""Costs from phonological features, as exact integers over a denominator.

f is a phone's vector of F ternary features; a phone without features costs 0 to itself and 1 to everything else.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import ConfigurationError
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import TONE_FEATURES, FeatureTable
from phonxling.core.phonology.tone import split_tone

Integers = NDArray[np.int64]
TONE_WEIGHT = 1.0  # of each tone feature; panphon's file gives them none
RELEASE = "panphon-weighted-0.22.2"
_RELEASED = (22, 24)  # its weights and features


def feature_numerators(
    name: str, gold: Inventory, predicted: Inventory, table: FeatureTable, tone_weight: float | Fraction
) -> tuple[Integers, int]:
    """Return what substitutions cost under the feature costs of a name: integers [G, P] and their denominator."""
    (first, known_gold), (second, known_predicted) = table.vectors(gold), table.vectors(predicted)
    difference = np.abs(first[:, None, :].astype(np.int64) - second[None, :, :])
    if name == "panphon-hamming":
        costs, denominator, most = (difference > 0).sum(axis=2), len(table.features), len(table.features)
    elif name == RELEASE:
        weights, unit = _by_position(table)
        costs, denominator, most = difference @ weights, unit, int(weights.sum())
    else:
        weights = _weights(name, table, [*gold, *predicted], tone_weight)
        costs, denominator = difference @ weights, 2 * int(weights.sum())
        most = denominator
    different = np.array([[g != p for p in predicted] for g in gold], dtype=np.int64).reshape(difference.shape[:2])
    known = known_gold[:, None] & known_predicted[None, :]
    exact = np.where(known, costs, most * different)
    shared = math.gcd(denominator, *(int(cost) for cost in np.unique(exact)))
    return exact // shared, denominator // shared


def substitution_parts(
    name: str, gold: Inventory, predicted: Inventory, table: FeatureTable, tone_weight: float | Fraction = TONE_WEIGHT
) -> NDArray[np.float64]:
    """Return what each feature adds to the cost of each substitution, [G, P, F]; 0 for phones without features.

    Over pairs of phones with features the parts sum to the costs of `feature_numerators`.
    """
    (first, known_gold), (second, known_predicted) = table.vectors(gold), table.vectors(predicted)
    difference = np.abs(first[:, None, :].astype(np.int64) - second[None, :, :])
    if name == "panphon-hamming":
        parts = (difference > 0) / len(table.features)
    elif name == RELEASE:
        weights, unit = _by_position(table)
        parts = difference * (weights / unit)
    else:
        weights = _weights(name, table, [*gold, *predicted], tone_weight)
        parts = difference * (weights / (2 * weights.sum()))
    return np.asarray(np.where((known_gold[:, None] & known_predicted[None, :])[:, :, None], parts, 0.0))


def release_gap(table: FeatureTable) -> Fraction:
    """Return what panphon 0.22.2 takes for any insertion or deletion in its weighted distance: the sum of its weights.

    7.25 with its own file.
    """
    weights, unit = _by_position(table)
    return Fraction(int(weights.sum()), unit)


def _weights(name: str, table: FeatureTable, phones: list[str], tone_weight: float | Fraction) -> Integers:
    """Return weights by feature as integers of one unit; unweighted tone counts only where a phone has it attached."""
    if name == "panphon":
        return np.ones(len(table.features), dtype=np.int64)
    toned = any(split_tone(phone)[1] for phone in phones)
    tone = Fraction(str(tone_weight)) if toned else Fraction(0)
    weights = {**dict.fromkeys(TONE_FEATURES, tone), **table.weights}
    if missing := [feature for feature in table.features if feature not in weights]:
        msg = f"the costs '{name}' need weights, and the feature table {table.name} has none for {', '.join(missing)}"
        raise ConfigurationError(f"{msg}; add a row 'weight' to it, or use panphon or panphon-hamming")
    return _whole([Fraction(str(weights[feature])) for feature in table.features])[0]


def _by_position(table: FeatureTable) -> tuple[Integers, int]:
    """Return panphon's weights in the order of its file against the features in the order of the table.

    That is how release 0.22.2 joins them: the two orders differ, and the last two features get no weight.
    """
    weights = [Fraction(str(weight)) for weight in table.weights.values()]
    if (len(weights), len(table.features)) != _RELEASED:
        msg = f"the costs '{RELEASE}' are those of panphon's own features and weights, not of {table.name}"
        raise ConfigurationError(f"{msg}; use panphon-weighted")
    return _whole([*weights, *[Fraction(0)] * (len(table.features) - len(weights))])


def _whole(weights: list[Fraction]) -> tuple[Integers, int]:
    unit = math.lcm(*(weight.denominator for weight in weights))
    return np.array([int(weight * unit) for weight in weights], dtype=np.int64), unit

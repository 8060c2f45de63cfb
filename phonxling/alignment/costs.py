"""Cost tables by name, as exact integers over their least common denominator.

Conventions
-----------
f is a phone's vector of F ternary features; a phone without features costs 0 to itself and 1 to everything else.

- `panphon`: c(p→q) = Σ |f_p − f_q| / 2F, the mean over features; 1 − feature similarity. In [0, 1].
- `panphon-weighted`: Σ w |f_p − f_q| / 2Σw, weights joined to features by name. In [0, 1].
- `panphon-hamming`: the share of features whose values differ. In [0, 1].
- `unit`: 0 for the same symbol, else 1 (Levenshtein 1966).
- `sclite`: same symbol 0, substitution 4, insertion and deletion 3 (NIST SCTK).
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from phonxling.core.costs import CostTable, Ties
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.features import TONE_FEATURES, FeatureTable
from phonxling.core.inventory import Inventory

Integers = NDArray[np.int64]
Gap = float | Fraction | None
TONE_WEIGHT = 1.0  # of each tone feature; panphon's file gives them none


@dataclass(frozen=True, slots=True)
class _Kind:
    gap: int
    ties: Ties
    features: bool
    as_rate: bool = True


KINDS = {
    "panphon": _Kind(1, "identical", True),
    "panphon-weighted": _Kind(1, "identical", True),
    "panphon-hamming": _Kind(1, "identical", True),
    "unit": _Kind(1, "nist", False),
    "sclite": _Kind(3, "nist", False, as_rate=False),
}


def cost_table(
    name: str,
    gold: Inventory,
    predicted: Inventory,
    table: FeatureTable | None,
    *,
    insertion: Gap = None,
    deletion: Gap = None,
    ties: Ties | None = None,
) -> CostTable:
    """Return the named costs between two inventories; gaps and ties default to those of the costs.

    Raises
    ------
    ConfigurationError
        If no costs have that name, or a gap cost is negative or not finite.
        If weighted costs are asked for and the table lacks weights.
    DataError
        If feature costs are asked for and no phone at all has features (raw symbols).
        If the costs do not fit 32 bits over their common denominator.
    """
    if name not in KINDS:
        raise ConfigurationError(f"no costs are called '{name}'; there are: {', '.join(KINDS)}")
    kind = KINDS[name]
    values, denominator = _substitutions(name, gold, predicted, table)
    gaps = [_gap(insertion, kind.gap, "insertion"), _gap(deletion, kind.gap, "deletion")]
    common = math.lcm(denominator, *(gap.denominator for gap in gaps))
    into, out = (int(gap * common) for gap in gaps)
    scaled = values * (common // denominator)
    if max(into, out, int(scaled.max(initial=0))) > np.iinfo(np.int32).max:
        msg = f"the gap costs {gaps[0]} and {gaps[1]} need the denominator {common}, too large for 32 bits"
        raise DataError(f"{msg}; give fewer decimals")
    return CostTable(
        gold=gold,
        predicted=predicted,
        substitution=scaled.astype(np.int32),
        deletion=np.full(len(gold), out, dtype=np.int32),
        insertion=np.full(len(predicted), into, dtype=np.int32),
        denominator=common,
        name=name,
        ties=ties or kind.ties,
        as_rate=kind.as_rate,
    )


def _gap(value: Gap, default: int, what: str) -> Fraction:
    if value is None:
        return Fraction(default)
    if not math.isfinite(value) or value < 0:
        raise ConfigurationError(f"the {what} cost must be a finite number ≥ 0, not {value}")
    return Fraction(str(value))


def _substitutions(
    name: str, gold: Inventory, predicted: Inventory, table: FeatureTable | None
) -> tuple[Integers, int]:
    different = np.array([[g != p for p in predicted] for g in gold], dtype=np.int64).reshape(len(gold), len(predicted))
    if name == "unit":
        return different, 1
    if name == "sclite":
        return 4 * different, 1
    if table is None:
        raise DataError(f"the costs '{name}' need phonological features, and raw symbols have none; use unit or sclite")
    return _feature_costs(name, gold, predicted, table, different)


def _feature_costs(
    name: str, gold: Inventory, predicted: Inventory, table: FeatureTable, different: Integers
) -> tuple[Integers, int]:
    (first, known_gold), (second, known_predicted) = table.vectors(gold), table.vectors(predicted)
    difference = np.abs(first[:, None, :].astype(np.int64) - second[None, :, :])
    known = known_gold[:, None] & known_predicted[None, :]
    if name == "panphon-hamming":
        costs, denominator = (difference > 0).sum(axis=2), len(table.features)
    else:
        weights = _weights(name, table, np.concatenate([first, second]))
        costs, denominator = difference @ weights, 2 * int(weights.sum())
    exact = np.where(known, costs, denominator * different)
    shared = math.gcd(denominator, *(int(cost) for cost in np.unique(exact)))
    return exact // shared, denominator // shared


def _weights(name: str, table: FeatureTable, vectors: NDArray[np.int8]) -> Integers:
    """Return weights by feature as integers of one unit; unweighted tone counts only where a phone has it attached."""
    if name == "panphon":
        return np.ones(len(table.features), dtype=np.int64)
    tones = [place for place, feature in enumerate(table.features) if feature in TONE_FEATURES]
    tone = TONE_WEIGHT if vectors[:, tones].any() else 0.0
    given = {**dict.fromkeys(TONE_FEATURES, tone), **table.weights}
    if missing := [feature for feature in table.features if feature not in given]:
        msg = f"the costs '{name}' need weights, and the feature table {table.name} has none for {', '.join(missing)}"
        raise ConfigurationError(f"{msg}; add a row 'weight' to it, or use panphon or panphon-hamming")
    weights = [Fraction(str(given[feature])) for feature in table.features]
    unit = math.lcm(*(weight.denominator for weight in weights))
    return np.array([int(weight * unit) for weight in weights], dtype=np.int64)


def is_feature_cost(name: str) -> bool:
    """Return whether costs of this name come from phonological features."""
    return name in KINDS and KINDS[name].features

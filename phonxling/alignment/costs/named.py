"""Cost tables by name, as exact integers over their least common denominator.

Conventions
-----------
f is a phone's vector of F ternary features; a phone without features costs 0 to itself and 1 to everything else.

- `panphon`: c(p→q) = Σ |f_p − f_q| / 2F, the mean over features; 1 − feature similarity. In [0, 1].
- `panphon-weighted`: Σ w |f_p − f_q| / 2Σw, weights joined to features by name. In [0, 1].
- `panphon-weighted-0.22.2`: Σ w |f_p − f_q|, weights joined to features by position, as panphon 0.22.2 does (tense,
  long and velaric change places, tone has no weight); gaps, and phones without features, cost Σw = 7.25. In [0, 14.5].
- `panphon-hamming`: the share of features whose values differ. In [0, 1].
- `unit`: 0 for the same symbol, else 1 (Levenshtein 1966).
- `sclite`: same symbol 0, substitution 4, insertion and deletion 3 (NIST SCTK).

Costs of a user's own are in `tables`, costs learned from the data in `learned`.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.costs.assembly import Gap, assemble
from phonxling.alignment.costs.exact import fractions_of
from phonxling.alignment.costs.features import RELEASE, TONE_WEIGHT, feature_numerators, release_gap
from phonxling.core.costs import CostTable, Ties
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import FeatureTable

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Kind:
    gap: int | None  # None: the feature table's own
    ties: Ties
    features: bool
    as_rate: bool = True


KINDS = {
    "panphon": _Kind(1, "identical", True),
    "panphon-weighted": _Kind(1, "identical", True),
    RELEASE: _Kind(None, "identical", True),
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
    tone_weight: float | Fraction = TONE_WEIGHT,
) -> CostTable:
    """Return the named costs between two inventories; gaps and ties default to those of the costs.

    Raises
    ------
    ConfigurationError
        If no costs have that name, or a gap cost is negative or not finite.
        If weighted costs are asked for and the table lacks weights.
    DataError
        If feature costs are asked for and no phone at all has features (raw symbols).
        If a table of gap costs lacks a phone, or a cost is too large for 32 bits.
    """
    if name not in KINDS:
        raise ConfigurationError(f"no costs are called '{name}'; there are: {', '.join(KINDS)}")
    kind = KINDS[name]
    values = fractions_of(*_substitutions(name, gold, predicted, table, tone_weight))
    own = release_gap(table) if kind.gap is None and table is not None else Fraction(kind.gap or 0)
    return assemble(
        name,
        (gold, predicted),
        (values, np.full(len(gold), own, dtype=object), np.full(len(predicted), own, dtype=object)),
        (deletion, insertion),
        ties or kind.ties,
        as_rate=kind.as_rate,
    )


def _substitutions(
    name: str, gold: Inventory, predicted: Inventory, table: FeatureTable | None, tone_weight: float | Fraction
) -> tuple[Integers, int]:
    different = np.array([[g != p for p in predicted] for g in gold], dtype=np.int64).reshape(len(gold), len(predicted))
    if name == "unit":
        return different, 1
    if name == "sclite":
        return 4 * different, 1
    if table is None:
        raise DataError(f"the costs '{name}' need phonological features, and raw symbols have none; use unit or sclite")
    return feature_numerators(name, gold, predicted, table, tone_weight)


def is_feature_cost(name: str) -> bool:
    """Return whether costs of this name come from phonological features."""
    return name in KINDS and KINDS[name].features

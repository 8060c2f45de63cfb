"""Which phone of the reference language a target's phone is compared with, and which phone is nearest to another.

By its symbol, as a user's table says, or the nearest by features within a distance.
"""

import math
from pathlib import Path

import numpy as np

from phonxling.core.arrays import Floats, nearest_first, same_symbols
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import cost_table
from phonxling.core.errors import DataError, join_problems
from phonxling.core.features import FeatureTable, chart_steps
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.spelling import canonical
from phonxling.load.resources import load_same_phones
from phonxling.settings.models import Expected

ROUNDING = 1e-9  # a distance of 1/24 is no exact float


def counterparts(
    target: ConfusionMatrix, reference: ConfusionMatrix, settings: Expected, features: FeatureTable
) -> dict[str, str]:
    """Return the reference phone of each target phone that has one: by symbol, as a table says, or the nearest.

    Several target phones may share a counterpart. Only phones with tokens have one, and are one.
    """
    own, others = phones_with_tokens(target), phones_with_tokens(reference)
    if settings.common == "features":
        near = nearest_phones(own, others, features)
        return {phone: other for phone, (other, apart) in near.items() if apart <= settings.distance + ROUNDING}
    table = read_counterparts(settings.common, target.gold, reference.gold) if isinstance(settings.common, Path) else {}
    chosen = {phone: table.get(phone, phone) for phone in own}
    return {phone: other for phone, other in chosen.items() if other in others}


def read_counterparts(path: Path, target: Inventory, reference: Inventory) -> dict[str, str]:
    """Return a user's table in the spelling of two languages' gold phones; ∅ is the counterpart of none."""
    rows = load_same_phones(path)
    own, others = ({canonical(phone): phone for phone in phones} for phones in (target, reference))
    gone = [f"{path}:{line}: '{other}'" for other, line in rows.values() if other not in (*others, GAP)]
    if gone:
        raise DataError(join_problems("phones that the reference language never has as gold:", gone, limit=10))
    return {own[phone]: others.get(other, other) for phone, (other, _) in rows.items() if phone in own}


def nearest_phones(phones: Inventory, others: Inventory, features: FeatureTable) -> dict[str, tuple[str, float]]:
    """Return for each phone the nearest other by features and its distance: itself first, then by the chart."""
    if not len(others):
        return {}
    distances = feature_distances(phones, others, features)
    nearest = nearest_first(distances, ties=chart_steps(phones, others))[:, 0].tolist()
    found = zip(phones, nearest, np.take_along_axis(distances, np.c_[nearest], 1)[:, 0].tolist(), strict=True)
    return {phone: (others.phones[x], max(apart, 0.0)) for phone, x, apart in found if math.isfinite(apart)}


def feature_distances(phones: Inventory, others: Inventory, features: FeatureTable) -> Floats:
    """Return the mean difference of features, [N, M]; −1 for the same symbol, infinite where no phone has features."""
    if not features.vectors([*phones, *others])[1].any():
        return np.where(same_symbols(phones, others), -1.0, np.inf)
    costs = cost_table("panphon", phones, others, features)
    return np.where(costs.identical(), -1.0, costs.substitution / costs.denominator)


def phones_with_tokens(matrix: ConfusionMatrix) -> Inventory:
    """Return the gold phones that occur."""
    return Inventory(tuple(phone for phone, tokens in zip(matrix.gold, matrix.tokens, strict=True) if tokens > 0))

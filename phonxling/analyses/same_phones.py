"""Which phone of the reference language a target's phone is "the same" as: a choice, made by symbol, features or table.

Conventions
-----------
The answer is a mapping from target phones to reference phones; a phone that it lacks has no counterpart. Several target
phones may share one counterpart (b and ɓ, both b), each keeping its own counts; a target phone never has two. Predicted
phones are the recogniser's and are not mapped.

- exact: the same symbol.
- features: the same symbol where the reference has it, else the phone of least substitution cost, when that is at
  most a stated distance. Of equally near ones (PanPhon has e as near to ʌ as to ɛ) the first in the inventory.
- table: as a table says, the same symbol for phones that it does not list; a phone listed with ∅ has no counterpart.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from phonxling.alignment.costs import cost_table
from phonxling.core.arrays import Floats, nearest_first
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.errors import DataError, join_problems
from phonxling.core.features import FeatureTable, chart_steps
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.spelling import canonical
from phonxling.load.resources import load_same_phones
from phonxling.settings.models import Expected

_ROUNDING = 1e-9  # a distance of 1/24 is no exact float


def same_phones(
    target: ConfusionMatrix, reference: ConfusionMatrix, settings: Expected, *, features: FeatureTable
) -> dict[str, str]:
    """Return the reference phone of each target phone that has one, as the setting `common` chooses."""
    if isinstance(settings.common, Path):
        return listed_phones(target, reference, listed(settings.common, target.gold, reference.gold))
    if settings.common == "exact":
        return listed_phones(target, reference, {})
    costs = cost_table("panphon", target.gold, reference.gold, features)
    return nearest_phones_within(target, reference, costs, distance=settings.distance)


def listed(path: Path, target: Inventory, reference: Inventory) -> dict[str, str]:
    """Return a table's rows in the spelling of two languages' gold phones."""
    rows = load_same_phones(path)
    own, others = ({canonical(phone): phone for phone in phones} for phones in (target, reference))
    gone = [f"{path}:{line}: '{other}'" for other, line in rows.values() if other not in (*others, GAP)]
    if gone:
        raise DataError(join_problems("phones that the reference language never has as gold:", gone, limit=10))
    return {own[phone]: others.get(other, other) for phone, (other, _) in rows.items() if phone in own}


def listed_phones(target: ConfusionMatrix, reference: ConfusionMatrix, table: Mapping[str, str]) -> dict[str, str]:
    """Return the counterparts that a table lists, and the same symbol for phones that it does not list."""
    own, spoken = (  # with tokens
        [phone for phone, n in zip(matrix.gold, matrix.tokens, strict=True) if n > 0] for matrix in (target, reference)
    )
    chosen = {phone: table.get(phone, phone) for phone in own}
    return {phone: other for phone, other in chosen.items() if other != GAP and other in spoken}


def nearest_phones_within(
    target: ConfusionMatrix, reference: ConfusionMatrix, costs: CostTable, *, distance: float
) -> dict[str, str]:
    """Return each target phone's counterpart: itself, or the reference's nearest phone within a distance."""
    spoken = np.broadcast_to(reference.tokens > 0, costs.substitution.shape)
    distances = _itself_first(costs)
    nearest = nearest_first(distances, spoken, chart_steps(target.gold, reference.gold))[:, :1]
    least = np.take_along_axis(np.where(spoken, distances, np.inf), nearest, axis=1)
    within = (target.tokens > 0) & (least <= distance + _ROUNDING).any(axis=1)
    return {target.gold.phones[y]: reference.gold.phones[nearest[y, 0]] for y in np.flatnonzero(within)}


def nearest_in(phones: Inventory, inventory: Inventory, features: FeatureTable) -> dict[str, tuple[str, float]]:
    """Return for each phone the nearest phone of an inventory and its distance; nothing when none has features."""
    if not len(inventory) or not features.vectors([*phones, *inventory])[1].any():
        return {}
    costs = cost_table("panphon", phones, inventory, features)
    order = nearest_first(_itself_first(costs), ties=chart_steps(phones, inventory))
    nearest = zip(phones, order[:, 0], strict=True)
    return {phone: (inventory.phones[x], float(costs.cost(phone, inventory.phones[x]))) for phone, x in nearest}


def _itself_first(costs: CostTable) -> Floats:
    """Return the substitution costs [G, P]; below all others where both are one symbol, for others may cost 0 too."""
    return np.where(costs.identical(), -1.0, costs.substitution / costs.denominator)

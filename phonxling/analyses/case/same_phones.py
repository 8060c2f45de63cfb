"""Which reference phone each target phone is the same as, by the setting `expected: {common: …}`; and other choices."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phonxling.align.costs.named import cost_table
from phonxling.analyses.case.counterparts import exact_phones, listed_phones, nearest_phone, nearest_phones_within
from phonxling.analyses.case.features import features_of
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.errors import DataError, join_problems
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.spelling import canonical
from phonxling.load.resources.same_phones import load_same_phones
from phonxling.settings.models import Experiment

STEPS = (0.0, 1 / 24, 2 / 24, 3 / 24)  # distances of the sensitivity table: so many of 24 features the other way round

# Among equally near phones, manner goes before place and height: d̪ is d rather than ð, e is ɛ rather than ʌ.
MANNER = frozenset({"syl", "son", "cons", "cont", "delrel", "lat", "nas"})
PLACE = frozenset({"ant", "cor", "distr", "lab", "hi", "lo", "back", "round"})
_MANNER_FIRST = 1000


def same_phones(target: ConfusionMatrix, reference: ConfusionMatrix, experiment: Experiment) -> dict[str, str]:
    """Return the reference phone of each target phone that has one, as the setting chooses.

    Raises
    ------
    DataError
        If phones are to be the same by features and no phone has any.
        If the table cannot be used (see `listed`).
    """
    chosen = experiment.expected.common
    if isinstance(chosen, Path):
        return listed_phones(target, reference, listed(chosen, target.gold, reference.gold))
    if chosen == "exact":
        return exact_phones(target, reference)
    return _nearest(target, reference, experiment, [experiment.expected.distance])[0]


def choices(
    target: ConfusionMatrix, reference: ConfusionMatrix, experiment: Experiment, *, raw: bool = False
) -> Iterator[tuple[str, float | None, dict[str, str]]]:
    """Yield (choice, distance, counterparts) of the exact choice, several distances, and the table if there is one.

    `raw` symbols have no features, and so no distances.
    """
    chosen = experiment.expected
    yield "exact", None, exact_phones(target, reference)
    asked = sorted({*STEPS, *([chosen.distance] if chosen.common == "features" else [])})
    try:
        found = [] if raw else _nearest(target, reference, experiment, asked)
    except DataError:  # no phone has features
        found = []
    yield from (("features", distance, same) for distance, same in zip(asked, found, strict=False))
    if isinstance(chosen.common, Path):
        yield "table", None, same_phones(target, reference, experiment)


def nearest_in(matrix: ConfusionMatrix, inventory: Inventory, experiment: Experiment) -> dict[str, tuple[str, float]]:
    """Return for each gold phone the nearest phone of an inventory and its distance; nothing when none has features.

    A phone that the inventory has is its own nearest.
    """
    table = features_of(experiment)
    if not len(inventory) or not table.vectors([*matrix.gold, *inventory])[1].any():
        return {}
    costs, ties = _distances(matrix.gold, inventory, table)
    order = {phone: sorted(inventory, key=lambda other: other != phone) for phone in matrix.gold}
    nearest = {phone: nearest_phone(phone, order[phone], costs, ties) for phone in matrix.gold}
    return {phone: (other, float(costs.cost(phone, other))) for phone, other in nearest.items()}


def _nearest(
    target: ConfusionMatrix, reference: ConfusionMatrix, experiment: Experiment, distances: list[float]
) -> list[dict[str, str]]:
    """Return the counterparts by features within each distance."""
    costs, ties = _distances(target.gold, reference.gold, features_of(experiment))
    return [nearest_phones_within(target, reference, costs, distance, ties) for distance in distances]


def _distances(first: Inventory, second: Inventory, table: FeatureTable) -> tuple[CostTable, NDArray[np.float64]]:
    """Return the mean difference over features, in [0, 1], and what chooses among equally near phones, [G, P]."""
    weights = [_MANNER_FIRST * (feature in MANNER) + (feature in PLACE) for feature in table.features]
    one, other = (table.vectors(phones)[0].astype(np.float64) for phones in (first, second))
    return cost_table("panphon", first, second, table), np.abs(one[:, None] - other[None]) @ np.array(weights)


def listed(path: Path, target: Inventory, reference: Inventory) -> dict[str, str]:
    """Return a table's rows in the spelling of two languages' gold phones; rows for phones of other targets are left.

    Raises
    ------
    DataError
        If the table cannot be read (see `load_same_phones`), or lists reference phones that the reference lacks.
    """
    rows = load_same_phones(path)
    here, there = ({canonical(phone): phone for phone in phones} for phones in (target, reference))
    gone = [f"{path}:{line}: '{other}'" for other, line in rows.values() if other not in (*there, GAP)]
    if gone:
        raise DataError(join_problems("phones that the reference language never has as gold:", gone, limit=10))
    return {here[phone]: there.get(other, other) for phone, (other, _) in rows.items() if phone in here}

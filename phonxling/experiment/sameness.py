"""Which reference phone each target phone is the same as, by the setting `expected: {common: …}`; and other choices."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from phonxling.alignment.costs import cost_table
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import DataError, join_problems
from phonxling.core.spelling import canonical
from phonxling.experiment.configuration.models import Experiment
from phonxling.experiment.feature_table import features_of
from phonxling.load.same_phones import load_same_phones
from phonxling.measure.same_phones import exact_phones, listed_phones, nearest_phones_within

STEPS = (0.0, 1 / 24, 2 / 24, 3 / 24)  # distances of the sensitivity table: so many of 24 features the other way round

PLACE = frozenset({"ant", "cor", "distr", "lab", "hi", "lo", "back", "round"})


def same_phones(target: ConfusionMatrix, reference: ConfusionMatrix, experiment: Experiment) -> dict[str, str]:
    """Return the reference phone of each target phone that has one, as the setting chooses.

    Raises
    ------
    DataError
        If phones are to be the same by features and no phone has any.
        If the table cannot be read (see `load_same_phones`), or lists reference phones without tokens.
    """
    chosen = experiment.expected.common
    if isinstance(chosen, Path):
        return listed_phones(target, reference, _listed(chosen, target, reference))
    if chosen == "exact":
        return exact_phones(target, reference)
    return _nearest(target, reference, experiment, [experiment.expected.distance])[0]


def choices(
    target: ConfusionMatrix, reference: ConfusionMatrix, experiment: Experiment
) -> Iterator[tuple[str, float | None, dict[str, str]]]:
    """Yield (choice, distance, counterparts) of the exact choice, several distances, and the table if there is one."""
    chosen = experiment.expected
    yield "exact", None, exact_phones(target, reference)
    asked = sorted({*STEPS, *([chosen.distance] if chosen.common == "features" else [])})
    try:
        found = _nearest(target, reference, experiment, asked)
    except DataError:  # no phone has features
        found = []
    yield from (("features", distance, same) for distance, same in zip(asked, found, strict=False))
    if isinstance(chosen.common, Path):
        yield "table", None, same_phones(target, reference, experiment)


def _nearest(
    target: ConfusionMatrix, reference: ConfusionMatrix, experiment: Experiment, distances: list[float]
) -> list[dict[str, str]]:
    """Return the counterparts by features within each distance, the mean difference over features in [0, 1]."""
    table = features_of(experiment)
    costs = cost_table("panphon", target.gold, reference.gold, table)
    places = [number for number, feature in enumerate(table.features) if feature in PLACE]
    first, second = (table.vectors(matrix.gold)[0][:, places].astype(np.float64) for matrix in (target, reference))
    ties = np.abs(first[:, None] - second[None]).sum(axis=2)
    return [nearest_phones_within(target, reference, costs, distance, ties) for distance in distances]


def _listed(path: Path, target: ConfusionMatrix, reference: ConfusionMatrix) -> dict[str, str]:
    """Return a table's rows in the spelling of the matrices; rows for phones of other targets are left alone."""
    rows = load_same_phones(path)
    here = {canonical(phone): phone for phone in target.gold}
    there = {canonical(phone): phone for phone, n in zip(reference.gold, reference.tokens, strict=True) if n}
    gone = [f"{path}:{line}: '{other}'" for other, line in rows.values() if other not in there and other != "∅"]
    if gone:
        raise DataError(join_problems("phones that the reference language never has as gold:", gone, limit=10))
    return {here[phone]: there.get(other, other) for phone, (other, _) in rows.items() if phone in here}

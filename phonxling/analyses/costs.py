"""Settings to costs: named ones, or a user's tables."""

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import numpy as np

from phonxling.analyses.loaded import features_of
from phonxling.core.costs import CostTable, Gap, GapEntries, Ties, cost_table, is_feature_cost, parse_cost, table_costs
from phonxling.core.errors import ConfigurationError
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory, merge
from phonxling.core.sequences import Corpus
from phonxling.core.spelling import canonical
from phonxling.load.resources import load_cost_table, load_gap_costs, panphon_features
from phonxling.settings.checks import is_cost_path
from phonxling.settings.models import Experiment

GapSetting: TypeAlias = str | float | Fraction | Path | Mapping[str, float | Fraction] | GapEntries | None


def costs_of(
    name: str | Path,
    gold: Inventory,
    predicted: Inventory,
    *,
    insertion: GapSetting = None,
    deletion: GapSetting = None,
    ties: Ties | None = None,
    features: FeatureTable | None = None,
    within: tuple[Inventory, Inventory] | None = None,
) -> CostTable:
    """Return named costs, or those of the table at a path; a gap may be a number, "1/3", or the path of a table."""
    gaps = {"insertion": gap_of(insertion), "deletion": gap_of(deletion)}
    if isinstance(name, Path):
        return table_costs(load_cost_table(name), gold, predicted, ties=ties, **gaps)
    table = features or panphon_features()
    return cost_table(name, gold, predicted, table, ties=ties, within=within, **gaps)


def gap_of(setting: GapSetting) -> Gap:
    """Return a gap cost as a setting states it: a number, "1/3", costs by phone, or their path; None for `auto`."""
    if setting is None or setting == "auto":
        return None
    if isinstance(setting, Path):
        return load_gap_costs(setting)
    if isinstance(setting, str) and is_cost_path(setting):
        return load_gap_costs(Path(setting))
    try:
        if isinstance(setting, Mapping):
            phones = {canonical(phone): parse_cost(str(cost)) for phone, cost in setting.items()}
            digest = hashlib.sha256(repr(sorted(phones.items())).encode()).hexdigest()
            return GapEntries(phones=phones, source="gap costs", digest=digest)
        return parse_cost(setting) if isinstance(setting, str) else setting
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def attested(corpus: Corpus) -> tuple[Inventory, Inventory]:
    """Return the gold and the predicted phones that occur; costs over their largest rest on no declared inventory."""
    gold, predicted = (
        Inventory(tuple(side.inventory.phones[code] for code in np.unique(side.codes).tolist()))
        for side in (corpus.gold, corpus.predicted)
    )
    return gold, predicted


def costs_in_use(
    gold: Inventory, predicted: Inventory, experiment: Experiment, within: tuple[Inventory, Inventory] | None = None
) -> CostTable:
    """Return the costs that align phones and weigh errors."""
    chosen = experiment.alignment
    return costs_of(
        chosen.costs,
        gold,
        predicted,
        insertion=chosen.insertion,
        deletion=chosen.deletion,
        ties=None if chosen.ties == "auto" else chosen.ties,
        features=features_of(experiment),
        within=within,
    )


def costs_between(target: Corpus, reference: Corpus, experiment: Experiment) -> CostTable:
    """Return the costs between the target's gold phones and all that either corpus has as predicted."""
    predicted = merge(target.predicted_inventory, reference.predicted_inventory)
    return costs_in_use(target.gold_inventory, predicted, experiment, attested(target))


def needs_features(experiment: Experiment) -> bool:
    """Return whether the costs of an experiment come from phonological features."""
    return is_feature_cost(str(experiment.alignment.costs))

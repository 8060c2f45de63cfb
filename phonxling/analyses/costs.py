"""Settings to costs: named ones, a user's tables, or what learning them takes."""

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, TypeAlias

from phonxling.alignment.costs import TONE_WEIGHT, Gap, cost_table, is_feature_cost, table_costs
from phonxling.alignment.learned import LEARNED
from phonxling.analyses.loaded import features_of
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable, GapEntries, Ties, parse_cost
from phonxling.core.errors import ConfigurationError
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory, merge
from phonxling.core.spelling import canonical
from phonxling.load.features import panphon_features
from phonxling.load.resources import load_cost_table, load_gap_costs
from phonxling.load.urls import Url, local
from phonxling.settings.checks import is_cost_path
from phonxling.settings.models import Experiment

GapSetting: TypeAlias = str | float | Fraction | Path | Mapping[str, float | Fraction] | GapEntries | None


class Learning(NamedTuple):
    """What learning costs takes."""

    start: CostTable
    insertion: Gap
    deletion: Gap
    rounds: int
    smoothing: float


Costs: TypeAlias = CostTable | Learning


def costs_of(
    name: str | Path,
    gold: Inventory,
    predicted: Inventory,
    *,
    insertion: GapSetting = None,
    deletion: GapSetting = None,
    ties: Ties | None = None,
    tone_weight: float | Fraction = TONE_WEIGHT,
    features: FeatureTable | None = None,
) -> CostTable:
    """Return named costs, or those of the table at a path; a gap may be a number, "1/3", or the path of a table."""
    gaps = {"insertion": gap_of(insertion), "deletion": gap_of(deletion)}
    if isinstance(name, Path):
        return table_costs(load_cost_table(name), gold, predicted, ties=ties, **gaps)
    table = features or panphon_features()
    return cost_table(name, gold, predicted, table, ties=ties, tone_weight=tone_weight, **gaps)


def gap_of(setting: GapSetting | Url) -> Gap:
    """Return a gap cost as a setting states it: a number, "1/3", costs by phone, or their path; None for `auto`."""
    if setting is None or setting == "auto":
        return None
    if isinstance(setting, Path | Url):
        return load_gap_costs(local(setting))
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


def alignment_costs(gold: Inventory, predicted: Inventory, experiment: Experiment) -> Costs:
    """Return the costs that align, or what learning them takes."""
    chosen = experiment.alignment
    return _chosen(chosen.costs, chosen.insertion, chosen.deletion, (gold, predicted), experiment)


def scoring_costs(gold: Inventory, predicted: Inventory, experiment: Experiment) -> Costs:
    """Return the costs that weigh errors; `same` takes the alignment's setting, and its `auto` follows these costs."""
    align, score = experiment.alignment, experiment.scoring
    name, insertion, deletion = (
        getattr(align, one) if getattr(score, one) == "same" else getattr(score, one)
        for one in ("costs", "insertion", "deletion")
    )
    return _chosen(name, insertion, deletion, (gold, predicted), experiment)


def _chosen(
    name: str | Path | Url,
    insertion: GapSetting | Url,
    deletion: GapSetting | Url,
    phones: tuple[Inventory, Inventory],
    experiment: Experiment,
) -> Costs:
    chosen, learning = experiment.alignment, experiment.learning
    insertion, deletion = gap_of(insertion), gap_of(deletion)
    start = learning.start if name == LEARNED else name
    table = costs_of(
        start if isinstance(start, str) else local(start),
        *phones,
        insertion=insertion,
        deletion=deletion,
        ties=None if chosen.ties == "auto" else chosen.ties,
        tone_weight=chosen.tone_weight,
        features=features_of(experiment),
    )
    return Learning(table, insertion, deletion, learning.rounds, learning.smoothing) if name == LEARNED else table


def costs_between(target: Corpus, reference: Corpus, experiment: Experiment) -> CostTable | None:
    """Return the scoring costs between the target's gold phones and all that either corpus has as predicted."""
    predicted = merge(target.predicted_inventory, reference.predicted_inventory)
    costs = scoring_costs(target.gold_inventory, predicted, experiment)
    return costs if isinstance(costs, CostTable) else None


def needs_features(experiment: Experiment) -> bool:
    """Return whether any costs of an experiment come from phonological features."""
    names = {experiment.alignment.costs, experiment.scoring.costs}
    names |= {experiment.learning.start} if LEARNED in names else set()
    return any(is_feature_cost(str(name)) for name in names)

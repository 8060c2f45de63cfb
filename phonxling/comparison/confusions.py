"""What the confusions of an item show: the statistics that are compared, and each gold phone and feature.

All replicates are computed at once; entropies are in bits, and transfer is the plug-in's.
"""

from dataclasses import dataclass

import numpy as np

from phonxling.analyses.features.transfer import feature_values, relative_transfer
from phonxling.analyses.measures import compared
from phonxling.analyses.phones.counts import counts_of
from phonxling.analyses.statistic import Counts, CountSettings, Statistic, replicates, values, whole_counts
from phonxling.analyses.statistics import named
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionStack
from phonxling.core.phonology.features import FeatureTable
from phonxling.resample.jackknife import ClusterCells, jackknifed_rows
from phonxling.resample.weights import Resampling

Key = tuple[str, str]
"""What is shown: ("", statistic), ("phone", measure) or ("feature", measure)."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """K numbers of one item: `value` [K] of the corpus, `drawn` [R, K] of its replicates, their effective clusters."""

    value: Floats
    drawn: Floats
    clusters: Floats | float  # [K] or of all


def numbers_of(
    stack: ConfusionStack,
    resampling: Resampling,
    settings: CountSettings,
    *,
    clusters: ClusterCells,
    features: FeatureTable | None,
) -> dict[Key, Numbers]:
    """Return all that confusions show, and their replicates: of statistics [1], gold phones [G], features [F].

    Entropies and information are jackknifed over `clusters`, those of the results themselves, as in their tables.
    """
    value = _shown(whole_counts(stack, settings), features)
    corrected = values(compared_statistics(), stack, settings, clusters)
    value |= {("", key): np.array([[number]]) for key, number in corrected.items()}
    entropies = jackknifed_rows(clusters).value[: len(stack.gold), None]
    value["phone", "entropy"] = np.clip(entropies, 0, np.log2(max(clusters.shape[1], 1)))
    parts = [_shown(counts, features) for counts in replicates(stack, resampling, settings)]
    drawn = {key: np.concatenate([part[key] for part in parts], axis=1).T.copy() for key in value}
    return {key: Numbers(value[key][:, 0], drawn[key], resampling.effective) for key in value}


def _shown(counts: Counts, features: FeatureTable | None) -> dict[Key, Floats]:
    """Return what counts of R replicates show, [K, R] each."""
    statistics = {("", one.name): one.of(counts)[None] for one in compared_statistics()}
    return statistics | by_phone(counts) | (by_feature(counts, features) if features else {})


def compared_statistics() -> list[Statistic]:
    """Return the statistics of confusions that are compared."""
    return [statistic for measure in compared() if (statistic := named(measure.name)) is not None]


def by_phone(counts: Counts) -> dict[Key, Floats]:
    """Return the accuracy and the entropy (bits) of each gold phone, [G, R]."""
    own = counts_of("gold", counts, counts.same.astype(np.float64))
    return {("phone", "accuracy"): divided(own.correct, own.tokens), ("phone", "entropy"): own.entropies}


def by_feature(counts: Counts, table: FeatureTable) -> dict[Key, Floats]:
    """Return the share of substitutions that change each feature, and how much of it comes through, [F, R]."""
    inventories = counts.empty.gold, counts.empty.predicted
    known_gold, known_predicted = (table.vectors(inventory)[1] for inventory in inventories)
    substituted = counts.pairs[np.logical_and.outer(known_gold, known_predicted) & ~counts.same].sum(axis=0)
    tables = feature_values(*inventories, table).collapse(counts.total)
    changed = tables.sum(axis=(1, 2)) - np.einsum("fvvr->fr", tables)
    shares = divided(changed, np.broadcast_to(substituted, changed.shape))
    return {("feature", "changed"): shares, ("feature", "transfer"): relative_transfer(tables)}

"""One item's numbers: everything that measures.tsv has compared, with its value and its bootstrap draws.

Rates are ratios of columns of utterances.tsv. Statistics of the confusions are those of the run, of the confusions
that the stored alignments hold.

What the confusions of an item show: the statistics that are compared, and each gold phone and feature.

All replicates are computed at once; entropies are in bits, and transfer is the plug-in's.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from phonxling.analyses.differences import Side
from phonxling.analyses.feature_transfer import feature_values, relative_transfer
from phonxling.analyses.measures import Measure, compared
from phonxling.analyses.phones import PhoneCounts
from phonxling.analyses.statistic import Counts, CountSettings, Statistic, replicates, values, whole_counts
from phonxling.analyses.statistics import named
from phonxling.comparison.items import Item
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionStack
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate
from phonxling.core.features import FeatureTable
from phonxling.core.sequences import numbered_speakers
from phonxling.load.features import stored_features
from phonxling.resample.intervals import estimate
from phonxling.resample.jackknife import ClusterCells, cluster_cells, jackknifed_rows
from phonxling.resample.replicates import clusters_with
from phonxling.resample.student import Kind
from phonxling.resample.weights import Resampling, resampling

# What the confusions of an item show: the statistics that are compared, and each gold phone and feature.

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
    """Return all that confusions show, and their replicates: of statistics [1], gold phones [G], features [F]."""
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
    own = PhoneCounts("gold", counts, counts.same.astype(np.float64))
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


UNSTORED = "counts averaged over alignments are not stored by utterance"
_SAME = 1e-6  # stored and recomputed rates agree to this


def _summed(*columns: str) -> Callable[[pd.DataFrame], Floats]:
    return lambda rows: np.asarray(rows[list(columns)].to_numpy(float).sum(axis=1), dtype=np.float64)


def _least_edits(rows: pd.DataFrame) -> Floats:
    tokens, rate = rows["gold_tokens"].to_numpy(float), rows["per"].to_numpy(float)
    return np.where(tokens > 0, np.rint(np.nan_to_num(rate) * tokens), rows["predicted_tokens"].to_numpy(float))


def _costs(rows: pd.DataFrame) -> Floats:
    known = rows["wper"].notna().any() or not rows["gold_tokens"].any()
    return np.asarray(np.where(bool(known), rows["cost"].to_numpy(float), np.nan))


_NUMERATORS: Mapping[str, Callable[[pd.DataFrame], Floats]] = {  # of rates, by utterance
    "per": _least_edits,
    "wper": _costs,
    "per_aligned": _summed("substitutions", "deletions", "insertions"),
    "accuracy": _summed("correct"),
    "substitution_rate": _summed("substitutions"),
    "deletion_rate": _summed("deletions"),
    "insertion_rate": _summed("insertions"),
}
_SHARES = frozenset({"accuracy", "substitution_rate", "deletion_rate"})  # rates that cannot exceed 1
_COSTS = {"per": "unit_cost", "wper": "cost"}  # columns of utterances.tsv, after chance_ and floor_


@dataclass(frozen=True, eq=False)
class Measured:
    """An item with its clusters and weights; items of one group have the same utterances, and share these."""

    item: Item
    resampling: Resampling
    group: int

    @property
    def tokens(self) -> Floats:
        """Gold phones of each utterance, [U]."""
        return self.item.utterances["gold_tokens"].to_numpy(float)

    def parts(self, measure: Measure) -> tuple[Floats, Floats]:
        """Return what a ratio is the sums of by utterance, [U] each; NaN where the results do not keep it."""
        above, below = self.errors(measure.of or measure.name), self.tokens
        if measure.of:
            chance = self._column_of("chance", measure.of)
            floor = self._column_of("floor", measure.of) if measure.kind == "attainable" else np.zeros(len(below))
            above, below = chance - above, chance - floor
        return above, below

    def errors(self, rate: str) -> Floats:
        """Return the numerator of a rate by utterance, [U]; NaN where the results have none."""
        numerator = _NUMERATORS.get(rate)
        return np.full(len(self.tokens), np.nan) if numerator is None else numerator(self.item.utterances)

    @cached_property
    def counting(self) -> CountSettings:
        """How its confusions are counted."""
        gaps = self.item.settings["entropy"]["gaps"] == "include"
        return CountSettings(np.zeros(len(self.item.ids), np.int8), gaps=gaps)

    @cached_property
    def cells(self) -> Side:
        """Its confusions as they are compared cell by cell."""
        return Side(stack=self.item.stack, resampling=self.resampling, gaps=self.counting.gaps)

    @cached_property
    def features(self) -> FeatureTable | None:
        """The feature table of the results where this package has it."""
        return stored_features(self.item.manifest)

    def resample(self) -> None:
        """Compute all numbers now, which is what takes long."""
        _ = self.estimates, self.confusions

    @cached_property
    def compared(self) -> Numbers:
        """The measures that are compared, in their order."""
        columns = [self._column(measure) for measure in compared()]
        values = np.array([value for value, _ in columns])
        self._check(values)
        return Numbers(values, np.column_stack([drawn for _, drawn in columns]), self.resampling.effective)

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """The same by name, with their intervals: the stored ones where there are any."""
        columns = zip(compared(), self.compared.value.tolist(), self.compared.drawn.T, strict=True)
        return {measure.name: self._estimate(measure, value, drawn) for measure, value, drawn in columns}

    @cached_property
    def confusions(self) -> Mapping[Key, Numbers]:
        """What the confusions show: statistics [1], gold phones [G], features [F]; NaN where counts are averages."""
        numbers = numbers_of(
            self.item.stack, self.resampling, self.counting, clusters=self._clusters, features=self.features
        )
        if self.item.averaged:
            return {key: Numbers(one.value * np.nan, one.drawn * np.nan, one.clusters) for key, one in numbers.items()}
        return numbers

    def clusters_with(self, phones: Sequence[str]) -> Floats:
        """Return how many effective clusters the tokens of each gold phone come from, [len(phones)]."""
        path, phones_of = self.item.path, self.item.path.gold.astype(np.int64)
        _, number = clusters_with(
            phones_of, groups=len(path.gold_inventory), owner=path.pair_utterances(), resampling=self.resampling
        )
        return np.asarray(number[[path.gold_inventory.code(phone) for phone in phones]])

    @cached_property
    def _clusters(self) -> ClusterCells:
        """The counts of the clusters of the results themselves, which a comparison may resample by fewer speakers."""
        speakers = self.item.utterances["speaker"].tolist() if _by_speaker(self.item) else None
        own = resampling(len(self.tokens), speakers, resamples=0, seed=0)
        return cluster_cells(self.item.stack, own, gaps=self.counting.gaps)

    def _column(self, measure: Measure) -> tuple[float, Floats]:
        """Return the value of a measure and its draws, [R]; NaN where the results do not keep what it is made of."""
        statistic = named(measure.name)
        if statistic is None:
            return self._ratio(measure)
        numbers = self.confusions["", measure.name]
        return statistic.possible(float(numbers.value[0]), self._clusters.shape), numbers.drawn[:, 0]

    def _ratio(self, measure: Measure) -> tuple[float, Floats]:
        """Return a rate, or a skill, with its draws, [R]."""
        draws = self.resampling
        above, below = self.parts(measure)
        sums = draws.drawn_sums(draws.by_cluster(above), draws.by_cluster(below))
        return float(divided(above.sum(), below.sum())), divided(*sums)

    def _column_of(self, kind: str, rate: str) -> Floats:
        """Return the cost at a level of a rate by utterance, [U]; NaN where the results have none."""
        column = f"{kind}_{_COSTS[rate]}"
        rows = self.item.utterances
        return rows[column].to_numpy(float) if column in rows else np.full(len(rows), np.nan)

    def _estimate(self, measure: Measure, value: float, drawn: Floats) -> Estimate:
        if np.isnan(value):
            return Estimate(value)
        row, statistic = self.item.stored(measure.name, measure.variant), named(measure.name)
        if row is not None and not np.isnan(row["low"]):
            return Estimate(value, row["low"], row["high"], row["level"])
        if statistic is None:
            kind: Kind = "skill" if measure.of else "share" if measure.name in _SHARES else "rate"
            return estimate(value, drawn, self.resampling, kind=kind)
        return estimate(value, drawn, self.resampling)

    def _check(self, values: Floats) -> None:
        for measure, value in zip(compared(), values.tolist(), strict=True):
            row = self.item.stored(measure.name, measure.variant)
            if row is not None and not np.isnan(value) and not np.isclose(value, row["value"], rtol=_SAME):
                raise DataError(
                    f"{self.item.folder}: {self.item.corpus}: the stored {measure.name} is {row['value']:.6f}, and "
                    f"utterances.tsv {value:.6f}; run the experiment again"
                )


def measured(items: Sequence[Item], *, paired: bool, resamples: int, seed: int) -> list[Measured]:
    """Return items with their resampling: one set of weights for items with the same utterances, if they are paired."""
    keys = [_key(item, "" if paired else item.name) for item in items]
    drawn: dict[str, Resampling] = {}
    for key in dict.fromkeys(keys):
        alike = [item for item, own in zip(items, keys, strict=True) if own == key]
        speakers = sorted((item.utterances["speaker"].tolist() for item in alike if _by_speaker(item)), key=_distinct)
        drawn[key] = resampling(
            len(alike[0].ids),
            numbered_speakers(speakers[0], alike[0].gold) if speakers else None,
            resamples=resamples,
            level=float(items[0].settings["uncertainty"]["level"]),
            seed=int.from_bytes(hashlib.sha256(f"{seed}\n{key}".encode()).digest()[:8]),
            tokens=alike[0].utterances["gold_tokens"].to_numpy(float),
            names=speakers[0] if speakers else alike[0].ids,
            speakers_unknown=not speakers and any(_asked(item) for item in alike),
        )
    groups = list(drawn)
    return [Measured(item, drawn[key], groups.index(key)) for item, key in zip(items, keys, strict=True)]


def _distinct(names: Sequence[str]) -> int:
    return len(set(names))


def _by_speaker(item: Item) -> bool:
    return _asked(item) and bool((item.utterances["speaker"] != "").any())


def _asked(item: Item) -> bool:
    return bool(item.settings["uncertainty"]["cluster"] == "speaker")


def _key(item: Item, salt: str) -> str:
    rows = zip(item.ids, item.gold, strict=True)
    text = "\n".join([salt, *(f"{utterance}\t{gold}" for utterance, gold in rows)])
    return hashlib.sha256(text.encode()).hexdigest()

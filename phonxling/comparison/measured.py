"""One item's numbers: everything that measures.tsv has compared, with its value and its bootstrap draws.

Rates are ratios of columns of utterances.tsv. Statistics of the confusions are those of the run, of the confusions
that the stored alignments hold, as are those of gold phones and features; all replicates are computed at once.
Entropies are in bits, and transfer is the plug-in's. Items of the same utterances share one set of weights, so that
their differences are resampled in pairs.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phonxling.analyses.differences import Side
from phonxling.analyses.feature_transfer import feature_values, relative_transfer
from phonxling.analyses.measures import Measure, compared
from phonxling.analyses.phones import PhoneCounts
from phonxling.analyses.statistics import Counts, CountSettings, Statistic, named, replicates, values, whole_counts
from phonxling.comparison.items import Item
from phonxling.core.arrays import Floats, divided
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate
from phonxling.core.features import FeatureTable
from phonxling.core.sequences import numbered_speakers
from phonxling.load.features import stored_features
from phonxling.resample.intervals import estimate
from phonxling.resample.jackknife import ClusterCells, cluster_cells, jackknifed_rows
from phonxling.resample.student import Kind
from phonxling.resample.weights import Resampling, resampling

Key = tuple[str, str]
"""What is shown: ("", statistic), ("phone", measure) or ("feature", measure)."""
Numbers = tuple[Floats, Floats, Floats | float]
"""K numbers: of the corpus [K], of its replicates [R, K], and their effective clusters, [K] or of all."""

UNSTORED = "counts averaged over alignments are not stored by utterance"
_SAME = 1e-6  # stored and recomputed rates agree to this
_COUNTED = {  # columns of utterances.tsv that rates are sums of
    "per_aligned": ["substitutions", "deletions", "insertions"],
    "accuracy": ["correct"],
    "substitution_rate": ["substitutions"],
    "deletion_rate": ["deletions"],
    "insertion_rate": ["insertions"],
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

    def errors(self, rate: str) -> Floats:
        """Return the numerator of a rate by utterance, [U]; NaN where the results have none."""
        rows, tokens = self.item.utterances, self.tokens
        if rate == "per":
            least = np.rint(np.nan_to_num(rows["per"].to_numpy(float)) * tokens)
            return np.where(tokens > 0, least, rows["predicted_tokens"].to_numpy(float))
        if rate == "wper":
            known = rows["wper"].notna().any() or not tokens.any()
            return np.asarray(np.where(bool(known), rows["cost"].to_numpy(float), np.nan))
        if rate in _COUNTED:
            return np.asarray(rows[_COUNTED[rate]].to_numpy(float).sum(axis=1), dtype=np.float64)
        return np.full(len(rows), np.nan)

    def parts(self, measure: Measure) -> tuple[Floats, Floats]:
        """Return what a ratio is the sums of by utterance, [U] each; NaN where the results do not keep it."""
        above, below, rows = self.errors(measure.of or measure.name), self.tokens, self.item.utterances
        if not measure.of:
            return above, below

        def cost(level: str) -> Floats:
            column = f"{level}_{_COSTS[measure.of]}"
            return rows[column].to_numpy(float) if column in rows else np.full(len(rows), np.nan)

        chance, floor = cost("chance"), cost("floor") if measure.kind == "attainable" else np.zeros(len(rows))
        return chance - above, chance - floor

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

    @cached_property
    def compared(self) -> Numbers:
        """The measures that are compared, in their order; NaN where the results do not keep what one is made of."""
        values, columns, draws = [], [], self.resampling
        for measure in compared():
            if (statistic := named(measure.name)) is None:
                above, below = self.parts(measure)
                values.append(float(divided(above.sum(), below.sum())))
                columns.append(divided(*draws.drawn_sums(draws.by_cluster(above), draws.by_cluster(below))))
            else:
                number, drawn, _ = self.confusions["", measure.name]
                values.append(statistic.possible(float(number[0]), self._clusters.shape))
                columns.append(drawn[:, 0])
            row = self.item.stored(measure.name, measure.variant)
            if row is not None and not np.isnan(values[-1]) and not np.isclose(values[-1], row["value"], rtol=_SAME):
                raise DataError(
                    f"{self.item.folder}: {self.item.corpus}: the stored {measure.name} is {row['value']:.6f}, and "
                    f"utterances.tsv {values[-1]:.6f}; run the experiment again"
                )
        return np.array(values), np.column_stack(columns), draws.effective

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """The same by name, with their intervals: the stored ones where there are any."""
        found, (values, columns, _) = {}, self.compared
        for measure, value, drawn in zip(compared(), values.tolist(), columns.T, strict=True):
            row = self.item.stored(measure.name, measure.variant)
            if row is not None and not np.isnan(value) and not np.isnan(row["low"]):
                found[measure.name] = Estimate(value, row["low"], row["high"], row["level"])
                continue
            kind: Kind = "skill" if measure.of else "share" if measure.name in _SHARES else "rate"
            scale: Kind = kind if named(measure.name) is None else "number"
            found[measure.name] = estimate(value, drawn, self.resampling, kind=scale)
        return found

    @cached_property
    def confusions(self) -> Mapping[Key, Numbers]:
        """What the confusions show: statistics [1], gold phones [G], features [F]; NaN where counts are averages."""
        stack, clusters, unstored = self.item.stack, self._clusters, np.nan if self.item.averaged else 1.0
        value = self._shown(whole_counts(stack, self.counting))
        corrected = values(compared_statistics(), stack, self.counting, clusters)
        value |= {("", key): np.array([[number]]) for key, number in corrected.items()}
        entropies = jackknifed_rows(clusters).value[: len(stack.gold), None]
        value["phone", "entropy"] = np.clip(entropies, 0, np.log2(max(clusters.shape[1], 1)))
        parts = [self._shown(counts) for counts in replicates(stack, self.resampling, self.counting)]
        drawn = {key: np.concatenate([part[key] for part in parts], axis=1).T.copy() for key in value}
        effective = self.resampling.effective
        return {key: (value[key][:, 0] * unstored, drawn[key] * unstored, effective) for key in value}

    def _shown(self, counts: Counts) -> dict[Key, Floats]:
        """Return what counts of R replicates show, [K, R] each."""
        statistics = {("", one.name): one.of(counts)[None] for one in compared_statistics()}
        return statistics | by_phone(counts) | (by_feature(counts, self.features) if self.features else {})

    @cached_property
    def _clusters(self) -> ClusterCells:
        """The counts of the clusters of the results themselves, which a comparison may resample by fewer speakers."""
        speakers = self.item.utterances["speaker"].tolist() if _by_speaker(self.item) else None
        own = resampling(len(self.tokens), speakers, resamples=0, seed=0)
        return cluster_cells(self.item.stack, own, gaps=self.counting.gaps)


def measured(items: Sequence[Item], *, paired: bool, resamples: int, seed: int) -> list[Measured]:
    """Return items with their resampling: one set of weights for items with the same utterances, if they are paired."""
    keys = []
    for item in items:
        rows = (f"{utterance}\t{gold}" for utterance, gold in zip(item.ids, item.gold, strict=True))
        keys.append(hashlib.sha256("\n".join(["" if paired else item.name, *rows]).encode()).hexdigest())
    drawn: dict[str, Resampling] = {}
    for key in dict.fromkeys(keys):
        alike = [item for item, own in zip(items, keys, strict=True) if own == key]
        speakers = [item.utterances["speaker"].tolist() for item in alike if _by_speaker(item)]
        fewest = min(speakers, key=lambda names: len(set(names)), default=None)
        drawn[key] = resampling(
            len(alike[0].ids),
            numbered_speakers(fewest, alike[0].gold) if fewest else None,
            resamples=resamples,
            level=float(items[0].settings["uncertainty"]["level"]),
            seed=int.from_bytes(hashlib.sha256(f"{seed}\n{key}".encode()).digest()[:8]),
            tokens=alike[0].utterances["gold_tokens"].to_numpy(float),
            names=fewest or alike[0].ids,
            speakers_unknown=not speakers and any(_asked(item) for item in alike),
        )
    groups = list(drawn)
    return [Measured(item, drawn[key], groups.index(key)) for item, key in zip(items, keys, strict=True)]


def _asked(item: Item) -> bool:
    return bool(item.settings["uncertainty"]["cluster"] == "speaker")


def _by_speaker(item: Item) -> bool:
    return _asked(item) and bool((item.utterances["speaker"] != "").any())


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

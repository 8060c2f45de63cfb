"""One item's numbers, with their draws; which items are compared with which, and how.

Items
-----
Everything that measures.tsv has compared has a value and its bootstrap draws. Rates are ratios of columns of
utterances.tsv. Statistics of the confusions are those of the run, of the confusions that the stored alignments hold, as
are those of gold phones and features; all replicates are computed at once. Entropies are in bits, and transfer is the
plug-in's. Items of the same utterances share one set of weights, so that their differences are resampled in pairs.

Pairs
-----
Two items with the same utterances and gold phones are resampled together; all others are independent samples. Of
pairs, approximate randomisation is a second test: when two systems are alike, swapping their outputs for a cluster of
utterances changes nothing but chance. Each random trial swaps every cluster with probability ½; p = (c + 1) / (n + 1),
c of n trials at least as large, of either sign.

References
----------
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Riezler & Maxwell (2005), On some pitfalls in
automatic evaluation and significance testing for MT.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from phonxling.analyses.differences import Side
from phonxling.analyses.features import feature_values, relative_transfer
from phonxling.analyses.measures import Measure, compared
from phonxling.analyses.phones import phone_measures
from phonxling.analyses.statistics import Counts, CountSettings, Statistic, named, replicates, values, whole_counts
from phonxling.comparison.items import Item, other_gold, symbol_sets
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.estimate import SPEAKERS_UNKNOWN, Estimate, joined
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import merge
from phonxling.core.sequences import numbered_speakers
from phonxling.load.resources import stored_features
from phonxling.resample.entropies import ClusterCells, cluster_cells, jackknifed_rows
from phonxling.resample.intervals import UNTESTED_UTTERANCES, Resampling, estimate, resampling, so_many, weakness
from phonxling.resample.p_values import p_of_draws
from phonxling.resample.power import detectable
from phonxling.resample.student import FEW_CLUSTERS, Kind, Spread, between, contrast, spread, too_few

Key = tuple[str, str]
"""What is shown: ("", statistic), ("phone", measure) or ("feature", measure)."""
Numbers = tuple[Floats, Floats, Floats | float]
"""K numbers: of the corpus [K], of its replicates [R, K], and their effective clusters, [K] or of all."""

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
SHOWN = ("difference_low", "difference_high", "p", "least_difference")  # columns of tables
SWAPS = 9_999
FEWER_SWAPS = 999  # of measures that are computed anew for each
_ROUNDING = 1e-9  # of Σ |d|: sums that differ by rounding alone are equal
_PART = 4_000_000  # signs drawn at one time
_TOGETHER = 64  # swaps whose counts are held at one time


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
    def phone_tokens(self) -> pd.Series:
        """How often each gold phone was said."""
        rows = self.item.phones
        return rows[rows["side"] == "gold"].set_index("phone")["tokens"]

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
        """What the confusions show: statistics [1], gold phones [G], features [F]."""
        stack, clusters = self.item.stack, self._clusters
        value = self._shown(whole_counts(stack, self.counting))
        corrected = values(compared_statistics(), stack, self.counting, clusters)
        value |= {("", key): np.array([[number]]) for key, number in corrected.items()}
        entropies = jackknifed_rows(clusters).value[: len(stack.gold), None]
        value["phone", "entropy"] = np.clip(entropies, 0, np.log2(max(clusters.shape[1], 1)))
        parts = [self._shown(counts) for counts in replicates(stack, self.resampling, self.counting)]
        drawn = {key: np.concatenate([part[key] for part in parts], axis=1).T.copy() for key in value}
        return {key: (value[key][:, 0], drawn[key], self.resampling.effective) for key in value}

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
    return {("phone", name): values for name, values in phone_measures("gold", counts).items()}


def by_feature(counts: Counts, table: FeatureTable) -> dict[Key, Floats]:
    """Return the share of substitutions that change each feature, and how much of it comes through, [F, R]."""
    inventories = counts.empty.gold, counts.empty.predicted
    known_gold, known_predicted = (table.vectors(inventory)[1] for inventory in inventories)
    substituted = counts.pairs[np.logical_and.outer(known_gold, known_predicted) & ~counts.same].sum(axis=0)
    tables = feature_values(*inventories, table).collapse(counts.total)
    changed = tables.sum(axis=(1, 2)) - np.einsum("fvvr->fr", tables)
    shares = divided(changed, np.broadcast_to(substituted, changed.shape))
    return {("feature", "changed"): shares, ("feature", "transfer"): relative_transfer(tables)}


def approximate_randomisation(differences: ArrayLike, seed: int, swaps: int = SWAPS) -> Floats:
    """Return the two-sided p-value of Σ_c d_c for each measure, [K], in (0, 1]."""
    given = np.asarray(differences, dtype=np.float64)
    least = np.abs(given.sum(axis=0)) - _ROUNDING * np.abs(given).sum(axis=0)
    generator, count = np.random.default_rng(seed), np.zeros(given.shape[1], np.int64)
    rows = max(1, _PART // max(1, len(given)))
    for first in range(0, swaps, rows):
        signs = generator.integers(0, 2, (min(rows, swaps - first), len(given)), dtype=np.int8)
        count += (np.abs((2.0 * signs - 1.0) @ given) >= least).sum(axis=0)
    return p_of_draws(count, swaps)


def randomised_measure(
    first: csr_array, second: csr_array, measure: Callable[[Floats], Floats], seed: int, swaps: int = FEWER_SWAPS
) -> Floats:
    """Return the two-sided p-value of measure(Σ first) − measure(Σ second), for measures that are no sums, [K]."""
    both, apart = (first + second).sum(axis=0), first - second

    def differences(signs: Floats) -> Floats:
        moved = np.asarray(signs @ apart)
        return np.abs(measure(((both + moved) / 2).T) - measure(((both - moved) / 2).T))

    number, generator = first.shape[0], np.random.default_rng(seed)
    observed = differences(np.ones((1, number)))
    least, at_least, defined = observed - _ROUNDING * np.maximum(1.0, observed), 0, np.isfinite(observed[:, 0])
    for begin in range(0, swaps, _TOGETHER):
        signs = [generator.choice(np.array([-1.0, 1.0]), number) for _ in range(begin, min(begin + _TOGETHER, swaps))]
        drawn = differences(np.array(signs))
        at_least = at_least + (drawn >= least).sum(axis=1)
        defined &= np.isfinite(drawn).all(axis=1)
    return np.where(defined, p_of_draws(at_least, swaps), np.nan)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two items that are compared: differences are the first's value less the second's."""

    first: Measured
    second: Measured

    @property
    def sides(self) -> tuple[Measured, Measured]:
        """Both."""
        return self.first, self.second

    @property
    def paired(self) -> bool:
        """Whether both are of the same utterances, resampled together."""
        return self.first.group == self.second.group

    @cached_property
    def other_gold(self) -> str:
        """Which of the same utterances have other gold phones, "" where none has."""
        return "" if self.paired else other_gold(self.first.item, self.second.item)

    @property
    def shared(self) -> int:
        """How many utterances, with their gold phones, are in both."""
        return len(set.intersection(*(set(zip(one.item.ids, one.item.gold, strict=True)) for one in self.sides)))

    @property
    def relation(self) -> str:
        """What the two have in common."""
        if not self.paired and not self.other_gold:
            return f"{self.shared or 'no'} utterances in common"
        golds = "other gold phones" if self.other_gold else "gold phones"
        return f"same {len(self.first.item.ids)} utterances{',' if self.other_gold else ' and'} {golds}"

    @cached_property
    def weakness(self) -> str:
        """What weakens every test of this pair, "" if nothing: few clusters, shared utterances."""
        sides = [self.first] if self.paired else self.sides
        several = [one for one in sides if one.resampling.number > 1]
        few = [f"{note} ({one.item.name})" for one in several
               for note in (weakness(one.resampling), one.resampling.largest) if note]  # fmt: skip
        unknown = SPEAKERS_UNKNOWN * any(one.resampling.speakers_unknown for one in sides)
        first, second = self.first.item, self.second.item
        if self.paired:
            alike = first.utterances["speaker"].equals(second.utterances["speaker"])
            other = "the two results name other speakers; where there are fewer, those are resampled"
            return joined([*few, unknown, other * (self.first.resampling.unit == "speaker" and not alike)])
        if self.other_gold:
            return joined([*few, unknown, "the utterances are the same, but taken as independent"])
        golds = dict.fromkeys(symbol_sets(one)[0] for one in (first, second))
        finer = f"gold is in other symbol sets: {' against '.join(golds)}" * (len(golds) > 1)
        if self.shared:
            many = f"{self.shared} of {len(first.ids)} and {len(second.ids)} utterances are the same"
            return joined([*few, unknown, f"{many}, but taken as independent", finer])
        speakers = len((set(first.utterances["speaker"]) & set(second.utterances["speaker"])) - {""})
        known = f"{speakers} speakers have the same name in both, but are taken as independent" * bool(speakers)
        return joined([*few, unknown, known, finer])

    @cached_property
    def untested(self) -> str:
        """Why nothing is tested of this pair, "" where something may be."""
        few = next((one for one in self.sides if too_few(one.resampling.effective)), None)
        if few is None:
            return UNTESTED_UTTERANCES * any(one.resampling.speakers_unknown for one in self.sides)
        number = so_many(few.resampling.effective, few.resampling.unit)
        return f"no test: {few.item.name} has {number} only, and a test needs {FEW_CLUSTERS}"

    def tests(self, first: Numbers, second: Numbers) -> tuple[list[dict[str, float]], Spread]:
        """Return limits and p of each difference of K numbers, and the least that is found in 80 % of such data.

        Without a test p and the least difference are NaN. With them comes the spread of the differences.
        """
        (value, drawn, clusters), (other, others, other_clusters) = first, second
        if self.paired:
            apart = spread(drawn - others, np.minimum(clusters, other_clusters))
        else:
            apart = between(spread(drawn, clusters), spread(others, other_clusters))
        level, tested = self.first.resampling.level, np.nan if self.untested else 1.0
        limits = contrast(value - other, apart, level)
        columns = limits.low, limits.high, limits.p * tested, detectable(apart, level) * tested
        return [dict(zip(SHOWN, row, strict=True)) for row in np.column_stack(columns).tolist()], apart

    def randomised(self, seed: int) -> dict[str, float]:
        """Return p of the difference in each statistic when a cluster's outputs are swapped; NaN where undefined."""
        stacks = [one.item.stack for one in self.sides]
        gold, predicted = (merge(*(getattr(stack, name) for stack in stacks)) for name in ("gold", "predicted"))
        empty, clusters = ConfusionMatrix.zero(gold, predicted), self.first.resampling.clusters
        ones, cells = np.ones(len(clusters)), empty.counts.size
        owner = csr_array((ones, (clusters, np.arange(len(ones)))), shape=(self.first.resampling.number, len(ones)))
        first, second = (
            owner @ csr_array((stack.counts, stack.cells, stack.offsets), shape=(len(ones), cells))
            for stack in (stack.over(gold, predicted) for stack in stacks)
        )

        def measure(summed: Floats) -> Floats:
            counts = Counts(np.arange(cells), summed.reshape(cells, 1, -1), empty, self.first.counting)
            return np.array([one.of(counts) for one in compared_statistics()])

        p = randomised_measure(first, second, measure, seed).tolist()
        return dict(zip([one.name for one in compared_statistics()], p, strict=True))


def pairs_of(items: Sequence[Measured], against: str | None) -> list[Pair]:
    """Return all pairs in order, or those of each item with the one named; ConfigurationError if there is none."""
    if against is None:
        return [Pair(*pair) for pair in combinations(items, 2)]
    other = next((one for one in items if one.item.name == against), None)
    if other is None:
        names = ", ".join(one.item.name for one in items)
        raise ConfigurationError(f"--against {against}: there is no such item; the items are {names}")
    return [Pair(one, other) for one in items if one is not other]


def refuse_unpaired(pairs: Sequence[Pair]) -> None:
    """Raise DataError when a pair is not of the same utterances."""
    problems = []
    for first, second in ((pair.first.item, pair.second.item) for pair in pairs if not pair.paired):
        golds, others = (dict(zip(one.ids, one.gold, strict=True)) for one in (first, second))
        for one, own, two, other in ((first, golds, second, others), (second, others, first, golds)):
            if lone := [name for name in own if name not in other]:
                problems.append(f"{len(lone)} utterances of {one.name} are not in {two.name}, such as {lone[0]}")
        if changed := [name for name, gold in golds.items() if others.get(name, gold) != gold]:
            many = f"{len(changed)} utterances of {first.name} have other gold phones in {second.name}"
            problems.append(f"{many}, such as {changed[0]}")
    if problems:
        remedy = "Say --paired auto (or no) to compare them as independent samples."
        raise DataError(join_problems("--paired yes: these are not of the same utterances:", problems, remedy, limit=5))

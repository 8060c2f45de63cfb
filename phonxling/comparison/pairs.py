"""One item's numbers without each cluster; which items are compared with which, and how.

Everything that measures.tsv has compared has its stored value, and is computed anew without each group of clusters:
rates are ratios of columns of utterances.tsv, statistics those of the confusions that the stored alignments hold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from phonxling.analyses.features import feature_values
from phonxling.analyses.languages import shared_clusters
from phonxling.analyses.measures import Measure, compared_measures
from phonxling.analyses.phones import left_out_sums
from phonxling.analyses.statistics import (
    Counts,
    CountSettings,
    MeasuredValue,
    Statistic,
    measure_statistics,
    statistic_named,
)
from phonxling.comparison.alike import definition, other_gold, symbol_sets
from phonxling.comparison.items import Item
from phonxling.core.arrays import Floats, divide
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.estimate import Estimate, Status, join_notes
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import merge
from phonxling.core.sequences import numbered_speakers
from phonxling.stats.jackknife import Clusters, by_cluster, clusters_of, without_each
from phonxling.stats.p_values import approximate_randomisation, randomised_measure
from phonxling.stats.student import EstimateSpread, spread_of_difference
from phonxling.stats.two_corpora import common_weights

Test = Literal["paired", "unpaired", "none"]
LeftOut = tuple[Floats, Floats]  # K values without each group of clusters, and the tokens that these have, [K, C]
# Of a rate, to which stored and recomputed ones agree: sums over utterances round otherwise than those over cells.
_SAME = 1e-6
_COUNT_COLUMNS = {  # columns of utterances.tsv that rates are sums of
    "substitution_rate": "substitutions",
    "deletion_rate": "deletions",
    "insertion_rate": "insertions",
    "wper": "cost",
}
_COSTS = {"per": "unit_cost", "wper": "cost"}  # columns of utterances.tsv, after chance_ and floor_


@dataclass(frozen=True, eq=False)
class MeasuredItem:
    """An item's numbers, and who is left out of them; items of one group have the same utterances, and share these."""

    item: Item
    clusters: Clusters
    group: int

    @property
    def tokens(self) -> Floats:
        return self.item.utterances["gold_tokens"].to_numpy(float)

    def errors(self, rate: str) -> Floats:
        """Return the numerator of a rate by utterance, [U]; NaN where the results have none."""
        rows, tokens = self.item.utterances, self.tokens
        if rate == "per":
            # The stored rate is a quotient of whole numbers, so rounding gives back the edits.
            least = np.rint(np.nan_to_num(rows["per"].to_numpy(float)) * tokens)
            return np.where(tokens > 0, least, rows["predicted_tokens"].to_numpy(float))
        column = _COUNT_COLUMNS.get(rate, "")
        if not column or (rate == "wper" and tokens.any() and not rows["wper"].notna().any()):
            return np.full(len(rows), np.nan)
        return rows[column].to_numpy(float)

    @cached_property
    def counting(self) -> CountSettings:
        gaps = self.item.settings["entropy"]["gaps"] == "include"
        return CountSettings(np.zeros(len(self.item.ids), np.int8), gaps=gaps)

    @cached_property
    def measured(self) -> Mapping[str, MeasuredValue]:
        """The measures that are compared by name, with their values without each group of clusters.

        A rate, or a skill, is NaN where the results do not keep by utterance what it is made of.
        """
        values = measure_statistics(compared_statistics(), self.item.stack, self.clusters, self.counting)
        for one in [rate for rate in compared_measures() if rate.name not in values]:
            above, below = self.errors(one.of or one.name), self.tokens
            if one.of:
                levels = self.item.utterances[[f"{level}_{_COSTS[one.of]}" for level in ("chance", "floor")]]
                chance, floor = levels.to_numpy(float).T
                # Where no floor is stored, skill is against 0.
                floor = np.nan_to_num(floor) if np.isnan(floor).all() else floor
                above, below = chance - above, chance - floor
            value = float(divide(*(self.clusters.sums(part).sum() for part in (above, below))))
            left_out = self.clusters.ratio_without(above, below)
            values[one.name] = MeasuredValue(value, left_out if value == value else np.full_like(left_out, np.nan))
            stored = self.item.estimates.get((one.name, one.variant))
            # An utterances.tsv of another run than summary.tsv would be compared unnoticed.
            if stored is not None and abs(value - stored) > _SAME * abs(value):
                raise DataError(
                    f"{self.item.folder}: {self.item.corpus}: the stored {one.name} is {stored.value:.6f}, and "
                    f"utterances.tsv {value:.6f}; run the experiment again"
                )
        return values

    def estimate(self, one: Measure) -> Estimate:
        """Return a measure's stored number; of a statistic that is not stored, the one computed."""
        stored, statistic = self.item.estimates.get((one.name, one.variant)), statistic_named(one.name)
        if stored is not None or statistic is None:
            return Estimate(np.nan) if stored is None else stored
        shape = len(self.item.stack.gold), len(self.item.stack.predicted)
        return statistic.estimate(self.measured[one.name], self.clusters, shape, None)

    @cached_property
    def phones(self) -> pd.DataFrame:
        """The rows of its gold phones, by phone."""
        rows = self.item.phones
        return rows[rows["side"] == "gold"].set_index("phone")

    @cached_property
    def _of_phones(self) -> Mapping[str, LeftOut]:
        whole, left_out = left_out_sums(self.item.stack, self.clusters, self.counting)["gold"]
        tokens, correct, answers, entropy = left_out
        sizes, answered = (whole[place][:, None] - left for place, left in ((0, tokens), (2, answers)))
        return {"accuracy": (divide(correct, tokens), sizes), "entropy": (entropy, answered)}

    def of_phones(self, name: str, phones: Sequence[str]) -> LeftOut:
        """Return the accuracy or entropy of some gold phones without each group of clusters."""
        codes, (values, tokens) = self.item.path.gold_inventory.codes(phones), self._of_phones[name]
        return values[codes], tokens[codes]


def measure_items(items: Sequence[Item], *, paired: bool) -> list[MeasuredItem]:
    """Return items with who is left out: the same of those with the same utterances, if they are paired."""
    groups = dict[str, int]()
    numbers = [groups.setdefault(item.contents if paired else item.name, len(groups)) for item in items]
    shared = dict[int, Clusters]()
    for item, group in zip(items, numbers, strict=True):
        settings, names = item.settings["uncertainty"], item.utterances["speaker"].tolist()
        own = clusters_of(
            item.utterances["gold_tokens"].to_numpy(float),
            numbered_speakers(names, item.gold) if any(names) else None,
            cluster=settings["cluster"],
            level=float(settings["level"]),
            names=names,
            utterances=item.ids,
        )
        shared[group] = shared_clusters(shared[group], own) if group in shared else own
    return [MeasuredItem(item, shared[group], group) for item, group in zip(items, numbers, strict=True)]


def compared_statistics() -> list[Statistic]:
    return [statistic for one in compared_measures() if (statistic := statistic_named(one.name)) is not None]


# How often feature f changes depends on how often each phone is said, and languages may say other phones. So shares are
# compared phone by phone,
#   D_f = Σ_y w_y (e_fy/n_y − e′_fy/n′_y), w_y = n_y n′_y/(n_y + n′_y) over their sum
# Mantel & Haenszel's (1959) weights, which stay as they are while clusters are left out. n_y are the tokens of gold
# phone y aligned with a phone, both with features, and e_fy those whose value of f changed.
class Changes(NamedTuple):
    """The tokens of Y gold phones whose value of each feature changed, [C, F, Y], and all of them, [C, Y]."""

    changed: Floats
    tokens: Floats

    def shares(self, weights: Floats) -> tuple[Floats, LeftOut]:
        """Return the weighted mean share of each feature over phones, [F], and that without each group of clusters."""
        own = weights > 0
        changed, tokens = self.changed[..., own], self.tokens[:, own]
        without = divide(without_each(changed), without_each(tokens)[:, None]) @ weights[own]
        shares = divide(changed.sum(axis=0), tokens.sum(axis=0)) @ weights[own]
        return shares, (without.T, np.broadcast_to(tokens.sum(axis=1), without.T.shape))


def changes_of(stack: ConfusionStack, clusters: Clusters, phones: Sequence[str], table: FeatureTable) -> Changes:
    counts = by_cluster(stack, clusters)[:, stack.gold.codes(phones), :-1]
    values = feature_values(phones, stack.predicted, table)
    known = (values.gold[0] >= 0)[:, None] & (values.predicted[0] >= 0)
    other = (values.gold[:, :, None] != values.predicted[:, None, :]) & known
    return Changes(np.einsum("cyp,fyp->cfy", counts, other.astype(np.float64)), (counts * known).sum(axis=2))


# Two items with the same utterances and gold phones leave out the same clusters, so that what both share cancels: the
# speakers, or, where these are too few or unknown, the utterances, and then the tests are of these speakers alone. All
# others are independent samples, with Welch's degrees of freedom; they are tested where five speakers or more, worth
# four equal ones, are known of both, or where utterances are declared to be independent. Nothing is tested of an item
# that is not above chance.
@dataclass(frozen=True, eq=False)
class Pair:
    """Two items that are compared: differences are the first's value less the second's."""

    first: MeasuredItem
    second: MeasuredItem

    @property
    def sides(self) -> tuple[MeasuredItem, MeasuredItem]:
        return self.first, self.second

    @property
    def names(self) -> dict[str, str]:
        """What the two are called in a row of a table."""
        return {"item": self.first.item.name, "other": self.second.item.name}

    @property
    def paired(self) -> bool:
        """Whether both are of the same utterances, of which the same clusters are left out."""
        return self.first.group == self.second.group

    @cached_property
    def other_gold(self) -> str:
        """Which of the same utterances have other gold phones, "" where none has."""
        return "" if self.paired else other_gold(self.first.item, self.second.item)

    def differ_in(self, one: Measure) -> str:
        """Return how the two define a measure otherwise, "" where they are alike."""
        own, other = (definition(side.item, one) for side in self.sides)
        keys = [key for key in dict.fromkeys([*own, *other]) if own.get(key) != other.get(key)]
        parts = [f"{key}: {own.get(key, 'default')} against {other.get(key, 'default')}" for key in keys]
        return "; ".join(filter(None, (self.other_gold, *parts)))

    @cached_property
    def shared(self) -> int:
        return len(set.intersection(*({*zip(one.item.ids, one.item.gold, strict=True)} for one in self.sides)))

    @property
    def relation(self) -> str:
        if not self.paired and not self.other_gold:
            return f"{self.shared or 'no'} utterances in common"
        golds = "different gold phones" if self.other_gold else "gold phones"
        return f"same {len(self.first.item.ids)} utterances{',' if self.other_gold else ' and'} {golds}"

    @cached_property
    def status(self) -> Status:
        """Why nothing is tested of the two, or of whom the tests are; "" where they are of all speakers."""
        every = [one.clusters for one in (self.sides[:1] if self.paired else self.sides)]
        if not all(one.item.above_chance for one in self.sides):
            return "not-above-chance"
        if any(one.few for one in every):
            return "too-few-clusters"
        weak: Status = next((one.status for one in every if one.status), "")
        return "these-speakers-alone" if weak and self.paired else weak

    @property
    def test(self) -> Test:
        if self.paired and self.status in {"", "these-speakers-alone"}:
            return "paired"
        return "none" if self.paired or self.status else "unpaired"

    @cached_property
    def weakness(self) -> str:
        """What weakens every test of this pair, or why there is none, for people; "" if nothing."""
        first, second = self.first.item, self.second.item
        below = [f"{one.item.name} is not above chance" for one in self.sides if not one.item.above_chance]
        sides = [self.first] if self.paired else self.sides
        few = [f"{one.clusters.note} ({one.item.name})" for one in sides if one.clusters.note]
        if self.paired:
            alike = first.utterances["speaker"].equals(second.utterances["speaker"])
            other = "the two results name different speakers; those of the one with fewer are left out"
            return join_notes([*below, *few, other * (self.first.clusters.unit == "speaker" and not alike)])
        if self.other_gold:
            return join_notes([*below, *few, "the utterances are the same, but are taken as independent"])
        golds = dict.fromkeys(symbol_sets(one)[0] for one in (first, second))
        finer = f"gold is in different symbol sets: {' against '.join(golds)}" * (len(golds) > 1)
        speakers = len(({*first.utterances["speaker"]} & {*second.utterances["speaker"]}) - {""})
        both = f"{speakers} speakers have the same name in both" * bool(speakers)
        if self.shared:
            both = f"{self.shared} of {len(first.ids)} and {len(second.ids)} utterances are the same"
        return join_notes([*below, *few, f"{both}, but are taken as independent" * bool(both), finer])

    def spread(self, first: LeftOut, second: LeftOut) -> EstimateSpread:
        """Return how far the differences of K numbers may be off."""
        if self.paired:
            return self.first.clusters.spread(first[0] - second[0], np.minimum(first[1], second[1]))
        return spread_of_difference(self.first.clusters.spread(*first), self.second.clusters.spread(*second))

    def spread_of(self, name: str) -> EstimateSpread:
        numbers = [(one.clusters, one.measured[name]) for one in self.sides]
        if self.paired:
            numbers = [(self.first.clusters, numbers[0][1] - numbers[1][1])]
        spreads = [clusters.spread(own.left_out[None], value=own.value) for clusters, own in numbers]
        return spreads[0] if self.paired else spread_of_difference(*spreads)

    def changes(self, phones: Sequence[str], table: FeatureTable) -> tuple[Floats, Floats, EstimateSpread]:
        """Return each side's share of changed tokens, [2, F], of how many, [2], and how far differences may be off."""
        sides = [changes_of(one.item.stack, one.clusters, phones, table) for one in self.sides]
        weights = common_weights(*(one.tokens for one in sides))
        (shares, left_out), (others, other_left_out) = (one.shares(weights) for one in sides)
        tokens = np.array([one.tokens[:, weights > 0].sum() for one in sides])
        return np.stack([shares, others]), tokens, self.spread(left_out, other_left_out)

    def randomised(self, seed: int) -> Mapping[str, float]:
        """Return p of each difference in a measure when the outputs of a cluster are swapped; NaN where undefined."""
        rates = [one.name for one in compared_measures() if not (one.of or statistic_named(one.name))]
        errors = [self.first.clusters.sums(self.first.errors(one) - self.second.errors(one)) for one in rates]
        p = approximate_randomisation(np.nan_to_num(np.stack(errors, axis=1)), seed).tolist()
        stacks = [one.item.stack for one in self.sides]
        gold, predicted = (merge(*(getattr(stack, name) for stack in stacks)) for name in ("gold", "predicted"))
        empty, clusters = ConfusionMatrix.zero(gold, predicted), self.first.clusters
        ones, cells = np.ones(len(clusters.group)), empty.counts.size
        # Utterances are added up to clusters first: whole clusters are swapped.
        owner = csr_array((ones, (clusters.group, np.arange(len(ones)))), shape=(len(clusters.sizes), len(ones)))
        first, second = (
            owner @ csr_array((stack.counts, stack.cells, stack.offsets), shape=(len(ones), cells))
            for stack in (stack.over(gold, predicted) for stack in stacks)
        )

        def measure(summed: Floats) -> Floats:
            counts = Counts(np.arange(cells), summed.reshape(cells, 1, -1), empty, self.first.counting)
            return np.array([one.of(counts) for one in compared_statistics()])

        names = [*rates, *(one.name for one in compared_statistics())]
        return dict(zip(names, [*p, *randomised_measure(first, second, measure, seed).tolist()], strict=True))


def pairs_of(items: Sequence[MeasuredItem], against: str | None) -> list[Pair]:
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
            many = f"{len(changed)} utterances of {first.name} have different gold phones in {second.name}"
            problems.append(f"{many}, such as {changed[0]}")
    if problems:
        remedy = "Say --paired auto (or no) to compare them as independent samples."
        raise DataError(join_problems("--paired yes: these are not of the same utterances:", problems, remedy, limit=5))

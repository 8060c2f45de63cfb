"""Which items are compared with which, and how: in pairs of utterances, or as independent samples.

Two items with the same utterances and gold phones are resampled together; all others are independent samples. Of
pairs, approximate randomisation is a second test: when two systems are alike, swapping their outputs for a cluster of
utterances changes nothing but chance. Each random trial swaps every cluster with probability ½; p = (c + 1) / (n + 1),
c of n trials at least as large, of either sign.

References
----------
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Riezler & Maxwell (2005), On some pitfalls in
automatic evaluation and significance testing for MT.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from phonxling.analyses.statistics import Counts
from phonxling.comparison.measured import Measured, Numbers, compared_statistics
from phonxling.comparison.other_gold import other_gold, symbol_sets
from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.estimate import SPEAKERS_UNKNOWN, joined
from phonxling.core.inventory import merge
from phonxling.resample.intervals import UNTESTED_UTTERANCES, so_many, weakness
from phonxling.resample.p_values import p_of_draws
from phonxling.resample.student import FEW_CLUSTERS, Contrast, Spread, between, contrast, spread, too_few

SWAPS = 9_999
FEWER_SWAPS = 999  # of measures that are computed anew for each
_SAME = 1e-9  # of Σ |d|: sums that differ by rounding alone are equal
_PART = 4_000_000  # signs drawn at one time
_TOGETHER = 64  # swaps whose counts are held at one time


def approximate_randomisation(differences: ArrayLike, seed: int, swaps: int = SWAPS) -> Floats:
    """Return the two-sided p-value of Σ_c d_c for each measure, [K], in (0, 1]."""
    given = np.asarray(differences, dtype=np.float64)
    least = np.abs(given.sum(axis=0)) - _SAME * np.abs(given).sum(axis=0)
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
    least, at_least, defined = observed - _SAME * np.maximum(1.0, observed), 0, np.isfinite(observed[:, 0])
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

    def contrast(self, first: Numbers, second: Numbers) -> tuple[Contrast, Spread]:
        """Return limits and p of the differences of K numbers, and their spread."""
        (value, drawn, clusters), (other, others, other_clusters) = first, second
        if self.paired:
            apart = spread(drawn - others, np.minimum(clusters, other_clusters))
        else:
            apart = between(spread(drawn, clusters), spread(others, other_clusters))
        tests = contrast(value - other, apart, self.first.resampling.level)
        return (replace(tests, p=np.full_like(tests.p, np.nan)) if self.untested else tests), apart

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
            counts = Counts(np.arange(cells), summed.reshape(cells, 1, -1), empty, self.first.counting, whole=True)
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

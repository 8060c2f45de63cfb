"""Which items are compared with which, and how: in pairs of utterances, or as independent samples.

Approximate randomisation: how often labels put on at random give two systems so large a difference.

When two systems are alike, swapping their outputs for a cluster of utterances changes nothing but chance. Each random
trial swaps every cluster with probability ½; p = (c + 1) / (n + 1), c of n trials at least as large, of either sign.

References
----------
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Riezler & Maxwell (2005), On some pitfalls in
automatic evaluation and significance testing for MT.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from phonxling.analyses.statistic import Counts
from phonxling.comparison.items import Item
from phonxling.comparison.measured import Measured, Numbers, compared_statistics
from phonxling.comparison.other_gold import coarser, other_gold, symbol_sets
from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.estimate import SPEAKERS_UNKNOWN, joined
from phonxling.core.inventory import merge
from phonxling.resample.intervals import UNTESTED_UTTERANCES, so_many, weakness
from phonxling.resample.p_values import p_of_draws
from phonxling.resample.student import FEW_CLUSTERS, Contrast, Spread, between, contrast, spread, too_few

# Approximate randomisation: how often labels put on at random give two systems so large a difference.

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
    def coarser(self) -> str:
        """The symbol set that gold phones of both may be written in, where they differ; "" where none is known."""
        return coarser(self.first.item, self.second.item) if self.other_gold else ""

    @property
    def shared(self) -> int:
        """How many utterances, with their gold phones, are in both."""
        return len(set.intersection(*(set(zip(one.item.ids, one.item.gold, strict=True)) for one in self.sides)))

    @property
    def relation(self) -> str:
        """What the two have in common."""
        if self.paired or self.other_gold:
            golds = "same utterances, other gold phones" if self.other_gold else "same utterances and gold phones"
            return golds.replace("same", f"same {len(self.first.item.ids)}", 1)
        return f"{self.shared or 'no'} utterances in common"

    @cached_property
    def weakness(self) -> str:
        """What weakens every test of this pair, "" if nothing: few clusters, shared utterances."""
        sides = [self.first] if self.paired else self.sides
        several = [one for one in sides if one.resampling.number > 1]
        few = [f"{note} ({one.item.name})" for one in several
               for note in (weakness(one.resampling), one.resampling.largest) if note]  # fmt: skip
        unknown = any(one.resampling.speakers_unknown for one in sides)
        return joined([*few, SPEAKERS_UNKNOWN * unknown, self._shared()])

    @cached_property
    def untested(self) -> str:
        """Why nothing is tested of this pair, "" where something may be."""
        few = next((one for one in self.sides if too_few(one.resampling.effective)), None)
        if few is None:
            return UNTESTED_UTTERANCES * any(one.resampling.speakers_unknown for one in self.sides)
        number = so_many(few.resampling.effective, few.resampling.unit)
        return f"no test: {few.item.name} has {number} only, and a test needs {FEW_CLUSTERS}"

    @property
    def averaged(self) -> str:
        """What is to be said of single alignments where counts are averages over them, "" elsewhere."""
        return "of one best alignment, not of the averaged counts" * any(one.item.averaged for one in self.sides)

    def contrast(self, first: Numbers, second: Numbers) -> tuple[Contrast, Spread]:
        """Return limits and p of the differences of K numbers, and their spread."""
        if self.paired:
            apart = spread(first.drawn - second.drawn, np.minimum(first.clusters, second.clusters))
        else:
            apart = between(spread(first.drawn, first.clusters), spread(second.drawn, second.clusters))
        tests = contrast(first.value - second.value, apart, self.first.resampling.level)
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

    def _shared(self) -> str:
        first, second = self.first.item, self.second.item
        if self.paired:
            alike = first.utterances["speaker"].equals(second.utterances["speaker"])
            if alike or self.first.resampling.unit != "speaker":
                return ""
            return "the two results name other speakers; where there are fewer, those are resampled"
        if self.other_gold:
            return "the utterances are the same, but taken as independent"
        golds = " against ".join(dict.fromkeys(symbol_sets(one)[0] for one in (first, second)))
        finer = f"gold is in other symbol sets: {golds}" * (" against " in golds)
        if self.shared:
            many = f"{len(first.ids)} and {len(second.ids)}"
            return joined([f"{self.shared} of {many} utterances are the same, but taken as independent", finer])
        names = (set(one.item.utterances["speaker"]) - {""} for one in self.sides)
        speakers = len(set.intersection(*names))
        known = f"{speakers} speakers have the same name in both, but are taken as independent" * bool(speakers)
        return joined([known, finer])


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
    problems = [
        problem for pair in pairs if not pair.paired for problem in _difference(pair.first.item, pair.second.item)
    ]
    if problems:
        remedy = "Say --paired auto (or no) to compare them as independent samples."
        raise DataError(join_problems("--paired yes: these are not of the same utterances:", problems, remedy, limit=5))


def _difference(first: Item, second: Item) -> Iterator[str]:
    both = set(first.ids) & set(second.ids)
    for one, other in ((first, second), (second, first)):
        lone = [name for name in one.ids if name not in both]
        if lone:
            yield f"{len(lone)} utterances of {one.name} are not in {other.name}, such as {lone[0]}"
    golds = dict(zip(second.ids, second.gold, strict=True))
    pairs = zip(first.ids, first.gold, strict=True)
    changed = [name for name, gold in pairs if name in both and golds[name] != gold]
    if changed:
        yield f"{len(changed)} utterances of {first.name} have other gold phones in {second.name}, such as {changed[0]}"

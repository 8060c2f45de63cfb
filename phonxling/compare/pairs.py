"""Which items are compared with which, and how: in pairs of utterances, or as independent samples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from phonxling.compare.difference import Spread, between, spread
from phonxling.compare.items import Item
from phonxling.compare.measures import Measured
from phonxling.compare.profile import whole_bits
from phonxling.compare.randomisation import randomised_measure
from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.inventory import merge
from phonxling.resample.bootstrap import weakness

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two items that are compared: differences are the first's value less the second's."""

    first: Measured
    second: Measured

    @property
    def paired(self) -> bool:
        """Whether both are of the same utterances, resampled together."""
        return self.first.group == self.second.group

    @property
    def test(self) -> str:
        """The bootstrap's name in the tables."""
        return "paired bootstrap" if self.paired else "unpaired bootstrap"

    @cached_property
    def weakness(self) -> str:
        """What weakens every test of this pair, "" if nothing: few clusters, shared utterances."""
        sides = [self.first] if self.paired else [self.first, self.second]
        sides = [side for side in sides if side.resampling.number > 1]
        few = [f"{side.item.name}: {weakness(side.resampling)}" for side in sides if weakness(side.resampling)]
        return "; ".join([*few, *filter(None, [self._shared()])])

    def spread(self, first: Floats, second: Floats, clusters: tuple[Floats, Floats] | None = None) -> Spread:
        """Return the spread of the difference of measures, drawn [R, K] each, that rest on so many clusters."""
        whole = [np.full(first.shape[1], float(one.resampling.number)) for one in (self.first, self.second)]
        numbers = clusters or (whole[0], whole[1])
        if self.paired:
            return spread(first - second, np.minimum(*numbers))
        return between(spread(first, numbers[0]), spread(second, numbers[1]))

    def randomised(self, seed: int) -> Floats:
        """Return p of the difference in entropy and information when outputs of a cluster are swapped, [2]."""
        sides = [one.item.stack for one in (self.first, self.second)]
        gold, predicted = (merge(*(getattr(side, name) for side in sides)) for name in ("gold", "predicted"))
        shape = len(gold) + 1, len(predicted) + 1
        drawn, gaps = self.first.resampling, self.first.profile.gaps
        ones = np.ones(len(drawn.clusters))
        owner = csr_array((ones, (drawn.clusters, np.arange(len(ones)))), shape=(drawn.number, len(ones)))
        first, second = (
            owner @ csr_array((side.counts, side.cells, side.offsets), shape=(len(ones), shape[0] * shape[1]))
            for side in (stack.over(gold, predicted) for stack in sides)
        )
        return randomised_measure(first, second, lambda flat: whole_bits(flat.reshape(shape), gaps=gaps), seed)

    def _shared(self) -> str:
        first, second = self.first.item, self.second.item
        if self.paired:
            alike = first.utterances["speaker"].equals(second.utterances["speaker"])
            return (
                ""
                if alike or self.first.resampling.unit != "speaker"
                else "the two results name other speakers; where there are fewer, those are resampled"
            )
        shared = shared_utterances(first, second)
        if shared:
            return (
                f"{shared} of {len(first.ids)} and {len(second.ids)} utterances are the same, but taken as independent"
            )
        names = (set(one.item.utterances["speaker"]) - {""} for one in (self.first, self.second))
        speakers = len(set.intersection(*names))
        return f"{speakers} speakers have the same name in both, but are taken as independent" if speakers else ""


def shared_utterances(first: Item, second: Item) -> int:
    """Return how many utterances have the same id and gold phones in both."""
    return len(set(zip(first.ids, first.gold, strict=True)) & set(zip(second.ids, second.gold, strict=True)))


def pairs_of(items: Sequence[Measured], against: str | None) -> list[Pair]:
    """Return all pairs in order, or those of each item with the one named.

    Raises
    ------
    ConfigurationError
        If no item has that name.
    """
    if against is None:
        return [Pair(*pair) for pair in combinations(items, 2)]
    other = next((one for one in items if one.item.name == against), None)
    if other is None:
        named = ", ".join(one.item.name for one in items)
        raise ConfigurationError(f"--against {against}: there is no such item; the items are {named}")
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

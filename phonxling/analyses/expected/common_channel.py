"""What an aligner makes of one channel in two languages: counts that differ although nothing else does.

Where a phone is deleted and another inserted beside it, an aligner pairs the two, or pairs neighbours anew. How often
depends on which phones are neighbours, so languages with the same p(x|y) have other counts: with 20,000 tokens of each,
tests that do not know of it called 69 % of such pairs different. So one channel is drawn for both, and aligned:

1. Each language's channel: its counts p(x|y), ∅ included, and what is inserted after a phone. Drawn and aligned again,
   a channel gives other counts than it has itself. What the counts differ is taken off it, three times.
2. Common phones that are not deleted get the channel of both languages together. Deletions, insertions and other phones
   stay those of their language.
3. It is drawn on both languages' own gold phones, aligned and counted, 20 to 200 times: often where tokens are few.

The phonotactics, how often a phone is said, and the inventories are those of the languages in all three.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from phonxling.analyses.case.case import Case
from phonxling.analyses.case.costs import alignment_costs
from phonxling.analyses.case.fitting import Aligner
from phonxling.analyses.chance.counted import count_aligned
from phonxling.core.arrays import Floats, divided, offsets_of
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory, merge
from phonxling.core.sequences import PhoneSequences
from phonxling.count.confusions import count_confusions

_ROUNDS = 3  # in which a channel is freed of what the aligner adds
_TOKENS = 1_000_000  # gold tokens that are drawn of a language at last, and in all rounds
_FEWEST, _MOST = 20, 200  # draws
_LARGEST = 100_000  # gold tokens of a draw: of larger corpora, evenly spaced utterances
Count: TypeAlias = Callable[[PhoneSequences, PhoneSequences], Floats]


@dataclass(frozen=True, eq=False, kw_only=True)
class Language:
    """What drawing predictions for a language takes.

    Parameters
    ----------
    gold : PhoneSequences
        What is said.
    predicted : Inventory
        All phones that can be heard, in both languages.
    counts : float64 array [G + 1, P + 1]
        Its confusions, ∅ last.
    count : callable
        Aligns gold with predicted phones, and returns the confusions of all, [G + 1, P + 1].
    most : int
        Draws at most.
    """

    gold: PhoneSequences
    predicted: Inventory
    counts: Floats
    count: Count
    most: int = _MOST

    @property
    def draws(self) -> int:
        """How many times it is drawn: often where tokens are few."""
        return int(np.clip(_TOKENS // max(1, len(self.gold.codes)), _FEWEST, self.most))

    def channel(self, generator: np.random.Generator) -> Floats:
        """Return the channel whose draws, aligned, have the language's shares: see `_shares`, [G + 1, P + 1]."""
        wanted = channel = _shares(self.counts)
        draws = max(1, self.draws // _ROUNDS)
        for _ in range(_ROUNDS):
            found = sum(_shares(self.drawn(channel, generator)) for _ in range(draws)) / draws
            channel = np.maximum(channel + wanted - found, 0.0)
            channel[:-1] = _shares_of(channel[:-1])
        return channel

    def drawn(self, channel: Floats, generator: np.random.Generator) -> Floats:
        """Return the confusions of predictions that a channel makes of the gold phones, aligned, [G + 1, P + 1]."""
        said, phones = self.gold.codes.astype(np.int64), len(self.predicted)
        ends = channel[:-1].cumsum(axis=1)
        ends[:, -1] = 1.0
        ends += np.arange(len(ends))[:, None]
        heard = np.searchsorted(ends.ravel(), said + generator.random(len(said)), side="right") - said * (phones + 1)
        rates = channel[-1, :-1]
        inserted = np.searchsorted(rates.cumsum(), generator.random(len(said)), side="right")
        both = np.column_stack([np.minimum(heard, phones), inserted]).ravel()
        kept = both < phones
        owner = np.repeat(self.gold.token_utterances(), 2)[kept]
        lengths = np.bincount(owner, minlength=len(self.gold))
        predicted = PhoneSequences(
            utterances=self.gold.utterances,
            inventory=self.predicted,
            offsets=offsets_of(lengths),
            codes=both[kept].astype(np.int32),
        )
        return self.count(self.gold, predicted)


def languages(target: Case, reference: Case) -> tuple[Language, Language] | None:
    """Return both languages, None where no aligner pairs phones, or by costs that were learned."""
    predicted = merge(target.counted.matrix.predicted, reference.counted.matrix.predicted)
    own, other = (_language(case, predicted) for case in (target, reference))
    return None if own is None or other is None else (own, other)


def _language(case: Case, predicted: Inventory) -> Language | None:
    gold, matrix = case.counted.corpus.gold, case.counted.matrix
    costs = alignment_costs(gold.inventory, predicted, case.experiment)
    if case.experiment.alignment.method == "posterior" or not isinstance(costs, CostTable):
        return None
    some = -(-len(gold.codes) // _LARGEST)
    if some > 1:
        gold = gold.select(np.arange(0, len(gold), some))
    counts = np.zeros((len(matrix.gold) + 1, len(predicted) + 1))
    columns = [*(predicted.code(phone) for phone in matrix.predicted), len(predicted)]
    counts[:, columns] = matrix.counts
    most = max(_FEWEST, min(_MOST, case.experiment.uncertainty.resamples // 5))
    return Language(gold=gold, predicted=predicted, counts=counts, count=_counting(costs, case), most=most)


def _counting(costs: CostTable, case: Case) -> Count:
    temperature = case.experiment.alignment.averaged_at

    def count(gold: PhoneSequences, predicted: PhoneSequences) -> Floats:
        if temperature is None:
            return count_aligned(gold, predicted, costs)[1].total().counts
        return np.asarray(count_confusions(Aligner(temperature)(gold, predicted, costs)).counts)

    return count


def common_channel(
    target: Language, reference: Language, same: Mapping[str, str], generator: np.random.Generator
) -> list[tuple[Floats, Floats]]:
    """Return both languages' confusions of one channel, so many times, each [G + 1, P + 1], ∅ last.

    `same` has the reference phone that stands for each common gold phone of the target.
    """
    own, other = target.channel(generator), reference.channel(generator)
    rows = [target.gold.inventory.code(phone) for phone in same]
    places = [reference.gold.inventory.code(phone) for phone in same.values()]
    amounts = target.counts[rows, :-1].sum(axis=1), reference.counts[places, :-1].sum(axis=1)
    shares = [_shares_of(channel[at, :-1]) for channel, at in ((own, rows), (other, places))]
    counterparts, first, group = np.unique(
        places, return_index=True, return_inverse=True
    )  # which several phones may share
    pooled = np.zeros((len(counterparts), len(target.predicted)))
    np.add.at(pooled, group, amounts[0][:, None] * shares[0])
    mixed = _shares_of(pooled + (amounts[1][:, None] * shares[1])[first])[group]
    own[rows, :-1] = mixed * (1 - own[rows, -1:])
    other[places, :-1] = mixed * (1 - other[places, -1:])
    return [
        (target.drawn(own, generator), reference.drawn(other, generator))
        for _ in range(min(target.draws, reference.draws))
    ]


def _shares(counts: Floats) -> Floats:
    """Return p(x|y) of confusions, ∅ included, and in the last row insertions of each phone a gold token."""
    shares = _shares_of(counts)
    shares[-1] = counts[-1] / max(counts[:-1].sum(), 1.0)
    shares[-1, -1] = 0.0
    return shares


def _shares_of(rows: Floats) -> Floats:
    return divided(rows, rows.sum(axis=1, keepdims=True), undefined=0.0)

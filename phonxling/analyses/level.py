"""Are there more errors than in the reference? A test by speakers, free of what the aligner makes of one channel.

Conventions
-----------
y is a common phone, x ≠ y a wrong phone (y′ stands for y in the reference), s a speaker. In the target, n_y tokens of y
are not deleted and a_y of them are wrong; m_y and b_y in the reference. No phone is weighed by how often one language
says it. What the aligner makes of one channel in both languages is taken off.

Measure
-------
D = Σ_y w_y (a_y/n_y − b_y/m_y), w_y = n_y m_y/(n_y + m_y) over their sum (Mantel & Haenszel's weights). Its variance
is the sum of both languages' C/(C − 1) Σ_s d_s², d_s = Σ_y w_y (a_ys − n_ys a_y/n_y)/n_y, C the effective number of
speakers, and of the chance of the draws of one channel; limits and p are Student's on Welch's degrees of freedom.

What an aligner makes of one channel in two languages
-----------------------------------------------------
Where a phone is deleted and another inserted beside it, an aligner pairs the two, or pairs neighbours anew. How often
depends on which phones are neighbours, so languages with the same p(x|y) have other counts, and with many tokens a
test that does not know of it calls them different. So one channel is drawn for both, and aligned:

1. Each language's channel: its counts p(x|y), ∅ included, and what is inserted after a phone. Drawn and aligned again,
   a channel gives other counts than it has itself. What the counts differ is taken off it, three times.
2. Common phones get the channel of both languages together, deletions and insertions, too: how many of these a few
   speakers have is chance, and moved the level of halves of one corpus by as much as its standard error. Phones that
   only one language has stay as they are.
3. It is drawn on both languages' own gold phones, aligned and counted, 20 to 200 times: often where tokens are few.

The phonotactics, how often a phone is said, and the inventories are those of the languages in all three.

References
----------
Mantel & Haenszel (1959). Welch (1947).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from phonxling.analyses.case import Case
from phonxling.analyses.chance import count_aligned
from phonxling.analyses.costs import attested, costs_in_use
from phonxling.analyses.expected_confusions import ExpectedConfusions, restricted, seen_cells
from phonxling.core.arrays import Bools, Floats, divided, offsets_of
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences
from phonxling.resample.entropies import cluster_cells
from phonxling.resample.student import Spread, between, contrast, effective_number, freedom_of, spread_of
from phonxling.resample.two_corpora import Resampled, jackknifed, over_unpaired

LEFT_OUT = 200  # clusters of a language that are left out one by one; of more, neighbours are left out together
Both: TypeAlias = tuple[Floats, Floats]  # of the target and the reference: counts of clusters [C, T, P], or of draws
Measure: TypeAlias = Callable[[ExpectedConfusions], float | Floats]
Drawn: TypeAlias = Sequence[Both]
Count: TypeAlias = Callable[[PhoneSequences, PhoneSequences], Floats]
_TOGETHER = 1 << 16  # cells that are jackknifed together
_NOTHING = 1e-9  # a count that subtraction leaves of none
_ROUNDS = 3  # in which a channel is freed of what the aligner adds
_TOKENS = 1_000_000  # gold tokens that are drawn of a language at last, and in all rounds
_FEWEST, _MOST = 20, 200  # draws
_LARGEST = 100_000  # gold tokens of a draw: of larger corpora, evenly spaced utterances


def jackknifed_measure(clusters: Both, confusions: ExpectedConfusions, measure: Measure) -> tuple[float, float]:
    """Return a measure without the bias of few clusters, and its standard error; as it is where it is infinite."""
    value = float(measure(confusions))
    if not np.isfinite(value):
        return value, np.nan
    return jackknifed(value, *_left_out(clusters, confusions, measure))


def _left_out(clusters: Both, confusions: ExpectedConfusions, measure: Measure) -> Both:
    """Return a measure without each cluster of the target in turn, and without each of the reference, [C] each."""
    target, reference = clusters
    own, other = (side.sum(axis=0, keepdims=True) for side in clusters)
    together = max(1, _TOGETHER // max(1, own.size))  # so that the arrays of a measure stay small

    def measured(mine: Floats, theirs: Floats) -> Floats:
        both, values = np.broadcast_arrays(mine, theirs), list[Floats]()
        for first in range(0, len(both[0]), together):
            parts = (side[first : first + together] for side in both)
            stacked = [np.moveaxis(np.where(part > _NOTHING, part, 0.0), 0, -1) for part in parts]
            values.append(np.asarray(measure(replace(confusions, target=stacked[0], reference=stacked[1]))))
        return np.concatenate(values)

    return measured(own - target, other), measured(own, other - reference)


def packed(clusters: Both) -> Both:
    """Return the counts without cells of a row that nobody has: for measures that pass over them."""
    kept = seen_cells(*(side.sum(axis=0) for side in clusters))[None]
    return np.take_along_axis(clusters[0], kept, axis=2), np.take_along_axis(clusters[1], kept, axis=2)


def clusters_of(
    target: Resampled,
    reference: Resampled,
    *,
    phones: tuple[Sequence[str], Sequence[str]],
    predicted: Inventory,
    most: int | None = None,
) -> Both:
    """Return the counts of the clusters of both languages, of these gold phones of each."""
    sides = []
    for (stack, weights), gold in zip((target, reference), phones, strict=True):
        groups = min(weights.number, most or weights.number)
        grouped = replace(weights, clusters=weights.clusters * groups // weights.number, number=groups)
        counts = np.zeros((groups, len(stack.gold) + 1, len(stack.predicted) + 1))  # −1 reads an empty row or column
        for cells in cluster_cells(stack, grouped).parts():
            counts[cells.cluster, cells.row, cells.column] = cells.tokens
        sides.append(counts[:, stack.gold.codes(gold)][:, :, stack.predicted.codes(predicted)])
    return sides[0], sides[1]


def over_resampled(
    confusions: ExpectedConfusions,
    target: Resampled,
    reference: Resampled,
    measure: Callable[[ExpectedConfusions], Floats],
    *,
    counterparts: Sequence[str],
) -> Floats:
    """Return a measure of R replicates, [..., R]; one of the target stands beside the one before of the reference."""
    own, other = target[0].total(), reference[0].total()
    predicted = confusions.predicted.phones

    def of_both(theirs: Floats, mine: Floats) -> Floats:
        first = restricted(own, mine, gold=confusions.gold.phones, predicted=predicted)
        second = restricted(other, theirs, gold=counterparts, predicted=predicted)
        return measure(replace(confusions, target=first, reference=second))

    return np.roll(over_unpaired(reference, target, of_both), 1, axis=-1)


def level_test(clusters: Both, right: Bools, drawn: Drawn, level: float) -> tuple[Estimate, float]:
    """Return D with its limits, and p; NaN without common tokens."""
    weights = _weights(*(side.sum(axis=(0, 2)) for side in clusters))
    if not weights.any():
        return Estimate(np.nan), np.nan

    def excess(own: Floats, other: Floats) -> float:
        return float(weights @ (_error_rates(own, right) - _error_rates(other, right)))

    shifts = np.array([excess(*one) for one in drawn])
    shift, noise = (shifts.mean(), shifts.var(ddof=1) / len(shifts)) if len(shifts) else (0.0, 0.0)
    value = excess(*(side.sum(axis=0) for side in clusters)) - shift
    own, other = (_spread(side, right, weights) for side in clusters)
    if not own.variance + other.variance:
        return Estimate(float(value), note="no interval: no speaker differs from the others"), np.nan
    both = between(own, other)
    test = contrast(value, replace(both, variance=both.variance + noise), level)
    return Estimate(float(value), float(test.low[0]), float(test.high[0])), float(test.p[0])


def _weights(first: Floats, second: Floats) -> Floats:
    """Return the weights of phones that have so many tokens in two languages, [T]: their sum is 1, or 0 without any."""
    weights = divided(first * second, first + second, undefined=0.0)
    return divided(weights, weights.sum(), undefined=0.0)


def _error_rates(counts: Floats, right: Bools) -> Floats:
    """Return the share of wrong tokens of each phone, [T]; 0 without tokens."""
    return divided(np.where(right, 0.0, counts).sum(axis=1), counts.sum(axis=1), undefined=0.0)


def _spread(by_speaker: Floats, right: Bools, weights: Floats) -> Spread:
    """Return the spread of Σ_y w_y a_y/n_y of a language, of the counts of its speakers [C, T, P]."""
    tokens = by_speaker.sum(axis=2)
    each = divided(weights, tokens.sum(axis=0), undefined=0.0)
    errors = np.where(right, 0.0, by_speaker).sum(axis=2)
    apart = (errors - tokens * _error_rates(by_speaker.sum(axis=0), right)) @ each
    carried = tokens @ each
    clusters = effective_number(carried.sum(), (carried**2).sum())
    freedom = freedom_of(clusters)
    variance = (freedom + 1) / freedom * (apart**2).sum()
    return spread_of(float(variance), float(freedom), float(clusters))


@dataclass(frozen=True, eq=False, kw_only=True)
class Language:
    """What drawing predictions for a language takes."""

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
        inserted = np.searchsorted(channel[-1, :-1].cumsum(), generator.random(len(said)), side="right")
        both = np.column_stack([np.minimum(heard, phones), inserted]).ravel()
        kept = both < phones
        lengths = np.bincount(np.repeat(self.gold.token_utterances(), 2)[kept], minlength=len(self.gold))
        predicted = PhoneSequences(
            utterances=self.gold.utterances,
            inventory=self.predicted,
            offsets=offsets_of(lengths),
            codes=both[kept].astype(np.int32),
        )
        return self.count(self.gold, predicted)


def language(case: Case, predicted: Inventory) -> Language:
    """Return what redrawing a case takes."""
    gold, matrix = case.counted.corpus.gold, case.counted.matrix
    costs = costs_in_use(gold.inventory, predicted, case.experiment, attested(case.counted.corpus))
    some = -(-len(gold.codes) // _LARGEST)
    if some > 1:
        gold = gold.select(np.arange(0, len(gold), some))
    counts = np.zeros((len(matrix.gold) + 1, len(predicted) + 1))
    counts[:, [*map(predicted.code, matrix.predicted), len(predicted)]] = matrix.counts
    most = max(_FEWEST, min(_MOST, case.experiment.uncertainty.resamples // 5))

    def count(gold: PhoneSequences, predicted: PhoneSequences) -> Floats:
        return count_aligned(gold, predicted, costs)[1].total().counts

    return Language(gold=gold, predicted=predicted, counts=counts, count=count, most=most)


def common_channel(
    target: Language, reference: Language, same: Mapping[str, str], generator: np.random.Generator
) -> list[Both]:
    """Return both languages' confusions of one channel, so many times, each [G + 1, P + 1], ∅ last."""
    own, other = target.channel(generator), reference.channel(generator)
    rows = [target.gold.inventory.code(phone) for phone in same]
    places = [reference.gold.inventory.code(phone) for phone in same.values()]
    amounts = target.counts[rows].sum(axis=1), reference.counts[places].sum(axis=1)
    counterparts, first, group = np.unique(places, return_index=True, return_inverse=True)  # several may share one
    pooled = np.zeros((len(counterparts), len(target.predicted) + 1))
    np.add.at(pooled, group, amounts[0][:, None] * own[rows])
    own[rows] = other[places] = _shares_of(pooled + (amounts[1][:, None] * other[places])[first])[group]
    said = target.counts[:-1].sum(), reference.counts[:-1].sum()
    own[-1] = other[-1] = (said[0] * own[-1] + said[1] * other[-1]) / sum(said)
    times = range(min(target.draws, reference.draws))
    return [(target.drawn(own, generator), reference.drawn(other, generator)) for _ in times]


def _shares(counts: Floats) -> Floats:
    """Return p(x|y) of confusions, ∅ included, and in the last row insertions of each phone a gold token."""
    shares = _shares_of(counts)
    shares[-1] = counts[-1] / max(counts[:-1].sum(), 1.0)
    shares[-1, -1] = 0.0
    return shares


def _shares_of(rows: Floats) -> Floats:
    return divided(rows, rows.sum(axis=1, keepdims=True), undefined=0.0)

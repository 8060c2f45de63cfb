"""A number beside chance: its level under the best model of chance, and what is above it, as measures.tsv lists them.

A level is the mean of a model's replicates, each aligned anew; what is above it is resampled together with it. `best`
is the model that is hardest to beat: the lowest level of measures for which lower is better, else the highest. Levels
that stand in the summary have those of the other models beside them, in the details.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from phonxling.analyses import statistics
from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.case import Case, Items
from phonxling.analyses.chance import ChanceLevel, best
from phonxling.analyses.measures import Row, derived, measure, row_of
from phonxling.analyses.statistics import Statistic
from phonxling.core.arrays import Floats, divided
from phonxling.core.estimate import Estimate, joined, verdict
from phonxling.resample.entropies import moved_to
from phonxling.resample.intervals import Crossed, Resampling, estimate
from phonxling.resample.student import Kind

_WITHOUT = "the constant is left out: it has no information, and its H(X|Y) is 0"
_ROUNDING = 1e-12
_Derive: TypeAlias = Callable[[ChanceLevel, str], tuple[Estimate, str]]  # of a model, by kind; with what is noted of it


@dataclass(frozen=True, eq=False)
class Sums:
    """A sum over utterances: of each cluster, [C], and in each bootstrap draw, [R]."""

    clusters: Floats
    drawn: Floats

    def __sub__(self, other: "Sums") -> "Sums":
        """Return the difference; what is equal but for rounding leaves 0."""
        pairs = ((self.clusters, other.clusters), (self.drawn, other.drawn))
        return Sums(*(np.where(np.isclose(one, two, rtol=_ROUNDING), 0.0, one - two) for one, two in pairs))

    @property
    def total(self) -> float:
        return float(self.clusters.sum())

    @property
    def left_out(self) -> Floats:
        """The sum without each cluster, [C]."""
        return np.asarray(self.clusters.sum() - self.clusters)


def summed(weights: Resampling, *values: Floats) -> list[Sums]:
    """Return the sums of values [U] each; the weights pass once."""
    clusters = [weights.by_cluster(one) for one in values]
    return [Sums(*pair) for pair in zip(clusters, weights.drawn_sums(*clusters), strict=True)]


def level_of(level: ChanceLevel, weights: Resampling) -> Sums:
    """Return the sums of a chance level's cost."""
    return Sums(weights.by_cluster(level.cost), level.drawn_cost)


def skill(errors: Sums, chance: Sums, tokens: Floats, weights: Resampling, crossed: Crossed) -> Estimate:
    """Return 1 − errors / those of chance; without errors its lower limit is that of their upper and chance's lower."""
    if not errors.clusters.any():
        none = weights.ratio(np.zeros(len(tokens)), tokens, "rate")
        level = _rate(chance, summed(weights, tokens)[0], weights)
        low = 1 - none.high / (level.value if math.isnan(level.low) else level.low)
        return replace(none, value=1.0, low=low, high=low * 0 + 1)
    drawn, left_out = divided(errors.drawn, chance.drawn), divided(errors.left_out, chance.left_out)
    value = 1 - errors.total / chance.total
    draws, error = crossed.rested(weights), crossed.error
    clusters = min(draws.effective, crossed.prompts)
    number = estimate(value, 1 - drawn, draws, kind="skill", left_out=1 - left_out, clusters=clusters, error=error)
    return crossed.noted(number)


def _rate(cost: Sums, tokens: Sums, weights: Resampling) -> Estimate:
    drawn, left_out = divided(cost.drawn, tokens.drawn), divided(cost.left_out, tokens.left_out)
    return estimate(cost.total / tokens.total, drawn, weights, kind="rate", left_out=left_out)


def rate_beside_chance(
    name: str,
    cost: Floats,
    tokens: Floats,
    levels: Sequence[ChanceLevel],
    weights: Resampling,
) -> Iterator[Row]:
    """Yield the chance level of a rate of each utterance's cost over its gold tokens, [U], and its skill above it."""
    gold, errors = summed(weights, tokens, cost)

    def derive(level: ChanceLevel, kind: str) -> tuple[Estimate, str]:
        chance = level_of(level, weights)
        if kind == "level":
            several = len(level.rates) > 1
            spread = f"standard deviation of the replicates {level.rates.std(ddof=1):.2g}" if several else ""
            return _rate(chance, gold, weights), spread
        if not level.cost.sum():
            return Estimate(math.nan), "the chance rate is 0"
        return skill(errors, chance, tokens, weights, weights.crossed(cost, level.cost)), ""

    yield from _rows(name, levels, best(levels), derive, float(tokens.sum()))


def confusions_beside_chance(case: Case, _: None) -> Items:
    """Yield the statistics that no other analysis has rows of, then each statistic beside its chance level."""
    analysed = case.counted
    yield from (_row(statistic, analysed) for statistic in statistics.STATISTICS if statistic.row)
    for statistic in statistics.beside_chance():
        yield from statistic_beside_chance(statistic, analysed)


def heard_all_the_same(case: Case, _: None) -> Items:
    """Yield what a verdict tells where the rate shows nothing: information beside chance, the best relabelling."""
    yield _row(statistics.ONE_TO_ONE, case.counted)
    yield from statistic_beside_chance(statistics.MUTUAL_INFORMATION, case.counted)


def _row(statistic: Statistic, analysed: AnalysedCorpus) -> Row:
    n, value = _pairs(statistic, analysed), analysed.statistics[statistic.key]
    number = _bounded(statistic, value, analysed.drawn[statistic.key], analysed)
    missing = statistic.undefined if n else statistics.NO_PAIRS
    note = missing if math.isnan(value) else ""
    return row_of(statistic.name, number, n, statistic.variant or measure(statistic.name).variant, note)


def statistic_beside_chance(statistic: Statistic, analysed: AnalysedCorpus) -> Iterator[Row]:
    """Yield the chance level of a statistic of the confusions, and what is above it."""
    levels = [level for level in analysed.chance if not (statistic.entropic and level.model == "constant")]
    left_out = _WITHOUT * (len(levels) < len(analysed.chance))
    draws, key, shape = analysed.drawn, statistic.key, analysed.clusters.shape
    value = statistic.possible(analysed.statistics[key], shape)

    def derive(level: ChanceLevel, kind: str) -> tuple[Estimate, str]:
        mean, drawn = float(np.mean(level.measures[key])), level.drawn_measures[key]
        if kind == "level":
            number = _bounded(statistic, mean, drawn, analysed)
        else:
            above, limits = value - statistic.possible(mean, shape), (-math.inf, math.inf)
            number = _bounded(statistic, above, draws[key] - drawn, analysed, limits)
        return number, statistics.UNDEFINED if math.isnan(number.value) else left_out

    means = [(float(np.mean(level.measures[key])), level) for level in levels if not level.missing]
    known = [(mean, level) for mean, level in means if not math.isnan(mean)]
    first = min if measure(statistic.name).direction == "lower" else max
    hardest = first(known, key=lambda pair: pair[0])[1] if known else None
    n, none = _pairs(statistic, analysed), statistics.UNDEFINED if levels else left_out
    yield from _rows(statistic.name, levels, hardest, derive, n, none=none)


def _bounded(
    statistic: Statistic,
    value: float,
    drawn: Floats,
    analysed: AnalysedCorpus,
    limits: tuple[float, float] | None = None,
) -> Estimate:
    """Return a statistic, or what is made of it, with its interval; `limits` are its own unless given."""
    low, high = limits or (0.0, statistic.most(analysed.clusters.shape))
    kind: Kind = "share" if (low, high) == (0.0, 1.0) else "skill" if (low, high) == (-math.inf, 1.0) else "number"
    made = statistics.draws_of(statistic, analysed.stack)
    number = estimate(value, moved_to(value, drawn[:made]), analysed.resampling, kind=kind).within(low, high)
    few = 0 < made < analysed.resampling.replicates
    return replace(number, note=joined([number.note, f"interval of {made} draws, since inventories are large" * few]))


def _pairs(statistic: Statistic, analysed: AnalysedCorpus) -> float:
    """Return the aligned pairs, those with ∅ too where it may be a symbol and the configuration makes it one."""
    with_gaps = statistic.entropic and analysed.counting.gaps
    return float((analysed.matrix.counts if with_gaps else analysed.matrix.substitutions).sum())


def _rows(
    name: str, levels: Sequence[ChanceLevel], hardest: ChanceLevel | None, derive: _Derive, n: float, *, none: str = ""
) -> Iterator[Row]:
    """Yield each measure that is made of a number and its chance level, against the hardest; levels of the others."""
    why = joined(one.missing for one in levels) or none
    first = [("best", hardest or ChanceLevel(model="", missing=why))] if hardest or why else []
    each = [(level.model, level) for level in levels]
    for one in derived(name):
        for model, level in first + each * (one.kind == "level" and one.table == "summary"):
            variant = one.variant.replace("best", model)
            if level.missing:
                yield row_of(one.name, math.nan, n, variant, level.missing)
                continue
            (number, note), always = derive(level, one.kind), f"always “{level.phone}”" * (level.model == "constant")
            if one.kind == "level":
                about = f"{level.model}: " * (model == "best") + (always or f"{len(level.rates)} replicates")
            else:  # in words, whether what is above chance differs from 0
                told = verdict(number.low, number.high, number.note, share=one.kind != "excess").value
                held = "against" if math.isnan(number.value) else told
                about = f"{held} {level.model} predictions" + f" ({always})" * bool(always)
            yield row_of(one.name, number, n, variant, about, note)

"""A number beside chance: its level under the best model of chance, and what is above it, as measures.tsv lists them.

A level is the mean of a model's replicates, each aligned anew; what is above it leaves out the same clusters of both.
`best` is the model that is hardest to beat: the lowest level of measures for which lower is better, else the highest.
Levels have those of the other models beside them.

Skill = (chance − rate) / (chance − floor): the share of the way from guessing to the best that the recogniser's phones
allow. The floor is the least that a recogniser with the declared inventory could score, 0 where none is declared.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from phonxling.analyses import statistics
from phonxling.analyses.chance import ChanceLevel, lowest_level
from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.measures import Row, derived_measures, measure, row_of
from phonxling.analyses.statistics import MeasuredValue, Statistic
from phonxling.core.arrays import Floats
from phonxling.core.estimate import Estimate, judge_interval
from phonxling.stats.jackknife import Clusters

NO_ROOM = "not defined: the lowest chance level is not above the floor"
_WITHOUT_CONSTANT = "the constant is left out: it has no information, and its H(X|Y) is 0"
_ROUNDING = 1e-12
_Derive: TypeAlias = Callable[[ChanceLevel, str], tuple[Estimate, str]]  # of a model, by kind; with what is noted of it


def skill_of(cost: Floats, chance: Floats, floor: Floats, clusters: Clusters) -> Estimate:
    """Return Σ (chance − cost) / Σ (chance − floor) over utterances, [U] each, with its interval; NaN without room."""
    room = _subtract(chance, floor)
    if not room.sum() > 0:
        return Estimate(math.nan, status="undefined", note=NO_ROOM)
    if _subtract(cost, floor).any():
        return clusters.ratio(chance - cost, room, "skill")
    # no errors at all: the lower limit of the skill 1 is that of Wilson's upper one of the rate
    none = clusters.ratio_of_sums(np.zeros(len(clusters.sizes)), clusters.sizes, "share")
    if math.isnan(none.high):
        return Estimate(1.0, status=none.status, note=none.note)
    low = 1 - none.high * float(clusters.sizes.sum() / room.sum())
    return Estimate(1.0, low, 1.0, clusters.level, note=none.note, status=none.status)


def _subtract(first: Floats, second: Floats) -> Floats:
    """Return the difference; what is equal but for rounding leaves 0."""
    return np.where(np.isclose(first, second, rtol=_ROUNDING), 0.0, first - second)


def rate_beside_chance(
    name: str,
    cost: Floats,
    tokens: Floats,
    levels: Sequence[ChanceLevel],
    clusters: Clusters,
    *,
    floor: Floats | None = None,
    about: str = "",
) -> Iterator[Row]:
    """Yield the chance level of a rate of each utterance's cost over its gold tokens, [U], and its skill above it.

    `about` says of what the skill is, where a floor is known, and that it is against 0, where none is.
    """
    least = np.zeros(len(cost)) if floor is None else floor

    def derive(level: ChanceLevel, kind: str) -> tuple[Estimate, str]:
        if kind == "level":
            several = len(level.rates) > 1
            spread = f"standard deviation of the replicates {level.rates.std(ddof=1):.2g}" if several else ""
            return clusters.ratio(level.cost, tokens, "rate"), spread
        return skill_of(cost, level.cost, least, clusters), about

    yield from _rows_beside_chance(name, levels, lowest_level(levels), derive, float(tokens.sum()))


def confusions_beside_chance(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield the statistics that no other analysis has rows of, then what is above the chance level of each."""
    for statistic in statistics.STATISTICS:
        if statistic not in statistics.INFORMATION:
            n, number = _count_pairs(statistic, case), case.statistics[statistic.name]
            found = statistic.estimate(number, case.clusters, case.entropy_shape, None)
            note = (statistics.UNDEFINED_NOTE if n else statistics.NO_PAIRS) * math.isnan(number.value)
            yield row_of(statistic.name, found, n, measure(statistic.name).variant, note)
    for statistic in statistics.beside_chance():
        yield from statistic_beside_chance(statistic, case)


def statistic_beside_chance(statistic: Statistic, case: CorpusContext) -> Iterator[Row]:
    """Yield what is above the chance level of a statistic of the confusions."""
    levels = [level for level in case.statistics_chance if not (statistic.corrected and level.model == "constant")]
    left_out = _WITHOUT_CONSTANT * (len(levels) < len(case.statistics_chance))
    key, own = statistic.name, case.statistics[statistic.name]

    def derive(level: ChanceLevel, _: str) -> tuple[Estimate, str]:
        number = _estimate_excess(statistic, own, level.measures[key], case)
        return number, statistics.UNDEFINED_NOTE if math.isnan(number.value) else left_out

    known = [level for level in levels if not level.missing and not math.isnan(level.measures[key].value)]
    first = min if measure(statistic.name).direction == "lower" else max
    hardest = first(known, key=lambda level: level.measures[key].value) if known else None
    n, none = _count_pairs(statistic, case), statistics.UNDEFINED_NOTE if levels else left_out
    yield from _rows_beside_chance(statistic.name, levels, hardest, derive, n, none=none)


def _estimate_excess(statistic: Statistic, own: MeasuredValue, chance: MeasuredValue, case: CorpusContext) -> Estimate:
    """Return a statistic less its level, each as it stands in its own row; both without the same clusters."""
    clusters, shape = case.clusters, case.entropy_shape
    first, second = (statistic.corrected_value(one, shape, clusters.sizes) for one in (own, chance))
    found = clusters.estimate(*(own - chance), corrected=statistic.corrected)
    moved = first - second - found.value  # where one of both is at the end of its range
    return found.changed(value=first - second, low=found.low + moved, high=found.high + moved)


def _count_pairs(statistic: Statistic, case: CorpusContext) -> float:
    """Return the aligned pairs, those with ∅ too where it may be a symbol and the configuration makes it one."""
    with_gaps = statistic.corrected and case.counting.gaps
    return float((case.matrix.counts if with_gaps else case.matrix.substitutions).sum())


def _rows_beside_chance(
    name: str, levels: Sequence[ChanceLevel], hardest: ChanceLevel | None, derive: _Derive, n: float, *, none: str = ""
) -> Iterator[Row]:
    """Yield each measure that is made of a number and its chance level, against the hardest; levels of the others."""
    why = "; ".join(dict.fromkeys(one.missing for one in levels if one.missing)) or none
    first = [("best", hardest or ChanceLevel(model="", missing=why))] if hardest or why else []
    each = [(level.model, level) for level in levels]
    for one in derived_measures(name):
        for model, level in first + each * (one.kind == "level"):
            variant = one.variant.replace("best", model)
            if level.missing:
                yield row_of(one.name, math.nan, n, variant, level.missing)
                continue
            (number, note), always = derive(level, one.kind), f"always “{level.phone}”" * (level.model == "constant")
            if one.kind == "level":
                about = f"{level.model}: " * (model == "best") + (always or f"{len(level.rates)} replicates")
            else:  # in words, whether what is above chance differs from 0
                told = judge_interval(number.low, number.high, share=one.kind != "excess").value
                held = "against" if math.isnan(number.value) else told
                about = f"{held} {level.model} predictions" + f" ({always})" * bool(always)
            yield row_of(one.name, number, n, variant, about, note)

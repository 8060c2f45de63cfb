"""Error rates beside chance and beside people; entropy and information.

References
----------
Cohen (1960), A coefficient of agreement for nominal scales. Cucchiarini (1996), Assessing transcription agreement.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from phonxling.alignment.confusions import stack_confusions
from phonxling.alignment.corpus import align_sequences, least_costs
from phonxling.analyses.chance import ChanceLevel
from phonxling.analyses.context import RAW_NOTE, AnalysisOutput, CorpusContext
from phonxling.analyses.costs import NO_RATE, costs_in_use, observed_phones
from phonxling.analyses.loaded import unpaired_note
from phonxling.analyses.measures import Row, derived_measures, measure, row_of
from phonxling.analyses.statistics import (
    INFORMATION,
    NO_PAIRS,
    STATISTICS,
    UNDEFINED_NOTE,
    CountSettings,
    Statistic,
    beside_chance,
    conditional_entropy,
    confusion_information,
    counted_symbols,
    left_out_counts,
    measure_statistics,
)
from phonxling.configuration.models import Entropy
from phonxling.core.arrays import Floats, divide, sum_by
from phonxling.core.costs import CostTable, cost_table
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, join_notes, judge_interval
from phonxling.core.inventory import merge
from phonxling.stats.estimators import few_per_cell, in_phones
from phonxling.stats.jackknife import Clusters
from phonxling.stats.student import Kind

_FEW_TOKENS = "too few tokens a cell for an interval"
_PLUG_IN = "the plug-in estimate is too {} for small counts"
_NO_PEOPLE = "the cost table lacks phones of the second transcriber"
_NO_PEOPLE_RATE = "these costs are not phonetic distances, so there is no weighted rate"
_OPERATIONS: dict[str, Kind] = {  # in the order of the operations' columns, without that of correct phones
    "substitution_rate": "share",
    "deletion_rate": "share",
    "insertion_rate": "rate",
}
_LACKING = "the cost table lacks phones that the recogniser has in other corpora"
_NO_LOSS = "every gold phone has an answer without cost in the inventory"
_NO_SPEAKERS = "speakers are not known"
_AGAINST_0 = "the floor is taken as 0, because the recogniser’s inventory is not declared"
NO_ROOM = "not defined: the lowest chance level is not above the floor"
_WITHOUT_CONSTANT = "the constant is left out: it has no information, and its H(X|Y) is 0"
_ROUNDING = 1e-12
_Derive: TypeAlias = Callable[[ChanceLevel, str], tuple[Estimate, str]]  # of a model, by kind; with what is noted of it


def error_rates(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield both rates with their floors, chance levels and skills, what errors are made of, and numbers of things."""
    tokens, utterances, ratio = case.gold_tokens, len(case.corpus.gold), case.clusters.ratio
    numbers, speakers = case.corpus.speaker_numbers, case.corpus.speakers
    yield from _rate_rows(rate_of("per", case), case)
    if case.costs.as_rate:
        yield from _rate_rows(rate_of("wper", case), case, case.costs.note)
        path, gaps = case.alignments, case.costs.with_gaps()
        gaps[:-1, :-1] = 0.0  # what deletions and insertions cost remains
        cost = sum_by(path.pair_utterances(), gaps[path.gold, path.predicted], utterances)
        none = "" if case.cost.any() else "there are no errors"
        yield row_of("gap_share", ratio(cost, case.cost, "share"), tokens.sum(), "", none)
        # It is of these speakers alone, and so has no interval.
        size = 0 if numbers is None else int(numbers.max(initial=-1)) + 1
        sums = [np.zeros(0) if numbers is None else sum_by(numbers, one, size) for one in (case.cost, tokens)]
        rates = divide(*(one[sums[1] > 0] for one in sums))
        why = _NO_SPEAKERS if numbers is None else "not defined for one speaker"
        spread = rates.std(ddof=1) if len(rates) > 1 else math.nan
        yield row_of("speaker_sd", spread, len(rates), "", why * math.isnan(spread))
    else:
        for name in ("wper", "wper_macro"):
            yield row_of(name, np.nan, tokens.sum(), "", case.costs.name + NO_RATE)
    for (rate, kind), counts in zip(_OPERATIONS.items(), case.operations.T[1:], strict=True):
        yield row_of(rate, ratio(counts.astype(np.float64), tokens, kind), tokens.sum())
    yield row_of("gold_tokens", tokens.sum(), utterances)
    note = join_notes([unpaired_note(case.corpus.unpaired), *case.corpus.notes])  # which the page shows
    yield row_of("utterances", utterances, utterances, "", note)
    known = len(set(speakers)) if speakers else math.nan
    yield row_of("speakers", known, utterances, "", "" if speakers else _NO_SPEAKERS)


def feature_edits(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield what is called PFER over panphon's feature distances: gaps cost by features, or 1 (`prism`).

    `phoneticxeus` is of `feature_edit_distance` over gold phones, `prism` the mean over utterances of
    `hamming_feature_edit_distance`.
    """
    clusters, tokens, corpus = case.clusters, case.gold_tokens, case.corpus
    ways: tuple[tuple[str, str, Floats, Kind], ...] = (
        ("panphon-edit", "phoneticxeus", tokens, "rate"),
        ("panphon-hamming", "prism", np.ones(len(tokens)), "number"),
    )
    for name, variant, below, kind in ways:
        if case.loaded.raw:
            yield row_of("pfer", np.nan, tokens.sum(), variant, RAW_NOTE)
            continue
        costs = cost_table(name, corpus.gold_inventory, corpus.predicted_inventory, case.features)
        distance = least_costs(corpus.gold, corpus.predicted, costs, case.work)
        yield row_of("pfer", clusters.ratio(distance, below, kind), below.sum(), variant)


@dataclass(frozen=True, eq=False)
class Rate:
    """What a rate is made of by utterance: its cost, its chance levels and its floor, [U].

    Without a floor `about` says why there is none, else what it rests on.
    """

    name: str
    cost: Floats
    levels: Sequence[ChanceLevel]
    floor: Floats | None = None
    about: str = ""

    @property
    def lowest(self) -> ChanceLevel | None:
        """The chance level that is hardest to beat."""
        return min((level for level in self.levels if len(level.rates)), key=lambda level: level.rate, default=None)

    @property
    def least(self) -> Floats | float:
        """The floor, 0 where there is none."""
        return 0.0 if self.floor is None else self.floor

    @property
    def skill(self) -> tuple[Floats, Floats] | None:
        """What its skill is the ratio of, [U] each; None without a chance level."""
        return None if self.lowest is None else (self.lowest.cost - self.cost, self.lowest.cost - self.least)


def rate_of(name: str, case: CorpusContext) -> Rate:
    """Return what a rate of a case is made of."""
    corpus, inventory = case.corpus, case.recogniser_inventory
    cost, levels = (case.unit_cost, case.unit_chance) if name == "per" else (case.cost, case.chance)
    phones = corpus.gold_inventory, inventory.phones
    if inventory.missing:
        return Rate(name, cost, levels, None, inventory.missing)
    try:
        unit = cost_table("unit", *phones, None)
        costs = unit if name == "per" else costs_in_use(*phones, case.experiment, observed_phones(corpus))
    except DataError:
        return Rate(name, cost, levels, None, _LACKING)
    absent = sum(phone not in inventory.phones for phone in phones[0])
    about = f"the recogniser lacks {absent} of {len(phones[0])} gold phones"
    return Rate(name, cost, levels, corpus.gold.sums(answer_costs(costs)), about)


def _rate_rows(rate: Rate, case: CorpusContext, note: str = "") -> Iterator[Row]:
    """Yield a rate over all gold phones, its mean over utterances that have some, its floor, chance and skill."""
    tokens, ratio, name, floor = case.gold_tokens, case.clusters.ratio, rate.name, rate.floor
    spoken = (tokens > 0).astype(np.float64)
    empty = int(len(tokens) - spoken.sum())
    without = f"without the utterances that have an empty gold: {empty}" if empty else ""
    yield row_of(name, ratio(rate.cost, tokens, "rate"), tokens.sum(), "", note)
    macro = ratio(np.nan_to_num(divide(rate.cost, tokens)), spoken, "rate")
    yield row_of(f"{name}_macro", macro, spoken.sum(), "", note, without)
    number = Estimate(math.nan) if floor is None else Estimate(0.0, note=_NO_LOSS)
    if floor is not None and floor.any():
        number = ratio(floor, tokens, "share" if name == "per" else "rate")
    yield row_of(f"floor_{name}", number, tokens.sum(), "", rate.about)
    yield from rate_beside_chance(rate, tokens, case.clusters)


# The floor is the least that a recogniser with the declared inventory could score. Each gold phone is answered by one
# phone or by none, and insertions only add. So no recogniser with the inventory X scores less than the floor Σ_y P(y)
# min(min_{x∈X} c(y→x), c(y→∅)), and one that answers each gold phone with what costs least scores exactly that.
def answer_costs(costs: CostTable) -> Floats:
    """Return what each gold phone costs at least, answered by any predicted phone or by none, [G]."""
    return np.asarray(costs.with_gaps()[:-1].min(axis=1))


def information(case: CorpusContext, settings: Entropy) -> AnalysisOutput:
    """Yield entropies in both directions, information and the perplexity; and the same by the estimators chosen."""
    matrix = case.matrix
    cells = counted_symbols(matrix, "gold", settings.gaps)
    n, counting = float(cells.sum()), case.counting
    # A score needs these at once, and the other statistics perhaps never.
    numbers = measure_statistics(INFORMATION, case.stack, case.clusters, counting) if case.quick else case.statistics
    for statistic in INFORMATION:
        found = statistic.estimate(numbers[statistic.name], case.clusters, case.entropy_shape, None)
        if few_per_cell(cells) and not math.isnan(found.low):
            found = Estimate(found.value, status="bias-warning", note=_FEW_TOKENS)
        note = NO_PAIRS * math.isnan(found.value)
        yield row_of(statistic.name, found, n, "", note)
        if statistic.name == "conditional_entropy":
            yield row_of("perplexity", in_phones(found), n, "", note)
    for estimator in dict.fromkeys(settings.estimators):
        values = {
            "conditional_entropy": conditional_entropy(matrix, estimator, "gold", settings.gaps),
            "conditional_entropy_given_predicted": conditional_entropy(matrix, estimator, "predicted", settings.gaps),
            "mutual_information": confusion_information(matrix, estimator, settings.gaps),
        }
        for name, value in values.items():
            biased = _PLUG_IN.format("high" if name == "mutual_information" else "low") * (estimator == "ml")
            yield row_of(name, value, n, estimator, biased if n else NO_PAIRS)


# People as a ceiling: how far a second transcriber of the same utterances is from gold, by the recogniser's measures.
# What the second transcriber wrote stands in the place of predictions, in the utterances that both have. PER is of
# least unit cost; weighted rate, κ and confusions are of the alignment under the costs in use. κ is given of the second
# transcriber, and of the recogniser on the same utterances. Gold is one of the two, so a recogniser as near to gold as
# the other transcriber is as good as people agree.
def people(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield the rates and κ of the second transcriber, and κ of the recogniser in the same utterances."""
    pair = case.loaded.people
    if pair is None:
        return
    phones, missing = (pair.gold_inventory, pair.predicted_inventory), _NO_PEOPLE_RATE
    unit = weights = cost_table("unit", *phones, None)
    try:
        weights = costs_in_use(*phones, case.experiment)
        weighed = weights.as_rate
    except DataError:
        weighed, missing = False, _NO_PEOPLE
    path = align_sequences(pair.gold, pair.predicted, weights, case.work)
    places = case.corpus.gold.places_of(pair.utterances)
    clusters, tokens = case.clusters.at(places), pair.gold.lengths.astype(np.float64)
    every = case.corpus.utterances
    other = len({*pair.unpaired} - {*every})
    about = f"on {len(places):,} of {len(every):,} utterances" + f"; {other} more are not in gold" * bool(other)
    costs = {"per": least_costs(pair.gold, pair.predicted, unit, case.work)}
    if weighed:
        costs["wper"] = sum_by(path.pair_utterances(), weights.with_gaps()[path.gold, path.predicted], len(places))
    for name, own in (("wper", case.cost), ("per", case.unit_cost)):
        if name in costs:
            beside = f"the recogniser’s there is {divide(own[places].sum(), tokens.sum()):.4f}"
            number = clusters.ratio(costs[name], tokens, "rate")
            yield row_of(f"people_{name}", number, tokens.sum(), "", about, beside)
        else:
            yield row_of(f"people_{name}", math.nan, tokens.sum(), "", missing)
    answers = align_sequences(pair.gold, case.corpus.predicted.select(places), case.costs, case.work)
    for variant, aligned in (("people", path), ("recogniser", answers)):
        labels = merge(aligned.gold_inventory, aligned.predicted_inventory)
        stack = stack_confusions(aligned).over(labels, labels)
        counts = stack.total().counts
        value = float(kappa(counts[..., None])[0])
        parts = left_out_counts(stack, clusters, CountSettings(np.zeros(len(stack), np.int8)))
        left_out = np.concatenate([np.zeros(0), *(kappa(part.total) for part in parts)])
        number, alone = clusters.estimate(value, left_out).within(-1, 1), "all pairs are of one phone"
        yield row_of("kappa", number, counts.sum(), variant, alone if math.isnan(value) else about)


# Of N aligned pairs, ∅ a label like the others: (o − e) / (1 − e), o the share of pairs with the same phone on both
# sides, e = Σ_x n(x, ·) n(·, x) / N².
def kappa(counts: Floats) -> Floats:
    """Return Cohen's κ of counts [K, K, R] of the same K labels on both sides, [R].

    >>> kappa(np.array([[[20.0], [5.0]], [[10.0], [15.0]]])).round(9).tolist()  # (0.7 − 0.5) / (1 − 0.5)
    [0.4]
    """
    total = counts.sum(axis=(0, 1))
    observed = divide(np.trace(counts), total)
    expected = divide((counts.sum(axis=1) * counts.sum(axis=0)).sum(axis=0), total**2)
    return divide(observed - expected, 1 - expected)


# A number beside chance: its level under the best model of chance, and what is above it, as measures.tsv lists them. A
# level is the mean of a model's replicates, each aligned anew; what is above it leaves out the same clusters of both.
# `best` is the model that is hardest to beat: the lowest level of measures for which lower is better, else the highest.
# Levels have those of the other models beside them.
#
# Skill = (chance − rate) / (chance − floor): the share of the way from guessing to the best that the recogniser's
# phones allow. The floor is the least that a recogniser with the declared inventory could score, 0 where none is
# declared.


def skill_of(cost: Floats, chance: Floats, floor: Floats | float, clusters: Clusters) -> Estimate:
    """Return Σ (chance − cost) / Σ (chance − floor) over utterances, [U] each, with its interval; NaN without room."""
    room = _subtract(chance, floor)
    if not room.sum() > 0:
        return Estimate(math.nan, status="undefined", note=NO_ROOM)
    if _subtract(cost, floor).any():
        return clusters.ratio(chance - cost, room, "skill")
    # no errors at all: the lower limit of the skill 1 is that of Wilson's upper one of the rate
    none = clusters.ratio_of_sums(np.zeros(len(clusters.sizes)), clusters.sizes, "share")
    low = 1 - none.high * float(clusters.sizes.sum() / room.sum())  # NaN where there is none
    known = {} if math.isnan(low) else {"low": low, "high": 1.0, "level": clusters.level}
    return Estimate(1.0, **known, note=none.note, status=none.status)


def _subtract(first: Floats, second: Floats | float) -> Floats:
    """Return the difference; what is equal but for rounding leaves 0."""
    return np.where(np.isclose(first, second, rtol=_ROUNDING), 0.0, first - second)


def rate_beside_chance(rate: Rate, tokens: Floats, clusters: Clusters) -> Iterator[Row]:
    """Yield the chance level of a rate over gold tokens, [U], and its skill above it, with what its floor rests on."""
    about = _AGAINST_0 if rate.floor is None and rate.about else rate.about

    def derive(level: ChanceLevel, kind: str) -> tuple[Estimate, str]:
        if kind == "skill":
            return skill_of(rate.cost, level.cost, rate.least, clusters), about
        several = len(level.rates) > 1
        spread = f"standard deviation of the replicates {level.rates.std(ddof=1):.2g}" if several else ""
        return clusters.ratio(level.cost, tokens, "rate"), spread

    yield from _rows_beside_chance(rate.name, rate.levels, rate.lowest, derive, float(tokens.sum()))


def confusions_beside_chance(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield the statistics that no other analysis has rows of, then what is above the chance level of each."""
    for statistic in STATISTICS:
        if statistic not in INFORMATION:
            n, number = _count_pairs(statistic, case), case.statistics[statistic.name]
            found = statistic.estimate(number, case.clusters, case.entropy_shape, None)
            note = (UNDEFINED_NOTE if n else NO_PAIRS) * math.isnan(number.value)
            yield row_of(statistic.name, found, n, measure(statistic.name).variant, note)
    for statistic in beside_chance():
        yield from statistic_beside_chance(statistic, case)


def statistic_beside_chance(statistic: Statistic, case: CorpusContext) -> Iterator[Row]:
    """Yield what is above the chance level of a statistic of the confusions."""
    levels = [level for level in case.statistics_chance if not (statistic.corrected and level.model == "constant")]
    left_out = _WITHOUT_CONSTANT * (len(levels) < len(case.statistics_chance))
    key, own = statistic.name, case.statistics[statistic.name]
    clusters, shape, corrected = case.clusters, case.entropy_shape, statistic.corrected

    def derive(level: ChanceLevel, _: str) -> tuple[Estimate, str]:
        # Each as it stands in its own row; both without the same clusters.
        chance = level.measures[key]
        first, second = (statistic.estimate(one, clusters, shape, None).value for one in (own, chance))
        found = clusters.estimate(*(own - chance), corrected=corrected)
        moved = first - second - found.value  # where one of both is at the end of its range
        number = found.changed(value=first - second, low=found.low + moved, high=found.high + moved)
        return number, UNDEFINED_NOTE if math.isnan(number.value) else left_out

    known = [level for level in levels if not level.missing and not math.isnan(level.measures[key].value)]
    first = min if measure(key).direction == "lower" else max
    hardest = first(known, key=lambda level: level.measures[key].value) if known else None
    n, none = _count_pairs(statistic, case), UNDEFINED_NOTE if levels else left_out
    yield from _rows_beside_chance(key, levels, hardest, derive, n, none=none)


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
                verdict = judge_interval(number.low, number.high, share=one.kind != "excess").value
                verdict = "against" if math.isnan(number.value) else verdict
                about = f"{verdict} {level.model} predictions" + f" ({always})" * bool(always)
            yield row_of(one.name, number, n, variant, about, note)

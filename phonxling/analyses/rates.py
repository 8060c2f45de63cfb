"""Error rates: how many phones are wrong, and how wrong they are; their floor; entropy and information; people's rates.

The floor is the least that a recogniser with the declared inventory could score. Each gold phone is answered by one
phone or by none, and insertions only add. So no recogniser with the inventory X scores less than the floor
Σ_y P(y) min(min_{x∈X} c(y→x), c(y→∅)), and one that answers each gold phone with what costs least scores exactly that.

People as a ceiling: how far a second transcriber of the same utterances is from gold, by the recogniser's measures.

How speakers differ is the standard deviation of their rates, which is of these speakers, and has no interval.

Conventions
-----------
What the second transcriber wrote stands in the place of predictions, in the utterances that both have. PER is of least
unit cost. Weighted rate, κ and confusions are of the alignment under the costs in use.

Cohen's κ of N aligned pairs, ∅ a label like the others: (o − e) / (1 − e), o the share of pairs with the same phone on
both sides, e = Σ_x n(x, ·) n(·, x) / N². It is given of the second transcriber, and of the recogniser on the same
utterances. Gold is one of the two, so a recogniser as near to gold as the other transcriber is as good as people agree.

References
----------
Cohen (1960), A coefficient of agreement for nominal scales. Cucchiarini (1996), Assessing transcription agreement.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from phonxling.alignment.confusions import stack_confusions
from phonxling.alignment.corpus import align_sequences, least_costs
from phonxling.analyses.beside_chance import rate_beside_chance
from phonxling.analyses.chance import ChanceLevel, lowest_level
from phonxling.analyses.context import RAW_NOTE, AnalysisOutput, CorpusContext
from phonxling.analyses.costs import NO_RATE, costs_in_use, observed_phones
from phonxling.analyses.loaded import unpaired_note
from phonxling.analyses.measures import Row, row_of
from phonxling.analyses.statistics import (
    INFORMATION,
    NO_PAIRS,
    CountSettings,
    conditional_entropy,
    confusion_information,
    counted_symbols,
    left_out_counts,
)
from phonxling.configuration.models import Entropy
from phonxling.core.arrays import Floats, divide, sum_by
from phonxling.core.confusion import Alignments
from phonxling.core.costs import CostTable, cost_table
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, join_notes
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
_AGAINST_0 = "the floor is taken as 0, because the recogniser’s inventory is not declared"


def error_rates(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield both rates with their floors, chance levels and skills, what errors are made of, and numbers of things."""
    yield from _rate_rows(rate_of("per", case), case)
    tokens, utterances, ratio = case.gold_tokens, len(case.corpus.gold), case.clusters.ratio
    if case.costs.as_rate:
        yield from _rate_rows(rate_of("wper", case), case, case.costs.note)
        none = "" if case.cost.any() else "there are no errors"
        yield row_of("gap_share", ratio(_gap_costs(case), case.cost, "share"), tokens.sum(), "", none)
        yield _speaker_spread(case)
    else:
        for name in ("wper", "wper_macro"):
            yield row_of(name, np.nan, tokens.sum(), "", case.costs.name + NO_RATE)
    for (rate, kind), counts in zip(_OPERATIONS.items(), case.operations.T[1:], strict=True):
        yield row_of(rate, ratio(counts.astype(np.float64), tokens, kind), tokens.sum())
    yield row_of("gold_tokens", tokens.sum(), utterances)
    note = join_notes([unpaired_note(case.corpus.unpaired), *case.corpus.notes])  # which the page shows
    yield row_of("utterances", utterances, utterances, "", note)
    speakers = case.corpus.speakers
    known = math.nan if speakers is None else len(set(speakers))
    yield row_of("speakers", known, utterances, "", "" if speakers else "speakers are not known")


def _gap_costs(case: CorpusContext) -> Floats:
    """Return what deletions and insertions cost in each utterance, [U]."""
    path, costs = case.alignments, case.costs.with_gaps()
    # gaps alone remain
    costs[:-1, :-1] = 0.0
    return sum_by(path.pair_utterances(), costs[path.gold, path.predicted], len(path))


def _speaker_spread(case: CorpusContext) -> Row:
    """Return the standard deviation of the weighted rate over speakers."""
    numbers = case.corpus.speaker_numbers
    if numbers is None:
        return row_of("speaker_sd", math.nan, 0, "", "speakers are not known")
    size = int(numbers.max(initial=-1)) + 1
    rates = divide(*(sum_by(numbers, one, size) for one in (case.cost, case.gold_tokens)))
    known = rates[~np.isnan(rates)]
    if len(known) > 1:
        return row_of("speaker_sd", known.std(ddof=1), len(known))
    return row_of("speaker_sd", math.nan, len(known), "", "not defined for one speaker")


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
    """What a rate, `per` or `wper`, is made of by utterance: its cost, its chance levels and its floor, [U].

    Without a floor `about` says why there is none, else what it rests on.
    """

    name: str
    cost: Floats
    levels: Sequence[ChanceLevel]
    floor: Floats | None
    about: str

    @property
    def lowest(self) -> ChanceLevel | None:
        """The chance level that is hardest to beat."""
        return lowest_level(self.levels)

    @property
    def least(self) -> Floats:
        """The floor, 0 where there is none."""
        return np.zeros(len(self.cost)) if self.floor is None else self.floor

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
    beside = _AGAINST_0 if floor is None else rate.about
    yield from rate_beside_chance(name, rate.cost, tokens, rate.levels, case.clusters, floor=floor, about=beside)


def answer_costs(costs: CostTable) -> Floats:
    """Return what each gold phone costs at least, answered by any predicted phone or by none, [G]."""
    return np.asarray(costs.with_gaps()[:-1].min(axis=1))


def information(case: CorpusContext, settings: Entropy) -> AnalysisOutput:
    """Yield entropies in both directions, information and the perplexity; and the same by the estimators chosen."""
    matrix = case.matrix
    cells = counted_symbols(matrix, "gold", settings.gaps)
    n = float(cells.sum())
    for statistic in INFORMATION:
        found = statistic.estimate(case.information[statistic.name], case.clusters, case.entropy_shape, None)
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
    heard = align_sequences(pair.gold, case.corpus.predicted.select(places), case.costs, case.work)
    for variant, aligned in (("people", path), ("recogniser", heard)):
        yield _kappa_row(aligned, clusters, variant, about)


def _kappa_row(aligned: Alignments, clusters: Clusters, variant: str, about: str) -> Row:
    labels = merge(aligned.gold_inventory, aligned.predicted_inventory)
    stack = stack_confusions(aligned).over(labels, labels)
    counts, settings = stack.total().counts, CountSettings(np.zeros(len(stack), np.int8))
    value = float(kappa(counts[..., None])[0])
    left_out = [kappa(part.total) for part in left_out_counts(stack, clusters, settings)]
    number = clusters.estimate(value, np.concatenate([np.zeros(0), *left_out])).within(-1, 1)
    return row_of("kappa", number, counts.sum(), variant, about if value == value else "all pairs are of one phone")


def kappa(counts: Floats) -> Floats:
    """Return Cohen's κ of counts [K, K, R] of the same K labels on both sides, [R].

    >>> kappa(np.array([[[20.0], [5.0]], [[10.0], [15.0]]])).round(9).tolist()  # (0.7 − 0.5) / (1 − 0.5)
    [0.4]
    """
    total = counts.sum(axis=(0, 1))
    observed = divide(np.trace(counts), total)
    expected = divide((counts.sum(axis=1) * counts.sum(axis=0)).sum(axis=0), total**2)
    return divide(observed - expected, 1 - expected)

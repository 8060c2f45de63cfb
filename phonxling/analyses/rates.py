"""The analyses of error rates (unit costs, costs in use, feature edits) and their floor; of entropy and information.

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
from typing import NamedTuple

import numpy as np

from phonxling.alignment.corpus import align_sequences, least_costs
from phonxling.analyses import entropy
from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.beside_chance import rate_beside_chance
from phonxling.analyses.case import Case, Items
from phonxling.analyses.chance import ChanceLevel
from phonxling.analyses.costs import attested, costs_in_use
from phonxling.analyses.error_rate import NO_RATE
from phonxling.analyses.loaded import unpaired_note
from phonxling.analyses.measures import Row, row_of
from phonxling.analyses.statistics import INFORMATION, NO_PAIRS, CountSettings, left_out_counts
from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.confusion import Alignments
from phonxling.core.costs import CostTable, cost_table
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import merge
from phonxling.core.sequences import Corpus
from phonxling.count.confusions import stack_confusions
from phonxling.resample.estimators import few_per_cell, in_phones
from phonxling.resample.jackknife import Clusters
from phonxling.resample.student import Kind
from phonxling.settings.models import Entropy

_FEW_TOKENS = "too few tokens a cell for an interval"
_PLUG_IN = "the plug-in estimate is too {} for small counts"
_RAW = "raw symbols have no phonological features"
_OPERATIONS: dict[str, Kind] = {  # in the order of the operations' columns, without that of correct phones
    "substitution_rate": "share",
    "deletion_rate": "share",
    "insertion_rate": "rate",
}
_LACKING = "the cost table lacks phones that the recogniser has in other corpora"
_NO_LOSS = "every gold phone has an answer without cost in the inventory"
_AGAINST_0 = "the floor is taken as 0, because the recogniser’s inventory is not declared"


def phone_error_rate(case: Case, _: None) -> Items:
    analysed = case.counted
    yield from _rate("per", case, analysed.unit_cost, analysed.unit_chance)


def weighted_rate(case: Case, _: None) -> Items:
    analysed = case.counted
    tokens, utterances, ratio = analysed.gold_tokens, len(analysed.corpus.gold), analysed.clusters.ratio
    if analysed.costs.as_rate:
        yield from _rate("wper", case, analysed.cost, analysed.chance, note=analysed.costs.note)
        none = "" if analysed.cost.any() else "there are no errors"
        yield row_of("gap_share", ratio(_gap_costs(analysed), analysed.cost, "share"), tokens.sum(), "", none)
        yield _speaker_spread(analysed)
    else:
        for name in ("wper", "wper_macro"):
            yield row_of(name, np.nan, tokens.sum(), "", analysed.costs.name + NO_RATE)
    for (rate, kind), counts in zip(_OPERATIONS.items(), analysed.operations.T[1:], strict=True):
        yield row_of(rate, ratio(counts.astype(np.float64), tokens, kind), tokens.sum())
    yield row_of("gold_tokens", tokens.sum(), utterances)
    yield row_of("utterances", utterances, utterances, "", unpaired_note(analysed.corpus.unpaired))
    speakers = analysed.corpus.speakers
    known = math.nan if speakers is None else len(set(speakers))
    yield row_of("speakers", known, utterances, "", "" if speakers else "speakers are not known")


def _gap_costs(analysed: AnalysedCorpus) -> Floats:
    """Return what deletions and insertions cost in each utterance, [U]."""
    path, costs = analysed.aligned, analysed.costs.with_gaps()
    costs[:-1, :-1] = 0.0
    return sum_by(path.pair_utterances(), costs[path.gold, path.predicted], len(path))


def _speaker_spread(analysed: AnalysedCorpus) -> Row:
    """Return the standard deviation of the weighted rate over speakers."""
    numbers, note, deviation = analysed.corpus.speaker_numbers, "", math.nan
    if numbers is None:
        return row_of("speaker_sd", math.nan, 0, "", "speakers are not known")
    size = int(numbers.max(initial=-1)) + 1
    rates = divided(*(sum_by(numbers, one, size) for one in (analysed.cost, analysed.gold_tokens)))
    known = rates[~np.isnan(rates)]
    if len(known) > 1:
        deviation = float(known.std(ddof=1))
    else:
        note = "not defined for one speaker"
    return row_of("speaker_sd", deviation, len(known), "", note)


def feature_edits(case: Case, _: None) -> Items:
    """Yield what is called PFER over panphon's `feature_edit_distance`, whose gaps cost by features."""
    yield _feature_edits(case, "panphon-edit", "phoneticxeus")


def hamming_edits(case: Case, _: None) -> Items:
    """Yield what is called PFER over panphon's `hamming_feature_edit_distance`, whose gaps cost 1."""
    yield _feature_edits(case, "panphon-hamming", "prism")


def _feature_edits(case: Case, name: str, variant: str) -> Row:
    """Return PFER over least feature distances: of a gold phone, and of `prism` of an utterance."""
    analysed, corpus = case.counted, case.counted.corpus
    tokens = analysed.gold_tokens
    if case.loaded.raw:
        return row_of("pfer", np.nan, tokens.sum(), variant, _RAW)
    costs = cost_table(name, corpus.gold_inventory, corpus.predicted_inventory, case.features)
    distance = least_costs(corpus.gold, corpus.predicted, costs, case.work)
    below = np.ones(len(distance)) if variant == "prism" else tokens
    number = analysed.clusters.ratio(distance, below, "number" if variant == "prism" else "rate")
    return row_of("pfer", number, below.sum(), variant)


def _rate(name: str, case: Case, cost: Floats, levels: Sequence[ChanceLevel], *, note: str = "") -> Iterator[Row]:
    """Yield a rate over all gold phones, its mean over utterances that have some, its floor, chance and skill."""
    analysed = case.counted
    tokens, ratio = analysed.gold_tokens, analysed.clusters.ratio
    spoken = (tokens > 0).astype(np.float64)
    rates = divided(cost, tokens)
    empty = int(len(tokens) - spoken.sum())
    without = f"without the utterances that have an empty gold: {empty}" if empty else ""
    yield row_of(name, ratio(cost, tokens, "rate"), tokens.sum(), "", note)
    yield row_of(f"{name}_macro", ratio(np.nan_to_num(rates), spoken, "rate"), spoken.sum(), "", note, without)
    floor, about = floor_of(name, case)
    if floor is None:
        yield row_of(f"floor_{name}", math.nan, tokens.sum(), "", about)
    else:
        number = ratio(floor, tokens, "share" if name == "per" else "rate")
        yield row_of(f"floor_{name}", number if floor.any() else Estimate(0.0, note=_NO_LOSS), tokens.sum(), "", about)
    beside = _AGAINST_0 if floor is None else about
    yield from rate_beside_chance(name, cost, tokens, levels, analysed.clusters, floor=floor, about=beside)


def floor_of(rate: str, case: Case) -> tuple[Floats | None, str]:
    """Return the least cost of each utterance, [U], of `per` or `wper`, with a note; None, and why, where unknown."""
    inventory, corpus = case.recogniser_inventory, case.counted.corpus
    if inventory.missing:
        return None, inventory.missing
    phones = corpus.gold_inventory, inventory.phones
    try:
        unit = cost_table("unit", *phones, None)
        costs = unit if rate == "per" else costs_in_use(*phones, case.experiment, attested(corpus))
    except DataError:
        return None, _LACKING
    absent = sum(phone not in inventory.phones for phone in phones[0])
    return corpus.gold.sums(answer_costs(costs)), f"the recogniser lacks {absent} of {len(phones[0])} gold phones"


def answer_costs(costs: CostTable) -> Floats:
    """Return what each gold phone costs at least, answered by any predicted phone or by none, [G]."""
    return np.asarray(costs.with_gaps()[:-1].min(axis=1))


def information(case: Case, settings: Entropy) -> Items:
    """Yield entropies in both directions, information and the perplexity; and the same by the estimators chosen."""
    analysed, matrix = case.counted, case.counted.matrix
    cells = entropy.cells(matrix, "gold", settings.gaps)
    n = float(cells.sum())
    for statistic in INFORMATION:
        found = statistic.estimate(analysed.measured[statistic.name], analysed.clusters, analysed.entropy_shape, None)
        if few_per_cell(cells) and not math.isnan(found.low):
            found = Estimate(found.value, status="bias-warning", note=_FEW_TOKENS)
        note = NO_PAIRS * math.isnan(found.value)
        yield row_of(statistic.name, found, n, "", note)
        if statistic.name == "conditional_entropy":
            yield row_of("perplexity", in_phones(found), n, "", note)
    for estimator in dict.fromkeys(settings.estimators):
        choices = (settings.gaps,)
        values = {
            "conditional_entropy": entropy.conditional_entropy(matrix, estimator, "gold", *choices),
            "conditional_entropy_given_predicted": entropy.conditional_entropy(
                matrix, estimator, "predicted", *choices
            ),
            "mutual_information": entropy.confusion_information(matrix, estimator, *choices),
        }
        for name, value in values.items():
            biased = _PLUG_IN.format("high" if name == "mutual_information" else "low") * (estimator == "ml")
            yield row_of(name, value, n, estimator, biased if n else NO_PAIRS)


_NO_PEOPLE = "the cost table lacks phones of the second transcriber"
_NO_RATE = "these costs are no phonetic distances, so there is no weighted rate"


class Both(NamedTuple):
    """A second transcriber beside gold, where their U utterances stand in the corpus, and how the two are aligned."""

    pair: Corpus
    places: Codes
    path: Alignments
    costs: CostTable | None
    missing: str


def both(case: Case) -> Both | None:
    """Return the utterances of a second transcriber, aligned with gold; None without one."""
    pair = case.loaded.people
    if pair is None:
        return None
    phones, missing = (pair.gold_inventory, pair.predicted_inventory), _NO_RATE
    try:
        aligning = costs_in_use(*phones, case.experiment)
        costs = aligning if aligning.as_rate else None
    except DataError:
        aligning, costs, missing = cost_table("unit", *phones, None), None, _NO_PEOPLE
    places = case.counted.corpus.gold.places_of(pair.utterances)
    return Both(pair, places, align_sequences(pair.gold, pair.predicted, aligning, case.work), costs, missing)


def people(case: Case, _: None) -> Items:
    """Yield the rates and κ of the second transcriber, and κ of the recogniser in the same utterances."""
    found = both(case)
    if found is None:
        return
    analysed, (pair, places, path, weights, missing) = case.counted, found
    clusters, tokens = analysed.clusters.at(places), pair.gold.lengths.astype(np.float64)
    every, costs = analysed.corpus.utterances, dict[str, Floats]()
    other = len({*pair.unpaired} - {*every})
    about = f"on {len(places):,} of {len(every):,} utterances" + f"; {other} more are not in gold" * bool(other)
    if weights is not None:
        paid = weights.with_gaps()[path.gold, path.predicted]
        costs["wper"] = sum_by(path.pair_utterances(), paid, len(places))
    unit = cost_table("unit", pair.gold_inventory, pair.predicted_inventory, None)
    costs["per"] = least_costs(pair.gold, pair.predicted, unit, case.work)
    for name, own in (("wper", analysed.cost), ("per", analysed.unit_cost)):
        if name in costs:
            beside = f"the recogniser’s there is {divided(own[places].sum(), tokens.sum()):.4f}"
            number = clusters.ratio(costs[name], tokens, "rate")
            yield row_of(f"people_{name}", number, tokens.sum(), "", about, beside)
        else:
            yield row_of(f"people_{name}", math.nan, tokens.sum(), "", missing)
    heard = align_sequences(pair.gold, analysed.corpus.predicted.select(places), analysed.costs, case.work)
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
    observed = divided(np.trace(counts), total)
    expected = divided((counts.sum(axis=1) * counts.sum(axis=0)).sum(axis=0), total**2)
    return divided(observed - expected, 1 - expected)

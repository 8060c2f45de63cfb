"""What stands beside the phones: tones in a tier of their own, and boundaries in time.

References
----------
Räsänen, Laine & Altosaar (2009), An improved speech segmentation quality measure: the R-value.
"""

import math

import numpy as np

from phonxling.alignment.confusions import count_confusions
from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.counting_kernel import count_matches, find_boundaries
from phonxling.analyses.chance import ChanceSettings, chance_levels, errors_over_clusters, texts_of
from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.measures import row_of
from phonxling.analyses.rates import Rate, rate_beside_chance
from phonxling.configuration.models import Boundaries as Settings, Chance
from phonxling.core.arrays import Floats, divide
from phonxling.core.costs import cost_table
from phonxling.core.sequences import Corpus
from phonxling.core.spelling import shown_tone
from phonxling.results.tables import column_names

_TONE_MODES = {
    "raw": "raw symbols are compared as they stand, with their tones",
    "attach": "tone is part of the phones (tone: attach)",
    "strip": "tone is stripped (tone: strip)",
}
_NO_BOUNDARY = "the gold phones have no inner boundary"


# The gold and the predicted tones of an utterance are two sequences of their own, aligned at least unit cost (a match
# 0, a substitution, an insertion or a deletion 1; ties as NIST's sclite has them). A phone without a tone mark adds
# nothing to the tier. Two tones are the same when their letters are: a contour is one tone, and near pitches count as
# any others.
def tone_tier(case: CorpusContext, settings: Chance) -> AnalysisOutput:
    """Yield the error rate of the tone tier, its chance and skill, and the confusions of tones; or why not."""
    corpus, clusters, name = case.corpus, case.clusters, "tone_error_rate"
    (gold, _), (predicted, _) = sides = (
        (corpus.gold.tones, "the gold phones carry no tone"),
        (corpus.predicted.tones, "the recogniser predicts no tone"),
    )
    modes = {*case.loaded.symbols["tone"].split(","), "raw" * case.loaded.raw}
    reasons = [why for mode, why in _TONE_MODES.items() if mode in modes]
    reasons += [why for side, why in sides if side is None or not len(side.codes)]
    if reasons or gold is None or predicted is None:
        yield row_of(name, math.nan, 0 if gold is None else len(gold.codes), "", reasons[0])
        return
    tones = Corpus(gold=gold, predicted=predicted, speakers=corpus.speakers)
    costs = cost_table("unit", tones.gold_inventory, tones.predicted_inventory, None)
    aligned = align_sequences(tones.gold, tones.predicted, costs)
    cost, tokens = aligned.cost / aligned.denominator, tones.gold.lengths.astype(np.float64)
    yield row_of(name, clusters.ratio(cost, tokens, "rate"), tokens.sum())
    errors = errors_over_clusters(cost, tokens, clusters)
    chance = ChanceSettings(settings.models, settings.replicates, case.experiment.seed, clusters, errors)
    texts = texts_of(corpus.gold)  # of phones and tones: few tones are the same in many texts
    levels = chance_levels(tones, chance, costs=costs, texts=texts, work=case.work)
    yield from rate_beside_chance(Rate(name, cost, levels), tokens, clusters)
    from phonxling.analyses.utterances import confusion_table  # brings pandas

    table = confusion_table(count_confusions(aligned), costs.with_gaps())[column_names("tones")[1:]]
    yield "tones", table.assign(**{side: table[side].map(shown_tone) for side in ("gold", "predicted")})


# A predicted boundary is a hit when it meets a gold one, one to one, at most the tolerance apart. Precision is hits /
# predicted boundaries, recall (hit rate) hits / gold boundaries, F1 their harmonic mean.
def segmentation(case: CorpusContext, settings: Settings) -> AnalysisOutput:
    """Yield F1 and R-value of the boundaries, where gold and predicted phones have times."""
    gold, predicted, segments = case.corpus.gold, case.corpus.predicted, case.loaded.segments
    if gold.start is None or gold.end is None:
        if segments is None or segments.start is None or not set(gold.utterances) <= set(segments.utterances):
            return
        gold = segments.select(segments.places_of(gold.utterances))
    if predicted.start is None or predicted.end is None:
        return
    sides = find_boundaries(gold), find_boundaries(predicted)
    hits, clusters = count_matches(*sides, settings.tolerance), case.clusters
    number, others = (side.numbers for side in sides)
    counted = f"{number.sum():.0f} gold boundaries, {others.sum():.0f} predicted, {hits.sum():.0f} met"
    # Phones decoded from a CTC network have the times of its peaks, which are no times of phones.
    decoded = case.loaded.posteriorgrams if case.loaded.decoder else None
    peaks = "; those predicted are the edges of CTC peaks, not of phones"
    counted += "" if decoded is None or decoded.blank is None else peaks
    f1 = clusters.ratio(2 * hits, number + others, "share")
    yield row_of("boundary_f1", f1, number.sum(), "", counted)
    sums = np.stack([clusters.sums(each) for each in (hits, number, others)])
    whole, left_out = r_value(*sums.sum(axis=1)), r_value(*(sums.sum(axis=1, keepdims=True) - sums))
    result = clusters.estimate(float(whole), left_out, "skill", sizes=sums[1])
    yield row_of("r_value", result, number.sum(), "", counted if number.any() else _NO_BOUNDARY)


# More boundaries raise F1 even at random; the R-value punishes that: with OS = predicted / gold − 1 and HR the recall,
# r₁ = √((1 − HR)² + OS²), r₂ = (HR − 1 − OS)/√2, R = 1 − (|r₁| + |r₂|)/2.
def r_value(hits: Floats, gold: Floats, predicted: Floats) -> Floats:
    """Return the R-value of numbers of hits, gold and predicted boundaries, of any shape."""
    recall, over = divide(hits, gold), divide(predicted, gold) - 1
    first, second = np.hypot(1 - recall, over), (recall - 1 - over) / np.sqrt(2)
    return np.asarray(1 - (first + np.abs(second)) / 2)

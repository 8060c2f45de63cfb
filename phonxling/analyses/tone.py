"""Tone: the error rate, chance levels and confusions of the tone tier.

The gold and the predicted tones of an utterance are two sequences of their own, aligned at least unit cost (a match 0,
a substitution, an insertion or a deletion 1; ties as NIST's sclite has them). A phone without a tone mark adds nothing
to the tier. Two tones are the same when their letters are: a contour is one tone, and near pitches count as any others.
"""

import math
from collections.abc import Mapping

import numpy as np

from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.beside_chance import rate_beside_chance
from phonxling.analyses.case import Case, Items
from phonxling.analyses.chance import ChanceSettings, chance_levels, errors_over_clusters, texts_of
from phonxling.analyses.measures import row_of
from phonxling.core.costs import CostTable, cost_table
from phonxling.core.errors import DataError
from phonxling.core.sequences import Corpus
from phonxling.core.spelling import shown_tone
from phonxling.count.confusions import count_confusions
from phonxling.settings.models import Chance
from phonxling.tables.files import column_names

_NAME = "tone_error_rate"
_MODES = {
    "attach": "tone is part of the phones (tone: attach)",
    "strip": "tone is stripped (tone: strip)",
}


def tone_tier(case: Case, settings: Chance) -> Items:
    """Yield the error rate of the tone tier, its chance and skill, and the confusions of tones; or why not."""
    corpus = case.counted.corpus
    why = why_no_tone(corpus, case.loaded.symbols)
    if why:
        yield row_of(_NAME, math.nan, 0 if corpus.gold.tones is None else len(corpus.gold.tones.codes), "", why)
        return
    tones, costs = _tier(corpus)
    aligned, clusters = align_sequences(tones.gold, tones.predicted, costs), case.counted.clusters
    cost, tokens = aligned.cost / aligned.denominator, tones.gold.lengths.astype(np.float64)
    yield row_of(_NAME, clusters.ratio(cost, tokens, "rate"), tokens.sum())
    errors = errors_over_clusters(cost, tokens, clusters)
    chance = ChanceSettings(settings.models, settings.replicates, case.experiment.seed, clusters, errors)
    texts = texts_of(corpus.gold)  # of phones and tones: few tones are the same in many texts
    levels = chance_levels(tones, chance, costs=costs, texts=texts, work=case.work)
    yield from rate_beside_chance(_NAME, cost, tokens, levels, clusters)
    from phonxling.analyses.utterances import confusion_table  # brings pandas

    table = confusion_table(count_confusions(aligned), costs.with_gaps())[column_names("tones")[1:]]
    yield "tones", table.assign(**{side: table[side].map(shown_tone) for side in ("gold", "predicted")})


def _tier(corpus: Corpus) -> tuple[Corpus, CostTable]:
    """Return the tones of both sides as a corpus, and their unit costs; DataError when a side has none."""
    gold, predicted = corpus.gold.tones, corpus.predicted.tones
    if gold is None or predicted is None or _lacking(corpus):
        raise DataError(f"no tone confusions: {_lacking(corpus)}")
    tones = Corpus(gold=gold, predicted=predicted, speakers=corpus.speakers)
    return tones, cost_table("unit", tones.gold_inventory, tones.predicted_inventory, None)


def _lacking(corpus: Corpus) -> str:
    """Return which side has no tone, "" when both have some."""
    sides = ((corpus.gold, "the gold phones carry no tone"), (corpus.predicted, "the recogniser predicts no tone"))
    return next((why for side, why in sides if side.tones is None or not len(side.tones.codes)), "")


def why_no_tone(corpus: Corpus, symbols: Mapping[str, str]) -> str:
    """Return why a corpus, with these symbol sets and rules, has no tone measures; "" when it has."""
    if "raw" in symbols["sym"].split(","):
        return "raw symbols are compared as they stand, tone and all"
    modes = symbols["tone"].split(",")
    return next((why for mode, why in _MODES.items() if mode in modes), "") or _lacking(corpus)

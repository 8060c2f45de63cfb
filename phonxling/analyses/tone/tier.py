"""The tone tier: its error rate, chance levels and confusions, or the reason why there are none.

Conventions
-----------
The gold and the predicted tones of an utterance are two sequences of their own, aligned at least unit cost (a match 0,
a substitution, an insertion or a deletion 1; ties as NIST's sclite has them). A phone without a tone mark adds nothing
to the tier. Two tones are the same when their letters are: a contour is one tone, and near pitches count as any others.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.costs.named import cost_table
from phonxling.analyses.beside_chance import rate_beside_chance
from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.fitting import fit
from phonxling.analyses.chance.donors import texts_of
from phonxling.analyses.chance.levels import chance_levels
from phonxling.analyses.chance.replicates import ChanceSettings
from phonxling.analyses.rates.error_rate import aligned_error_rate
from phonxling.analyses.rows import row_of
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable
from phonxling.core.errors import DataError
from phonxling.core.interface.arguments import checked_types
from phonxling.core.phonology.tone import shown_tone
from phonxling.count.confusions import count_confusions
from phonxling.settings.sections import Chance

if TYPE_CHECKING:
    import pandas as pd

_NAME = "tone_error_rate"
_MODES = {
    "attach": "tone is part of the phones (tone: attach)",
    "strip": "tone is stripped (tone: strip)",
}


@checked_types
def tone_error_rate(corpus: Corpus) -> float:
    """Return (substituted + deleted + inserted tones) / gold tones, of the alignment of least unit cost.

    NaN when gold or predictions have no tone: a recogniser that predicts none is not wrong about each.

    Parameters
    ----------
    corpus : Corpus
        Loaded with `tone="tier"`, the default.

    Returns
    -------
    float
        A ratio from 0, which may exceed 1; lower is better.

    Examples
    --------
    Gold ˥ ˩ against ˥ ˧ ˩: one tone is inserted, two are gold.

    >>> from phonxling.core.sequences import PhoneSequences, from_lists
    >>> def spoken(tones):
    ...     return PhoneSequences(**{**from_lists(["u"], [["a", "a"]]).__dict__, "tones": from_lists(["u"], [tones])})
    >>> tone_error_rate(Corpus(gold=spoken(["˥", "˩"]), predicted=spoken(["˥", "˧", "˩"])))
    0.5
    """
    return math.nan if _lacking(corpus) else aligned_error_rate(tone_confusions(corpus))


@checked_types
def tone_confusions(corpus: Corpus) -> ConfusionMatrix:
    """Return how often each gold tone was aligned with each predicted one, ∅ last, at least unit cost.

    Raises
    ------
    DataError
        If gold or predictions have no tone.

    Examples
    --------
    >>> from phonxling.core.sequences import PhoneSequences, from_lists
    >>> def spoken(tones):
    ...     return PhoneSequences(**{**from_lists(["u"], [["a", "a"]]).__dict__, "tones": from_lists(["u"], [tones])})
    >>> tone_confusions(Corpus(gold=spoken(["˥", "˩"]), predicted=spoken(["˥", "˥"]))).counts.tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]
    """
    tones = _tone_corpus(corpus)
    return count_confusions(align_sequences(tones.gold, tones.predicted, _unit_costs(tones)))


def tone_tier(case: Case, settings: Chance) -> Items:
    """Yield the error rate of the tone tier, its chance and skill, and tones.tsv; or why not."""
    corpus = case.counted.corpus
    why = why_no_tone(corpus, case.loaded.symbols)
    if why:
        yield row_of(_NAME, math.nan, 0 if corpus.gold.tones is None else len(corpus.gold.tones.codes), "", why)
        return
    tones = _analysed(case.counted)
    tokens, resampling = tones.gold_tokens, tones.resampling
    yield row_of(_NAME, resampling.ratio(tones.unit_cost, tokens, "rate"), tokens.sum())
    chance = ChanceSettings(settings.models, settings.replicates, case.experiment.seed, resampling=resampling)
    texts = texts_of(corpus.gold)  # of phones and tones: few tones are the same in many texts
    levels = chance_levels(tones.corpus, chance, costs=tones.costs, texts=texts, work=case.work)
    yield from rate_beside_chance(_NAME, tones, cost=tones.unit_cost, levels=levels)
    yield "tones", _table(tones)


def _analysed(counted: AnalysedCorpus) -> AnalysedCorpus:
    """Return the tone tier of a corpus as an analysis of its own, without chance levels."""
    tones = _tone_corpus(counted.corpus)
    costs = _unit_costs(tones)
    fitted, aligned = fit(costs, tones.gold, tones.predicted, None), align_sequences(tones.gold, tones.predicted, costs)
    return AnalysedCorpus(
        corpus=tones,
        costs=costs,
        scoring=costs,
        fitted=fitted,
        weighed=fitted,
        aligned=aligned,
        path=aligned,
        by_costs=aligned,
        unit_cost=aligned.cost / aligned.denominator,
        chance=[],
        unit_chance=[],
        resampling=counted.resampling,
    )


def _table(tones: AnalysedCorpus) -> "pd.DataFrame":
    """Return the attested cells of the tones' confusions, as confusions.tsv has the phones'."""
    from phonxling.analyses.confusions import confusion_table  # brings pandas

    table = confusion_table(tones)
    return table.assign(**{side: table[side].map(shown_tone) for side in ("gold", "predicted")})


def _tone_corpus(corpus: Corpus) -> Corpus:
    """Return the tones of both sides as a corpus; DataError when a side has none."""
    gold, predicted = corpus.gold.tones, corpus.predicted.tones
    if gold is None or predicted is None or _lacking(corpus):
        raise DataError(f"no tone confusions: {_lacking(corpus)}")
    return Corpus(gold=gold, predicted=predicted, speakers=corpus.speakers)


def _unit_costs(tones: Corpus) -> CostTable:
    return cost_table("unit", tones.gold_inventory, tones.predicted_inventory, None)


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

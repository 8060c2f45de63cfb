"""The tone tier: its error rate, chance levels and confusions, or the reason why there are none.

Conventions
-----------
The gold and the predicted tones of an utterance are two sequences of their own, aligned at least unit cost (a match 0,
a substitution, an insertion or a deletion 1; ties as NIST's sclite has them). A phone without a tone mark adds nothing
to the tier. Two tones are the same when their letters are: a contour is one tone, and near pitches count as any others.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from phonxling.align.corpus import align_sequences
from phonxling.align.costs.named import cost_table
from phonxling.analyses.beside_chance import rate_beside_chance
from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.fitting import fit
from phonxling.analyses.chance.levels import ChanceSettings, chance_levels
from phonxling.analyses.rates.error_rate import phone_error_rate
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.tables import confusion_table
from phonxling.core.alignment import Alignments
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.corpus import Corpus
from phonxling.core.errors import DataError
from phonxling.core.phonology.tone import shown_tone
from phonxling.core.work import SERIAL, Work
from phonxling.count.confusions import count_confusions
from phonxling.settings.models import Experiment

_NAME = "tone_error_rate"
_MODES = {
    "attach": "tone is part of the phones (tone: attach)",
    "strip": "tone is stripped (tone: strip)",
}


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
    return math.nan if _lacking(corpus) else phone_error_rate(tone_confusions(corpus))


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
    if tones is None:
        raise DataError(f"no tone confusions: {_lacking(corpus)}")
    return count_confusions(_aligned(tones))


def tone_analysis(analysis: AnalysedCorpus) -> AnalysedCorpus | None:
    """Return the tone tier of a corpus as an analysis of its own, without chance levels; None when there is none."""
    tones = _tone_corpus(analysis.corpus)
    if tones is None:
        return None
    aligned = _aligned(tones)
    costs = cost_table("unit", tones.gold_inventory, tones.predicted_inventory, None)
    fitted = fit(costs, tones.gold, tones.predicted, None)
    return AnalysedCorpus(
        corpus=tones,
        costs=costs,
        scoring=costs,
        fitted=fitted,
        weighed=fitted,
        aligned=aligned,
        path=aligned,
        unit=aligned,
        chance=[],
        unit_chance=[],
        resampling=analysis.resampling,
    )


def tone_rows(
    name: str, analysis: AnalysedCorpus, symbols: Mapping[str, str], experiment: Experiment, work: Work = SERIAL
) -> Iterator[Row]:
    """Yield the error rate of the tone tier, by kind of error, its chance and skill; or why there is none.

    `symbols` are the corpus' symbol sets and rules, as its signature has them.
    """
    tones = tone_analysis(analysis)
    why = why_no_tone(analysis.corpus, symbols)
    if tones is None or why:
        gold = analysis.corpus.gold.tones
        yield row_of(_NAME, np.nan, 0 if gold is None else len(gold.codes), "", why)
        return
    tokens, ratio = tones.gold_tokens, tones.resampling.ratio
    yield Row(_NAME, ratio(tones.unit_cost, tokens, "rate"), tokens.sum())
    for place, kind in enumerate(("substitutions", "deletions", "insertions"), start=1):
        errors = tones.operations[:, place].astype(np.float64)
        yield Row(_NAME, ratio(errors, tokens, "rate"), tokens.sum(), kind)
    chance = ChanceSettings(
        experiment.chance.models, experiment.chance.replicates, experiment.seed, resampling=tones.resampling
    )
    levels = chance_levels(name, tones.corpus, tones.costs, tones.costs, chance, work)
    yield from rate_beside_chance(_NAME, tones, cost=tones.unit_cost, levels=levels)


def tone_table(tones: AnalysedCorpus) -> pd.DataFrame:
    """Return tones.tsv: the attested cells of the tones' confusions, as confusions.tsv has the phones'."""
    table = confusion_table(tones)
    return table.assign(**{side: table[side].map(shown_tone) for side in ("gold", "predicted")})


def _tone_corpus(corpus: Corpus) -> Corpus | None:
    gold, predicted = corpus.gold.tones, corpus.predicted.tones
    if gold is None or predicted is None or _lacking(corpus):
        return None
    return Corpus(gold=gold, predicted=predicted, speakers=corpus.speakers)


def _aligned(tones: Corpus) -> Alignments:
    costs = cost_table("unit", tones.gold_inventory, tones.predicted_inventory, None)
    return align_sequences(tones.gold, tones.predicted, costs)


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

"""Tone and segment together in the results: tone_joint.tsv, and its shares in the summary."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.insertions.tables import ONE_PATH, share_of
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.tone.outcomes import OUTCOMES, Outcomes, joint_outcomes, phone_tones, unborne
from phonxling.analyses.tone.tier import why_no_tone
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.tone import shown_tone

_NAME = "tone_joint"


def tone_joint_rows(loaded: LoadedCorpus, analysis: AnalysedCorpus, table: FeatureTable) -> Iterator[Row]:
    """Yield the shares of the tone-bearing gold phones with both, one or neither right; or why there are none.

    The four sum to 1; `deleted` is the part of both_wrong that was not heard at all.
    """
    why = why_no_tone(analysis.corpus, loaded.symbols)
    if why:
        yield from (row_of(_NAME, math.nan, 0, outcome, why) for outcome in (*OUTCOMES, "deleted"))
        return
    utterance, tones, outcome, deleted = _outcomes(analysis, table)
    number, note = len(analysis.corpus.gold), _note(analysis)
    bearing = np.bincount(utterance, minlength=number).astype(np.float64)
    chosen = {name: outcome == place for place, name in enumerate(OUTCOMES)} | {"deleted": deleted}
    for name, here in chosen.items():
        part = np.bincount(utterance[here], minlength=number).astype(np.float64)
        yield Row(_NAME, share_of(part, bearing, analysis.resampling), len(tones), name, note)


def tone_joint_table(analysis: AnalysedCorpus, table: FeatureTable) -> pd.DataFrame:
    """Return tone_joint.tsv: the gold phones that bear each tone, and how many have both, one or neither right."""
    _, tones, outcome, deleted = _outcomes(analysis, table)
    columns = {name: outcome == place for place, name in enumerate(OUTCOMES)} | {"deleted": deleted}
    counts = pd.DataFrame({"tokens": 1, **columns}, index=pd.Index(tones, name="tone", dtype=object))
    summed = counts.groupby(level="tone").sum().astype(np.int64).reset_index()
    return summed.assign(tone=summed["tone"].map(shown_tone))


def _outcomes(analysis: AnalysedCorpus, table: FeatureTable) -> Outcomes:
    corpus = analysis.corpus
    return joint_outcomes(analysis.path, phone_tones(corpus.gold, table), phone_tones(corpus.predicted, table))


def _note(analysis: AnalysedCorpus) -> str:
    gold = analysis.corpus.gold.tones
    lost = 0 if gold is None else unborne(gold)
    notes = [f"gold tones before any phone, left out: {lost}"] * (lost > 0)
    return "; ".join(notes + [ONE_PATH] * (analysis.path is not analysis.aligned))

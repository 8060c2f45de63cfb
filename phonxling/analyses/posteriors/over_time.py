"""posteriorgrams.tsv: what the posteriors of some utterances say over time, so that errors can be looked at.

Which utterances
----------------
As many as are asked for, evenly spaced in the order of the phone error rate, the best and the worst among them, and, of
an odd number, the median one. Utterances of equal rate stand in the order of the corpus.

How fine
--------
Frames are averaged into steps of 30 ms, or as many frames as fit into it. Where the table would be larger than
150,000 bytes, of all utterances into longer ones, until it is not.
"""

import math

import numpy as np
import pandas as pd

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.posteriors.steps import Stepping, label_names, steps_shard
from phonxling.analyses.rates.error_rate import utterance_rates
from phonxling.core.arrays import Codes, Floats
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.work import Work
from phonxling.count.tokens import without_names
from phonxling.settings.posteriorgrams import Posteriorgrams as Settings
from phonxling.tables.files import table_bytes

BUDGET = 150_000  # bytes
_STEP = 0.03  # seconds
_ROUNDING = 1e-6  # of a frame
_DIGITS = 4  # of seconds: 0.1 ms


def posteriors_over_time(case: Case, settings: Settings) -> Items:
    """Yield posteriorgrams.tsv, where there are posteriors and utterances are asked for."""
    if case.loaded.posteriorgrams is not None and (chosen := shown_utterances(case, settings.utterances)):
        yield "posteriorgrams", table_over_time(case.loaded.posteriorgrams, chosen, case.work)


def shown_utterances(case: Case, number: int) -> list[str]:
    """Return the utterances that are shown, in the order of the corpus; of those that have posteriors and a rate."""
    analysed, scored = case.counted, set(case.posteriorgrams.utterances)
    rates = utterance_rates(analysed.unit_cost, analysed.corpus.gold.lengths)
    has_posteriors = np.array([name in scored for name in analysed.corpus.utterances], dtype=bool)
    places = np.flatnonzero(has_posteriors & ~np.isnan(rates))
    return [analysed.corpus.utterances[place] for place in np.sort(places[evenly_ranked(rates[places], number)])]


def evenly_ranked(rates: Floats, number: int) -> Codes:
    """Return so many positions, evenly spaced in the order of the rates, the lowest and the highest among them.

    All where there are no more; of one, the median.

    Examples
    --------
    >>> evenly_ranked(np.array([0.5, 0.1, 0.4, 0.2, 0.3]), 3).tolist()
    [1, 4, 0]
    """
    order, last = np.argsort(rates, kind="stable"), len(rates) - 1
    if number > last:
        return order
    if number < 2:
        return order[[last // 2] * number]
    return order[(np.arange(number) * last * 2 + number - 1) // (2 * (number - 1))]


def table_over_time(posteriorgrams: Posteriorgrams, utterances: list[str], work: Work) -> pd.DataFrame:
    """Return posteriorgrams.tsv of utterances, in steps as fine as the budget allows."""
    frames = max(1, int(_STEP / posteriorgrams.frame_shift + _ROUNDING))
    longest = max(len(posteriorgrams.raw(name)) for name in utterances)
    while True:
        table = _table(posteriorgrams, utterances, frames, work)
        size = len(table_bytes(table))
        if size <= BUDGET or frames >= longest:
            return table
        frames = max(frames + 1, math.ceil(frames * size / BUDGET))


def _table(posteriorgrams: Posteriorgrams, utterances: list[str], frames: int, work: Work) -> pd.DataFrame:
    names, codes = label_names(posteriorgrams)
    stepping = Stepping(without_names(posteriorgrams), codes, frames)
    shift, offset = posteriorgrams.frame_shift, posteriorgrams.frame_offset
    parts = []
    for utterance, steps in zip(utterances, work.map(steps_shard, stepping, utterances), strict=True):
        columns = {
            "utterance": utterance,
            "start": (offset + steps["first"] * shift).round(_DIGITS),
            "end": (offset + steps["last"] * shift).round(_DIGITS),
            "phone": np.array(names, dtype=object)[steps["label"]],
            "probability": steps["hundredths"] / 100,
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)

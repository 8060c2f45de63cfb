"""The analyses of error rates: under unit costs, under the costs in use, over feature edits."""

import math
from collections.abc import Iterator

import numpy as np

from phonxling.alignment.corpus import least_costs
from phonxling.alignment.costs import cost_table
from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.beside_chance import rate_beside_chance
from phonxling.analyses.case import Case, Items
from phonxling.analyses.ceiling import ceiling
from phonxling.analyses.error_rate import NO_RATE, utterance_rates, utterance_spread
from phonxling.analyses.notes import unpaired_note
from phonxling.analyses.rows import Row, row_of
from phonxling.core.alignment import ExpectedAlignments
from phonxling.core.arrays import Floats
from phonxling.core.estimate import joined
from phonxling.resample.student import Kind

_RAW = "raw symbols have no phonological features"
_FEATURE_EDITS = ("fed_mean", "fed_rate", "fed_norm")
_OPERATIONS: dict[str, Kind] = {  # in the order of the operations' columns
    "accuracy": "share",
    "substitution_rate": "share",
    "deletion_rate": "share",
    "insertion_rate": "rate",
}


def phone_error_rate(case: Case, _: None) -> Items:
    """Yield the phone error rate (least unit cost), its chance and skill."""
    analysed = case.counted
    yield from _rate("per", analysed, analysed.unit_cost)
    yield from rate_beside_chance("per", analysed, cost=analysed.unit_cost, levels=analysed.unit_chance)
    yield from ceiling("per", case, cost=analysed.unit_cost, levels=analysed.unit_chance)


def weighted_rate(case: Case, _: None) -> Items:
    """Yield the numbers of the alignment in use."""
    analysed = case.counted
    yield from _weighted(case)
    yield from _operations(analysed)


def feature_edits(case: Case, _: None) -> Items:
    """Yield the variants that the literature calls PFER, over hamming feature distances with gaps of 1."""
    analysed, corpus = case.counted, case.counted.corpus
    if case.loaded.raw:
        yield from (row_of(name, np.nan, analysed.gold_tokens.sum(), "", _RAW) for name in _FEATURE_EDITS)
        return
    costs = cost_table("panphon-hamming", corpus.gold_inventory, corpus.predicted_inventory, case.features)
    distance = least_costs(corpus.gold, corpus.predicted, costs, case.work)
    tokens, ratio = analysed.gold_tokens, analysed.resampling.ratio
    longer = np.maximum(tokens, corpus.predicted.lengths)
    spoken = (longer > 0).astype(np.float64)
    yield row_of("fed_mean", ratio(distance, np.ones(len(distance))), len(distance))
    yield row_of("fed_rate", ratio(distance, tokens, "rate"), tokens.sum())
    yield row_of("fed_norm", ratio(distance / np.maximum(longer, 1), spoken, "rate"), spoken.sum())


def _weighted(case: Case) -> Iterator[Row]:
    analysed = case.counted
    if analysed.scoring.as_rate:
        yield from _rate("wper", analysed, analysed.cost, joined([_averaged(analysed), analysed.note]))
        anew = "costs learned anew" if analysed.learned else ""
        yield from rate_beside_chance("wper", analysed, cost=analysed.cost, levels=analysed.chance, note=anew)
        yield from ceiling("wper", case, cost=analysed.cost, levels=analysed.chance)
    else:
        for name in ("wper", "wper_macro"):
            yield row_of(name, np.nan, analysed.gold_tokens.sum(), "", analysed.scoring.name + NO_RATE)


def _rate(name: str, analysed: AnalysedCorpus, cost: Floats, note: str = "") -> Iterator[Row]:
    """Yield a rate over all gold phones, and its mean over utterances that have some."""
    tokens, ratio = analysed.gold_tokens, analysed.resampling.ratio
    spoken = (tokens > 0).astype(np.float64)
    rates = utterance_rates(cost, analysed.corpus.gold.lengths)
    empty = int(len(tokens) - spoken.sum())
    without = f"without the utterances that have an empty gold: {empty}" if empty else ""
    yield row_of(name, ratio(cost, tokens, "rate"), tokens.sum(), "", note)
    yield row_of(f"{name}_macro", ratio(np.nan_to_num(rates), spoken, "rate"), spoken.sum(), "", note, without)
    yield from utterance_spread(name, rates)


def _operations(analysed: AnalysedCorpus) -> Iterator[Row]:
    tokens, utterances = analysed.gold_tokens, len(analysed.corpus.gold)
    errors = np.asarray(analysed.operations[:, 1:].sum(axis=1), dtype=np.float64)
    yield row_of("per_aligned", analysed.resampling.ratio(errors, tokens, "rate"), tokens.sum())
    for (rate, kind), counts in zip(_OPERATIONS.items(), analysed.operations.T, strict=True):
        yield row_of(rate, analysed.resampling.ratio(counts.astype(np.float64), tokens, kind), tokens.sum())
    yield row_of("gold_tokens", tokens.sum(), utterances)
    yield row_of("utterances", utterances, utterances, "", unpaired_note(analysed.corpus.unpaired))
    speakers = analysed.corpus.speakers
    known = math.nan if speakers is None else len(set(speakers))
    yield row_of("speakers", known, utterances, "", "" if speakers else "speakers are not known")


def _averaged(analysed: AnalysedCorpus) -> str:
    """Return the warning that a rate is not of least costs, "" when it is."""
    aligned = analysed.aligned
    if not isinstance(aligned, ExpectedAlignments) or not aligned.temperature:
        return ""
    return f"the expected cost at temperature {aligned.temperature:.15g}, not the least"

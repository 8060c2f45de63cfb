"""Summary rows of rates: error rates, their chance levels, and the skill above chance."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from phonxling.align.corpus import align_sequences
from phonxling.align.costs.named import cost_table, is_feature_cost
from phonxling.analyses.beside_chance import rate_beside_chance
from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.notes import unpaired_note
from phonxling.analyses.rates.error_rate import utterance_rates
from phonxling.analyses.rows import Row, row_of
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate
from phonxling.core.expected_alignment import ExpectedAlignments
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.work import Work

Floats = NDArray[np.float64]
_NO_RATE = "'s costs weigh edits for aligning; they are no phonetic distances"
_OPERATIONS = ("correct", "substitutions", "deletions", "insertions")
_INSERTED = 3


def weighted_rows(analysis: AnalysedCorpus) -> Iterator[Row]:
    """Yield the numbers of the alignment in use: wPER, its chance and skill, operations, ambiguity."""
    tokens, utterances = analysis.gold_tokens, len(analysis.corpus.gold)
    if analysis.scoring.as_rate:
        said = "; ".join(filter(None, [_averaged(analysis), analysis.note]))
        yield from _rate("wper", analysis, analysis.cost, said)
        anew = "costs learned anew" if analysis.learned else ""
        yield from rate_beside_chance("wper", analysis, cost=analysis.cost, levels=analysis.chance, note=anew)
    else:
        note = analysis.scoring.name + _NO_RATE
        yield from (row_of(name, np.nan, tokens.sum(), "", note) for name in ("wper", "wper_macro"))
    ratio = analysis.resampling.ratio
    yield Row("per_aligned", ratio(_errors(analysis.operations), tokens, "rate"), tokens.sum())
    for place, name in enumerate(_OPERATIONS):
        yield Row(name, _number(analysis, place), tokens.sum())
    yield row_of("gold_tokens", float(tokens.sum()), utterances)
    left_out = unpaired_note(analysis.corpus.unpaired)
    yield row_of("utterances", float(utterances), utterances, "", left_out)
    if isinstance(analysis.aligned, ExpectedAlignments):
        yield _ambiguity(analysis.aligned, analysis)


def unit_rows(analysis: AnalysedCorpus) -> Iterator[Row]:
    """Yield the phone error rate (least unit cost), its chance and skill."""
    yield from _rate("per", analysis, analysis.unit_cost)
    yield from rate_beside_chance("per", analysis, cost=analysis.unit_cost, levels=analysis.unit_chance)


def hamming_costs(analysis: AnalysedCorpus, table: FeatureTable) -> CostTable:
    """Return hamming feature costs with gaps of 1 between the corpus' phones."""
    corpus = analysis.corpus
    return cost_table("panphon-hamming", corpus.gold_inventory, corpus.predicted_inventory, table)


def feature_edit_rows(analysis: AnalysedCorpus, costs: CostTable, work: Work) -> Iterator[Row]:
    """Yield the variants that the literature calls PFER, over hamming feature distances with gaps of 1."""
    corpus = analysis.corpus
    if not is_feature_cost(analysis.costs.name):
        return
    cost = align_sequences(corpus.gold, corpus.predicted, costs, work).cost / costs.denominator
    tokens, every = analysis.gold_tokens, np.ones(len(cost))
    longer = np.maximum(tokens, corpus.predicted.lengths)
    spoken = (longer > 0).astype(np.float64)
    norm = cost / np.maximum(longer, 1)
    yield Row("fed_mean", analysis.resampling.ratio(cost, every), len(cost))
    yield Row("fer", analysis.resampling.ratio(cost, tokens, "rate"), tokens.sum())
    yield Row("fed_norm", analysis.resampling.ratio(norm, spoken, "rate"), spoken.sum())


def _number(analysis: AnalysedCorpus, place: int) -> Estimate:
    """Return how often an operation occurs, with the interval that its rate gives for as many gold phones."""
    counts, tokens = analysis.operations[:, place].astype(np.float64), analysis.gold_tokens
    rate, total = analysis.resampling.ratio(counts, tokens, "rate" if place == _INSERTED else "share"), tokens.sum()
    number = float(analysis.operations.sum(axis=0)[place])
    return replace(rate, value=number, low=rate.low * total, high=rate.high * total) if total else Estimate(number)


def _ambiguity(aligned: ExpectedAlignments, analysis: AnalysedCorpus) -> Row:
    """Return the mean entropy of an utterance's alignments."""
    number = len(aligned)
    mean = analysis.resampling.ratio(aligned.ambiguity, np.ones(number))
    tied = int((aligned.ambiguity > 0).sum())
    note = f"{tied} of {number} utterances have more than one optimal alignment" if not aligned.temperature else ""
    return Row("ambiguity", mean, number, "", note)


def _averaged(analysis: AnalysedCorpus) -> str:
    """Return the warning that a rate is not of least costs, "" when it is."""
    aligned = analysis.aligned
    if not isinstance(aligned, ExpectedAlignments) or not aligned.temperature:
        return ""
    return f"the expected cost at temperature {aligned.temperature:.15g}, not the least"


def _rate(name: str, analysis: AnalysedCorpus, cost: Floats, note: str = "") -> Iterator[Row]:
    tokens = analysis.gold_tokens
    spoken = (tokens > 0).astype(np.float64)
    rates = np.nan_to_num(utterance_rates(cost, analysis.corpus.gold.lengths))
    empty = int(len(tokens) - spoken.sum())
    without = f"without the utterances that have an empty gold: {empty}" if empty else ""
    yield Row(name, analysis.resampling.ratio(cost, tokens, "rate"), tokens.sum(), "", note)
    yield Row(
        f"{name}_macro",
        analysis.resampling.ratio(rates, spoken, "rate"),
        spoken.sum(),
        "",
        "; ".join(filter(None, [note, without])),
    )


def _errors(operations: NDArray[np.int64] | Floats) -> Floats:
    return np.asarray(operations[:, 1:].sum(axis=1), dtype=np.float64)

"""utterances.tsv and alignments.tsv: each utterance's errors, and every aligned pair."""

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.case.case import Case
from phonxling.analyses.case.fitting import Fitted
from phonxling.analyses.chance.levels import best
from phonxling.analyses.rates.ceiling import floor_of
from phonxling.analyses.rates.error_rate import utterance_rates
from phonxling.analyses.rates.timed_pairs import PairColumn, pair_texts
from phonxling.core.alignment import OPERATIONS, Alignments, ExpectedAlignments
from phonxling.core.inventory import GAP
from phonxling.tables.files import Lines

_COLUMNS = ("utterance", "position", "gold", "predicted", "operation", "cost", "right")
_UTTERANCES = 1 << 12  # utterances whose alignments are text at one time


def utterance_table(case: Case) -> pd.DataFrame:
    """Return utterances.tsv: counts of the alignment in use, and each utterance's rates (missing for an empty gold).

    Expected alignments add `ambiguity`, in bits. `chance_unit_cost` and `chance_cost` are those of the lowest chance
    level of PER and of wPER, `floor_unit_cost` and `floor_cost` the least possible ones, where there are such.
    """
    analysis = case.counted
    corpus, operations = analysis.corpus, analysis.operations
    tokens = corpus.gold.lengths
    rates = utterance_rates(analysis.cost, tokens) if analysis.scoring.as_rate else np.full(len(tokens), np.nan)
    columns = {
        "utterance": corpus.utterances,
        "speaker": corpus.speakers or [""] * len(tokens),
        "gold_tokens": tokens,
        "predicted_tokens": corpus.predicted.lengths,
        **{
            name: operations[:, place]
            for place, name in enumerate(["correct", "substitutions", "deletions", "insertions"])
        },
        "cost": analysis.cost,
        "per": utterance_rates(analysis.unit_cost, tokens),
        "wper": rates,
    }
    if isinstance(analysis.aligned, ExpectedAlignments):
        columns["ambiguity"] = analysis.aligned.ambiguity
    for rate, name, levels in (("per", "unit_cost", analysis.unit_chance), ("wper", "cost", analysis.chance)):
        lowest, floor = best(levels), floor_of(rate, case)
        if lowest is not None:
            columns[f"chance_{name}"] = lowest.cost
        if not floor.missing:
            columns[f"floor_{name}"] = floor.cost
    return pd.DataFrame(columns)


def alignment_lines(
    aligned: Alignments,
    weighed: Fitted,
    columns: Sequence[PairColumn] = (),
    *,
    speakers: Sequence[str] | None = None,
    forced: bool = False,
) -> Lines:
    """Return alignments.tsv: every aligned pair, in order, with its operation and its cost under the scoring costs.

    A pair's cells after its position depend on its two phones and on the cost table of its utterance alone, so each
    such text is made once; `columns` follow them, then the speaker of the utterance, "" where none is known, and a
    column `times` where those of gold phones are `forced`.
    """
    header = "\t".join([*_COLUMNS, *(one.name for one in columns), "speaker", *["times"] * forced])
    after = "\tforced\n" if forced else "\n"
    tails = [f"\t{speaker}{after}" for speaker in speakers or [""] * len(aligned)]
    return Lines(lambda: chain([f"{header}\n"], _alignment_parts(aligned, weighed, columns, tails)))


def _alignment_parts(
    aligned: Alignments, weighed: Fitted, columns: Sequence[PairColumn], tails: Sequence[str]
) -> Iterator[str]:
    cells_of = _cells(aligned, weighed)
    places = [f"\t{place}\t" for place in range(1, int(np.diff(aligned.offsets).max(initial=0)) + 1)]
    for first in range(0, len(aligned), _UTTERANCES):
        bounds = aligned.offsets[first : first + _UTTERANCES + 1]
        run, names = slice(bounds[0], bounds[-1]), aligned.utterances[first : first + _UTTERANCES]
        half = np.repeat(weighed.half[first : first + _UTTERANCES], np.diff(bounds))
        texts = cells_of[half, aligned.gold[run], aligned.predicted[run]].tolist()
        if columns:
            cells = (pair_texts(column, aligned, slice(first, first + len(names))) for column in columns)
            texts = list(map("".join, zip(texts, *cells, strict=True)))
        starts = (bounds - bounds[0]).tolist()
        lines = (
            zip(repeat(name), places, texts[begin:until], repeat(tail))
            for name, tail, (begin, until) in zip(
                names, tails[first : first + _UTTERANCES], pairwise(starts), strict=True
            )
        )
        yield "".join(chain.from_iterable(chain.from_iterable(lines)))


def _cells(aligned: Alignments, weighed: Fitted) -> NDArray[np.object_]:
    """Return the cells of each pair of phones under each cost table, [tables, G + 1, P + 1]."""
    gold, predicted = (*aligned.gold_inventory, GAP), (*aligned.predicted_inventory, GAP)
    kinds = aligned.kinds()
    ends = np.empty((len(weighed.tables), len(gold), len(predicted)), dtype=object)
    for number, table in enumerate(weighed.tables):
        for (row, column), cost in np.ndenumerate(table.with_gaps()):
            kind = OPERATIONS[kinds[row, column]]
            right = "" if row == len(gold) - 1 else "1" if kind == "correct" else "0"
            ends[number, row, column] = f"{gold[row]}\t{predicted[column]}\t{kind}\t{float(cost)!r}\t{right}"
    return ends

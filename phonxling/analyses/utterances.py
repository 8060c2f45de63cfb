"""utterances.tsv and alignments.tsv: each utterance's errors, and every aligned pair."""

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.alignment.costs import KINDS
from phonxling.analyses.case import Case, Items
from phonxling.analyses.ceiling import floor_of
from phonxling.analyses.chance_levels import best
from phonxling.analyses.confusions import confusion_table
from phonxling.analyses.cost_records import learned_tables
from phonxling.analyses.costs import costs_of
from phonxling.analyses.error_rate import utterance_rates
from phonxling.analyses.fitting import Aligner, Fitted
from phonxling.analyses.loaded import features_of
from phonxling.core.alignment import OPERATIONS, Alignments, ExpectedAlignments
from phonxling.core.arrays import Codes, Floats
from phonxling.core.inventory import GAP
from phonxling.core.sequences import PhoneSequences
from phonxling.load.urls import local
from phonxling.settings.sections import Alignment
from phonxling.tables.files import Lines, table_of

# The columns of alignments.tsv that are there only where the data have them: times, and confidences.

_DIGITS = 4  # after the point: 0.1 ms


class PairColumn(NamedTuple):
    """A number of each phone of one side, [N], NaN for none; `offsets` [U + 1] cuts the phones into utterances."""

    name: str
    side: Literal["gold", "predicted"]
    values: Floats
    offsets: NDArray[np.int64]


def pair_columns(case: Case) -> tuple[PairColumn, ...]:
    """Return the columns of a corpus."""
    analysed, times = case.counted, gold_times(case)
    gold, predicted = analysed.corpus.gold, analysed.corpus.predicted
    columns = [] if times is None else [("gold_start", times[0]), ("gold_end", times[1])]
    heard = {"predicted_start": predicted.start, "predicted_end": predicted.end, "confidence": predicted.confidence}
    in_use = heard if analysed.path is analysed.by_costs else {}
    return (
        *(PairColumn(name, "gold", values, gold.offsets) for name, values in columns),
        *(PairColumn(name, "predicted", own, predicted.offsets) for name, own in in_use.items() if own is not None),
    )


def gold_times(case: Case) -> tuple[Floats, Floats] | None:
    """Return when each gold phone begins and ends, in seconds [N] each; None where no times are known."""
    gold, segments = case.counted.corpus.gold, case.loaded.segments
    if case.forced is not None:
        segments = case.forced.forced.segments
    elif gold.start is not None and gold.end is not None:
        return gold.start, gold.end
    if segments is None or segments.start is None or segments.end is None:
        return None
    ours, theirs = same_tokens(gold, segments)
    start, end = np.full((2, len(gold.codes)), np.nan)
    start[ours], end[ours] = segments.start[theirs], segments.end[theirs]
    return start, end


def same_tokens(first: PhoneSequences, second: PhoneSequences) -> tuple[Codes, Codes]:
    """Return where the tokens of the utterances stand that have the same phones in both, [n] in each."""
    places = {name: place for place, name in enumerate(second.utterances)}
    other = np.array([places.get(name, -1) for name in first.utterances], dtype=np.int64)
    alike = np.flatnonzero(other >= 0)
    alike = alike[first.lengths[alike] == second.lengths[other[alike]]]
    known = [first.inventory.code(phone) if phone in first.inventory else -1 for phone in second.inventory]
    heard = np.array(known, dtype=np.int64)[second.codes[second.token_order(other[alike])]]
    differs = heard != first.codes[first.token_order(alike)]
    owner = np.repeat(np.arange(len(alike)), first.lengths[alike])
    alike = alike[np.bincount(owner, weights=differs, minlength=len(alike)) == 0]
    return first.token_order(alike), second.token_order(other[alike])


def pair_texts(column: PairColumn, aligned: Alignments, utterances: slice) -> list[str]:
    """Return the cell of each pair of a run of utterances, with a tab before it, rounded to 4 digits; "" for none."""
    sides = {
        "gold": (aligned.gold, aligned.gold_inventory),
        "predicted": (aligned.predicted, aligned.predicted_inventory),
    }
    codes, inventory = sides[column.side]
    here = slice(aligned.offsets[utterances.start], aligned.offsets[utterances.stop])
    values = column.values[column.offsets[utterances.start] : column.offsets[utterances.stop]]
    numbers, place = np.unique(values.round(_DIGITS), return_inverse=True)  # few of times that are those of frames
    texts = np.full(here.stop - here.start, "\t", dtype=object)
    shown = [f"\t{number!r}" if number == number else "\t" for number in numbers.tolist()]
    texts[codes[here] != len(inventory)] = np.array(shown, dtype=object)[place]
    cells: list[str] = texts.tolist()
    return cells


_COLUMNS = ("utterance", "position", "gold", "predicted", "operation", "cost", "right")
_UTTERANCES = 1 << 12  # utterances whose alignments are text at one time


def utterance_table(case: Case) -> pd.DataFrame:
    """Return utterances.tsv: counts of the alignment in use, and each utterance's rates (missing for an empty gold)."""
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
    """Return alignments.tsv: every aligned pair, in order, with its operation and its cost under the scoring costs."""
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


# gap_costs.tsv: the weighted rate under several gap costs, on which it depends strongly.

_GAPS = (0.25, 0.5, 0.75, 1.0)


def rates_by_gap_cost(case: Case, settings: Alignment) -> pd.DataFrame:
    """Return the pooled wPER for several gap costs under the configured substitution costs, with its interval."""
    corpus, rows = case.counted.corpus, []
    name = settings.costs if isinstance(settings.costs, str) else local(settings.costs)
    own_gaps = isinstance(name, str) and not (name in KINDS and KINDS[name].features and KINDS[name].gap)
    for gap in () if own_gaps or settings.method == "posterior" else _GAPS:
        table = costs_of(
            name,
            corpus.gold_inventory,
            corpus.predicted_inventory,
            insertion=gap,
            deletion=gap,
            tone_weight=settings.tone_weight,
            features=features_of(case.experiment),
        )
        aligned = Aligner(settings.averaged_at, case.work)(corpus.gold, corpus.predicted, table)
        tokens = corpus.gold.lengths.astype(np.float64)
        rate = case.counted.resampling.ratio(aligned.cost / table.denominator, tokens, "rate")
        rows.append((gap, rate.value, rate.low, rate.high))
    return table_of("gap_costs", rows)


# The tables of the alignment in use: utterances, alignments, confusions, gap costs; and those of learned costs.


def weighted_tables(case: Case, settings: Alignment) -> Items:
    """Yield the tables of the alignment in use."""
    analysed = case.counted
    yield "utterances", utterance_table(case)
    columns, forced = pair_columns(case), case.forced is not None
    speakers = analysed.corpus.speakers
    yield "alignments", alignment_lines(analysed.path, analysed.weighed, columns, speakers=speakers, forced=forced)
    yield "confusions", confusion_table(analysed)
    by_gap = rates_by_gap_cost(case, settings)
    if len(by_gap):
        yield "gap_costs", by_gap


def learned_costs(case: Case, _: None) -> Items:
    """Yield the tables of learned costs and of how they were learned; nothing for given costs."""
    yield from learned_tables(case.counted.learned, case.counted.fitted, case.counted.weighed)

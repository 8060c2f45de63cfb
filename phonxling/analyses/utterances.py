"""The tables of the alignment in use: utterances, alignments, confusions; decoded phones."""

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.case import Case, Items
from phonxling.analyses.chance import best
from phonxling.analyses.entropy import npmi_of, pmi_of
from phonxling.analyses.rates import Both, both, floor_of
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.confusion import OPERATIONS, Alignments, ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.inventory import GAP
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.count.confusions import count_confusions
from phonxling.tables.files import Lines

_DIGITS = 4  # of times and confidences, after the point: 0.1 ms
_COLUMNS = ("utterance", "position", "gold", "predicted", "operation", "cost", "right")
_DRAWN = 6  # digits of the rates of predictions that chance drew
_UTTERANCES = 1 << 12  # utterances that are text at one time


def weighted_tables(case: Case, _: None) -> Items:
    analysed = case.counted
    yield "utterances", _utterance_table(case)
    columns, speakers, forced = _number_columns(case), analysed.corpus.speakers, case.forced is not None
    yield "alignments", alignment_lines(analysed.aligned, analysed.costs, columns, speakers=speakers, forced=forced)
    confusions = confusion_table(analysed.matrix, analysed.costs.with_gaps(), with_gaps=analysed.counting.gaps)
    found = both(case)
    if found is not None:
        confusions, theirs = _with_people(confusions, found)
        yield "people", theirs
    yield "confusions", confusions


def _utterance_table(case: Case) -> pd.DataFrame:
    """Return utterances.tsv: counts of the alignment in use, and each utterance's rates (missing for an empty gold)."""
    analysed, corpus = case.counted, case.counted.corpus
    tokens = corpus.gold.lengths
    names = ("correct", "substitutions", "deletions", "insertions")
    rates = divided(analysed.cost, tokens) if analysed.costs.as_rate else np.full(len(tokens), np.nan)
    columns = {
        "utterance": corpus.utterances,
        "speaker": corpus.speakers or [""] * len(tokens),
        "gold_tokens": tokens,
        "predicted_tokens": corpus.predicted.lengths,
        **dict(zip(names, analysed.operations.T, strict=True)),
        "cost": analysed.cost,
        "per": divided(analysed.unit_cost, tokens),
        "wper": rates,
    }
    for rate, name, levels in (("per", "unit_cost", analysed.unit_chance), ("wper", "cost", analysed.chance)):
        lowest, (floor, _) = best(levels), floor_of(rate, case)
        if lowest is not None:
            columns[f"chance_{name}"] = lowest.cost
        if floor is not None:
            columns[f"floor_{name}"] = floor
    if analysed.costs.as_rate:
        drawn = [level for level in analysed.chance if not level.missing]
        columns |= {f"chance_wper_{one.model}": divided(one.first, tokens).round(_DRAWN) for one in drawn}
    return pd.DataFrame(columns)


PairColumn: TypeAlias = tuple[str, str, Floats, Codes]
"""A number of each phone of one side, [N], NaN for none: name, side, numbers; [U + 1] cuts them into utterances."""


def _number_columns(case: Case) -> list[PairColumn]:
    analysed, segments = case.counted, case.loaded.segments
    gold, predicted = analysed.corpus.gold, analysed.corpus.predicted
    start, end = gold.start, gold.end
    if case.forced is not None:
        segments = case.forced.forced.segments
    if case.forced is not None or start is None or end is None:
        start = end = None
        if segments is not None and segments.start is not None and segments.end is not None:
            ours, theirs = same_tokens(gold, segments)
            start, end = np.full((2, len(gold.codes)), np.nan)
            start[ours], end[ours] = segments.start[theirs], segments.end[theirs]
    columns = [("gold_start", "gold", start, gold.offsets), ("gold_end", "gold", end, gold.offsets)]
    heard = {"predicted_start": predicted.start, "predicted_end": predicted.end, "confidence": predicted.confidence}
    columns += [(name, "predicted", values, predicted.offsets) for name, values in heard.items()]
    return [(name, side, values, offsets) for name, side, values, offsets in columns if values is not None]


def same_tokens(first: PhoneSequences, second: PhoneSequences) -> tuple[Codes, Codes]:
    """Return where the tokens of the utterances stand that have the same phones in both, [n] in each."""
    other = second.places_of(first.utterances)
    alike = np.flatnonzero(other >= 0)
    alike = alike[first.lengths[alike] == second.lengths[other[alike]]]
    heard = first.inventory.codes(second.inventory)[second.codes[second.token_order(other[alike])]]
    differs = heard != first.codes[first.token_order(alike)]
    owner = np.repeat(np.arange(len(alike)), first.lengths[alike])
    alike = alike[np.bincount(owner, weights=differs, minlength=len(alike)) == 0]
    return first.token_order(alike), second.token_order(other[alike])


def alignment_lines(
    aligned: Alignments,
    costs: CostTable,
    columns: Sequence[PairColumn] = (),
    *,
    speakers: Sequence[str] | None = None,
    forced: bool = False,
) -> Lines:
    """Return alignments.tsv: every aligned pair, in order, with its operation and its cost."""
    header = "\t".join([*_COLUMNS, *(column[0] for column in columns), "speaker", *["times"] * forced])
    after = "\tforced\n" if forced else "\n"
    tails = [f"\t{speaker}{after}" for speaker in speakers or [""] * len(aligned)]
    return Lines(lambda: chain([f"{header}\n"], _alignment_parts(aligned, costs, columns, tails)))


def _alignment_parts(
    aligned: Alignments, costs: CostTable, columns: Sequence[PairColumn], tails: Sequence[str]
) -> Iterator[str]:
    cells_of = _cells(aligned, costs)
    places = [f"\t{place}\t" for place in range(1, int(np.diff(aligned.offsets).max(initial=0)) + 1)]
    for first in range(0, len(aligned), _UTTERANCES):
        here = slice(first, min(first + _UTTERANCES, len(aligned)))
        bounds = aligned.offsets[here.start : here.stop + 1]
        run, begins = slice(bounds[0], bounds[-1]), (bounds - bounds[0]).tolist()
        texts = cells_of[aligned.gold[run], aligned.predicted[run]].tolist()
        if columns:
            cells = (_number_texts(column, aligned, here, run) for column in columns)
            texts = list(map("".join, zip(texts, *cells, strict=True)))
        utterances = zip(aligned.utterances[here], tails[here], pairwise(begins), strict=True)
        lines = (
            zip(repeat(name), places, texts[begin:until], repeat(tail)) for name, tail, (begin, until) in utterances
        )
        yield "".join(chain.from_iterable(chain.from_iterable(lines)))


def _cells(aligned: Alignments, costs: CostTable) -> NDArray[np.object_]:
    """Return the cells of each pair of phones, [G + 1, P + 1]."""
    gold, predicted = (*aligned.gold_inventory, GAP), (*aligned.predicted_inventory, GAP)
    kinds = aligned.kinds()
    ends = np.empty((len(gold), len(predicted)), dtype=object)
    for (row, column), cost in np.ndenumerate(costs.with_gaps()):
        kind = OPERATIONS[kinds[row, column]]
        right = "" if row == len(gold) - 1 else "1" if kind == "correct" else "0"
        ends[row, column] = f"{gold[row]}\t{predicted[column]}\t{kind}\t{float(cost)!r}\t{right}"
    return ends


def _number_texts(column: PairColumn, aligned: Alignments, here: slice, run: slice) -> list[str]:
    """Return the cell of each pair of a run of utterances, with a tab before it, rounded to 4 digits; "" for none."""
    _, side, numbers, offsets = column
    codes, gap = aligned.gold, len(aligned.gold_inventory)
    if side == "predicted":
        codes, gap = aligned.predicted, len(aligned.predicted_inventory)
    values = numbers[offsets[here.start] : offsets[here.stop]]
    shown, place = np.unique(values.round(_DIGITS), return_inverse=True)  # few of times that are those of frames
    texts = np.full(run.stop - run.start, "\t", dtype=object)
    cells = [f"\t{number!r}" if number == number else "\t" for number in shown.tolist()]
    texts[codes[run] != gap] = np.array(cells, dtype=object)[place]
    return [*texts]


def describe_costs(costs: CostTable) -> dict[str, object]:
    """Return what the manifest says of the costs of one corpus: name, denominator, rounding."""
    return {"name": costs.name, "denominator": costs.denominator, "note": costs.note}


def confusion_table(matrix: ConfusionMatrix, costs: Floats, *, with_gaps: bool = False) -> pd.DataFrame:
    """Return confusions.tsv: the attested cells of the confusion matrix, and what a pair costs, [G + 1, P + 1]."""
    rows, columns = np.nonzero(matrix.counts)
    gold, predicted = np.array([*matrix.gold, GAP], dtype=object), np.array([*matrix.predicted, GAP], dtype=object)
    symbols = matrix.counts if with_gaps else matrix.substitutions
    joint = divided(symbols, symbols.sum())
    of_pairs = {"p_joint": joint, "pmi": pmi_of(joint), "npmi": npmi_of(joint)}
    lacking = (0, 0 if with_gaps else 1)  # the row and the column of ∅
    values = {
        "count": matrix.counts.astype(np.int64),
        "p_predicted_given_gold": conditional(matrix.counts, with_gaps=with_gaps),
        "p_gold_given_predicted": conditional(matrix.counts.T, with_gaps=with_gaps).T,
        **{name: np.pad(cells, (lacking, lacking), constant_values=np.nan) for name, cells in of_pairs.items()},
        "cost": costs,
    }
    labels = {"gold": gold[rows], "predicted": predicted[columns]}
    return pd.DataFrame({**labels, **{name: value[rows, columns] for name, value in values.items()}})


def _with_people(confusions: pd.DataFrame, found: Both) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the confusions with the second transcriber's share in each cell, and people.tsv, with the recogniser's."""
    matrix = count_confusions(found.path)
    keys, share = ["gold", "predicted"], "p_predicted_given_gold"
    cells = confusion_table(matrix, np.zeros(matrix.counts.shape))[[*keys, "count", share]]
    cells = cells.rename(columns={share: "p_people_given_gold"})
    theirs = cells.merge(confusions[[*keys, share]], "left", keys)
    theirs[share] = theirs[share].fillna(0.0)
    beside = confusions.merge(cells.drop(columns="count"), "left", keys)
    never = beside["gold"].isin(cells["gold"]) & beside["p_people_given_gold"].isna()
    beside["p_people_given_gold"] = beside["p_people_given_gold"].mask(never, 0.0)
    return beside, theirs.rename(columns={"predicted": "second"})


def conditional(counts: Floats, *, with_gaps: bool = False) -> Floats:
    """Return p(column | row) of counts with ∅ last; without it as a symbol."""
    if with_gaps:
        return divided(counts, counts.sum(axis=1, keepdims=True))
    shares = divided(counts, counts[:, :-1].sum(axis=1, keepdims=True))
    shares[:, -1] = divided(counts[:, -1], counts.sum(axis=1))
    return shares


def decoded(case: Case, _: None) -> Items:
    if case.loaded.decoded is not None:
        yield "decoded", decoded_lines(case.loaded.decoded)


def decoded_lines(labels: Transcript) -> Lines:
    """Return labels with times and confidences as TSV, an interval a row; an utterance without any has empty cells."""
    if labels.start is None or labels.end is None or labels.confidence is None:
        raise AssertionError("decoded labels have times and confidences")
    columns, bounds = (labels.start, labels.end, labels.codes, labels.confidence), list(pairwise(labels.offsets))

    def parts() -> Iterator[str]:
        yield "utterance\tstart\tend\tphone\tconfidence\n"
        for name, (first, last) in zip(labels.utterances, bounds, strict=True):
            rows = zip(*(column[first:last].tolist() for column in columns), strict=True)
            lines = (
                f"{name}\t{start!r}\t{end!r}\t{labels.symbols[code]}\t{score!r}\n" for start, end, code, score in rows
            )
            yield "".join(lines) or f"{name}\t\t\t\t\n"

    return Lines(parts)

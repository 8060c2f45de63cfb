"""The tables of utterances, alignments and confusions; rates by speaker and group; and decoded phones as text.

Groups of speakers: gender, age, accent, as further columns of the table of speakers say. A test says that groups
differ, not why: they may have said other things, or may be recorded otherwise.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from phonxling.analyses.association import npmi_of, pmi_of
from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.rates import rate_of
from phonxling.core.arrays import Bools, Codes, Floats, divide
from phonxling.core.confusion import OPERATIONS, Alignments, ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import GAP
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.results.tables import StreamedTable, column_names, table_of
from phonxling.stats.jackknife import Clusters, clusters_of
from phonxling.stats.p_values import with_q
from phonxling.stats.student import EstimateSpread, Kind, contrast, spread_of_difference

_DIGITS = 4  # of times and confidences, after the point: 0.1 ms
_UTTERANCES = 1 << 12  # utterances that are text at one time


def weighted_tables(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield the tables of utterances, of alignments and of confusions."""
    corpus = case.corpus
    tokens = corpus.gold.lengths
    columns = {
        "utterance": corpus.utterances,
        "speaker": corpus.speakers or [""] * len(tokens),
        "gold_tokens": tokens,
        "predicted_tokens": corpus.predicted.lengths,
        **dict(zip(("correct", "substitutions", "deletions", "insertions"), case.operations.T, strict=True)),
        "cost": case.cost,
        "per": divide(case.unit_cost, tokens),
        "wper": divide(case.cost, tokens) if case.costs.as_rate else np.full(len(tokens), np.nan),
    }
    for name, rate in (("cost", rate_of("wper", case)), ("unit_cost", rate_of("per", case))):
        columns[f"chance_{name}"] = np.nan if rate.lowest is None else rate.lowest.cost
        columns[f"floor_{name}"] = np.nan if rate.floor is None else rate.floor
    yield "utterances", pd.DataFrame(columns)[column_names("utterances")[1:]]
    # Times of gold phones, their own or those of the segments, and times and confidences of predicted ones.
    gold, predicted, segments = corpus.gold, corpus.predicted, case.loaded.segments
    start, end = gold.start, gold.end
    if case.forced is not None or start is None or end is None:
        segments, start, end = segments if case.forced is None else case.forced.segments, None, None
        if segments is not None and segments.start is not None and segments.end is not None:
            ours, theirs = same_tokens(gold, segments)
            start, end = np.full((2, len(gold.codes)), np.nan)
            start[ours], end[ours] = segments.start[theirs], segments.end[theirs]
    numbers: list[PairColumn] = [("gold", values, gold.offsets) for values in (start, end)]
    of_predicted = predicted.start, predicted.end, predicted.confidence
    numbers += [("predicted", values, predicted.offsets) for values in of_predicted]
    yield "alignments", alignment_lines(case.alignments, case.costs, numbers, corpus.speakers)
    yield "confusions", confusion_table(case.matrix, case.costs.with_gaps(), with_gaps=case.counting.gaps)


PairColumn: TypeAlias = tuple[str, Floats | None, Codes]
"""A number of each phone of one side, [N], NaN for none: side, numbers; [U + 1] cuts them into utterances."""


def same_tokens(first: PhoneSequences, second: PhoneSequences) -> tuple[Codes, Codes]:
    """Return where the tokens of the utterances stand that have the same phones in both, [n] in each."""
    other = second.places_of(first.utterances)
    alike = np.flatnonzero(other >= 0)
    alike = alike[first.lengths[alike] == second.lengths[other[alike]]]
    theirs = first.inventory.codes(second.inventory)[second.codes[second.token_order(other[alike])]]
    differs = theirs != first.codes[first.token_order(alike)]
    owner = np.repeat(np.arange(len(alike)), first.lengths[alike])
    alike = alike[np.bincount(owner, weights=differs, minlength=len(alike)) == 0]
    return first.token_order(alike), second.token_order(other[alike])


def alignment_lines(
    aligned: Alignments, costs: CostTable, columns: Sequence[PairColumn], speakers: Sequence[str] | None = None
) -> StreamedTable:
    """Return every aligned pair, in order, with its operation, its cost and numbers of its phones."""
    owners = zip(aligned.utterances, speakers or [""] * len(aligned), strict=True)
    names = [f"{utterance}\t{speaker}" for utterance, speaker in owners]
    gold, predicted, kinds = (*aligned.gold_inventory, GAP), (*aligned.predicted_inventory, GAP), aligned.kinds()

    def parts() -> Iterator[str]:
        # A cell is written once for each pair of phones, and looked up: millions of lines have few different ones.
        cells = np.empty((len(gold), len(predicted)), dtype=object)
        for (row, column), cost in np.ndenumerate(costs.with_gaps()):
            cells[row, column] = f"{gold[row]}\t{predicted[column]}\t{OPERATIONS[kinds[row, column]]}\t{float(cost)!r}"
        places = [f"\t{place}\t" for place in range(1, int(np.diff(aligned.offsets).max(initial=0)) + 1)]
        for first in range(0, len(aligned), _UTTERANCES):
            here = slice(first, min(first + _UTTERANCES, len(aligned)))
            bounds = aligned.offsets[here.start : here.stop + 1]
            run, begins = slice(bounds[0], bounds[-1]), (bounds - bounds[0]).tolist()
            numbers = (_number_texts(column, aligned, here, run) for column in columns)
            pairs = cells[aligned.gold[run], aligned.predicted[run]].tolist()
            texts = [*map("".join, zip(pairs, *numbers, strict=True))]
            utterances = zip(names[here], pairwise(begins), strict=True)
            lines = (zip(repeat(name), places, texts[begin:until], repeat("\n")) for name, (begin, until) in utterances)
            yield "".join(chain.from_iterable(chain.from_iterable(lines)))

    return StreamedTable(parts)


def _number_texts(column: PairColumn, aligned: Alignments, here: slice, run: slice) -> list[str]:
    """Return the cell of each pair of a run of utterances, with a tab before it, rounded to 4 digits; "" for none."""
    side, numbers, offsets = column
    if numbers is None:
        return ["\t"] * (run.stop - run.start)
    codes, gap = aligned.gold, len(aligned.gold_inventory)
    if side == "predicted":
        codes, gap = aligned.predicted, len(aligned.predicted_inventory)
    values = numbers[offsets[here.start] : offsets[here.stop]]
    shown, place = np.unique(values.round(_DIGITS), return_inverse=True)  # few of times that are those of frames
    texts = np.full(run.stop - run.start, "\t", dtype=object)
    cells = [f"\t{number!r}" if number == number else "\t" for number in shown.tolist()]
    texts[codes[run] != gap] = np.array(cells, dtype=object)[place]
    return [*texts]


def confusion_table(matrix: ConfusionMatrix, costs: Floats, *, with_gaps: bool = False) -> pd.DataFrame:
    """Return the attested cells of a confusion matrix, with shares and what a pair costs, [G + 1, P + 1].

    Shares are of all tokens of a phone; association is of pairs of two phones, with ∅ where that is a symbol.
    """
    rows, columns = np.nonzero(matrix.counts)
    gold, predicted = np.array([*matrix.gold, GAP], dtype=object), np.array([*matrix.predicted, GAP], dtype=object)
    symbols = matrix.counts if with_gaps else matrix.substitutions
    joint = divide(symbols, symbols.sum())
    lacking = (0, 0 if with_gaps else 1)  # the row and the column of ∅
    values = {
        "count": matrix.counts.astype(np.int64),
        "share_of_gold": divide(matrix.counts, matrix.counts.sum(axis=1, keepdims=True)),
        "share_of_predicted": divide(matrix.counts, matrix.counts.sum(axis=0, keepdims=True)),
        "pmi": np.pad(pmi_of(joint), (lacking, lacking), constant_values=np.nan),
        "npmi": np.pad(npmi_of(joint), (lacking, lacking), constant_values=np.nan),
        "cost": costs,
    }
    labels = {"gold": gold[rows], "predicted": predicted[columns]}
    return pd.DataFrame({**labels, **{name: value[rows, columns] for name, value in values.items()}})


def decoded_text(labels: Transcript) -> str:
    """Return labels with times and confidences as TSV, an interval a row; an utterance without any has empty cells."""
    columns = (labels.start, labels.end, labels.codes, labels.confidence)
    cells = zip(*(column.tolist() for column in columns if column is not None), strict=True)
    rows = [f"{start!r}\t{end!r}\t{labels.symbols[code]}\t{score!r}" for start, end, code, score in cells]
    lines = ["utterance\tstart\tend\tphone\tconfidence"]
    for name, (first, last) in zip(labels.utterances, pairwise(labels.offsets), strict=True):
        lines += [f"{name}\t{row}" for row in rows[first:last] or ["\t\t\t"]]
    return "\n".join([*lines, ""])


# Speakers, and groups of them


_Row = dict[str, Any]
_Sample = tuple[Codes, Clusters]  # the positions of some utterances of a corpus, and their speakers


def speaker_groups(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield the table of speakers, where they are known, and that of groups, where groups are asked for."""
    names, numbers = case.corpus.speakers, case.corpus.speaker_numbers
    if names is None or numbers is None:
        return
    yield "speakers", table_of("speakers", _speaker_rows(case, names))

    def sample(chosen: Bools) -> _Sample:
        (places,) = np.nonzero(chosen)  # speakers by number: names change nothing
        own = clusters_of(case.gold_tokens[places], numbers[places], cluster="speaker", level=case.level)
        return places, own

    rows = list[_Row]()
    for column, value_of in case.loaded.groups.items():
        values = np.array([value_of[name] for name in names], dtype=object)
        for group in sorted({*values} - {""}):
            # Against all others of whom the column says something: two groups are so tested once, with both signs.
            sides = sample(values == group), sample((values != group) & (values != ""))
            rows += ({"by": column, "group": group, **row} for row in _rate_rows(case, *sides))
    if case.loaded.groups:
        yield "groups", table_of("groups", with_q(rows))


def _speaker_rows(case: CorpusContext, names: tuple[str, ...]) -> Iterator[_Row]:
    """Yield both rates of each speaker in the order in which they come, with limits over the speaker's utterances."""
    owner, known = pd.factorize(np.array(names, dtype=object))
    order, ends = np.argsort(owner, kind="stable"), np.cumsum(np.bincount(owner, minlength=len(known)))
    rates = {"per": case.unit_cost} | ({"wper": case.cost} if case.costs.as_rate else {})
    for name, places in zip(known, np.split(order, ends[:-1]), strict=True):
        tokens = case.gold_tokens[places]
        clusters = clusters_of(tokens, cluster="utterance", level=case.level)
        row: _Row = {"speaker": name, "tokens": int(tokens.sum())}
        for rate, cost in rates.items():
            found = clusters.ratio(cost[places], tokens)
            row |= {rate: found.value, f"{rate}_low": found.low, f"{rate}_high": found.high}
        yield row


def _rate_terms(case: CorpusContext) -> Iterator[tuple[str, Floats, Floats, Kind]]:
    """Yield each measure with what it is the ratio of, by utterance, and its scale."""
    for rate in (rate_of(name, case) for name in ("per", "wper")[: 1 + case.costs.as_rate]):
        yield rate.name, rate.cost, case.gold_tokens, "rate"
        if rate.skill is not None:  # against the chance level of the whole corpus
            yield f"skill_{rate.name}", *rate.skill, "skill"
    for name, ratio in ({} if case.detection is None else case.detection.ratios()).items():
        yield name, *ratio, "share"


def _rate_rows(case: CorpusContext, *sides: _Sample) -> Iterator[_Row]:
    """Yield each measure of a group, and how it differs from that of the other speakers."""
    for name, above, below, kind in _rate_terms(case):
        numbers, spreads = list[Estimate](), list[EstimateSpread]()
        for places, clusters in sides:
            part = above[places], below[places]
            numbers.append(clusters.ratio(*part, kind) if part[1].sum() > 0 else Estimate(np.nan))
            spreads.append(clusters.spread(clusters.ratio_without(*part)[None], value=numbers[-1].value))
        # Speakers are left out whole, each side by itself: Student's t on Welch's degrees of freedom.
        difference, both = numbers[0].value - numbers[1].value, spread_of_difference(*spreads)
        tests, status = contrast(difference, both, case.level), ""
        if not len(sides[1][0]) or (np.isnan(tests.p[0]) and not both.few[0]):
            status = "undefined"  # no other speaker has a value, or no speaker differs from the others
        elif both.few[0]:
            status = "too-few-clusters"
        yield {
            "measure": name,
            "tokens": int(case.gold_tokens[sides[0][0]].sum()),
            "value": numbers[0].value,
            "low": numbers[0].low,
            "high": numbers[0].high,
            "difference": difference,
            "difference_low": tests.low[0],
            "difference_high": tests.high[0],
            "p": tests.p[0],
            "status": status,
        }

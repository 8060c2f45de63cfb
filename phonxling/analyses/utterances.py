"""The tables of utterances, alignments and confusions; rates by speaker and group; and decoded phones as text.

Groups of speakers: gender, age, accent, as further columns of the table of speakers say.

The limits of a speaker's rates are over that speaker's own utterances, each left out in turn; there are none below five
utterances, or four effective ones.

Each group is held against all other speakers of whom the column says something; a speaker without a value is in
neither. Two groups are so tested once, with both signs. Speakers are left out whole, each side by itself: the test is
Student's t on Welch's degrees of freedom, as for two corpora, and q is Benjamini & Hochberg's over all tests of the
table. There is no test below five speakers on a side, or four effective ones. A test says that groups differ, not why:
they may have said other things, or may be recorded otherwise.

Skill is against the chance level of the whole corpus: (chance − errors) / (chance − floor), summed over the group's
utterances.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
    yield "utterances", _utterance_table(case)
    yield (
        "alignments",
        alignment_lines(case.alignments, case.costs, _number_columns(case), case.corpus.speakers),
    )
    yield "confusions", confusion_table(case.matrix, case.costs.with_gaps(), with_gaps=case.counting.gaps)


def _utterance_table(case: CorpusContext) -> pd.DataFrame:
    """Return counts of the alignment in use, and each utterance's rates (missing for an empty gold)."""
    corpus = case.corpus
    tokens = corpus.gold.lengths
    rates = divide(case.cost, tokens) if case.costs.as_rate else np.full(len(tokens), np.nan)
    columns = {
        "utterance": corpus.utterances,
        "speaker": corpus.speakers or [""] * len(tokens),
        "gold_tokens": tokens,
        "predicted_tokens": corpus.predicted.lengths,
        **dict(zip(("correct", "substitutions", "deletions", "insertions"), case.operations.T, strict=True)),
        "cost": case.cost,
        "per": divide(case.unit_cost, tokens),
        "wper": rates,
    }
    for name, rate in (("cost", rate_of("wper", case)), ("unit_cost", rate_of("per", case))):
        columns[f"chance_{name}"] = np.nan if rate.lowest is None else rate.lowest.cost
        columns[f"floor_{name}"] = np.nan if rate.floor is None else rate.floor
    return pd.DataFrame(columns)[column_names("utterances")[1:]]


PairColumn: TypeAlias = tuple[str, Floats | None, Codes]
"""A number of each phone of one side, [N], NaN for none: side, numbers; [U + 1] cuts them into utterances."""


def _number_columns(case: CorpusContext) -> list[PairColumn]:
    segments = case.loaded.segments
    gold, predicted = case.corpus.gold, case.corpus.predicted
    start, end = gold.start, gold.end
    if case.forced is not None:
        segments = case.forced.segments
    if case.forced is not None or start is None or end is None:
        start = end = None
        if segments is not None and segments.start is not None and segments.end is not None:
            ours, theirs = same_tokens(gold, segments)
            start, end = np.full((2, len(gold.codes)), np.nan)
            start[ours], end[ours] = segments.start[theirs], segments.end[theirs]
    of_gold = [("gold", values, gold.offsets) for values in (start, end)]
    said = predicted.start, predicted.end, predicted.confidence
    return of_gold + [("predicted", values, predicted.offsets) for values in said]


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
    aligned: Alignments, costs: CostTable, columns: Sequence[PairColumn], speakers: Sequence[str] | None = None
) -> StreamedTable:
    """Return every aligned pair, in order, with its operation, its cost and numbers of its phones."""
    owners = zip(aligned.utterances, speakers or [""] * len(aligned), strict=True)
    names = [f"{utterance}\t{speaker}" for utterance, speaker in owners]
    return StreamedTable(lambda: _alignment_parts(aligned, costs, columns, names))


def _alignment_parts(
    aligned: Alignments, costs: CostTable, columns: Sequence[PairColumn], names: Sequence[str]
) -> Iterator[str]:
    cells_of = _write_cells(aligned, costs)
    places = [f"\t{place}\t" for place in range(1, int(np.diff(aligned.offsets).max(initial=0)) + 1)]
    for first in range(0, len(aligned), _UTTERANCES):
        here = slice(first, min(first + _UTTERANCES, len(aligned)))
        bounds = aligned.offsets[here.start : here.stop + 1]
        run, begins = slice(bounds[0], bounds[-1]), (bounds - bounds[0]).tolist()
        numbers = (_number_texts(column, aligned, here, run) for column in columns)
        texts = [
            *map("".join, zip(cells_of[aligned.gold[run], aligned.predicted[run]].tolist(), *numbers, strict=True))
        ]
        utterances = zip(names[here], pairwise(begins), strict=True)
        lines = (zip(repeat(name), places, texts[begin:until], repeat("\n")) for name, (begin, until) in utterances)
        yield "".join(chain.from_iterable(chain.from_iterable(lines)))


def _write_cells(aligned: Alignments, costs: CostTable) -> NDArray[np.object_]:
    """Return the cells of each pair of phones, [G + 1, P + 1]."""
    gold, predicted = (*aligned.gold_inventory, GAP), (*aligned.predicted_inventory, GAP)
    kinds = aligned.kinds()
    ends = np.empty((len(gold), len(predicted)), dtype=object)
    for (row, column), cost in np.ndenumerate(costs.with_gaps()):
        ends[row, column] = f"{gold[row]}\t{predicted[column]}\t{OPERATIONS[kinds[row, column]]}\t{float(cost)!r}"
    return ends


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


def describe_costs(costs: CostTable) -> dict[str, object]:
    """Return what the manifest says of the costs of one corpus: name, denominator, rounding."""
    return {"name": costs.name, "denominator": costs.denominator, "note": costs.note}


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


def decoded_lines(labels: Transcript) -> StreamedTable:
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

    return StreamedTable(parts)


# Speakers, and groups of them


_Row = dict[str, Any]


def speaker_groups(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield the table of speakers, where they are known, and that of groups, where groups are asked for."""
    names = case.corpus.speakers
    if names is None:
        return
    yield "speakers", table_of("speakers", _speaker_rows(case, names))
    rows = list[_Row]()
    for column, value_of in case.loaded.groups.items():
        values = np.array([value_of[name] for name in names], dtype=object)
        for group in sorted({*values} - {""}):
            sides = [_sample_group(case, values == group), _sample_group(case, (values != group) & (values != ""))]
            rows += ({"by": column, "group": group, **row} for row in _rate_rows(case, *sides))
    if case.loaded.groups:
        yield "groups", table_of("groups", with_q(rows))


def _speaker_rows(case: CorpusContext, names: tuple[str, ...]) -> Iterator[_Row]:
    """Yield both rates of each speaker in the order in which they come, with limits over the speaker's utterances."""
    known = {name: number for number, name in enumerate(dict.fromkeys(names))}
    owner = np.array([known[name] for name in names], dtype=np.int64)
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


_Sample = tuple[Codes, Clusters]  # the positions of some utterances of a corpus, and their speakers


def _sample_group(case: CorpusContext, chosen: Bools) -> _Sample:
    (places,), numbers = np.nonzero(chosen), case.corpus.speaker_numbers  # by number: names change nothing
    own = np.zeros(0, np.int64) if numbers is None else numbers[places]
    return places, clusters_of(case.gold_tokens[places], own, cluster="speaker", level=case.level)


def _rate_terms(case: CorpusContext) -> Iterator[tuple[str, Floats, Floats, Kind]]:
    """Yield each measure with what it is the ratio of, by utterance, and its scale."""
    for rate in (rate_of(name, case) for name in ("per", "wper")[: 1 + case.costs.as_rate]):
        yield rate.name, rate.cost, case.gold_tokens, "rate"
        if rate.skill is not None:
            yield f"skill_{rate.name}", *rate.skill, "skill"
    for name, ratio in ({} if case.detection is None else case.detection.ratios()).items():
        yield name, *ratio, "share"


def _rate_rows(case: CorpusContext, own: _Sample, others: _Sample) -> Iterator[_Row]:
    """Yield each measure of a group, and how it differs from that of the other speakers."""
    for name, above, below, kind in _rate_terms(case):
        (number, apart), (other, of_others) = (_measure_ratio(above, below, kind, side) for side in (own, others))
        difference, both = number.value - other.value, spread_of_difference(apart, of_others)
        tests, status = contrast(difference, both, case.level), ""
        if not len(others[0]) or (np.isnan(tests.p[0]) and not both.few[0]):
            status = "undefined"  # no other speaker has a value, or no speaker differs from the others
        elif both.few[0]:
            status = "too-few-clusters"
        yield {
            "measure": name,
            "tokens": int(case.gold_tokens[own[0]].sum()),
            "value": number.value,
            "low": number.low,
            "high": number.high,
            "difference": difference,
            "difference_low": tests.low[0],
            "difference_high": tests.high[0],
            "p": tests.p[0],
            "status": status,
        }


def _measure_ratio(above: Floats, below: Floats, kind: Kind, side: _Sample) -> tuple[Estimate, EstimateSpread]:
    """Return a ratio of the sums of some utterances with its interval, and how it is spread without each speaker."""
    places, clusters = side
    above, below = above[places], below[places]
    spread = clusters.spread(clusters.ratio_without(above, below)[None])
    return clusters.ratio(above, below, kind) if below.sum() > 0 else Estimate(np.nan), spread

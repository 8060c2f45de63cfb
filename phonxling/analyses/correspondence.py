"""Which phone stands for which, whether like phones are confused, and the error rate beyond the names of phones.

correspondences.tsv and one_to_one.tsv hold what phones are taken for, beside what their features lead one to expect.

The phone error rate after the best relabelling
-----------------------------------------------
Each predicted phone gets the name of the gold phone that it stands for, and PER is taken anew, aligned under unit
costs. Many-to-one: the gold phone that it was aligned with most often; one-to-one: its partner in the assignment that
matches most tokens. A predicted phone that stands for none is always wrong. Cross-fitted: each half of the utterances
is relabelled by the alignments of the other half, or a rare phone would be right by its name alone.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np

from phonxling.alignment.corpus import least_costs
from phonxling.alignment.costs import cost_table, is_feature_cost
from phonxling.analyses.case import Case, Items
from phonxling.analyses.measures import row_of
from phonxling.analyses.one_to_one import NO_TAU, average_overlap, first_allowed, one_to_one
from phonxling.core.arrays import Bools, Codes, Floats, code_type, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.features import chart_steps
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences
from phonxling.tables.files import table_of

TOP = 5
_FITTED = "relabelled by the other half of the utterances; the relabelling itself is not resampled"
_NO_HALVES = "one utterance has no halves"


def rank_correlation(case: Case, _: None) -> Items:
    """Yield τ over all pairs of different phones; intervals of it held the truth too seldom, and there is none."""
    value = case.counted.statistics["correspondence_tau"]
    n = float(case.counted.matrix.substitutions.sum())  # ∅ is always left out
    note = NO_TAU if math.isnan(value) else ""
    yield row_of("correspondence_tau", value, n, "estimate", note)


def correspondences(case: Case, _: None) -> Items:
    """Yield correspondences.tsv, the five confusions most frequent and phones nearest, and one_to_one.tsv."""
    matrix, distance = case.counted.matrix, _feature_distances(case)
    gold, predicted, counts, same = matrix.gold, matrix.predicted, matrix.substitutions, matrix.same_symbol()
    rows = [
        *_rows("gold", gold, predicted, counts=counts, distance=distance, same=same),
        *_rows("predicted", predicted, gold, counts=counts.T, distance=distance.T, same=same.T),
    ]
    yield "correspondences", table_of("correspondences", rows)
    yield "one_to_one", table_of("one_to_one", _pairs(matrix, distance))


def _feature_distances(case: Case) -> Floats:
    """Return feature distances [G, P] in [0, 1]: the scoring costs if they are such, else panphon's plain ones."""
    scoring, matrix, table = case.counted.scoring, case.counted.matrix, case.features
    apt = is_feature_cost(scoring.name) and scoring.as_rate
    costs = scoring if apt else cost_table("panphon", matrix.gold, matrix.predicted, table)
    known = np.logical_and.outer(*(table.vectors(side)[1] for side in (matrix.gold, matrix.predicted)))
    return np.where(known, costs.with_gaps()[:-1, :-1], np.nan)


def _rows(
    given: str, phones: Inventory, others: Inventory, *, counts: Floats, distance: Floats, same: Bools
) -> Iterator[tuple[object, ...]]:
    def cells(codes: list[int], *numbers: Floats) -> tuple[object, ...]:
        """Return the first phone of a list and its numbers; blanks where the list is at its end."""
        if not codes:
            return "", *[math.nan] * len(numbers)
        return others.phones[codes[0]], *(one[codes[0]] for one in numbers)

    shares = divided(counts, counts.sum(axis=1, keepdims=True))
    steps = chart_steps(phones, others)
    for phone, count, p, away, itself, ties in zip(phones, counts, shares, distance, same, steps, strict=True):
        known = ~np.isnan(away)
        confused = first_allowed(-count, (count > 0) & ~itself, TOP)
        near = first_allowed(away, known & ~itself, TOP, ties)
        heard = first_allowed(-count, count > 0, TOP)
        similar = first_allowed(np.where(itself, -1.0, away), known, TOP, ties)
        overlap = average_overlap([others.phones[x] for x in confused], [others.phones[x] for x in near])
        for rank in range(max(map(len, (confused, near, heard, similar)))):
            yield (
                *(given, phone, rank + 1),
                *cells(confused[rank:], p, away),
                *cells(near[rank:], away, p),
                overlap,
                *cells(heard[rank:], p),
                *cells(similar[rank:], away),
            )


def _pairs(matrix: ConfusionMatrix, distance: Floats) -> Iterator[tuple[object, ...]]:
    """Yield the pairs that match most tokens, then the phones without a partner."""
    counts, partners, gold, predicted = matrix.substitutions, one_to_one(matrix), matrix.gold, matrix.predicted
    for row, column in enumerate(partners):
        if column >= 0:
            matched = counts[row, column]
            shares = matched / counts[row].sum(), matched / counts[:, column].sum()
            yield gold.phones[row], predicted.phones[column], matched, *shares, distance[row, column]
    empty = 0.0, math.nan, math.nan, math.nan
    yield from ((phone, "", *empty) for phone, partner in zip(gold, partners, strict=True) if partner < 0)
    yield from (("", phone, *empty) for code, phone in enumerate(predicted) if code not in partners)


def many_names(counts: Floats) -> Codes:
    """Return the gold phone most often aligned with each predicted one, of counts [G + 1, P + 1], [P]; −1 for none."""
    pairs = counts[:-1, :-1]
    return np.where(pairs.any(axis=0), pairs.argmax(axis=0), -1)


def single_names(counts: Floats) -> Codes:
    """Return the gold phone that each predicted one is the partner of, of counts [G + 1, P + 1], [P]; −1 for none."""
    partner = one_to_one(counts)
    names = np.full(counts.shape[1] - 1, -1, dtype=np.int64)
    names[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    return names


NAMINGS: dict[str, Callable[[Floats], Codes]] = {"many-to-one": many_names, "one-to-one": single_names}


def relabelled_rates(case: Case, _: None) -> Items:
    """Yield the phone error rate after the best relabelling of each kind."""
    analysed, counting, stack = case.counted, case.counted.counting, case.counted.stack
    tokens, corpus = analysed.gold_tokens, analysed.corpus
    if not counting.half.any():
        yield from (row_of("per_relabelled", math.nan, tokens.sum(), kind, _NO_HALVES) for kind in NAMINGS)
        return
    halves = stack.sums_by(counting.half, 2).reshape(2, len(stack.gold) + 1, len(stack.predicted) + 1)
    gold, heard = corpus.gold_inventory, corpus.predicted
    every = Inventory((*gold, "?" * (1 + max(map(len, gold), default=0))))  # the last name is of none
    for kind, naming in NAMINGS.items():
        names = np.array([naming(halves[1]), naming(halves[0])])
        codes = np.where(names < 0, len(gold), names).astype(code_type(len(every)))
        codes = codes[np.repeat(counting.half, heard.lengths), heard.codes]
        renamed = PhoneSequences(utterances=heard.utterances, offsets=heard.offsets, codes=codes, inventory=every)
        cost = least_costs(corpus.gold, renamed, cost_table("unit", gold, every, None), case.work)
        yield row_of("per_relabelled", analysed.resampling.ratio(cost, tokens, "rate"), tokens.sum(), kind, _FITTED)

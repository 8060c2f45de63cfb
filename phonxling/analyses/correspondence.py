"""The analysis of correspondences: whether like phones are confused, and which phone stands for which.

The phone error rate after the best relabelling of what was predicted: what is wrong beyond the names of phones.

Each predicted phone gets the name of the gold phone that it stands for, and PER is taken anew, aligned under unit
costs. Many-to-one: the gold phone that it was aligned with most often; one-to-one: its partner in the assignment that
matches most tokens. A predicted phone that stands for none is always wrong. Cross-fitted: each half of the utterances
is relabelled by the alignments of the other half, or a rare phone would be right by its name alone.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.alignment.corpus import least_costs
from phonxling.alignment.costs import cost_table, is_feature_cost
from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.case import Case, Items
from phonxling.analyses.one_to_one import NO_TAU, average_overlap, first_allowed, one_to_one
from phonxling.analyses.rows import row_of
from phonxling.core.arrays import Codes, Floats, code_type, divided
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.corpus import Corpus
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences
from phonxling.tables.files import table_of

# correspondences.tsv and one_to_one.tsv: what phones are taken for, beside what their features lead one to expect.

TOP = 5


def correspondence_table(analysis: AnalysedCorpus, table: FeatureTable) -> pd.DataFrame:
    """Return correspondences.tsv: the five confusions most frequent beside the five phones nearest by features."""
    matrix, distance = analysis.matrix, feature_distances(analysis, table)
    same = matrix.same_symbol()
    given_gold = _rows("gold", matrix.gold, matrix.predicted, counts=matrix.substitutions, distance=distance, same=same)
    given_predicted = _rows(
        "predicted", matrix.predicted, matrix.gold, counts=matrix.substitutions.T, distance=distance.T, same=same.T
    )
    return table_of("correspondences", [*given_gold, *given_predicted])


def one_to_one_table(analysis: AnalysedCorpus, table: FeatureTable) -> pd.DataFrame:
    """Return one_to_one.tsv: the pairs that match most tokens, then the phones without a partner."""
    matrix, distance = analysis.matrix, feature_distances(analysis, table)
    return table_of("one_to_one", [*_matched(matrix, distance), *_without_partner(matrix)])


def feature_distances(analysis: AnalysedCorpus, table: FeatureTable) -> Floats:
    """Return feature distances [G, P] in [0, 1]: the scoring costs if they are such, else panphon's plain ones."""
    scoring, matrix = analysis.scoring, analysis.matrix
    apt = is_feature_cost(scoring.name) and scoring.as_rate
    costs = scoring if apt else cost_table("panphon", matrix.gold, matrix.predicted, table)
    known = np.logical_and.outer(*(table.vectors(side)[1] for side in (matrix.gold, matrix.predicted)))
    return np.where(known, costs.with_gaps()[:-1, :-1], np.nan)


def _rows(
    given: str, phones: Inventory, others: Inventory, *, counts: Floats, distance: Floats, same: NDArray[np.bool_]
) -> Iterator[tuple[object, ...]]:
    p = divided(counts, counts.sum(axis=1, keepdims=True))
    for row, phone in enumerate(phones):
        confused = first_allowed(-counts[row], (counts[row] > 0) & ~same[row], TOP)
        known = ~np.isnan(distance[row])
        near = first_allowed(distance[row], known & ~same[row], TOP)
        heard = first_allowed(-counts[row], counts[row] > 0, TOP)
        similar = first_allowed(np.where(same[row], -1.0, distance[row]), known, TOP)
        overlap = average_overlap([others.phones[x] for x in confused], [others.phones[x] for x in near])
        for rank in range(max(map(len, (confused, near, heard, similar)))):
            yield (
                *(given, phone, rank + 1),
                *_cells(others, confused[rank:], p[row], distance[row]),
                *_cells(others, near[rank:], distance[row], p[row]),
                overlap,
                *_cells(others, heard[rank:], p[row]),
                *_cells(others, similar[rank:], distance[row]),
            )


def _cells(others: Inventory, codes: list[int], *numbers: Floats) -> tuple[object, ...]:
    """Return the first phone of a list and its numbers; blanks where the list is at its end."""
    return (others.phones[codes[0]], *(one[codes[0]] for one in numbers)) if codes else ("", *[math.nan] * len(numbers))


def _matched(matrix: ConfusionMatrix, distance: Floats) -> Iterator[tuple[object, ...]]:
    counts = matrix.substitutions
    for row, column in enumerate(one_to_one(matrix)):
        if column >= 0:
            matched = counts[row, column]
            shares = matched / counts[row].sum(), matched / counts[:, column].sum()
            yield matrix.gold.phones[row], matrix.predicted.phones[column], matched, *shares, distance[row, column]


def _without_partner(matrix: ConfusionMatrix) -> Iterator[tuple[object, ...]]:
    partners = one_to_one(matrix)
    empty = 0.0, math.nan, math.nan, math.nan
    yield from ((phone, "", *empty) for phone, partner in zip(matrix.gold, partners, strict=True) if partner < 0)
    yield from (("", phone, *empty) for code, phone in enumerate(matrix.predicted) if code not in partners)


def rank_correlation(case: Case, _: None) -> Items:
    """Yield τ over all pairs of different phones; intervals of it held the truth too seldom, and there is none."""
    value = case.counted.statistics["correspondence_tau"]
    n = float(case.counted.matrix.substitutions.sum())  # ∅ is always left out
    note = NO_TAU if math.isnan(value) else ""
    yield row_of("correspondence_tau", value, n, "estimate", note)


def correspondences(case: Case, _: None) -> Items:
    """Yield correspondences.tsv and one_to_one.tsv."""
    yield "correspondences", correspondence_table(case.counted, case.features)
    yield "one_to_one", one_to_one_table(case.counted, case.features)


# The phone error rate after the best relabelling of what was predicted: what is wrong beyond the names of phones.

_FITTED = "relabelled by the other half of the utterances; the relabelling itself is not resampled"
_NO_HALVES = "one utterance has no halves"


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
    analysed, counting = case.counted, case.counted.counting
    tokens = analysed.gold_tokens
    if counting is None or not counting.half.any():
        yield from (row_of("per_relabelled", math.nan, tokens.sum(), kind, _NO_HALVES) for kind in NAMINGS)
        return
    halves, corpus = _by_half(analysed.stack, counting.half), analysed.corpus
    for kind, naming in NAMINGS.items():
        names = np.array([naming(halves[1]), naming(halves[0])])
        predicted = _relabelled(corpus, names, counting.half)
        unit = cost_table("unit", corpus.gold_inventory, predicted.inventory, None)
        cost = least_costs(corpus.gold, predicted, unit, case.work)
        yield row_of("per_relabelled", analysed.resampling.ratio(cost, tokens, "rate"), tokens.sum(), kind, _FITTED)


def _by_half(stack: ConfusionStack, half: NDArray[np.int8]) -> Floats:
    """Return the counts of each half, [2, G + 1, P + 1]."""
    return stack.sums_by(half, 2).reshape(2, len(stack.gold) + 1, len(stack.predicted) + 1)


def _relabelled(corpus: Corpus, names: Codes, half: NDArray[np.int8]) -> PhoneSequences:
    """Return the predictions with the names [2, P] of their half, over the gold phones and one that is none of them."""
    predicted, gold = corpus.predicted, corpus.gold_inventory
    codes = np.where(names < 0, len(gold), names).astype(code_type(len(gold) + 1))
    nameless = "?" * (1 + max(map(len, gold), default=0))
    return PhoneSequences(
        utterances=predicted.utterances,
        offsets=predicted.offsets,
        codes=codes[np.repeat(half, predicted.lengths), predicted.codes],
        inventory=Inventory((*gold, nameless)),
    )

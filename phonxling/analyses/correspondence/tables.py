"""correspondences.tsv and one_to_one.tsv: what phones are taken for, beside what their features lead one to expect."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.alignment.costs.named import cost_table, is_feature_cost
from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.correspondence.lists import average_overlap, first_allowed
from phonxling.analyses.correspondence.one_to_one import one_to_one
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import FeatureTable
from phonxling.tables.files import table_of

TOP = 5


def correspondence_table(analysis: AnalysedCorpus, table: FeatureTable) -> pd.DataFrame:
    """Return correspondences.tsv: the five confusions most frequent beside the five phones nearest by features.

    For each gold phone over the predicted phones (`given` gold), then the other way round. The phone itself is in
    neither of these lists; it may be in the other two, `heard_as` and `most_similar`, as papers print them. Equal
    counts or distances stand in the order of the inventory.
    """
    matrix, distance = analysis.matrix, feature_distances(analysis, table)
    same = matrix.same_symbol()
    given_gold = _rows("gold", matrix.gold, matrix.predicted, counts=matrix.substitutions, distance=distance, same=same)
    given_predicted = _rows(
        "predicted", matrix.predicted, matrix.gold, counts=matrix.substitutions.T, distance=distance.T, same=same.T
    )
    return table_of("correspondences", [*given_gold, *given_predicted])


def one_to_one_table(analysis: AnalysedCorpus, table: FeatureTable) -> pd.DataFrame:
    """Return one_to_one.tsv: the pairs that match most tokens, then the phones without a partner.

    Shares are of the tokens of the gold and of the predicted phone that were aligned with any phone.
    """
    matrix, distance = analysis.matrix, feature_distances(analysis, table)
    return table_of("one_to_one", [*_matched(matrix, distance), *_without_partner(matrix)])


def feature_distances(analysis: AnalysedCorpus, table: FeatureTable) -> Floats:
    """Return feature distances [G, P] in [0, 1]: the scoring costs if they are such, else panphon's plain ones.

    NaN where a phone has no features.
    """
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

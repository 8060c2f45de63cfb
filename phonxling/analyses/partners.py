"""one_to_one.tsv: the gold phone that each predicted phone stands for, where the names of phones are left aside."""

import math
from collections.abc import Iterator

import numpy as np

from phonxling.alignment.costs import cost_table, is_feature_cost
from phonxling.analyses.case import Case, Items
from phonxling.analyses.one_to_one import one_to_one
from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionMatrix
from phonxling.tables.files import table_of


def partners(case: Case, _: None) -> Items:
    """Yield one_to_one.tsv."""
    yield "one_to_one", table_of("one_to_one", _pairs(case.counted.matrix, _feature_distances(case)))


def _feature_distances(case: Case) -> Floats:
    """Return feature distances [G, P] in [0, 1]: the costs in use if they are such, else panphon's plain ones."""
    costs, matrix, table = case.counted.costs, case.counted.matrix, case.features
    if not is_feature_cost(costs.name):
        costs = cost_table("panphon", matrix.gold, matrix.predicted, table)
    known = np.logical_and.outer(*(table.vectors(side)[1] for side in (matrix.gold, matrix.predicted)))
    return np.where(known, costs.with_gaps()[:-1, :-1], np.nan)


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

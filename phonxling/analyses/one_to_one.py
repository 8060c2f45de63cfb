"""Correspondences: which predicted phone stands for which gold phone, and whether like phones are confused.

Conventions
-----------
∅ is left out: everything here describes the tokens that were not deleted. Each gold phone has one predicted partner at
most and each predicted phone one gold partner at most; a pair that was never aligned is no pair, so a phone may be left
without a partner. The assignment maximises the matched tokens Σ_y C[y, partner(y)]. Of several best assignments the
first in the order of the inventories is taken: the first gold phone gets the earliest partner that any of them gives it
(none comes last), then the second one, and so on.

Measures
--------
One-to-one accuracy = matched tokens / all tokens. In the sample that the assignment was chosen from it is too high, and
1 exactly when H(X|Y) = H(Y|X) = 0. Cross-fitted, each half of the utterances is scored by the other half's assignment.

Kendall's τ_b of confusion probability and feature similarity, over the pairs of different symbols: positive when phones
that are alike are confused more. Overall, the probabilities p̂(x|y) of all gold phones with tokens are ranked together,
and phones that are never predicted are left out, so that no declared inventory moves τ.

References
----------
Kuhn (1955), The Hungarian method for the assignment problem. Christodoulopoulos, Goldwater & Steedman (2010), Two
decades of unsupervised POS induction (one-to-one accuracy). Kendall (1945), The treatment of ties in ranking problems
(τ_b). Webber, Moffat & Zobel (2010), A similarity measure for indefinite rankings (average overlap).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.kernel import best_partners
from phonxling.core.arrays import Bools, Codes, Floats, divided, nearest_first, offsets_of
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.features import chart_steps
from phonxling.resample.kernel import rank_correlations

NO_TAU = "needs feature costs, and two different probabilities and similarities"


def top_confusions(matrix: ConfusionMatrix, k: int = 3) -> list[list[str]]:
    """Return, for each gold phone, its k most frequent confusions with another symbol, most frequent first."""
    counts = np.where(matrix.same_symbol(), 0, matrix.substitutions)
    return [[matrix.predicted.phones[code] for code in first_allowed(-row, row > 0, k)] for row in counts]


def nearest_phones(costs: CostTable, k: int = 3) -> list[list[str]]:
    """Return, for each gold phone, the k predicted phones of least substitution cost other than itself."""
    distances, ties = costs.substitution.astype(np.float64), chart_steps(costs.gold, costs.predicted)
    rows = zip(distances, ~costs.identical(), ties, strict=True)
    return [[costs.predicted.phones[code] for code in first_allowed(row, some, k, steps)] for row, some, steps in rows]


def average_overlap(first: Sequence[str], second: Sequence[str]) -> float:
    """Return the mean over depths d of the share of the first d entries that two rankings have in common, in [0, 1]."""
    depth = min(len(first), len(second))
    shares = [len({*first[:d]} & {*second[:d]}) / d for d in range(1, depth + 1)]
    return sum(shares) / depth if depth else math.nan


def first_allowed(keys: Floats, allowed: Bools, k: int, ties: Codes | None = None) -> list[int]:
    """Return the places of the k least keys [P] that are allowed; of equal ones those of less `ties`."""
    order = nearest_first(keys[None], allowed[None], None if ties is None else ties[None])[0]
    return [int(code) for code in order[: min(k, np.count_nonzero(allowed))]]


def one_to_one(matrix: ConfusionMatrix | Floats) -> Codes:
    """Return the predicted phone assigned to each gold phone, by code, int64 [G]; −1 for none.

    `matrix` is a ConfusionMatrix or its counts [G + 1, P + 1], ∅ last.

    Examples
    --------
    Matching a with y costs 2 tokens, and wins 4; c is left without a partner:

    >>> m = ConfusionMatrix(["a", "b", "c"], ["x", "y"], [[5, 3], [4, 0], [0, 1]])
    >>> one_to_one(m).tolist()
    [1, 0, -1]
    """
    counts = _pairs(matrix)
    row, column = np.nonzero(counts)
    return np.asarray(assigned(row, column, counts[row, column][None], counts.shape)[0])


def assigned(row: Codes, column: Codes, tokens: Floats, shape: tuple[int, int]) -> Codes:
    """Return the same of T tables [G, P], [T, G], from their tokens [T, K] in K cells in the order of the table."""
    partners = np.empty((len(tokens), shape[0]), np.int64)
    first = offsets_of(np.bincount(row, minlength=shape[0]))
    best_partners(first, np.ascontiguousarray(column), np.ascontiguousarray(tokens), shape[1], partners)
    return partners


def one_to_one_accuracy(matrix: ConfusionMatrix | Floats, assignment: Codes) -> float:
    """Return the share of the tokens, ∅ left out, whose predicted phone is their gold phone's partner, in [0, 1].

    NaN without tokens. `assignment` is as `one_to_one` returns it, over the same inventories.

    Raises
    ------
    ValueError
        If the assignment is not of this many gold phones.

    Examples
    --------
    >>> m = ConfusionMatrix(["a", "b"], ["x", "y"], [[0, 6], [3, 1]])
    >>> one_to_one_accuracy(m, one_to_one(m)), one_to_one_accuracy(m, np.array([0, 1]))
    (0.9, 0.1)
    """
    counts = _pairs(matrix)
    if len(assignment) != len(counts):
        raise ValueError(f"the assignment is of {len(assignment)} gold phones, and the counts are of {len(counts)}")
    tokens, partners = float(counts.sum()), np.equal.outer(assignment, np.arange(counts.shape[1]))
    return float(counts[partners].sum()) / tokens if tokens else math.nan


def _pairs(matrix: ConfusionMatrix | Floats) -> Floats:
    return matrix.substitutions if isinstance(matrix, ConfusionMatrix) else matrix[:-1, :-1]


def overall_tau(pairs: Floats, same: Bools, costs: CostTable) -> Floats:
    """Return τ_b over all gold phones of counts [G, P, R], [R]; NaN where a ranking has no two values."""
    other = ~same & pairs.any(axis=(0, 2))
    return _rank(_shares(pairs)[other], -costs.substitution[other])


def phone_taus(pairs: Floats, same: Bools, costs: CostTable) -> Floats:
    """Return the same of each gold phone, [G, R]."""
    rows = zip(_shares(pairs), -costs.substitution, ~same, strict=True)
    taus = [_rank(shares[other], similarity[other]) for shares, similarity, other in rows]
    return np.array(taus).reshape(len(pairs), pairs.shape[2])


def _shares(pairs: Floats) -> Floats:
    return divided(pairs, pairs.sum(axis=1, keepdims=True))


def _rank(values: Floats, level: NDArray[np.integer]) -> Floats:
    """Return τ_b of values [n, R] and their level [n], [R]."""
    order, taus = np.argsort(level, kind="stable"), np.full(values.shape[1], np.nan)
    rows = np.ascontiguousarray(values[order].T)
    some = np.flatnonzero((rows > 0).any(axis=0))  # sorting very many zeros takes long
    rank_correlations(rows, some[np.argsort(rows[:, some], axis=1)], level[order].astype(np.int64), taus)
    return taus

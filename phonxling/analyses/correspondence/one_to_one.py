"""One-to-one correspondence: which predicted phone stands for which gold phone, and what such a relabelling explains.

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

References
----------
Kuhn (1955), The Hungarian method for the assignment problem. Christodoulopoulos, Goldwater & Steedman (2010), Two
decades of unsupervised POS induction (one-to-one accuracy).
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.resample.kernel import add_chosen
from phonxling.resample.replicates import grouped_counts

_TIE = 1e-9  # of the tokens: fractional counts have rounding, whole ones differ by 1


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
    weights, tie = _with_nobody(counts), _TIE * counts.sum()
    while True:  # one round, and one more for each phone whose partner is a matter of choice
        partner = np.asarray(linear_sum_assignment(weights, maximize=True)[1], dtype=np.int64)
        possible = _loss(weights, partner) <= tie
        open_rows = np.flatnonzero(possible.sum(axis=1) > 1)
        if not len(open_rows):
            return np.where(partner < counts.shape[1], partner, -1)
        row = open_rows[0]
        weights[row, np.arange(weights.shape[1]) != np.argmax(possible[row])] = -np.inf


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
    tokens = float(counts.sum())
    return float(counts[_assigned(assignment, counts.shape)].sum()) / tokens if tokens else math.nan


def cross_fitted_matches(stack: ConfusionStack, half: NDArray[np.integer]) -> tuple[Floats, Floats]:
    """Return each utterance's matched tokens under the assignment of the other half, and all its tokens, [U] each.

    ∅ is left out. Σ matched / Σ tokens is the cross-fitted accuracy; a phone that the other half never has is not
    matched.

    Parameters
    ----------
    stack : ConfusionStack
        The counts of U utterances.
    half : int array [U]
        The half, 0 or 1, of each utterance (see `split_halves`).

    Examples
    --------
    Two utterances of a heard as x; in the third, of the other half, a is heard as y:

    >>> from phonxling.core.inventory import Inventory
    >>> s = ConfusionStack(utterances=("u", "v", "w"), gold=Inventory(("a",)), predicted=Inventory(("x", "y")),
    ...                    offsets=[0, 1, 2, 4], cells=[0, 0, 0, 1], counts=[1, 1, 1, 2])
    >>> [values.tolist() for values in cross_fitted_matches(s, np.array([0, 0, 1]))]
    [[0.0, 0.0, 1.0], [1.0, 1.0, 3.0]]
    """
    shape = len(stack.gold), len(stack.predicted)
    inside, sides = np.ones(shape, dtype=bool), grouped_counts(stack, half.astype(np.int8), 2)
    tokens, matched = _by_utterance(stack, inside), np.zeros(len(stack))
    for side in (0, 1):
        fitted = one_to_one(sides[1 - side])
        matched += np.where(half == side, _by_utterance(stack, _assigned(fitted, shape)), 0.0)
    return matched, tokens


def _pairs(matrix: ConfusionMatrix | Floats) -> Floats:
    return matrix.substitutions if isinstance(matrix, ConfusionMatrix) else matrix[:-1, :-1]


def _assigned(assignment: Codes, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which cells [G, P] pair partners."""
    if len(assignment) != shape[0]:
        raise ValueError(f"the assignment is of {len(assignment)} gold phones, and the counts are of {shape[0]}")
    return np.equal.outer(assignment, np.arange(shape[1]))


def _with_nobody(counts: Floats) -> Floats:
    """Return what each pair is worth, [G, P + G]: its tokens, −∞ without any; the last G columns are no partner."""
    nobody = np.where(np.eye(len(counts), dtype=bool), 0.0, -np.inf)
    return np.hstack([np.where(counts > 0, counts, -np.inf), nobody])


def _loss(weights: Floats, partner: Codes) -> Floats:
    """Return how many matched tokens it costs at least to force each pair into a best assignment, [G, columns].

    A row that takes a column sets free the one that it had, and drives out its owner, who must go elsewhere: the loss
    is the shortest way round, by the algorithm of Floyd and Warshall. Node G is the columns that nobody owns.
    """
    rows, columns = weights.shape
    step = weights[np.arange(rows), partner][:, None] - weights
    owner = np.full(columns, rows)
    owner[partner] = np.arange(rows)
    way = np.zeros((rows + 1, rows + 1))
    way[:rows, :rows] = step[:, partner]
    way[:rows, rows] = step[:, owner == rows].min(axis=1, initial=np.inf)
    for through in range(rows + 1):
        way = np.minimum(way, way[:, through, None] + way[through])
    return np.asarray(step + way[owner[None, :], np.arange(rows)[:, None]])


def _by_utterance(stack: ConfusionStack, inside: NDArray[np.bool_]) -> Floats:
    """Return each utterance's counts in the chosen cells [G, P]."""
    chosen, total = np.pad(inside, ((0, 1), (0, 1))).ravel(), np.zeros(len(stack))
    add_chosen(stack.offsets, stack.cells, stack.counts, chosen, total)
    return total

"""Confusion entropy: how uncertain what a phone is heard as, and what a heard phone stands for.

Conventions
-----------
Y gold (rows), X predicted (columns); bits. ∅ is left out unless `gaps="include"` makes it a symbol of X (deletions) and
Y (insertions). With gaps left out everything here, H(Y) too, describes the tokens that were not deleted.
Where an estimator needs the number of possible symbols, they are those of the inventory, empty cells included, or with
`support="observed"` those that occur anywhere in the matrix.

Measures
--------
H_y = H(X | Y=y) = −Σ_x p̂(x|y) log2 p̂(x|y); H(X|Y) = Σ_y p̂(y) H_y; perplexity 2^H; I(X;Y) = H(X) + H(Y) − H(X,Y).

References
----------
Shannon (1948), A mathematical theory of communication. Miller & Nicely (1955). Estimators: see `estimators`.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import checked_types
from phonxling.core.inventory import GAP
from phonxling.resample.estimators import entropy

if TYPE_CHECKING:
    from pandas import Series


Given = Literal["gold", "predicted"]
Gaps = Literal["exclude", "include"]
Support = Literal["inventory", "observed"]


def cells(
    matrix: ConfusionMatrix, given: Given = "gold", gaps: Gaps = "exclude", support: Support = "inventory"
) -> NDArray[np.float64]:
    """Return the counts with the given side as rows, [given, other]; with gaps included ∅ is last on both."""
    counts = matrix.counts if gaps == "include" else matrix.substitutions
    turned = counts if given == "gold" else counts.T
    return turned if support == "inventory" else turned[:, turned.sum(axis=0) > 0]


@checked_types
def confusion_entropy(
    matrix: ConfusionMatrix,
    estimator: str = "ml",
    given: Given = "gold",
    gaps: Gaps = "exclude",
    support: Support = "inventory",
) -> "Series":
    """Return the confusion entropy of each phone in bits, a Series by phone; NaN for a phone without tokens.

    `given="gold"`: H(X|Y=y), how uncertain what y is heard as. `given="predicted"`: H(Y|X=x), how uncertain what x
    stands for. Errors as for `entropy`.

    Examples
    --------
    >>> m = ConfusionMatrix(["a", "b"], ["a", "b"], [[2, 2], [0, 4]])
    >>> confusion_entropy(m).tolist()
    [1.0, 0.0]
    """
    import pandas as pd  # takes half a second

    labels = [*(matrix.gold if given == "gold" else matrix.predicted), *([GAP] if gaps == "include" else [])]
    values = [entropy(row, estimator) for row in cells(matrix, given, gaps, support)]
    return pd.Series(values, index=pd.Index(labels, name=given), name="entropy", dtype=float)


@checked_types
def conditional_entropy(
    matrix: ConfusionMatrix,
    estimator: str = "ml",
    given: Given = "gold",
    gaps: Gaps = "exclude",
    support: Support = "inventory",
) -> float:
    """Return H(X|Y) = Σ_y p̂(y) H_y in bits, or H(Y|X) with `given="predicted"`; NaN without tokens.

    Examples
    --------
    A one-to-one correspondence is certain, whatever the symbols are:

    >>> conditional_entropy(ConfusionMatrix(["a", "b"], ["x", "y"], [[0, 5], [3, 0]]))
    0.0
    """
    counts = cells(matrix, given, gaps, support)
    tokens = counts.sum(axis=1)
    if not tokens.sum():
        return float("nan")
    values = [entropy(row, estimator) for row in counts[tokens > 0]]
    return float(np.dot(tokens[tokens > 0] / tokens.sum(), values))


@checked_types
def marginal_entropy(
    matrix: ConfusionMatrix,
    of: Given = "gold",
    estimator: str = "ml",
    gaps: Gaps = "exclude",
    support: Support = "inventory",
) -> float:
    """Return H(Y) (`of="gold"`) or H(X) (`of="predicted"`) in bits, over the same tokens as the conditional entropy."""
    other: Given = "predicted" if of == "gold" else "gold"
    return entropy(cells(matrix, other, gaps, support).sum(axis=0), estimator)


def confusion_information(
    matrix: ConfusionMatrix, estimator: str = "ml", gaps: Gaps = "exclude", support: Support = "inventory"
) -> float:
    """Return I(X;Y) = H(X) + H(Y) − H(X,Y) in bits, each by the same estimator; NaN without tokens."""
    counts = cells(matrix, "gold", gaps, support)
    joint = entropy(counts if support == "inventory" else counts[counts.sum(axis=1) > 0], estimator)
    gold = marginal_entropy(matrix, "gold", estimator, gaps, support)
    value = gold + marginal_entropy(matrix, "predicted", estimator, gaps, support) - joint
    return max(value, 0.0) if estimator == "ml" else value


@checked_types
def uncertainty_coefficient(matrix: ConfusionMatrix, of: Given = "gold", gaps: Gaps = "exclude") -> float:
    """Return I(X;Y) / H(Y) (`of="gold"`) or I(X;Y) / H(X), in [0, 1]; NaN when that entropy is 0."""
    total = marginal_entropy(matrix, of, gaps=gaps)
    return min(confusion_information(matrix, gaps=gaps) / total, 1.0) if total > 0 else float("nan")


@checked_types
def perplexity(bits: float, base: float = 2.0) -> float:
    """Return 2^bits, or base^entropy: the effective number of equally likely choices.

    Examples
    --------
    >>> perplexity(1.5) == 2**1.5
    True
    """
    return float(base**bits)

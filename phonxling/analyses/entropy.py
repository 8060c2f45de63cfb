"""Confusion entropy: how uncertain what a phone is heard as, and what a heard phone stands for. And association.

Conventions
-----------
Y gold (rows), X predicted (columns); bits. ∅ is left out unless `gaps="include"` makes it a symbol of X (deletions) and
Y (insertions). With gaps left out everything here, H(Y) too, describes the tokens that were not deleted.
Where an estimator needs the number of possible symbols, they are those of the inventory, empty cells included.

Measures
--------
H_y = H(X | Y=y) = −Σ_x p̂(x|y) log2 p̂(x|y); H(X|Y) = Σ_y p̂(y) H_y; perplexity 2^H; I(X;Y) = H(X) + H(Y) − H(X,Y).

Of joint probabilities p̂(y,e), from counts or posteriors, gold y in rows and recognised e in columns:
PMI = log2 p̂(y,e) / (p̂(y) p̂(e)); NPMI = PMI / −log2 p̂(y,e); I(Y;E) = Σ p̂(y,e) PMI(y,e), bits. From posteriors E is a
phone sampled from the posterior, so I(Y;E) is at most the information that the posterior itself carries about y. With
one-hot posteriors all equals counts.

References
----------
Shannon (1948), A mathematical theory of communication. Miller & Nicely (1955). Church & Hanks (1990). Bouma
(2009), Normalized (pointwise) mutual information in collocation extraction. Estimators: see `estimators`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np

from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import refuse_other
from phonxling.core.inventory import GAP
from phonxling.core.posteriorgram import JointDistribution
from phonxling.resample.estimators import entropy

if TYPE_CHECKING:
    from pandas import DataFrame, Series


Given = Literal["gold", "predicted"]
Gaps = Literal["exclude", "include"]


def cells(matrix: ConfusionMatrix, given: Given = "gold", gaps: Gaps = "exclude") -> Floats:
    """Return the counts with the given side as rows, [given, other]; with gaps included ∅ is last on both."""
    refuse_other(matrix, ConfusionMatrix, "matrix", "px.count_confusions(aligned) gives one")
    counts = matrix.counts if gaps == "include" else matrix.substitutions
    return counts if given == "gold" else counts.T


def confusion_entropy(
    matrix: ConfusionMatrix,
    estimator: str = "ml",
    given: Given = "gold",
    gaps: Gaps = "exclude",
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

    values = [entropy(row, estimator) for row in cells(matrix, given, gaps)]
    labels = [*(matrix.gold if given == "gold" else matrix.predicted), *([GAP] if gaps == "include" else [])]
    return pd.Series(values, index=pd.Index(labels, name=given), name="entropy", dtype=float)


def conditional_entropy(
    matrix: ConfusionMatrix,
    estimator: str = "ml",
    given: Given = "gold",
    gaps: Gaps = "exclude",
) -> float:
    """Return H(X|Y) = Σ_y p̂(y) H_y in bits, or H(Y|X) with `given="predicted"`; NaN without tokens.

    Examples
    --------
    A one-to-one correspondence is certain, whatever the symbols are:

    >>> conditional_entropy(ConfusionMatrix(["a", "b"], ["x", "y"], [[0, 5], [3, 0]]))
    0.0
    """
    counts = cells(matrix, given, gaps)
    tokens = counts.sum(axis=1)
    if not tokens.sum():
        return float("nan")
    values = [entropy(row, estimator) for row in counts[tokens > 0]]
    return float(np.dot(tokens[tokens > 0] / tokens.sum(), values))


def marginal_entropy(
    matrix: ConfusionMatrix,
    of: Given = "gold",
    estimator: str = "ml",
    gaps: Gaps = "exclude",
) -> float:
    """Return H(Y) (`of="gold"`) or H(X) (`of="predicted"`) in bits, over the same tokens as the conditional entropy."""
    other: Given = "predicted" if of == "gold" else "gold"
    return entropy(cells(matrix, other, gaps).sum(axis=0), estimator)


def confusion_information(matrix: ConfusionMatrix, estimator: str = "ml", gaps: Gaps = "exclude") -> float:
    """Return I(X;Y) = H(X) + H(Y) − H(X,Y) in bits, each by the same estimator; NaN without tokens."""
    counts = cells(matrix, "gold", gaps)
    joint = entropy(counts, estimator)
    gold = marginal_entropy(matrix, "gold", estimator, gaps)
    value = gold + marginal_entropy(matrix, "predicted", estimator, gaps) - joint
    return max(value, 0.0) if estimator == "ml" else value


def pmi(joint: JointDistribution | ConfusionMatrix, gaps: Gaps = "exclude") -> "DataFrame":
    """Return pointwise mutual information in bits, [gold, recognised].

    −inf where a pair never occurs though both of its phones do; NaN where one of them has no mass. Of a confusion
    matrix, ∅ is left out unless `gaps="include"` makes it the last row and column.

    Examples
    --------
    >>> pmi(JointDistribution(["a", "b"], ["x", "y"], [[1, 0], [0, 1]])).to_numpy().tolist()
    [[1.0, -inf], [-inf, 1.0]]
    """
    return _frame(joint, gaps, pmi_of)


def npmi(joint: JointDistribution | ConfusionMatrix, gaps: Gaps = "exclude") -> "DataFrame":
    """Return PMI / −log2 p̂(y,e), in [−1, 1], [gold, recognised]: −1 never together, 0 independent, 1 only together.

    −1 where p̂(y,e) = 0 and both marginals are positive; 1 where p̂(y,e) = 1; NaN where a marginal is 0. `gaps` as for
    `pmi`.

    Examples
    --------
    >>> npmi(JointDistribution(["a", "b"], ["x", "y"], [[1, 0], [0, 1]])).to_numpy().tolist()
    [[1.0, -1.0], [-1.0, 1.0]]

    a is always deleted, and nothing else ever is:

    >>> npmi(ConfusionMatrix(["a", "b"], ["x"], [[0, 1], [1, 0], [0, 0]]), gaps="include")["∅"].tolist()
    [1.0, -1.0, nan]
    """
    return _frame(joint, gaps, npmi_of)


def margins(p: Floats) -> tuple[Floats, Floats]:
    """Return p̂(y) and p̂(e) of a joint probability table [..., G, K]: [..., G, 1] and [..., 1, K]."""
    return p.sum(axis=-1, keepdims=True), p.sum(axis=-2, keepdims=True)


def pmi_of(p: Floats, sums: tuple[Floats, Floats] | None = None) -> Floats:
    """Return PMI of a joint probability table, [G, K], or of many, [R, G, K]; see `pmi`."""
    rows, columns = sums or margins(p)
    with np.errstate(divide="ignore", invalid="ignore"):
        values: Floats = np.log2(p) - np.log2(rows) - np.log2(columns)
    return np.where((rows > 0) & (columns > 0), values, np.nan)


def npmi_of(p: Floats, sums: tuple[Floats, Floats] | None = None) -> Floats:
    """Return NPMI of what `pmi_of` takes; see `npmi`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi_values = pmi_of(p, sums)
        values = pmi_values / -np.log2(p)
    values = np.where(p == 1, 1.0, np.where((p == 0) & ~np.isnan(pmi_values), -1.0, values))
    return np.clip(values, -1, 1)


def mutual_information(table: JointDistribution | ConfusionMatrix) -> float:
    """Return I(Y;E), or I(X;Y) of a confusion matrix without its ∅, in bits, ≥ 0; NaN without mass.

    Examples
    --------
    >>> mutual_information(JointDistribution(["a", "b"], ["x", "y"], [[1, 1], [1, 1]]))
    0.0
    """
    if isinstance(table, ConfusionMatrix):
        return confusion_information(table)
    return information_of(table.mass)


def information_of(mass: Floats) -> float:
    """Return H(Y) + H(E) − H(Y,E) of a table of mass, in bits."""
    value = entropy(mass.sum(axis=1)) + entropy(mass.sum(axis=0)) - entropy(mass)
    return value if np.isnan(value) else max(value, 0.0)


def _frame(table: JointDistribution | ConfusionMatrix, gaps: Gaps, of: Callable[[Floats], Floats]) -> "DataFrame":
    if isinstance(table, JointDistribution):
        mass, rows, columns = table.mass, table.rows.phones, table.columns.phones
    else:
        gap = (GAP,) * (gaps == "include")
        mass, rows, columns = cells(table, gaps=gaps), (*table.gold, *gap), (*table.predicted, *gap)
    import pandas as pd

    values = of(divided(mass, mass.sum()))
    return pd.DataFrame(values, pd.Index(rows, name="gold"), pd.Index(columns, name="recognised"))

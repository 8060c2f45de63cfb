"""Association of gold phones with recognised ones, from posteriors or counts.

Conventions
-----------
p̂(y,e) joint probability, gold y in rows, recognised e in columns. E is a phone sampled from the posterior, so I(Y;E)
is at most the information that the posterior itself carries about y. With one-hot posteriors all equals counts.

Measures
--------
PMI = log2 p̂(y,e) / (p̂(y) p̂(e)); NPMI = PMI / −log2 p̂(y,e); I(Y;E) = Σ p̂(y,e) PMI(y,e), bits.

References
----------
Church & Hanks (1990). Bouma (2009), Normalized (pointwise) mutual information in collocation extraction.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from phonxling.analyses.entropy import Gaps, cells, confusion_information
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import checked_types
from phonxling.core.inventory import GAP
from phonxling.core.posteriorgram import JointDistribution
from phonxling.resample.estimators import entropy


@checked_types
def pmi(joint: JointDistribution | ConfusionMatrix, gaps: Gaps = "exclude") -> pd.DataFrame:
    """Return pointwise mutual information in bits, [gold, recognised].

    −inf where a pair never occurs though both of its phones do; NaN where one of them has no mass. Of a confusion
    matrix, ∅ is left out unless `gaps="include"` makes it the last row and column.

    Examples
    --------
    >>> pmi(JointDistribution(["a", "b"], ["x", "y"], [[1, 0], [0, 1]])).to_numpy().tolist()
    [[1.0, -inf], [-inf, 1.0]]
    """
    return _frame(joint, gaps, pmi_of)


@checked_types
def npmi(joint: JointDistribution | ConfusionMatrix, gaps: Gaps = "exclude") -> pd.DataFrame:
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


@checked_types
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


def _frame(table: JointDistribution | ConfusionMatrix, gaps: Gaps, of: Callable[[Floats], Floats]) -> pd.DataFrame:
    if isinstance(table, JointDistribution):
        mass, rows, columns = table.mass, table.rows.phones, table.columns.phones
    else:
        gap = (GAP,) * (gaps == "include")
        mass, rows, columns = cells(table, gaps=gaps), (*table.gold, *gap), (*table.predicted, *gap)
    return pd.DataFrame(
        of(divided(mass, mass.sum())), index=pd.Index(rows, name="gold"), columns=pd.Index(columns, name="recognised")
    )

"""Errors by natural class: what becomes of a class's tokens, and what they cost.

Conventions
-----------
C classes over the phones of a confusion matrix; G gold phones, P predicted ones, ∅ last. A class's tokens are those of
its gold phones. Over classes that partition the phones, a rate weighted by tokens is the rate of all phones; insertions
belong to the class of the predicted phone.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.confusion import ConfusionMatrix
from phonxling.phones.natural_classes import NaturalClasses

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]


def class_errors(matrix: ConfusionMatrix, classes: NaturalClasses, costs: Floats | None = None) -> pd.DataFrame:
    """Return what became of each class's tokens.

    Parameters
    ----------
    matrix : ConfusionMatrix
        Counts.
    classes : NaturalClasses
        Classes that know all phones of the matrix.
    costs : float64 array [G + 1, P + 1], optional
        What each edit costs, ∅ last.

    Returns
    -------
    DataFrame
        By class: `tokens`, `correct`, `within` (another phone of the class was heard), `between` (a phone outside it)
        and `deleted`, which sum to the tokens; `inserted`, predicted phones of the class without a gold phone;
        `accuracy`, `deletion_rate`; `wper`, the cost of its tokens over their number, and `share_of_wper`, that cost
        over the total cost of all edits, insertions included (NaN without costs). Rates are NaN without tokens.

    Raises
    ------
    KeyError
        If a phone is not among those of the classes.

    Examples
    --------
    >>> from phonxling.load.resources.features import panphon_features
    >>> from phonxling.phones.natural_classes import natural_classes
    >>> m = ConfusionMatrix(["p", "a"], ["p", "b", "a"], [[6, 2, 1, 1], [0, 0, 5, 0], [0, 0, 3, 0]])
    >>> found = class_errors(m, natural_classes("pba", panphon_features())).loc[["stops", "vowels"]]
    >>> found[["tokens", "correct", "within", "between", "deleted", "inserted"]].to_numpy().astype(int).tolist()
    [[10, 6, 2, 1, 1, 0], [5, 5, 0, 0, 0, 3]]
    """
    gold, predicted = classes.of(matrix.gold), classes.of(matrix.predicted)
    sums = class_sums(matrix.counts, gold, predicted, matrix.same_symbol())
    table = pd.DataFrame(sums, index=pd.Index(classes.names, name="class"))
    paid = np.full(len(table), np.nan) if costs is None else gold @ (matrix.counts * costs)[:-1].sum(axis=1)
    total = np.nan if costs is None else (matrix.counts * costs).sum()
    return table.assign(
        accuracy=ratio(sums["correct"], sums["tokens"]),
        deletion_rate=ratio(sums["deleted"], sums["tokens"]),
        wper=ratio(paid, sums["tokens"]),
        share_of_wper=ratio(paid, np.full(len(table), total)),
    )


def class_sums(counts: Floats, gold: Cells, predicted: Cells, same: Cells) -> dict[str, Floats]:
    """Return the counts of `class_errors`, [C] each, from counts [G + 1, P + 1] and members [C, G] and [C, P]."""
    pairs = counts[:-1, :-1]
    kept = np.where(same, 0.0, pairs)
    wrong = gold @ kept
    return {
        "tokens": gold @ counts[:-1].sum(axis=1),
        "correct": gold @ np.where(same, pairs, 0.0).sum(axis=1),
        "within": (wrong * predicted).sum(axis=1),
        "between": (wrong * ~predicted).sum(axis=1),
        "deleted": gold @ counts[:-1, -1],
        "inserted": predicted @ counts[-1, :-1],
    }


def class_confusions(matrix: ConfusionMatrix, classes: NaturalClasses) -> ConfusionMatrix:
    """Return the counts between default classes, those without a phone of the matrix left out; ∅ stays.

    Its diagonal is what stayed in its class, correct or not.
    """
    gold, predicted = (classes.of(side)[: classes.default] for side in (matrix.gold, matrix.predicted))
    rows, columns = gold.any(axis=1), predicted.any(axis=1)
    onto = [
        np.pad(side[there], ((0, 1), (0, 1))).astype(np.float64) for side, there in ((gold, rows), (predicted, columns))
    ]
    for side in onto:
        side[-1, -1] = 1.0
    names = np.array(classes.names[: classes.default], dtype=object)
    return ConfusionMatrix(list(names[rows]), list(names[columns]), onto[0] @ matrix.counts @ onto[1].T)


def of_gold(matrix: ConfusionMatrix, members: Cells) -> ConfusionMatrix:
    """Return the same counts, with those of gold phones outside a class, and insertions, set to 0; `members` is [G]."""
    return ConfusionMatrix(matrix.gold, matrix.predicted, matrix.counts * np.append(members, False)[:, None])


def ratio(above: Floats, below: Floats) -> Floats:
    """Return above / below, NaN where below is 0."""
    out = np.full(np.shape(above), np.nan)
    return np.asarray(np.divide(above, below, out=out, where=np.asarray(below) > 0))

"""Errors by natural class: what becomes of a class's tokens, and what they cost.

Conventions
-----------
C classes over the phones of a confusion matrix; G gold phones, P predicted ones, ∅ last. A class's tokens are those of
its gold phones. Over classes that partition the phones, a rate weighted by tokens is the rate of all phones; insertions
belong to the class of the predicted phone. Replicates stand last, [G + 1, P + 1, R].
"""

import numpy as np
import pandas as pd

from phonxling.core.arrays import Bools, Floats, along, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.interface.arguments import checked_types
from phonxling.phones.natural_classes import NaturalClasses


@checked_types
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
    >>> found = class_errors(m, natural_classes(["p", "b", "a"], panphon_features())).loc[["stops", "vowels"]]
    >>> found[["tokens", "correct", "within", "between", "deleted", "inserted"]].to_numpy().astype(int).tolist()
    [[10, 6, 2, 1, 1, 0], [5, 5, 0, 0, 0, 3]]
    """
    gold, predicted, same = classes.of(matrix.gold), classes.of(matrix.predicted), matrix.same_symbol()
    table = pd.DataFrame(_sums(matrix, gold, predicted), index=pd.Index(classes.names, name="class"))
    paid = matrix.counts * (np.nan if costs is None else costs)
    accuracy, wper = class_rates(matrix.counts, gold=gold, same=same, costs=costs)
    return table.assign(
        accuracy=accuracy,
        deletion_rate=divided(table["deleted"].to_numpy(), table["tokens"].to_numpy()),
        wper=wper,
        share_of_wper=divided(gold @ paid[:-1].sum(axis=1), paid.sum()),
    )


def class_rates(counts: Floats, *, gold: Bools, same: Bools, costs: Floats | None) -> Floats:
    """Return the accuracy and the weighted rate of each class, [2, C …]; NaN without tokens, or without costs.

    `counts` is [G + 1, P + 1 …], `gold` the members [C, G], `same` [G, P] the pairs of a phone with itself.
    """
    correct = np.where(along(same, counts), counts[:-1, :-1], 0.0)
    paid = np.full_like(counts, np.nan) if costs is None else counts * along(costs, counts)
    right, cost, tokens = (np.tensordot(gold, part.sum(axis=1), axes=1) for part in (correct, paid[:-1], counts[:-1]))
    return np.stack([divided(right, tokens), divided(cost, tokens)])


def _sums(matrix: ConfusionMatrix, gold: Bools, predicted: Bools) -> dict[str, Floats]:
    """Return the counts of `class_errors`, [C] each, of members [C, G] and [C, P]."""
    same = matrix.same_symbol()
    wrong = gold @ np.where(same, 0.0, matrix.substitutions)
    return {
        "tokens": gold @ matrix.tokens,
        "correct": gold @ np.where(same, matrix.substitutions, 0.0).sum(axis=1),
        "within": (wrong * predicted).sum(axis=1),
        "between": (wrong * ~predicted).sum(axis=1),
        "deleted": gold @ matrix.deletions,
        "inserted": predicted @ matrix.insertions,
    }


@checked_types
def class_confusions(matrix: ConfusionMatrix, classes: NaturalClasses) -> ConfusionMatrix:
    """Return the counts between default classes, those without a phone of the matrix left out; ∅ stays.

    Its diagonal is what stayed in its class, correct or not.
    """
    gold, predicted = (classes.of(side)[: classes.default] for side in (matrix.gold, matrix.predicted))
    rows, columns = gold.any(axis=1), predicted.any(axis=1)
    onto = [np.pad(side, ((0, 1), (0, 1))).astype(np.float64) for side in (gold[rows], predicted[columns])]
    for side in onto:
        side[-1, -1] = 1.0
    names = np.array(classes.names[: classes.default], dtype=object)
    return ConfusionMatrix(list(names[rows]), list(names[columns]), onto[0] @ matrix.counts @ onto[1].T)


def of_gold(matrix: ConfusionMatrix, members: Bools) -> ConfusionMatrix:
    """Return the same counts, with those of gold phones outside a class, and insertions, set to 0; `members` is [G]."""
    return ConfusionMatrix(matrix.gold, matrix.predicted, matrix.counts * np.append(members, False)[:, None])

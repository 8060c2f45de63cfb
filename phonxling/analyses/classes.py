"""Errors by natural class: what becomes of a class's tokens, and what they cost.

The tables are classes.tsv, class_confusions.tsv and feature_classes.tsv.

Conventions
-----------
C classes over the phones of a confusion matrix; G gold phones, P predicted ones, ∅ last. A class's tokens are those of
its gold phones. Over classes that partition the phones, a rate weighted by tokens is the rate of all phones; insertions
belong to the class of the predicted phone. Replicates stand last, [G + 1, P + 1, R].
"""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import scipy

from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.case import Case, Items
from phonxling.analyses.features import feature_errors
from phonxling.analyses.utterances import conditional
from phonxling.core.arguments import checked_types
from phonxling.core.arrays import Bools, Floats, along, divided, whole
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.display import cells
from phonxling.core.estimate import Estimate, joined
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import with_gap
from phonxling.phones.natural_classes import NaturalClasses, natural_classes

_COUNTS = ("tokens", "correct", "within", "between", "deleted", "inserted")
_NONE = "no gold phone of the corpus is in this class"
_UTTERANCES = 1 << 14  # whose cells are looked at together


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
    >>> from phonxling.load.features import panphon_features
    >>> from phonxling.phones.natural_classes import natural_classes
    >>> m = ConfusionMatrix(["p", "a"], ["p", "b", "a"], [[6, 2, 1, 1], [0, 0, 5, 0], [0, 0, 3, 0]])
    >>> found = class_errors(m, natural_classes(["p", "b", "a"], panphon_features())).loc[["stops", "vowels"]]
    >>> found[["tokens", "correct", "within", "between", "deleted", "inserted"]].to_numpy().astype(int).tolist()
    [[10, 6, 2, 1, 1, 0], [5, 5, 0, 0, 0, 3]]
    """
    gold, predicted, same = classes.of(matrix.gold), classes.of(matrix.predicted), matrix.same_symbol()
    wrong = gold @ np.where(same, 0.0, matrix.substitutions)
    counts = {
        "tokens": gold @ matrix.tokens,
        "correct": gold @ np.where(same, matrix.substitutions, 0.0).sum(axis=1),
        "within": (wrong * predicted).sum(axis=1),
        "between": (wrong * ~predicted).sum(axis=1),
        "deleted": gold @ matrix.deletions,
        "inserted": predicted @ matrix.insertions,
    }
    table = pd.DataFrame(counts, index=pd.Index(classes.names, name="class"))
    paid = matrix.counts * (np.nan if costs is None else costs)
    accuracy, wper = class_rates(matrix.counts, gold=gold, same=same, costs=costs)
    return table.assign(
        accuracy=accuracy,
        deletion_rate=divided(table["deleted"].to_numpy(), table["tokens"].to_numpy()),
        wper=wper,
        share_of_wper=divided(gold @ paid[:-1].sum(axis=1), paid.sum()),
    )


def class_rates(counts: Floats, *, gold: Bools, same: Bools, costs: Floats | None) -> Floats:
    """Return the accuracy and the weighted rate of each class, [2, C …]; NaN without tokens, or without costs."""
    correct = np.where(along(same, counts), counts[:-1, :-1], 0.0)
    paid = np.full_like(counts, np.nan) if costs is None else counts * along(costs, counts)
    right, cost, tokens = (np.tensordot(gold, part.sum(axis=1), axes=1) for part in (correct, paid[:-1], counts[:-1]))
    return np.stack([divided(right, tokens), divided(cost, tokens)])


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


def classes(case: Case, settings: Mapping[str, str]) -> Items:
    """Yield the tables by natural class; none for a corpus without any class: raw symbols have no features."""
    matrix, table = case.counted.matrix, case.features
    phones = list(dict.fromkeys([*matrix.gold, *matrix.predicted]))
    natural = natural_classes(phones, table, settings)
    if case.loaded.raw or not natural.names:
        return
    yield "classes", _rates(case.counted, natural)
    if natural.default:
        yield "class_confusions", _confusions(matrix, natural)
    yield "feature_classes", _features(matrix, natural, table)


def _rates(analysis: AnalysedCorpus, classes: NaturalClasses) -> pd.DataFrame:
    """Return classes.tsv: default classes that have phones, then the user's; intervals by resampling."""
    matrix, costs = analysis.matrix, analysis.cell_costs if analysis.scoring.as_rate else None
    table, gold = class_errors(matrix, classes, costs), classes.of(matrix.gold)
    same, ratio, phones = matrix.same_symbol(), analysis.resampling.ratio, np.array(matrix.gold.phones, dtype=object)
    one = np.ones((same.shape[0], same.shape[1] + 1))
    adds = one, np.pad(same, ((0, 0), (0, 1))), one * math.nan if costs is None else costs[:-1]
    numbers: dict[str, list[Estimate]] = {"accuracy": [], "wper": []}
    notes = []
    for number, members in enumerate(gold):
        tokens, right, cost = _sums(analysis.stack, np.stack([members[:, None] * of_cell for of_cell in adds]))
        numbers["accuracy"].append(ratio(right, tokens, "share"))
        numbers["wper"].append(ratio(cost, tokens, "rate"))
        shared, weak = classes.overlaps(number) if number >= classes.default else [], numbers["accuracy"][-1].note
        about = f"shares phones with {', '.join(shared)}" if shared else "", f"accuracy: {weak}" if weak else ""
        notes.append(joined(about) if members.any() else _NONE)
    limits = {
        f"{name}_{limit}": [getattr(number, limit) for number in own]
        for name, own in numbers.items()
        for limit in ("low", "high")
    }
    table = table.assign(
        kind=["default"] * classes.default + ["user"] * (len(classes.names) - classes.default),
        **{name: whole(table[name].to_numpy()) for name in _COUNTS},
        **limits,
        members=[" ".join(phones[row]) for row in gold],
        note=notes,
    )
    rates = ["accuracy", "accuracy_low", "accuracy_high", "deletion_rate", "wper", "wper_low", "wper_high"]
    order = ["kind", *_COUNTS[:2], *rates, "share_of_wper", *_COUNTS[2:], "members", "note"]
    spoken = classes.members.any(axis=1) | (np.arange(len(classes.names)) >= classes.default)
    return table.loc[spoken, order].reset_index()


def _sums(stack: ConfusionStack, of_cell: Floats) -> Floats:
    """Return the sums over each utterance's cells of what one count of a cell adds, [k, G, P + 1] to [k, U]."""
    values = np.pad(of_cell, ((0, 0), (0, 1), (0, 0))).reshape(len(of_cell), -1).T
    sums = np.empty((len(of_cell), len(stack)))
    for first in range(0, len(stack), _UTTERANCES):
        bounds = stack.offsets[first : first + _UTTERANCES + 1]
        run = slice(bounds[0], bounds[-1])
        own = stack.counts[run], stack.cells[run], bounds - bounds[0]
        counts = scipy.sparse.csr_array(own, shape=(len(bounds) - 1, len(values)))
        sums[:, first : first + _UTTERANCES] = (counts @ values).T
    return sums


def _confusions(counted: ConfusionMatrix, classes: NaturalClasses) -> pd.DataFrame:
    """Return class_confusions.tsv: every pair of default classes, ∅ last; shares as in confusions.tsv."""
    matrix = class_confusions(counted, classes)
    labels = with_gap(matrix.gold.phones), with_gap(matrix.predicted.phones)
    table = cells(whole(matrix.counts), labels, ("gold", "predicted", "count"), wide=False)
    return table.assign(p_predicted_given_gold=conditional(matrix.counts).ravel()).iloc[:-1]


def _features(matrix: ConfusionMatrix, classes: NaturalClasses, table: FeatureTable) -> pd.DataFrame:
    """Return feature_classes.tsv: what features.tsv says of all errors, for the gold phones of each class that errs."""
    moves = ["changed", "plus_to_minus", "minus_to_plus", "from_zero", "to_zero"]
    columns, parts = ["class", "kind", "feature", *moves, "substitutions"], []
    for number, (name, members) in enumerate(zip(classes.names, classes.of(matrix.gold), strict=True)):
        errors = feature_errors(of_gold(matrix, members), table).reset_index()
        if errors["substitutions"].any():
            kind = "default" if number < classes.default else "user"
            parts.append(errors.assign(**{"class": name, "kind": kind})[columns])
    return pd.concat(parts) if parts else pd.DataFrame(columns=columns)

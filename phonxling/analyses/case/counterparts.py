"""Which phone of the reference language a target's phone is "the same" as: a choice, made by symbol, features or table.

Conventions
-----------
The answer is a mapping from target phones to reference phones; a phone that it lacks has no counterpart. Several target
phones may share one counterpart (b and ɓ, both b), each keeping its own counts; a target phone never has two. Predicted
phones are the recogniser's and are not mapped.

- exact: the same symbol.
- features: the same symbol where the reference has it, else the phone of least substitution cost, when that is at
  most a stated distance. Of equally near ones (PanPhon has e as near to ʌ as to ɛ) the nearest in manner, then in place
  and height, then the one with the most reference tokens, then the first in the reference's inventory.
- table: as a table says, the same symbol for phones that it does not list; a phone listed with ∅ has no counterpart.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.inventory import GAP, Inventory

Floats = NDArray[np.float64]
_ROUNDING = 1e-9  # a distance of 1/24 is no exact float


def spoken(matrix: ConfusionMatrix) -> Inventory:
    """Return the gold phones with tokens, in the order of the inventory."""
    return Inventory(tuple(phone for phone, n in zip(matrix.gold, matrix.tokens, strict=True) if n > 0))


def exact_phones(target: ConfusionMatrix, reference: ConfusionMatrix) -> dict[str, str]:
    """Return the phones with tokens as gold in both languages, each with itself."""
    there = set(spoken(reference))
    return {phone: phone for phone in spoken(target) if phone in there}


def nearest_phones_within(
    target: ConfusionMatrix,
    reference: ConfusionMatrix,
    costs: CostTable,
    distance: float,
    ties: Floats | None = None,
) -> dict[str, str]:
    """Return each target phone's counterpart: itself, or the reference's nearest phone within a distance.

    Parameters
    ----------
    target, reference : ConfusionMatrix
        Counts of the two languages; phones without gold tokens are no candidates.
    costs : CostTable
        Substitution costs, gold phones of the target against gold phones of the reference.
    distance : float
        The largest substitution cost at which two phones are the same.
    ties : float64 array [G, P], optional
        What chooses among equally near phones: the least, between the same phones as the costs are.

    Examples
    --------
    >>> from phonxling.align.costs.named import cost_table
    >>> from phonxling.load.resources.features import panphon_features
    >>> m = [ConfusionMatrix(phones, ["a"], [[1]] * len(phones)) for phones in (["b", "ɓ", "ʃ"], ["b", "s"])]
    >>> costs = cost_table("panphon", m[0].gold, m[1].gold, panphon_features())
    >>> nearest_phones_within(*m, costs, 0.05)
    {'b': 'b', 'ɓ': 'b'}
    """
    same, tokens = exact_phones(target, reference), dict(zip(reference.gold, reference.tokens, strict=True))
    order = sorted(spoken(reference), key=lambda phone: (-tokens[phone], reference.gold.code(phone)))
    table = np.zeros(costs.substitution.shape) if ties is None else ties
    nearest = {
        phone: nearest_phone(phone, order, costs, table) for phone in spoken(target) if order and phone not in same
    }
    return same | {phone: other for phone, other in nearest.items() if costs.cost(phone, other) <= distance + _ROUNDING}


def listed_phones(target: ConfusionMatrix, reference: ConfusionMatrix, table: Mapping[str, str]) -> dict[str, str]:
    """Return the counterparts that a table lists, and the same symbol for phones that it does not list.

    Examples
    --------
    >>> m = [ConfusionMatrix(phones, ["a"], [[1]] * len(phones)) for phones in (["b", "ɓ", "t"], ["b", "t"])]
    >>> listed_phones(*m, {"ɓ": "b", "t": "∅"})
    {'b': 'b', 'ɓ': 'b'}
    """
    there = set(spoken(reference))
    chosen = {phone: table.get(phone, phone) for phone in spoken(target)}
    return {phone: other for phone, other in chosen.items() if other != GAP and other in there}


def nearest_phone(phone: str, order: list[str], costs: CostTable, ties: Floats) -> str:
    """Return the candidate of least cost, then of least ties [G, P]; the first in order of those that stay equal."""
    row, columns = costs.gold.code(phone), {other: costs.predicted.code(other) for other in order}
    return min(order, key=lambda other: (costs.substitution[row, columns[other]], ties[row, columns[other]]))

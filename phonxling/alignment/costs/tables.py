"""Costs of a user's own table, which need not be symmetric, nor 0 on the diagonal."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from phonxling.alignment.costs.assembly import SHOWN, Gap, assemble
from phonxling.alignment.costs.exact import Fractions
from phonxling.core.cost_entries import CostEntries
from phonxling.core.costs import CostTable, Ties
from phonxling.core.errors import DataError, join_problems
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.phonology.spelling import canonical


def table_costs(
    entries: CostEntries,
    gold: Inventory,
    predicted: Inventory,
    *,
    insertion: Gap = None,
    deletion: Gap = None,
    ties: Ties | None = None,
) -> CostTable:
    """Return a user's costs between two inventories, as integers over one denominator.

    Gap costs are those asked for; else, by phone, the table's own rows with ∅; else, where it has none of that side, 1.
    Ties are settled by identical symbols unless another rule is asked for. Rows of other phones are not used.

    Raises
    ------
    DataError
        If the table lacks a pair of the inventories, or has gap costs for some phones of a side alone: all are counted.
        If a cost is too large for 32 bits.
    """
    between = _found(entries, gold, predicted)
    out = _found(entries, gold, (GAP,)) if deletion is None and _has(entries, 1) else _ones(len(gold), 1)
    into = _found(entries, (GAP,), predicted) if insertion is None and _has(entries, 0) else _ones(1, len(predicted))
    sides = ((between, gold, predicted), (out, gold, (GAP,)), (into, (GAP,), predicted))
    missing = [pair for costs, rows, columns in sides for pair in _missing(costs, tuple(rows), tuple(columns))]
    if missing:
        headline = f"{entries.source}: no cost for {len(missing)} pairs that the corpus needs (gold → predicted):"
        remedy = f"Add a row (gold, predicted, cost) for each; {GAP} (U+2205) is no phone."
        raise DataError(join_problems(headline, missing, remedy, SHOWN))
    return assemble(
        f"table/{entries.digest[:8]}",
        (gold, predicted),
        (between, out.ravel(), into.ravel()),
        (deletion, insertion),
        ties or "identical",
        gap_names=("table" if _has(entries, 1) else "", "table" if _has(entries, 0) else ""),
    )


def _has(entries: CostEntries, side: int) -> bool:
    """Return whether the table has a gap on a side (0 gold: insertions, 1 predicted: deletions)."""
    return any(pair[side] == GAP for pair in entries.pairs)


def _found(entries: CostEntries, rows: Inventory | Sequence[str], columns: Inventory | Sequence[str]) -> Fractions:
    """Return the table's costs, [rows, columns], None where it has none."""
    names = [canonical(phone) for phone in columns]
    costs = [entries.pairs.get((first, second)) for first in map(canonical, rows) for second in names]
    array = np.empty(len(costs), dtype=object)
    array[:] = costs
    return array.reshape(len(rows), len(names))


def _ones(rows: int, columns: int) -> Fractions:
    return np.full((rows, columns), Fraction(1), dtype=object)


def _missing(costs: Fractions, rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    places = zip(*np.nonzero(costs == None), strict=True)  # noqa: E711 - element by element
    return [f"{rows[row]} → {columns[column]}" for row, column in places]

"""Exact fractions, with the gap costs that are asked for in their place, to a table of integers."""

import math
from fractions import Fraction

import numpy as np

from phonxling.alignment.costs.exact import Fractions, over_one_denominator
from phonxling.core.cost_entries import GapEntries
from phonxling.core.costs import CostTable, Ties
from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.spelling import canonical

Gap = float | Fraction | GapEntries | None
SHOWN = 10  # problems that a message lists before it counts the rest


def assemble(
    name: str,
    phones: tuple[Inventory, Inventory],
    costs: tuple[Fractions, Fractions, Fractions],
    asked: tuple[Gap, Gap],
    ties: Ties,
    *,
    as_rate: bool = True,
    gap_names: tuple[str, str] = ("", ""),
) -> CostTable:
    """Return a table of fractions (substitution, deletion, insertion) with the gap costs asked for in their place.

    `asked` and `gap_names` are of deletions and of insertions; None leaves those of the table. Errors as for
    `cost_table`.
    """
    own = zip(("deletion", "insertion"), phones, asked, costs[1:], gap_names, strict=True)
    (deletion, out_name), (insertion, in_name) = (_gaps(*side) for side in own)
    (between, out, into), denominator, note = over_one_denominator([costs[0], deletion, insertion])
    return CostTable(
        gold=phones[0],
        predicted=phones[1],
        substitution=between.astype(np.int32),
        deletion=out.astype(np.int32),
        insertion=into.astype(np.int32),
        denominator=denominator,
        name=name,
        ties=ties,
        as_rate=as_rate,
        deletion_name=out_name,
        insertion_name=in_name,
        note=note,
    )


def _gaps(what: str, phones: Inventory, gap: Gap, own: Fractions, own_name: str) -> tuple[Fractions, str]:
    if gap is None:
        return own, own_name
    if isinstance(gap, GapEntries):
        return _by_phone(what, phones, gap), f"table/{gap.digest[:8]}"
    if not math.isfinite(gap) or gap < 0:
        raise ConfigurationError(f"the {what} cost must be a finite number ≥ 0, not {gap}")
    return np.full(len(phones), Fraction(str(gap)), dtype=object), ""


def _by_phone(what: str, phones: Inventory, entries: GapEntries) -> Fractions:
    costs = [entries.phones.get(canonical(phone)) for phone in phones]
    missing = [phone for phone, cost in zip(phones, costs, strict=True) if cost is None]
    if missing:
        headline = f"{entries.source}: no {what} cost for {len(missing)} of the {len(phones)} phones:"
        raise DataError(join_problems(headline, missing, "Add a row (phone, cost) for each.", SHOWN))
    return np.array(costs, dtype=object)

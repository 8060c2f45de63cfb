"""The ceiling: the least that a recogniser with the declared inventory could score, and the skill attainable above it.

Each gold phone is answered by one phone or by none, and insertions only add. So no recogniser with the inventory X
scores less than the floor Σ_y P(y) min(min_{x∈X} c(y→x), c(y→∅)), and one that answers each gold phone with what costs
least scores exactly that, where the costs that weigh errors also align.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from phonxling.alignment.costs import cost_table
from phonxling.analyses.beside_chance import level_of, skill, summed
from phonxling.analyses.case import Case
from phonxling.analyses.chance_levels import ChanceLevel, best
from phonxling.analyses.costs import Costs, scoring_costs
from phonxling.analyses.rows import Row, row_of
from phonxling.core.arrays import Floats
from phonxling.core.costs import CostTable
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.student import Kind

_LEARNED = "costs are learned from these confusions, and another recogniser would have others"
_LACKING = "the cost table lacks phones that the recogniser has in other corpora"
_NO_ROOM = "the lowest chance level is not above the floor"
_NO_LOSS = "every gold phone has an answer without cost in the inventory, whatever is drawn"


@dataclass(frozen=True, eq=False, kw_only=True)
class Floor:
    """The least cost of each utterance, [U], what is to be said of it, and why there is none."""

    cost: Floats = field(default_factory=lambda: np.zeros(0))
    note: str = ""
    missing: str = ""


def least_costs(costs: CostTable) -> Floats:
    """Return what each gold phone costs at least, answered by any predicted phone or by none, [G]."""
    return np.asarray(costs.with_gaps()[:-1].min(axis=1))


def floor_of(rate: str, case: Case) -> Floor:
    """Return the floor of `per` or of `wper`, over all phones that the recogniser is declared to have."""
    analysed, inventory = case.counted, case.recogniser_inventory
    if inventory.missing:
        return Floor(missing=inventory.missing)
    gold, phones = analysed.corpus.gold, analysed.corpus.gold_inventory
    try:
        unit = cost_table("unit", phones, inventory.phones, None)
        costs: Costs = unit if rate == "per" else scoring_costs(phones, inventory.phones, case.experiment)
    except DataError:
        return Floor(missing=_LACKING)
    if not isinstance(costs, CostTable):
        return Floor(missing=_LEARNED)
    least = least_costs(costs)
    absent = sum(phone not in inventory.phones for phone in phones)
    return Floor(cost=gold.sums(least), note=f"the recogniser lacks {absent} of {len(phones)} gold phones")


def ceiling(rate: str, case: Case, *, cost: Floats, levels: Sequence[ChanceLevel]) -> Iterator[Row]:
    """Yield a rate's floor, and the skill attainable above it; `cost` [U] is the rate's numerator."""
    analysed, floor = case.counted, floor_of(rate, case)
    n = float(analysed.gold_tokens.sum())
    if floor.missing:
        yield row_of(f"floor_{rate}", math.nan, n, "", floor.missing)
        yield row_of(f"attainable_skill_{rate}", math.nan, n, "best", floor.missing)
        return
    kind: Kind = "share" if rate == "per" else "rate"
    number = analysed.resampling.ratio(floor.cost, analysed.gold_tokens, kind)
    yield row_of(f"floor_{rate}", number if floor.cost.any() else Estimate(0.0, note=_NO_LOSS), n, "", floor.note)
    if levels:
        yield row_of(f"attainable_skill_{rate}", *_attainable(case, floor, cost=cost, levels=levels))


def _attainable(
    case: Case, floor: Floor, *, cost: Floats, levels: Sequence[ChanceLevel]
) -> tuple[Estimate, float, str, str]:
    """Return 1 − (rate − floor) / (chance − floor) of the lowest chance level, all three resampled together."""
    analysed, lowest = case.counted, best(list(levels))
    n = float(analysed.gold_tokens.sum())
    if lowest is None:
        return Estimate(math.nan), n, "best", levels[0].missing
    tokens, errors, least = summed(analysed, analysed.gold_tokens, cost, floor.cost)
    room = level_of(lowest, analysed) - least
    if room.total <= 0:
        return Estimate(math.nan), n, "best", _NO_ROOM
    note = joined([f"against {lowest.model}, the lowest chance level", floor.note])
    return skill(errors - least, room, tokens, analysed), n, "best", note

"""All statistics of confusion counts, in the order of their rows beside chance."""

from typing import Literal

from phonxling.analyses import entropy as information, one_to_one as correspondence
from phonxling.analyses.measures import derived, measure
from phonxling.analyses.statistic import Statistic

STATISTICS = (*information.STATISTICS, *correspondence.STATISTICS)


def beside_chance(redrawn: Literal["predictions", "errors"]) -> tuple[Statistic, ...]:
    """Return the statistics that measures.tsv sets beside chance, which something is `of`; by what is redrawn."""
    return tuple(one for one in STATISTICS if not one.variant and one.redrawn == redrawn and derived(one.name))


def named(name: str) -> Statistic | None:
    """Return the statistic that is a measure's value; None for a measure that is none of confusion counts."""
    return next((one for one in STATISTICS if one.name == name and not one.variant), None)


def full_variant(statistic: Statistic) -> str:
    """Return the variant that a statistic's row has in the summary."""
    return statistic.variant or measure(statistic.name).variant

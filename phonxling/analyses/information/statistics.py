"""Entropies and information as statistics of confusion counts."""

from functools import partial

from phonxling.analyses.statistic import Counts, Statistic
from phonxling.core.arrays import Floats


def _plug_in(counts: Counts, name: str) -> Floats:
    return counts.information[name]


def _corrected(counts: Counts, name: str) -> Floats:
    return counts.corrected_information[name]


def _bits(name: str) -> Statistic:
    return Statistic(
        name=name, of=partial(_plug_in, name=name), corrected=partial(_corrected, name=name), entropic=True, row=False
    )


def _coefficient(side: str) -> Statistic:
    of = partial(_plug_in, name=f"uncertainty_coefficient_{side}")
    return Statistic(name="uncertainty_coefficient", variant=side, of=of, entropic=True, high=1.0, row=False)


STATISTICS = (
    _bits("conditional_entropy"),
    _bits("conditional_entropy_given_predicted"),
    _bits("mutual_information"),
    _bits("entropy_gold"),
    _bits("entropy_predicted"),
    _coefficient("gold"),
    _coefficient("predicted"),
)

"""The analysis of the statistics of confusions beside chance."""

from phonxling.analyses.beside_chance import statistic_beside_chance, value_row
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.statistics import STATISTICS, beside_chance, full_variant

EMPTY = "no gold phone was aligned with a predicted one"


def confusions_beside_chance(case: Case, _: None) -> Items:
    """Yield the statistics that no other analysis has rows of, then each statistic beside its chance level."""
    analysed = case.counted
    for statistic in STATISTICS:
        if statistic.row:
            yield value_row(statistic, full_variant(statistic), analysed, EMPTY)
    for statistic in (*beside_chance("predictions"), *beside_chance("errors")):
        yield from statistic_beside_chance(statistic, analysed)

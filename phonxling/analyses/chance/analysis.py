"""The analysis of the statistics of confusions beside chance."""

import math
from collections.abc import Iterator

from phonxling.analyses.beside_chance import pairs, statistic_beside_chance, value_row
from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.statistics import STATISTICS, beside_chance, full_variant, named
from phonxling.resample.p_values import p_value

EMPTY = "no gold phone was aligned with a predicted one"


def confusions_beside_chance(case: Case, _: None) -> Items:
    """Yield the statistics that no other analysis has rows of, then each statistic beside its chance level."""
    analysed = case.counted
    for statistic in STATISTICS:
        if statistic.row:
            yield value_row(statistic, full_variant(statistic), analysed, EMPTY)
    for statistic in beside_chance():
        yield from statistic_beside_chance(statistic, analysed)
    yield from _information_test(analysed)


def _information_test(analysed: AnalysedCorpus) -> Iterator[Row]:
    """Yield the share of shuffled replicates with as much information: a permutation test within similar lengths."""
    level = next((level for level in analysed.chance if level.model == "shuffled"), None)
    information = named("mutual_information")
    if level is None or information is None:
        return
    n, value = pairs(information, analysed), analysed.statistics[information.key]
    if level.missing or math.isnan(value):
        yield row_of("mutual_information_p", math.nan, n, "shuffled", level.missing or EMPTY)
        return
    null = level.measures[information.key]
    least = f"least possible: {1 / (len(null) + 1):.2g}; more chance.replicates make it finer"
    yield row_of("mutual_information_p", p_value(value, null), n, "shuffled", least)

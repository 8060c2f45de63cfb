"""The analysis of what stands beside chance."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.chance.measure_rows import beside_chance


def confusions_beside_chance(case: Case, _: None) -> Items:
    """Yield one-to-one accuracy, and each measure of the confusions beside its chance level."""
    yield from beside_chance(case.counted)

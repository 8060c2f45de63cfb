"""The analysis of correspondences between gold and predicted phones."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.correspondence.tables import correspondence_table, one_to_one_table


def correspondences(case: Case, _: None) -> Items:
    """Yield correspondences.tsv and one_to_one.tsv."""
    yield "correspondences", correspondence_table(case.counted, case.features)
    yield "one_to_one", one_to_one_table(case.counted, case.features)

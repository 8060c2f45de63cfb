"""The analysis of insertions."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.insertions.tables import insertion_rows, insertion_table


def insertions(case: Case, _: None) -> Items:
    """Yield insertions.tsv and the share of each kind of insertion."""
    yield from insertion_rows(case.counted, case.features)
    yield "insertions", insertion_table(case.counted, case.features, case.classes)

"""The analysis of why phones are missed."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.missed.split import missed as split_errors
from phonxling.analyses.missed.tables import missed_rows, missed_table
from phonxling.settings.sections import Expected


def missed(case: Case, _: Expected) -> Items:
    """Yield missed.tsv and the share of the errors of each reason."""
    counted = {case.name: case.counted}
    if case.reference is not None and case.reference.aligned is not None:
        counted[case.reference.name] = case.reference.aligned
    split = split_errors(case.loaded, case.corpora, counted, case.experiment)
    yield "missed", missed_table(split)
    yield from missed_rows(split)

"""The analysis of confusions in context."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.contexts.tables import context_rows, context_table
from phonxling.settings.sections import Context


def contexts(case: Case, _: Context) -> Items:
    """Yield contexts.tsv and what contexts add, where they are asked for."""
    yield from context_rows(case.name, case.counted, case.experiment, case.classes)
    table = context_table(case.counted, case.experiment, case.classes)
    if table is not None:
        yield "contexts", table

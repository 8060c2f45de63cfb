"""The analysis of what the reference language leads one to expect of a target."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.expected.cross_entropy_rows import cross_entropy_rows, missing_cross_entropy
from phonxling.analyses.expected.rows import expect, expected_rows, mark, missing_rows, refusal, union_costs
from phonxling.analyses.expected.sensitivity import sensitivity_table
from phonxling.analyses.expected.tested import reference_test, tested_rows
from phonxling.settings.sections import Expected


def expected(case: Case, settings: Expected) -> Items:
    """Yield expected.tsv, sensitivity.tsv and their rows for a target, or why there are none."""
    if case.is_reference:
        return
    loaded, experiment = case.loaded, case.experiment
    why = refusal(loaded, case.reference.loaded if case.reference else None, experiment)
    if why or case.reference is None:
        yield from missing_rows(why)
        yield from missing_cross_entropy(why)
        return
    analysis, other = case.counted, case.reference.counted
    found = expect(analysis, other, experiment)
    note = mark(loaded, case.reference.loaded)
    costs = union_costs(analysis.corpus, other.corpus, experiment)
    test = reference_test(found, analysis, other, experiment)
    raw = loaded.raw or case.reference.loaded.raw
    yield "expected", test.table()
    yield "sensitivity", sensitivity_table(analysis.matrix, other.matrix, costs, experiment, raw=raw)
    rows = expected_rows(found, costs, settings.smoothing, note)
    yield from tested_rows(rows, loaded.name, test, costs, experiment)
    yield from cross_entropy_rows(found, analysis, other, settings.smoothing, note)

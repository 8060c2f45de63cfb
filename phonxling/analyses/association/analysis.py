"""The analysis of gold phones beside what posteriors say."""

from phonxling.analyses.association.association import Association
from phonxling.analyses.association.rows import association_rows
from phonxling.analyses.association.tables import association_table, frame_table
from phonxling.analyses.case.case import Case, Items
from phonxling.settings.sections import Information


def association(case: Case, _: Information) -> Items:
    """Yield association.tsv, frames.tsv and their rows."""
    assert case.tokens is not None  # noqa: S101 - it is given cases with posteriors alone
    weights = case.token_resampling
    found = Association(name=case.name, tokens=case.tokens, experiment=case.experiment, resampling=weights)
    yield "association", association_table(found)
    yield "frames", frame_table(found.tokens)
    yield from association_rows(found, case.loaded.untied)

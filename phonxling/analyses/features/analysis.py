"""The analysis of what became of each phonological feature."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.features.table import feature_table
from phonxling.settings.sections import Alignment


def features(case: Case, settings: Alignment) -> Items:
    """Yield features.tsv."""
    yield "features", feature_table(case.counted, case.features, settings.tone_weight)

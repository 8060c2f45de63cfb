"""The analysis of how far confidences can be trusted."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.confidence.confidences import confidences
from phonxling.analyses.confidence.rows import confidence_rows
from phonxling.analyses.confidence.tables import calibration_table, confidence_table
from phonxling.settings.sections import Confidence


def confidence(case: Case, settings: Confidence) -> Items:
    """Yield confidence.tsv, calibration.tsv and the rows of each source of confidences."""
    sources, bins = list(confidences(case.loaded, case.counted)), settings.bins
    for found in sources:
        yield from confidence_rows(case.counted, found, bins)
    if any(not found.missing for found in sources):
        yield "confidence", confidence_table(case.counted, sources, bins)
        yield "calibration", calibration_table(case.counted, sources, bins)

"""The analysis of entropies and information of the confusions."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.information.rows import confusion_rows
from phonxling.settings.sections import Entropy


def information(case: Case, settings: Entropy) -> Items:
    """Yield entropies in both directions, information and perplexity by estimator; rank correlation with features."""
    yield from confusion_rows(case.counted, settings.estimators, settings.gaps, settings.support)

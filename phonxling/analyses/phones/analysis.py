"""The analysis of each phone by itself."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.phones.table import phone_table
from phonxling.settings.sections import Entropy


def phones(case: Case, settings: Entropy) -> Items:
    """Yield phones.tsv."""
    yield "phones", phone_table(case.counted, settings.estimators, settings.gaps, settings.support)

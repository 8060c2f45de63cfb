"""The analysis of errors by natural class."""

from collections.abc import Mapping

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.classes.tables import class_tables


def classes(case: Case, _: Mapping[str, str]) -> Items:
    """Yield classes.tsv, class_confusions.tsv, feature_classes.tsv; nothing for raw symbols, which have no features."""
    if not case.loaded.raw:
        yield from class_tables(case.counted, case.experiment)

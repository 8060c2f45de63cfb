"""The analysis of correspondences: whether like phones are confused, and which phone stands for which."""

import math

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.correspondence.statistics import NO_TAU
from phonxling.analyses.correspondence.tables import correspondence_table, one_to_one_table
from phonxling.analyses.rows import row_of


def rank_correlation(case: Case, _: None) -> Items:
    """Yield τ over all pairs of different phones; intervals of it held the truth too seldom, and there is none."""
    value = case.counted.statistics["correspondence_tau"]
    n = float(case.counted.matrix.substitutions.sum())  # ∅ is always left out
    note = NO_TAU if math.isnan(value) else ""
    yield row_of("correspondence_tau", value, n, "estimate", note)


def correspondences(case: Case, _: None) -> Items:
    """Yield correspondences.tsv and one_to_one.tsv."""
    yield "correspondences", correspondence_table(case.counted, case.features)
    yield "one_to_one", one_to_one_table(case.counted, case.features)

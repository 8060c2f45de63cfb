"""The analysis of correspondences: whether like phones are confused, and which phone stands for which."""

import math
from dataclasses import replace

from phonxling.analyses.beside_chance import few_draws, made_draws
from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.correspondence.statistics import NO_TAU, TAU
from phonxling.analyses.correspondence.tables import correspondence_table, one_to_one_table
from phonxling.analyses.correspondence.tau import tau_interval
from phonxling.analyses.rows import row_of
from phonxling.core.estimate import Estimate, joined

FEW_ERRORS = 20.0  # a pair of different phones: below, intervals of τ held the truth in fewer than 90 % of simulations


def rank_correlation(case: Case, _: None) -> Items:
    """Yield τ over all pairs of different phones."""
    value = case.counted.statistics["correspondence_tau"]
    n = float(case.counted.matrix.substitutions.sum())  # ∅ is always left out
    note = NO_TAU if math.isnan(value) else ""
    yield row_of("correspondence_tau", _overall(value, case.counted), n, "estimate", note)


def correspondences(case: Case, _: None) -> Items:
    """Yield correspondences.tsv and one_to_one.tsv."""
    yield "correspondences", correspondence_table(case.counted, case.features)
    yield "one_to_one", one_to_one_table(case.counted, case.features)


def _overall(value: float, analysed: AnalysedCorpus) -> Estimate:
    """Return τ with its interval, and the warning that errors are few."""
    drawn = made_draws(TAU, analysed.drawn[TAU.key], analysed)
    number = tau_interval(value, drawn, analysed.resampling)
    number = replace(number, note=joined([number.note, few_draws(TAU, analysed)]))
    different = ~analysed.matrix.same_symbol()
    errors = float(analysed.matrix.substitutions[different].sum()) / max(int(different.sum()), 1)
    if math.isnan(number.low) or errors >= FEW_ERRORS:
        return number
    warning = f"only {errors:.1f} errors a pair of phones: the interval holds the truth less often than it says"
    return replace(number, note=joined([number.note, warning]))

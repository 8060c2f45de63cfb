"""The analyses of error rates: under unit costs, under the costs in use, over feature edits; utterances, alignments."""

import pandas as pd

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.cost_records import learned_tables
from phonxling.analyses.case.features import features_of
from phonxling.analyses.rates import gap_costs
from phonxling.analyses.rates.rows import feature_edit_rows, hamming_costs, unit_rows, weighted_rows
from phonxling.analyses.tables import alignment_lines, confusion_table, utterance_table
from phonxling.settings.sections import Alignment


def phone_error_rate(case: Case, _: None) -> Items:
    """Yield the phone error rate (least unit cost), its chance and skill."""
    yield from unit_rows(case.counted)


def weighted_rate(case: Case, _: Alignment) -> Items:
    """Yield the numbers of the alignment in use, and its tables: utterances, alignments, confusions, gap costs."""
    counted = case.counted
    yield from weighted_rows(counted)
    yield "utterances", utterance_table(counted)
    yield "alignments", alignment_lines(counted.path, counted.weighed)
    yield "confusions", confusion_table(counted)
    by_gap = gap_costs.rate_by_gap(counted.corpus, case.experiment, counted.resampling, case.work)
    if by_gap:
        yield "gap_costs", pd.DataFrame(by_gap, columns=gap_costs.COLUMNS)


def feature_edits(case: Case, _: None) -> Items:
    """Yield the variants that the literature calls PFER."""
    costs = hamming_costs(case.counted, features_of(case.experiment))
    yield from feature_edit_rows(case.counted, costs, case.work)


def learned_costs(case: Case, _: None) -> Items:
    """Yield the tables of learned costs and of how they were learned; nothing for given costs."""
    yield from learned_tables(case.counted.learned, case.counted.fitted, case.counted.weighed)

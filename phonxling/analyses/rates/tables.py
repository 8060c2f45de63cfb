"""The tables of the alignment in use: utterances, alignments, confusions, gap costs; and those of learned costs."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.cost_records import learned_tables
from phonxling.analyses.confusions import confusion_table
from phonxling.analyses.rates.gap_costs import rates_by_gap_cost
from phonxling.analyses.rates.timed_pairs import pair_columns
from phonxling.analyses.rates.utterances import alignment_lines, utterance_table
from phonxling.settings.sections import Alignment


def weighted_tables(case: Case, settings: Alignment) -> Items:
    """Yield the tables of the alignment in use."""
    analysed = case.counted
    yield "utterances", utterance_table(case)
    columns, forced = pair_columns(case), case.forced is not None
    speakers = analysed.corpus.speakers
    yield "alignments", alignment_lines(analysed.path, analysed.weighed, columns, speakers=speakers, forced=forced)
    yield "confusions", confusion_table(analysed)
    by_gap = rates_by_gap_cost(case, settings)
    if len(by_gap):
        yield "gap_costs", by_gap


def learned_costs(case: Case, _: None) -> Items:
    """Yield the tables of learned costs and of how they were learned; nothing for given costs."""
    yield from learned_tables(case.counted.learned, case.counted.fitted, case.counted.weighed)

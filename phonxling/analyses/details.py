"""What happened to which phones, and where: tables and rows beyond rates and entropies, joined for the results."""

from collections.abc import Iterator

import pandas as pd

from phonxling.analyses.asymmetry import asymmetry
from phonxling.analyses.case.analysis import Analysis
from phonxling.analyses.case.features import features_for
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.contexts.tables import context_rows, context_table
from phonxling.analyses.correspondence.tables import correspondence_table, one_to_one_table
from phonxling.analyses.insertions.tables import insertion_rows, insertion_table
from phonxling.analyses.rows import Row
from phonxling.analyses.tables import whole
from phonxling.analyses.tone.joint import tone_joint_rows, tone_joint_table
from phonxling.analyses.tone.tier import why_no_tone
from phonxling.phones.natural_classes import natural_classes
from phonxling.settings.models import Experiment


def detail_tables(
    loaded: LoadedCorpus, analysis: Analysis, experiment: Experiment
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield correspondences, the one-to-one assignment, asymmetries, insertions; contexts on request; tone."""
    table = features_for(experiment, raw=loaded.raw)
    classes = natural_classes(analysis.path.gold_inventory, table)
    yield "correspondences", correspondence_table(analysis, table)
    yield "one_to_one", one_to_one_table(analysis, table)
    yield "asymmetry", _asymmetry_table(analysis)
    yield "insertions", insertion_table(analysis, table, classes)
    contexts = context_table(analysis, experiment, classes)
    if contexts is not None:
        yield "contexts", contexts
    if not why_no_tone(analysis.corpus, loaded.symbols):
        yield "tone_joint", tone_joint_table(analysis, table)


def detail_rows(loaded: LoadedCorpus, analysis: Analysis, experiment: Experiment) -> Iterator[Row]:
    """Yield the kinds of insertions; contexts on request; tone and segment together."""
    table = features_for(experiment, raw=loaded.raw)
    classes = natural_classes(analysis.path.gold_inventory, table)
    yield from insertion_rows(analysis, table)
    yield from context_rows(loaded.name, analysis, experiment, classes)
    yield from tone_joint_rows(loaded, analysis, table)


def _asymmetry_table(analysis: Analysis) -> pd.DataFrame:
    table = asymmetry(analysis.stack, analysis.resampling)
    counts = ("count_there", "count_back", "tokens", "tokens_other")
    return table.assign(**{name: whole(table[name].to_numpy()) for name in counts})

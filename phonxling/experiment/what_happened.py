"""What happened to which phones, and where: tables and rows beyond rates and entropies, joined for the results."""

from collections.abc import Iterator

import pandas as pd

from phonxling.experiment.analysis import Analysis
from phonxling.experiment.configuration.models import Experiment
from phonxling.experiment.contexts import context_rows, context_table
from phonxling.experiment.corpora import LoadedCorpus
from phonxling.experiment.correspondence_tables import correspondence_table, one_to_one_table
from phonxling.experiment.feature_table import features_for
from phonxling.experiment.insertions import insertion_rows, insertion_table
from phonxling.experiment.summary import Row
from phonxling.experiment.tables import whole
from phonxling.experiment.tone import why_no_tone
from phonxling.experiment.tone_joint import tone_joint_rows, tone_joint_table
from phonxling.measure.asymmetry import asymmetry
from phonxling.measure.natural_classes import natural_classes


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

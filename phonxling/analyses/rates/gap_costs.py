"""The weighted rate under several gap costs, on which it depends strongly."""

from pathlib import Path

import numpy as np

from phonxling.align.costs.named import KINDS
from phonxling.analyses.case.aligner import Aligner
from phonxling.analyses.case.costs import costs_of
from phonxling.analyses.case.features import features_of
from phonxling.core.corpus import Corpus
from phonxling.core.work import SERIAL, Work
from phonxling.resample.weights import Resampling
from phonxling.settings.models import Experiment

COLUMNS = ["gap_cost", "wper", "low", "high"]


def rate_by_gap(
    corpus: Corpus, experiment: Experiment, resampling: Resampling, work: Work = SERIAL
) -> list[tuple[float, float, float, float]]:
    """Return (gap cost, pooled wPER, its interval) for several gap costs under the experiment's substitution costs.

    The weighted rate depends strongly on what a gap costs, which is a convention. Empty when costs are not phonetic, or
    have gap costs that belong to them (learned ones, and those of panphon 0.22.2).
    """
    name = experiment.alignment.costs
    if not isinstance(name, Path) and not (name in KINDS and KINDS[name].features and KINDS[name].gap):
        return []
    found = []
    aligner = Aligner(experiment.alignment.averaged_at, work)
    for gap in (0.25, 0.5, 0.75, 1.0):
        table = costs_of(
            name,
            corpus.gold_inventory,
            corpus.predicted_inventory,
            insertion=gap,
            deletion=gap,
            tone_weight=experiment.alignment.tone_weight,
            features=features_of(experiment),
        )
        cost = aligner(corpus.gold, corpus.predicted, table).cost / table.denominator
        rate = resampling.ratio(cost, corpus.gold.lengths.astype(np.float64), "rate")
        found.append((gap, rate.value, rate.low, rate.high))
    return found

"""gap_costs.tsv: the weighted rate under several gap costs, on which it depends strongly."""

import numpy as np
import pandas as pd

from phonxling.alignment.costs.named import KINDS
from phonxling.analyses.case.case import Case
from phonxling.analyses.case.costs import costs_of
from phonxling.analyses.case.features import features_of
from phonxling.analyses.case.fitting import Aligner
from phonxling.load.remote.urls import local
from phonxling.settings.sections import Alignment
from phonxling.tables.files import table_of

_GAPS = (0.25, 0.5, 0.75, 1.0)


def rates_by_gap_cost(case: Case, settings: Alignment) -> pd.DataFrame:
    """Return the pooled wPER for several gap costs under the configured substitution costs, with its interval.

    What a gap costs is a convention. No rows when costs are not phonetic, or have gap costs that belong to them
    (learned ones, and those of panphon 0.22.2), or when posteriors decide what is paired.
    """
    corpus, rows = case.counted.corpus, []
    name = settings.costs if isinstance(settings.costs, str) else local(settings.costs)
    own_gaps = isinstance(name, str) and not (name in KINDS and KINDS[name].features and KINDS[name].gap)
    for gap in () if own_gaps or settings.method == "posterior" else _GAPS:
        table = costs_of(
            name,
            corpus.gold_inventory,
            corpus.predicted_inventory,
            insertion=gap,
            deletion=gap,
            tone_weight=settings.tone_weight,
            features=features_of(case.experiment),
        )
        aligned = Aligner(settings.averaged_at, case.work)(corpus.gold, corpus.predicted, table)
        tokens = corpus.gold.lengths.astype(np.float64)
        rate = case.counted.resampling.ratio(aligned.cost / table.denominator, tokens, "rate")
        rows.append((gap, rate.value, rate.low, rate.high))
    return table_of("gap_costs", rows)

"""The analysis of information in the results: how much what was heard tells about what was said."""

import math

from phonxling.analyses import entropy
from phonxling.analyses.case import Case, Items
from phonxling.analyses.rows import row_of
from phonxling.resample.entropies import few_per_cell, in_phones, information_interval
from phonxling.resample.estimators import refusal
from phonxling.settings.sections import Entropy

EMPTY = "no gold phone was aligned with a predicted one"
_PLUG_IN = "the plug-in estimate is too {} for small counts"


def information(case: Case, settings: Entropy) -> Items:
    """Yield entropies in both directions, information, the perplexity and the uncertainty coefficient."""
    analysed, matrix = case.counted, case.counted.matrix
    clusters, cells = analysed.clusters, entropy.cells(matrix, "gold", settings.gaps)
    n = float(cells.sum())
    for statistic in entropy.STATISTICS:
        number = information_interval(
            analysed.statistics[statistic.key],
            analysed.drawn[statistic.key],
            analysed.resampling,
            left_out=statistic.left_out(clusters) if statistic.left_out else None,
            most=statistic.most(clusters.shape),
        )
        note = few_per_cell(clusters.table) if math.isfinite(number.low) else ""
        if math.isnan(number.value):
            note = f"the {statistic.variant} phones have no entropy" if n else EMPTY
        yield row_of(statistic.name, number, n, statistic.variant, note)
        if statistic.name == "conditional_entropy":
            yield row_of("perplexity", in_phones(number), n, "", note)
    for estimator in dict.fromkeys(settings.estimators):
        why = refusal(cells, estimator) or ("" if n else EMPTY)
        choices, by = (settings.gaps, settings.support), "ml" if why else estimator
        values = {
            "conditional_entropy": entropy.conditional_entropy(matrix, by, "gold", *choices),
            "conditional_entropy_given_predicted": entropy.conditional_entropy(matrix, by, "predicted", *choices),
            "mutual_information": entropy.confusion_information(matrix, by, *choices),
        }
        for name, value in values.items():
            biased = _PLUG_IN.format("high" if name == "mutual_information" else "low") * (estimator == "ml")
            yield row_of(name, math.nan if why else value, n, estimator, why or biased)

"""The analysis of information in the results: how much what was heard tells about what was said."""

import math
from collections.abc import Iterator

from phonxling.analyses import entropy
from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.case import Case, Items
from phonxling.analyses.entropy import STATISTICS
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.statistic import Statistic
from phonxling.core.confusion import ConfusionMatrix
from phonxling.resample.estimators import refusal
from phonxling.resample.information_interval import few_per_cell, in_phones, information_interval
from phonxling.settings.sections import Entropy

EMPTY = "no gold phone was aligned with a predicted one"
_PLUG_IN = "the plug-in estimate is too {} for small counts"


def information(case: Case, settings: Entropy) -> Items:
    """Yield entropies in both directions, information, the perplexity and the uncertainty coefficient."""
    counted = case.counted
    n = float(entropy.cells(counted.matrix, "gold", settings.gaps).sum())
    for statistic in STATISTICS:
        yield from _corrected(statistic, counted, n)
    for name in dict.fromkeys(settings.estimators):
        yield from _estimated(counted.matrix, settings, estimator=name, n=n)


def _corrected(statistic: Statistic, analysed: AnalysedCorpus, n: float) -> Iterator[Row]:
    """Yield a statistic with its interval, and the perplexity beside H(X|Y)."""
    number = information_interval(
        analysed.statistics[statistic.key],
        analysed.drawn[statistic.key],
        analysed.resampling,
        left_out=statistic.left_out(analysed.clusters) if statistic.left_out else None,
        most=statistic.most(analysed.clusters.shape),
    )
    note = few_per_cell(analysed.clusters.table) if math.isfinite(number.low) else ""
    if math.isnan(number.value):
        note = f"the {statistic.variant} phones have no entropy" if n else EMPTY
    yield row_of(statistic.name, number, n, statistic.variant, note)
    if statistic.name == "conditional_entropy":
        yield row_of("perplexity", in_phones(number), n, "", note)


def _estimated(matrix: ConfusionMatrix, settings: Entropy, *, estimator: str, n: float) -> Iterator[Row]:
    """Yield each measure by one estimator, or why it refuses these counts."""
    why = refusal(entropy.cells(matrix, "gold", settings.gaps), estimator) or ("" if n else EMPTY)
    for name, value in _values(matrix, settings, "ml" if why else estimator).items():
        biased = _PLUG_IN.format("high" if name == "mutual_information" else "low") * (estimator == "ml")
        yield row_of(name, math.nan if why else value, n, estimator, why or biased)


def _values(matrix: ConfusionMatrix, settings: Entropy, estimator: str) -> dict[str, float]:
    choices = settings.gaps, settings.support
    return {
        "conditional_entropy": entropy.conditional_entropy(matrix, estimator, "gold", *choices),
        "conditional_entropy_given_predicted": entropy.conditional_entropy(matrix, estimator, "predicted", *choices),
        "mutual_information": entropy.confusion_information(matrix, estimator, *choices),
    }

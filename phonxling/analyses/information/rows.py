"""Summary rows of the confusion matrix: entropies, information, correspondence."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.correspondence.correspondence import correspondence_tau
from phonxling.analyses.information import entropy
from phonxling.analyses.information.intervals import information_intervals, overall_correspondence
from phonxling.analyses.rows import Row, row_of
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.estimate import Estimate
from phonxling.resample.estimators import refusal
from phonxling.resample.information_interval import in_phones

_EMPTY = "no gold phone was aligned with a predicted one"
_MEASURES = {
    "conditional_entropy": "bits",
    "conditional_entropy_given_predicted": "bits",
    "entropy_gold": "bits",
    "entropy_predicted": "bits",
    "mutual_information": "bits",
    "perplexity": "phones",
}
_LOW = "the plug-in estimate is too low for small counts"
_HIGH = "the plug-in estimate is too high for small counts; compare its null"


def confusion_rows(
    analysis: AnalysedCorpus, estimators: Sequence[str], gaps: entropy.Gaps, support: entropy.Support
) -> Iterator[Row]:
    """Yield entropies in both directions, information and perplexity by estimator.

    The interval is one for all estimators of a measure: it is meant to hold the truth, whatever estimates it.
    """
    matrix = analysis.matrix
    n = float(entropy.cells(matrix, "gold", gaps).sum())
    missing = _EMPTY if not n else ""
    intervals = information_intervals(analysis)
    for name in dict.fromkeys(estimators):
        why = refusal(entropy.cells(matrix, "gold", gaps), name)
        if why:
            yield from (row_of(measure, np.nan, n, name, why) for measure, unit in _MEASURES.items())
        else:
            yield from _estimated(matrix, name, gaps, support, n, missing, intervals)
    for side in ("gold", "predicted"):
        value = entropy.uncertainty_coefficient(matrix, "gold" if side == "gold" else "predicted", gaps)
        note = missing or (f"the {side} phones have no entropy" if np.isnan(value) else "")
        found = _with_value(intervals[f"uncertainty_coefficient_{side}"], value)
        yield Row("uncertainty_coefficient", found, n, side, note)
    yield from _correspondence(analysis)


def _estimated(
    matrix: ConfusionMatrix,
    name: str,
    gaps: entropy.Gaps,
    support: entropy.Support,
    n: float,
    missing: str,
    intervals: Mapping[str, Estimate],
) -> Iterator[Row]:
    given_gold = entropy.conditional_entropy(matrix, name, "gold", gaps, support)
    given_predicted = entropy.conditional_entropy(matrix, name, "predicted", gaps, support)
    biased = {"mutual_information": _HIGH, "conditional_entropy": _LOW, "conditional_entropy_given_predicted": _LOW}
    values = {
        "conditional_entropy": given_gold,
        "conditional_entropy_given_predicted": given_predicted,
        "entropy_gold": entropy.marginal_entropy(matrix, "gold", name, gaps, support),
        "entropy_predicted": entropy.marginal_entropy(matrix, "predicted", name, gaps, support),
        "mutual_information": entropy.confusion_information(matrix, name, gaps, support),
    }
    for measure, value in values.items():
        note = biased.get(measure, "") if name == "ml" else ""
        yield Row(measure, _with_value(intervals[measure], value), n, name, missing or note)
    note, bits = _LOW if name == "ml" else "", _with_value(intervals["conditional_entropy"], given_gold)
    yield Row("perplexity", in_phones(bits), n, name, missing or note)


def _with_value(interval: Estimate, value: float) -> Estimate:
    return Estimate(value) if np.isnan(value) else replace(interval, value=value)


def _correspondence(analysis: AnalysedCorpus) -> Iterator[Row]:
    apart = analysis.scoring.as_rate and not analysis.weighed.learned  # learned costs are made of these confusions
    value = correspondence_tau(analysis.matrix, analysis.scoring)[1] if apart else np.nan
    note = "" if not np.isnan(value) else "needs feature costs, and two different probabilities and similarities"
    pairs = float(analysis.matrix.substitutions.sum())  # ∅ is always left out
    yield Row("correspondence_tau", overall_correspondence(value, analysis), pairs, "estimate", note)

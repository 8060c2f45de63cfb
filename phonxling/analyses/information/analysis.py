"""The analysis of entropies and information of the confusions: estimates by several estimators, with one interval."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.information import entropy
from phonxling.analyses.measures import measure
from phonxling.analyses.rows import Row, row_of
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.entropy_sums import entropy_sums
from phonxling.resample.entropy_sums import information as information_of
from phonxling.resample.estimators import refusal
from phonxling.resample.information_interval import few_per_cell, in_phones, information_interval
from phonxling.resample.jackknife import jackknifed_information
from phonxling.settings.sections import Entropy

EMPTY = "no gold phone was aligned with a predicted one"
_SIDES: tuple[entropy.Given, ...] = ("gold", "predicted")
_MEASURES = (
    *("conditional_entropy", "conditional_entropy_given_predicted", "entropy_gold", "entropy_predicted"),
    "mutual_information",
)
_TOO_LOW = "the plug-in estimate is too low for small counts"
_PLUG_IN = {
    "conditional_entropy": _TOO_LOW,
    "conditional_entropy_given_predicted": _TOO_LOW,
    "perplexity": _TOO_LOW,
    "mutual_information": "the plug-in estimate is too high for small counts; compare its null",
}


def information(case: Case, settings: Entropy) -> Items:
    """Yield entropies in both directions, information and perplexity by estimator, and uncertainty coefficients.

    The interval is one for all estimators of a measure: it is meant to hold the truth, whatever estimates it.
    """
    matrix, intervals = case.counted.matrix, _intervals(case.counted)
    n = float(entropy.cells(matrix, "gold", settings.gaps).sum())
    for name in dict.fromkeys(settings.estimators):
        yield from _estimated(case.counted, settings, estimator=name, intervals=intervals, n=n)
    for side in _SIDES:
        share = entropy.uncertainty_coefficient(matrix, side, settings.gaps)
        note = ("" if n else EMPTY) or (f"the {side} phones have no entropy" if math.isnan(share) else "")
        interval = intervals[f"uncertainty_coefficient {side}"]
        yield row_of("uncertainty_coefficient", _with_value(interval, share), n, side, note)


def _estimated(
    analysed: AnalysedCorpus, settings: Entropy, *, estimator: str, intervals: Mapping[str, Estimate], n: float
) -> Iterator[Row]:
    """Yield each measure by one estimator, or why it refuses these counts."""
    why = refusal(entropy.cells(analysed.matrix, "gold", settings.gaps), estimator)
    values = dict.fromkeys(_MEASURES, math.nan) if why else _values(analysed.matrix, settings, estimator)
    estimates = {name: _with_value(intervals[name], value) for name, value in values.items()}
    estimates["perplexity"] = in_phones(estimates["conditional_entropy"])
    for name, value in estimates.items():
        biased = _PLUG_IN.get(name, "") * (estimator == "ml")
        yield row_of(name, value, n, estimator, why or ("" if n else EMPTY) or biased)


def _values(matrix: ConfusionMatrix, settings: Entropy, estimator: str) -> dict[str, float]:
    choices = settings.gaps, settings.support
    return {
        "conditional_entropy": entropy.conditional_entropy(matrix, estimator, "gold", *choices),
        "conditional_entropy_given_predicted": entropy.conditional_entropy(matrix, estimator, "predicted", *choices),
        "entropy_gold": entropy.marginal_entropy(matrix, "gold", estimator, *choices),
        "entropy_predicted": entropy.marginal_entropy(matrix, "predicted", estimator, *choices),
        "mutual_information": entropy.confusion_information(matrix, estimator, *choices),
    }


def _intervals(analysed: AnalysedCorpus) -> dict[str, Estimate]:
    """Return the plug-in estimate of each measure of information with its interval, and what weakens it."""
    parts, warning, intervals = analysed.clusters, few_per_cell(analysed.clusters.table()), {}
    jackknifed = jackknifed_information(parts)
    for name, value in information_of(entropy_sums(parts.table())).items():
        key = name.replace("coefficient_", "coefficient ")
        drawn, corrected = analysed.drawn.statistics[key], jackknifed[name]
        unit = measure(key.partition(" ")[0]).unit
        one = information_interval(
            float(value), drawn, centre=float(corrected.value), error=float(corrected.error),
            resampling=analysed.resampling, unit=unit,
        )  # fmt: skip
        intervals[key] = replace(one, note=joined([one.note, "" if math.isnan(one.low) else warning]))
    return intervals


def _with_value(interval: Estimate, value: float) -> Estimate:
    """Return the interval beside another estimate of the same."""
    if math.isnan(value):
        return Estimate(value)
    about = (
        "" if math.isnan(interval.low) else f"the interval is of the bias-corrected estimate {interval.value:.4f} bits"
    )
    return replace(interval, value=value, note=joined([about, interval.note]))

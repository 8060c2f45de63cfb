"""Intervals of the measures of a corpus' confusion matrix: information in bits and ratios, and rank correlation."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.core.estimate import Estimate
from phonxling.resample.bootstrap import estimate
from phonxling.resample.entropy_sums import entropy_sums, information
from phonxling.resample.information_interval import few_per_cell, information_interval
from phonxling.resample.jackknife import jackknifed_information

FEW_ERRORS = 20.0  # a pair of different phones: below, intervals of τ held the truth in fewer than 90 % of simulations


def information_intervals(analysis: AnalysedCorpus) -> dict[str, Estimate]:
    """Return the plug-in estimate of each measure of information with its interval, and what weakens it."""
    parts, warning = analysis.clusters, few_per_cell(analysis.clusters)
    values, jackknifed = information(entropy_sums(parts.table())), jackknifed_information(parts)
    found = {}
    for name, value in values.items():
        unit, best = "ratio" if name.startswith("uncertainty") else "bits", jackknifed[name]
        drawn = analysis.drawn.information[name]
        one = information_interval(float(value), drawn, float(best.value), float(best.error), analysis.resampling, unit)
        weak = "" if np.isnan(one.low) else warning
        found[name] = replace(one, note="; ".join(filter(None, [one.note, weak])))
    return found


def overall_correspondence(value: float, analysis: AnalysedCorpus) -> Estimate:
    """Return τ over all pairs of different phones with its interval, and the warning that errors are few."""
    found = correspondence_interval(value, analysis.drawn.tau, analysis)
    different = ~analysis.matrix.same_symbol()
    errors = float(analysis.matrix.substitutions[different].sum()) / max(int(np.count_nonzero(different)), 1)
    if np.isnan(found.low) or errors >= FEW_ERRORS:
        return found
    warning = f"only {errors:.1f} errors a pair of phones: the interval holds the truth less often than it says"
    return replace(found, note="; ".join(filter(None, [found.note, warning])))


def correspondence_interval(value: float, drawn: NDArray[np.float64], analysis: AnalysedCorpus) -> Estimate:
    """Return τ with basic limits, or percentile ones if asked for, within −1 and 1.

    The draws have more ties than the data, which moves them all to one side; basic limits take that off.
    """
    asked = analysis.resampling.method == "percentile"
    found = estimate(value, drawn, analysis.resampling, "percentile" if asked else "basic")
    return replace(found, low=float(np.clip(found.low, -1, 1)), high=float(np.clip(found.high, -1, 1)))

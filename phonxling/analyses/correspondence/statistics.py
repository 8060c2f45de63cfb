"""Rank correlation with features, and one-to-one accuracy, as statistics of confusion counts."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from phonxling.analyses.correspondence.one_to_one import cross_fitted_matches
from phonxling.analyses.correspondence.tau import overall_tau
from phonxling.analyses.statistic import Counts, CountSettings, Statistic
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionStack

NO_TAU = "needs feature costs, and two different probabilities and similarities"


def _tau(counts: Counts) -> Floats:
    costs = counts.settings.similarity
    if costs is None:
        return np.full(counts.pairs.shape[2], np.nan)
    return overall_tau(counts.pairs, counts.same, costs)


def _cross_fitted(counts: Counts) -> Floats:
    """Return the share of each half's tokens that the other half's assignment matches, [R]; NaN without halves."""
    if not counts.settings.has_halves:
        return np.full(counts.pairs.shape[2], np.nan)
    first, second = counts.halves[:, :-1, :-1]
    return divided(_matched(first, second) + _matched(second, first), counts.pairs.sum(axis=(0, 1)))


def _in_sample(counts: Counts) -> Floats:
    return divided(_matched(counts.pairs, counts.pairs), counts.pairs.sum(axis=(0, 1)))


def _matched(fitted: Floats, judged: Floats) -> Floats:
    """Return the tokens that the assignment made on other counts matches, [R]; a pair never seen there is no pair."""
    matched = np.zeros(fitted.shape[2])
    for replicate in range(len(matched)):
        own, other = fitted[..., replicate], judged[..., replicate]
        rows, columns = linear_sum_assignment(own, maximize=True)
        matched[replicate] = other[rows, columns][own[rows, columns] > 0].sum()
    return matched


def _first_of_the_best(stack: ConfusionStack, settings: CountSettings) -> float:
    """Return the cross-fitted accuracy of a corpus, of equally good assignments by the first."""
    matched, tokens = cross_fitted_matches(stack, settings.half)
    return float(matched.sum() / tokens.sum())


STATISTICS = (
    Statistic(name="correspondence_tau", of=_tau, low=-1.0, high=1.0, row=False, undefined=NO_TAU),
    Statistic(name="one_to_one_accuracy", of=_cross_fitted, exact=_first_of_the_best, high=1.0,
              undefined="one utterance has no halves"),
    Statistic(name="one_to_one_accuracy", variant="in-sample", of=_in_sample, high=1.0,
              note="too high: assigned and scored on the same tokens"),
)  # fmt: skip

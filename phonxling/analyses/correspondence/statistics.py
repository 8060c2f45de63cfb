"""Rank correlation with features, and one-to-one accuracy, as statistics of confusion counts."""

import numpy as np

from phonxling.analyses.correspondence.one_to_one import one_to_one
from phonxling.analyses.correspondence.tau import overall_tau
from phonxling.analyses.statistic import Counts, Statistic
from phonxling.core.arrays import Floats

NO_TAU = "needs feature costs, and two different probabilities and similarities"
_FEWEST = 100  # draws at least
_PAIRS = 50_000_000  # of phones that are ranked in all draws together
_STEPS = 20_000_000_000  # of all assignments together, G · P · min(G, P) each


def _tau(counts: Counts) -> Floats:
    costs = counts.settings.similarity
    if costs is None:
        return np.full(counts.replicates, np.nan)
    return overall_tau(counts.pairs, counts.same, costs)


def _cross_fitted(counts: Counts) -> Floats:
    """Return the share of each half's tokens that the other half's assignment matches, [R]; NaN without two halves."""
    shares = np.full(counts.replicates, np.nan)
    if counts.halves.shape[1] < 2:
        return shares
    for replicate in range(counts.replicates):
        first, second = np.moveaxis(counts.table(counts.halves[..., replicate])[:-1, :-1], -1, 0)
        if first.any() and second.any():
            shares[replicate] = (_matched(first, second) + _matched(second, first)) / (first.sum() + second.sum())
    return shares


def _matched(fitted: Floats, judged: Floats) -> float:
    """Return the tokens [G, P] that the assignment made on other counts matches; a pair never seen there is no pair."""
    partner = one_to_one(np.pad(fitted, ((0, 1), (0, 1))))
    rows = np.flatnonzero(partner >= 0)
    return float(judged[rows, partner[rows]].sum())


def _most_ranked(gold: int, predicted: int) -> int:
    return max(_FEWEST, _PAIRS // max(1, gold * predicted))


def _most_assigned(gold: int, predicted: int) -> int:
    return max(_FEWEST, _STEPS // max(1, gold * predicted * min(gold, predicted)))


TAU = Statistic(
    name="correspondence_tau",
    of=_tau,
    low=-1.0,
    high=1.0,
    row=False,
    undefined=NO_TAU,
    redrawn="errors",
    most_draws=_most_ranked,
)
ONE_TO_ONE = Statistic(
    name="one_to_one_accuracy",
    of=_cross_fitted,
    high=1.0,
    undefined="one utterance has no halves",
    most_draws=_most_assigned,
)
STATISTICS = (
    TAU,
    ONE_TO_ONE,
)

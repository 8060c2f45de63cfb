"""Rank correlation with features, and one-to-one accuracy, as statistics of confusion counts."""

import numpy as np

from phonxling.analyses.correspondence.one_to_one import assigned
from phonxling.analyses.correspondence.tau import overall_tau
from phonxling.analyses.statistic import Counts, Statistic
from phonxling.core.arrays import Floats, divided

NO_TAU = "needs feature costs, and two different probabilities and similarities"
_FEWEST = 100  # draws at least
_STEPS = 20_000_000_000  # of all assignments together, G · P · min(G, P) each


def _tau(counts: Counts) -> Floats:
    costs = counts.settings.similarity
    if costs is None:
        return np.full(counts.replicates, np.nan)
    return overall_tau(counts.pairs, counts.same, costs)


def _cross_fitted(counts: Counts) -> Floats:
    """Return the share of each half's tokens that the other half's assignment matches, [R]; NaN without two halves."""
    rows, columns = (size - 1 for size in counts.empty.counts.shape)
    row, column = np.divmod(counts.cells, columns + 1)
    pairs = np.flatnonzero((row < rows) & (column < columns))
    row, column, tokens = row[pairs], column[pairs], counts.halves[pairs]  # [K, H, R]
    if tokens.shape[1] < 2:
        return np.full(counts.replicates, np.nan)
    matched = np.zeros(counts.replicates)
    for half in (0, 1):
        partners = assigned(row, column, tokens[:, half].T, (rows, columns))
        matched += (tokens[:, 1 - half] * (partners.T[row] == column[:, None])).sum(axis=0)
    return divided(matched, np.where(tokens.any(axis=0).all(axis=0), tokens.sum(axis=(0, 1)), 0.0))


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
    most_draws=lambda *_: 0,  # its interval held the truth too seldom
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

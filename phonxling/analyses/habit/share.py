"""The share of wrong phones that were pulled by a habit: interval, level of chance and p, of all tokens or of some.

Three standard errors, of which the largest counts: of the draws of clusters and their jackknife, which mind that
tokens of a speaker depend on each other; over the contexts (a gold phone between two gold phones), since few contexts
make many tokens, and one of them may sound like what the habit says; and that of chance, for p alone.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from phonxling.analyses.habit.pulls import Pulls
from phonxling.analyses.habit.tokens import WrongTokens
from phonxling.core.arrays import Bools, Codes, Floats, divided, sum_by
from phonxling.core.estimate import Estimate
from phonxling.resample.intervals import estimate
from phonxling.resample.student import FEW_CLUSTERS, jackknife_error, spread, t_reach
from phonxling.resample.weights import Resampling

_LEAST_ROOM = 1.0  # what one token adds that a habit is sure of in its own place alone
_NO_ROOM = "the places of the tokens that can be compared differ too little in what the habit says"


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval; its level of chance, around 0; two-sided p, NaN where nothing is tested; N tokens."""

    value: Estimate
    chance: Estimate
    p: float
    tokens: int


def share_of(pulls: Pulls, tokens: WrongTokens, resampling: Resampling, chosen: Bools | None = None) -> Share:
    """Return the share of the tokens, or of those chosen among them, that were pulled."""
    some = np.ones(len(tokens), dtype=bool) if chosen is None else chosen
    of, own = pulls.of(some), tokens.at(np.flatnonzero(some))
    room = float(of.room.sum())
    if room < _LEAST_ROOM:
        return Share(Estimate(math.nan, note=_NO_ROOM), Estimate(math.nan, note=_NO_ROOM), math.nan, len(own))
    value = float(of.excess.sum()) / room
    drawn, left_out, number = _by_cluster(of, own.utterance, resampling)
    error, contexts = by_context(of.excess - value * of.room, own)
    by_chance = math.sqrt(float(of.variance.sum())) / room
    share = estimate(value, drawn, resampling, left_out=left_out, error=error / room, clusters=number)
    reach = float(t_reach(math.inf, resampling.level)) * by_chance
    chance = Estimate(0.0, -reach, reach, resampling.level)
    p = math.nan
    if len(drawn) and min(number, contexts) >= FEW_CLUSTERS:
        by_draws = cluster_error(drawn, left_out, number)
        p = two_sided(value, (by_draws, number - 1), (error / room, contexts - 1), (by_chance, math.inf))
    return Share(share, chance, p, len(own))


def two_sided(value: float, *errors: tuple[float, float]) -> float:
    """Return the largest two-sided p of a value by standard errors above 0, each with its degrees of freedom.

    Examples
    --------
    >>> round(two_sided(1.96, (1.0, math.inf), (0.5, 4)), 3)
    0.05
    """
    p = [float(2 * scipy.special.stdtr(freedom, -abs(value) / error)) for error, freedom in errors if error > 0]
    return max(p, default=math.nan)


def cluster_error(drawn: Floats, left_out: Floats, number: int) -> float:
    """Return the larger of the standard errors that the draws and the values without each cluster give."""
    return float(np.fmax(np.sqrt(spread(drawn[:, None], number).variance[0]), jackknife_error(left_out)))


def by_context(residuals: Floats, tokens: WrongTokens) -> tuple[float, int]:
    """Return the standard error of Σ residuals over contexts, gold phones between two others, and their number."""
    phones = int(max(tokens.gold.max(), tokens.gold_left.max(), tokens.gold_right.max())) + 1
    context = (tokens.gold * phones + tokens.gold_left) * phones + tokens.gold_right
    return over_groups(residuals, context)


def over_groups(residuals: Floats, groups: Codes) -> tuple[float, int]:
    """Return the standard error of a sum of residuals that depend on each other within groups, and their number."""
    _, codes = np.unique(groups, return_inverse=True)
    number = int(codes.max()) + 1
    sums = sum_by(codes, residuals, number)
    return math.sqrt(number / max(number - 1, 1) * float((sums**2).sum())), number


def _by_cluster(pulls: Pulls, utterance: Codes, resampling: Resampling) -> tuple[Floats, Floats, int]:
    """Return the share of each draw [R] and without each cluster [C], and how many clusters have room."""
    utterances = len(resampling.clusters)
    excess, room = (
        resampling.by_cluster(sum_by(utterance, values, utterances)) for values in (pulls.excess, pulls.room)
    )
    top, bottom = resampling.drawn_sums(excess, room)
    left_out = divided(excess.sum() - excess, room.sum() - room)
    return np.where(bottom > 0, divided(top, bottom), np.nan), left_out, int(np.count_nonzero(room))

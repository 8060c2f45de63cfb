"""Entropies and information as statistics of confusion counts: jackknifed over clusters."""

import math
from functools import partial

from phonxling.analyses.statistic import Counts, Statistic
from phonxling.core.arrays import Floats
from phonxling.resample.jackknife import ClusterCells


def _of(counts: Counts, name: str) -> Floats:
    return counts.information[name]


def _left_out(clusters: ClusterCells, name: str) -> Floats:
    return clusters.left_out[name]


def _statistic(name: str, side: str = "") -> Statistic:
    key = f"{name}_{side}" if side else name
    of, left_out = partial(_of, name=key), partial(_left_out, name=key)
    high = 1.0 if side else math.inf  # of bits the numbers of symbols say, see `Statistic.most`
    return Statistic(name=name, variant=side, of=of, left_out=left_out, entropic=True, high=high, row=False)


GOLD = _statistic("entropy_gold")
"""What information is a share of."""

STATISTICS = (
    _statistic("conditional_entropy"),
    _statistic("conditional_entropy_given_predicted"),
    _statistic("mutual_information"),
    GOLD,
    _statistic("entropy_predicted"),
    _statistic("uncertainty_coefficient", "gold"),
)

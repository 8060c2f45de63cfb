"""The best symbol of each frame to runs: what was said from which frame to which, and how surely."""

from typing import NamedTuple

import numpy as np

from phonxling.core.arrays import Bools, Codes, Floats


class Runs(NamedTuple):
    """n runs of frames of one symbol each: frames first … last − 1, and the mean probability of the symbol in them."""

    symbol: Codes
    first: Codes
    last: Codes
    confidence: Floats

    def select(self, chosen: Bools) -> "Runs":
        """Return some of the runs."""
        return Runs(self.symbol[chosen], self.first[chosen], self.last[chosen], self.confidence[chosen])


def runs_of(best: Codes, probability: Floats) -> Runs:
    """Return the runs of equal symbols among the frames' best ones, [T], whose probabilities are given, [T].

    Examples
    --------
    >>> runs_of(np.array([2, 2, 0]), np.array([0.5, 1.0, 0.75])).confidence.tolist()
    [0.75, 0.75]
    """
    if not len(best):
        return Runs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    first = np.flatnonzero(np.diff(best, prepend=best[0] - 1))
    last = np.append(first[1:], len(best))
    mean = np.add.reduceat(probability, first) / (last - first)
    return Runs(best[first], first, last, np.minimum(mean, 1.0))  # rows sum to 1 within 0.01


def lasting(runs: Runs, least: int) -> Runs:
    """Return the runs of at least so many frames; those of one symbol that are then neighbours are one run.

    Its confidence is the mean over the frames of its parts, without what stood between them.

    Examples
    --------
    >>> parts = runs_of(np.array([1, 1, 1, 0, 1, 1, 2, 2]), np.array([0.6, 0.6, 0.6, 0.5, 0.8, 0.8, 0.9, 0.9]))
    >>> [values.round(2).tolist() for values in lasting(parts, 2)]
    [[1, 2], [0, 6], [6, 8], [0.68, 0.9]]
    """
    long = runs.select(runs.last - runs.first >= least)
    if not len(long.symbol):
        return long
    begin = np.flatnonzero(np.diff(long.symbol, prepend=long.symbol[0] - 1))
    frames = long.last - long.first
    mean = np.add.reduceat(long.confidence * frames, begin) / np.add.reduceat(frames, begin)
    end = np.append(begin[1:], len(long.symbol)) - 1
    return Runs(long.symbol[begin], long.first[begin], long.last[end], mean)

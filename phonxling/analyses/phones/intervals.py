"""The limits of each column of phones.tsv that has some, [S] each, from the side, the column's name and its values."""

from collections.abc import Iterable
from functools import partial

import numpy as np

from phonxling.analyses.correspondence.tau import tau_interval
from phonxling.analyses.phones.side import PhoneSide
from phonxling.core.arrays import Bools, Floats, narrow
from phonxling.core.estimate import Estimate
from phonxling.resample.intervals import estimate
from phonxling.resample.proportion import ClusteredTokens, share_limits

Limits = tuple[Floats, Floats]


def cost_limits(side: PhoneSide, column: str, values: Floats) -> Limits:
    """Return the limits of each phone's mean cost."""
    of_cost = partial(estimate, resampling=side.resampling, kind="rate")
    return _limits(map(of_cost, values.tolist(), side.drawn[column]))


def tau_limits(side: PhoneSide, column: str, values: Floats) -> Limits:
    """Return the limits of each gold phone's τ."""
    return _limits(map(partial(tau_interval, resampling=side.resampling), values.tolist(), side.drawn[column]))


def correct_limits(side: PhoneSide, column: str, *_: object) -> Limits:
    """Return the limits of each phone's share of correct tokens."""
    same = np.pad(side.same, ((0, 1), (0, 1)))
    return _share_limits(side, column, same)


def deleted_limits(side: PhoneSide, column: str, *_: object) -> Limits:
    """Return the limits of each gold phone's share of deleted tokens."""
    gap = np.arange(len(side.matrix.predicted) + 1) == len(side.matrix.predicted)
    return _share_limits(side, column, np.tile(gap, (len(side.phones) + 1, 1)))


def _share_limits(side: PhoneSide, column: str, event: Bools) -> Limits:
    """Return the limits of each phone's share of tokens in cells [S + 1, O + 1] with an event."""
    return share_limits(_clustered(side, event), side.drawn[column], side.resampling)


def _clustered(side: PhoneSide, event: Bools) -> ClusteredTokens:
    """Return how many tokens each phone has in each cluster, and how many of them are in cells with the event."""
    phones, parts = len(side.phones), [tuple(narrow(np.zeros(0)) for _ in range(3))]
    for cells in side.clusters.parts():
        row, sums = cells.by_row(cells.tokens, cells.tokens * event[cells.row, cells.column])
        parts.append(tuple(narrow(values[row < phones]) for values in (row, *sums)))
    kind, tokens, events = (np.concatenate(part) for part in zip(*parts, strict=True))
    return ClusteredTokens(kind, tokens, events, phones)


def entropy_limits(side: PhoneSide, *_: object) -> Limits:
    """Return the limits of each phone's entropy, in bits."""
    return _limits(side.entropies)


def perplexity_limits(side: PhoneSide, *_: object) -> Limits:
    """Return the limits of each phone's perplexity."""
    low, high = _limits(side.entropies)
    return 2.0**low, 2.0**high


def _limits(estimates: Iterable[Estimate]) -> Limits:
    limits = np.array([(one.low, one.high) for one in estimates], dtype=np.float64).reshape(-1, 2)
    return limits[:, 0], limits[:, 1]

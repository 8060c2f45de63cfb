"""The columns of phones.tsv, each declared once: its values, what replicates show of it, its limits.

A new column is an entry of `COLUMNS` and a row of `tables/columns.tsv`; three rows if it has limits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from phonxling.alignment.costs.named import is_feature_cost
from phonxling.analyses.correspondence.lists import nearest_phones, top_confusions
from phonxling.analyses.correspondence.tau import correspondence_tau, phone_taus
from phonxling.analyses.information.entropy import Given
from phonxling.analyses.phones.counts import PhoneCounts
from phonxling.analyses.phones.intervals import (
    Limits,
    correct_limits,
    cost_limits,
    deleted_limits,
    entropy_limits,
    perplexity_limits,
    tau_limits,
)
from phonxling.analyses.phones.side import PhoneSide
from phonxling.core.arrays import Floats, divided, whole


@dataclass(frozen=True, kw_only=True)
class PhoneColumn:
    """A column of phones.tsv.

    Parameters
    ----------
    name : str
        As in columns.tsv.
    values : callable
        A side to the values of its phones, [S].
    drawn : callable, optional
        Counts of replicates to the same number in each, [S, R].
    limits : callable, optional
        A side, the column's name and its values to the lower and the upper limits, [S] each.
    of : tuple of {"gold", "predicted"}
        The sides whose phones have it; empty for the others.
    """

    name: str
    values: Callable[[PhoneSide], Any]
    drawn: Callable[[PhoneCounts], Floats] | None = None
    limits: Callable[[PhoneSide, str, Any], Limits] | None = None
    of: tuple[Given, ...] = ("gold", "predicted")


def _mean_cost(side: PhoneSide) -> Floats:
    counts = np.where(side.same, 0.0, side.matrix.substitutions)
    costs = (counts * side.costs[:-1, :-1]).sum(axis=1)
    return divided(costs, counts.sum(axis=1))


def _drawn_mean_cost(counts: PhoneCounts) -> Floats:
    costs = np.einsum("gpr,gp->gr", counts.pairs, np.where(counts.same, 0.0, counts.prices))
    return divided(costs, counts.pairs.sum(axis=1) - counts.correct)


def _tau(side: PhoneSide) -> Floats:
    if side.learned or not side.scoring.as_rate:
        return np.full(len(side.phones), np.nan)
    return correspondence_tau(side.matrix, side.scoring)[0]


def _drawn_tau(counts: PhoneCounts) -> Floats:
    if counts.similarity is None:
        return np.full(counts.tokens.shape, np.nan)
    return phone_taus(counts.pairs, counts.same, counts.similarity)


def _nearest(side: PhoneSide) -> list[str]:
    by_features = side.scoring.as_rate and is_feature_cost(side.scoring.name)
    return [" ".join(row) for row in nearest_phones(side.scoring)] if by_features else [""] * len(side.phones)


COLUMNS = (
    PhoneColumn(name="side", values=lambda side: [side.side] * len(side.phones)),
    PhoneColumn(name="phone", values=lambda side: list(side.phones)),
    PhoneColumn(name="tokens", values=lambda side: whole(np.round(side.tokens, 6))),  # shares add up to whole ones
    PhoneColumn(name="correct", values=lambda side: whole(side.correct)),
    PhoneColumn(
        name="accuracy",
        values=lambda side: divided(side.correct, side.tokens),
        drawn=lambda counts: divided(counts.correct, counts.tokens),
        limits=correct_limits,
    ),
    PhoneColumn(
        name="deletion_rate",
        values=lambda side: divided(side.matrix.deletions, side.tokens),
        drawn=lambda counts: divided(counts.gaps, counts.tokens),
        limits=deleted_limits,
        of=("gold",),
    ),
    PhoneColumn(
        name="entropy", values=lambda side: np.array([one.value for one in side.entropies]),
        drawn=lambda counts: counts.entropies, limits=entropy_limits,
    ),
    PhoneColumn(
        name="perplexity", values=lambda side: np.array([2.0**one.value for one in side.entropies]),
        limits=perplexity_limits,
    ),
    PhoneColumn(name="nearest", values=_nearest, of=("gold",)),
    PhoneColumn(
        name="confused_with", values=lambda side: [" ".join(row) for row in top_confusions(side.matrix)], of=("gold",)
    ),
    PhoneColumn(name="tau", values=_tau, drawn=_drawn_tau, limits=tau_limits, of=("gold",)),
    PhoneColumn(
        name="mean_substitution_cost", values=_mean_cost, drawn=_drawn_mean_cost, limits=cost_limits, of=("gold",)
    ),
)  # fmt: skip


def columns_of(side: Given) -> list[PhoneColumn]:
    """Return the columns that the phones of a side have."""
    return [column for column in COLUMNS if side in column.of]

"""What each phone shows in counts of many replicates, and in one pass over them what the whole corpus shows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from phonxling.analyses.correspondence.tau import phone_taus
from phonxling.analyses.statistic import Counts, CountSettings, Statistic, replicates
from phonxling.core.arrays import Bools, Floats, divided
from phonxling.core.confusion import ConfusionStack
from phonxling.resample.entropy_sums import row_entropies
from phonxling.resample.weights import Resampling


@dataclass(frozen=True, eq=False)
class PhoneNumbers:
    """What each phone of one side shows in each replicate, [phones, R] each; NaN where a replicate has none of it."""

    accuracy: Floats
    deletion_rate: Floats
    entropy: Floats
    mean_substitution_cost: Floats


@dataclass(frozen=True, eq=False)
class Draws:
    """What the replicates show: statistics by key, [R] each, the phones of both sides, τ of gold phones [G, R]."""

    statistics: Mapping[str, Floats]
    gold: PhoneNumbers
    predicted: PhoneNumbers
    phone_tau: Floats


def draw_all(
    statistics: Sequence[Statistic],
    stack: ConfusionStack,
    resampling: Resampling,
    settings: CountSettings,
    prices: Floats,
) -> Draws:
    """Return what the replicates of a corpus' confusions show; `prices` [G, P] is what a substitution costs."""
    sizes = len(stack.gold), len(stack.predicted)
    parts = [_of(statistics, counts, prices) for counts in replicates(stack, resampling, settings)]
    return Draws(
        statistics={one.key: np.concatenate([np.zeros(0), *(part.statistics[one.key] for part in parts)])
                    for one in statistics},
        gold=_joined([part.gold for part in parts], sizes[0]),
        predicted=_joined([part.predicted for part in parts], sizes[1]),
        phone_tau=np.concatenate([np.zeros((sizes[0], 0)), *(part.phone_tau for part in parts)], axis=1),
    )  # fmt: skip


def phone_numbers(counts: Counts, prices: Floats) -> tuple[PhoneNumbers, PhoneNumbers]:
    """Return what the gold phones show, and what the predicted ones do."""
    arrays = counts.total, counts.symbols, counts.cells
    turned = [array.swapaxes(0, 1) for array in arrays]
    return _side(*arrays, same=counts.same, prices=prices), _side(*turned, same=counts.same.T, prices=prices.T)


def _of(statistics: Sequence[Statistic], counts: Counts, prices: Floats) -> Draws:
    costs, gold = counts.settings.similarity, len(prices)
    taus = np.zeros((gold, 0)) if costs is None else phone_taus(counts.pairs, counts.same, costs)
    return Draws({one.key: one.of(counts) for one in statistics}, *phone_numbers(counts, prices), taus)


def _side(total: Floats, symbols: Floats, cells: Floats, *, same: Bools, prices: Floats) -> PhoneNumbers:
    own = total[:-1]
    tokens, heard = own.sum(axis=1), own[:, :-1]
    right = np.einsum("gpr,gp->gr", heard, same.astype(np.float64))
    cost = np.einsum("gpr,gp->gr", heard, np.where(same, 0.0, prices))
    return PhoneNumbers(
        accuracy=divided(right, tokens),
        deletion_rate=divided(own[:, -1], tokens),
        entropy=row_entropies(symbols.sum(axis=1), cells.sum(axis=1))[: len(same)],
        mean_substitution_cost=divided(cost, heard.sum(axis=1) - right),
    )


def _joined(parts: Sequence[PhoneNumbers], phones: int) -> PhoneNumbers:
    def along(name: str) -> Iterator[Floats]:
        yield np.zeros((phones, 0))
        yield from (getattr(part, name) for part in parts)

    return PhoneNumbers(**{one.name: np.concatenate(list(along(one.name)), axis=1) for one in fields(PhoneNumbers)})

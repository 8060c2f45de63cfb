"""What bootstrap replicates show, in one pass over them: of the whole corpus, and of each phone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from phonxling.analyses.information.entropy import Given
from phonxling.analyses.phones.columns import columns_of
from phonxling.analyses.phones.counts import counts_of
from phonxling.analyses.statistic import Counts, CountSettings, Statistic, replicates
from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.resample.weights import Resampling


@dataclass(frozen=True, eq=False)
class Draws:
    """What the replicates show: statistics by key, [R] each; numbers of each side's phones by column, [phones, R]."""

    statistics: Mapping[str, Floats]
    gold: Mapping[str, Floats]
    predicted: Mapping[str, Floats]


def draw_all(
    statistics: Sequence[Statistic],
    stack: ConfusionStack,
    resampling: Resampling,
    settings: CountSettings,
    prices: Floats,
) -> Draws:
    """Return what the replicates of a corpus' confusions show; `prices` [G, P] is what a substitution costs."""
    none = Draws(
        statistics={one.key: np.zeros(0) for one in statistics},
        gold={column.name: np.zeros((len(stack.gold), 0)) for column in columns_of("gold") if column.drawn},
        predicted={
            column.name: np.zeros((len(stack.predicted), 0)) for column in columns_of("predicted") if column.drawn
        },
    )
    parts = [none, *(_of(statistics, counts, prices) for counts in replicates(stack, resampling, settings))]
    return Draws(
        _joined([part.statistics for part in parts]),
        _joined([part.gold for part in parts]),
        _joined([part.predicted for part in parts]),
    )


def _of(statistics: Sequence[Statistic], counts: Counts, prices: Floats) -> Draws:
    return Draws(
        {one.key: one.of(counts) for one in statistics},
        _of_phones("gold", counts, prices),
        _of_phones("predicted", counts, prices),
    )


def _of_phones(side: Given, counts: Counts, prices: Floats) -> dict[str, Floats]:
    own = counts_of(side, counts, prices)
    return {column.name: column.drawn(own) for column in columns_of(side) if column.drawn}


def _joined(parts: Sequence[Mapping[str, Floats]]) -> dict[str, Floats]:
    return {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}

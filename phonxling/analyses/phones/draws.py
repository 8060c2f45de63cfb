"""What bootstrap replicates show of each phone, in one pass over them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from phonxling.analyses.information.entropy import Given
from phonxling.analyses.phones.columns import columns_of
from phonxling.analyses.phones.counts import counts_of
from phonxling.analyses.statistic import Counts, CountSettings, replicates
from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.resample.weights import Resampling


@dataclass(frozen=True, eq=False)
class PhoneDraws:
    """What the replicates show: numbers of each side's phones by column, [phones, R]."""

    gold: Mapping[str, Floats]
    predicted: Mapping[str, Floats]


def phone_draws(stack: ConfusionStack, resampling: Resampling, settings: CountSettings, prices: Floats) -> PhoneDraws:
    """Return what the replicates of a corpus' confusions show; `prices` [G, P] is what a substitution costs."""
    none = PhoneDraws(
        gold={column.name: np.zeros((len(stack.gold), 0)) for column in columns_of("gold") if column.drawn},
        predicted={
            column.name: np.zeros((len(stack.predicted), 0)) for column in columns_of("predicted") if column.drawn
        },
    )
    whole = replace(settings, halving=None)
    parts = [none, *(_of(counts, prices) for counts in replicates(stack, resampling, whole))]
    return PhoneDraws(_joined([part.gold for part in parts]), _joined([part.predicted for part in parts]))


def _of(counts: Counts, prices: Floats) -> PhoneDraws:
    return PhoneDraws(_of_phones("gold", counts, prices), _of_phones("predicted", counts, prices))


def _of_phones(side: Given, counts: Counts, prices: Floats) -> dict[str, Floats]:
    own = counts_of(side, counts, prices)
    return {column.name: column.drawn(own) for column in columns_of(side) if column.drawn}


def _joined(parts: Sequence[Mapping[str, Floats]]) -> dict[str, Floats]:
    return {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}

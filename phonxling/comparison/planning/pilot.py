"""What a plan rests on: how far the utterances of finished results move a measure, or its difference of two systems."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from phonxling.analyses.measures import Measure, compared
from phonxling.analyses.statistics import named
from phonxling.comparison.definitions import signature_of, unlike
from phonxling.comparison.measured import Measured
from phonxling.core.arrays import Floats
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.progress import Progress
from phonxling.resample.planning.components import Components, components, linearised
from phonxling.settings.checks import did_you_mean, listed

_USUAL = ("wper", "per")  # the first that all items have is planned, where none is named


@dataclass(frozen=True, eq=False, kw_only=True)
class Pilot:
    """One item, or two systems on the same utterances, and how its utterances and speakers vary in a measure.

    `by_speaker` is False where no speaker has two utterances, or none is known: utterances are the clusters then.
    """

    names: tuple[str, ...]
    measure: Measure
    value: float
    utterances: int
    components: Components
    by_speaker: bool
    level: float
    signature: str

    @property
    def paired(self) -> bool:
        """Whether it is of two systems."""
        return len(self.names) > 1

    def variances(self, utterances: float) -> tuple[Floats, Floats, Floats]:
        """Return what V(U) may be, and its upper and lower limit; none where nothing varies or V(∞) may be 0."""
        low, high = self.components.limits(utterances, self.level)
        known = self.components.variance(utterances) > 0 and (low > 0 or not math.isinf(utterances))
        values = self.components.possible(utterances), np.array([high]), np.array([low])
        return values if known else (np.zeros(0),) * 3


def pilots(sides: Sequence[Measured], name: str | None, progress: Progress) -> Iterator[Pilot]:
    """Yield the pilot of each item, then of each two that have the same utterances and are defined alike.

    ConfigurationError for a measure that is no ratio of sums; DataError where the results lack it, or for one cluster.
    """
    measure = _measure(sides, name)
    for side in sides:
        yield _pilot(measure, side)
    for first, second in combinations(sides, 2):
        if first.group == second.group:
            if apart := unlike(first.item, second.item, measure.name, measure.variant):
                names = f"{first.item.name} and {second.item.name}"
                progress.say(f"{names}: no plan for pairs, since {measure.name} is not defined alike: {apart}")
            else:
                yield _pilot(measure, first, second)


def ratios() -> dict[str, Measure]:
    """Return the measures that are ratios of sums over utterances, by name."""
    return {one.name: one for one in compared() if named(one.name) is None}


def _measure(sides: Sequence[Measured], name: str | None) -> Measure:
    known = ratios()
    if name is not None and name not in known:
        raise ConfigurationError(
            f"no plan for {name!r}{did_you_mean(name, known)}; there is one for {listed([*known])}"
        )
    wanted = [known[one] for one in ([name] if name else _USUAL)]
    measure = next((one for one in wanted if all(_defined(side, one) for side in sides)), None)
    if measure is None:
        lacking = next(side.item.name for side in sides if not _defined(side, wanted[0]))
        raise DataError(f"{lacking}: has no {wanted[0].name} by utterance, so there is nothing to plan with")
    return measure


def _defined(side: Measured, measure: Measure) -> bool:
    above, below = side.parts(measure)
    return bool(np.isfinite(above).all() and np.isfinite(below).all() and below.sum() > 0)


def _pilot(measure: Measure, *sides: Measured) -> Pilot:
    draws, level = sides[0].resampling, sides[0].resampling.level
    if draws.number < 2:
        raise DataError(
            f"{sides[0].item.name}: has one {draws.unit} only, which does not tell how {draws.unit}s differ; "
            "a plan needs two at least, and five to be of use"
        )
    parts = [side.parts(measure) for side in sides]
    signs = (1, -1)[: len(sides)]
    moved = sum((sign * linearised(*part) for sign, part in zip(signs, parts, strict=True)), np.zeros(1))
    value = sum(sign * above.sum() / below.sum() for sign, (above, below) in zip(signs, parts, strict=True))
    return Pilot(
        names=tuple(side.item.name for side in sides),
        measure=measure,
        value=float(value),
        utterances=len(moved),
        components=components(moved, draws.clusters, draws.number),
        by_speaker=draws.unit == "speaker" and draws.number < len(moved),
        level=level,
        signature=" / ".join(dict.fromkeys(signature_of(side.item, measure.name, measure.variant) for side in sides)),
    )

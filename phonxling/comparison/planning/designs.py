"""Designs of a study, so many speakers of so many utterances each: what each would find, as rows of plan.tsv."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from phonxling.comparison.planning.pilot import Pilot
from phonxling.core.errors import ConfigurationError
from phonxling.core.estimate import joined
from phonxling.resample.planning.power import power_of, shift_for
from phonxling.resample.student import FEW_CLUSTERS

SPEAKERS, EACH = (6, 12, 24, 48, 96), (10, 40, math.inf)
ALONE = (100, 200, 400, 800, 1600, 3200)  # utterances, where speakers are not known
_MOST = 1_000_000  # clusters of a study
Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a plan; ConfigurationError for what cannot be asked."""

    difference: float | None = None
    power: float = 0.8
    speakers: tuple[int, ...] = ()
    utterances: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.difference is not None and not 0 < self.difference < math.inf:
            raise ConfigurationError(f"difference: must be above 0, not {self.difference:g}")
        if not 0.5 <= self.power < 1:
            raise ConfigurationError(f"power: is a probability from 0.5 to below 1, not {self.power:g}")
        for name, least in (("speakers", 2), ("utterances", 1)):
            wrong = [number for number in getattr(self, name) if not least <= number <= _MOST]
            if wrong:
                raise ConfigurationError(f"{name}: from {least} to {_MOST:,}, not {wrong[0]}")


@dataclass(frozen=True, slots=True)
class Design:
    """So many clusters of `each` utterances, in the plan of a pilot."""

    pilot: Pilot
    clusters: int
    each: float

    def error(self, variance: float) -> float:
        """Return the standard error of the measure in a corpus of this design, or of the difference of two systems."""
        return math.sqrt(variance / self.clusters)

    def least(self, variance: float, power: float) -> float:
        """Return the least difference that is found with a probability; NaN below five clusters, which have no test."""
        error, freedom = self._tested(variance)
        return error * shift_for(power, freedom, self.pilot.level) if freedom else math.nan

    def power(self, variance: float, difference: float) -> float:
        """Return the probability that a difference is found; NaN as for `least`."""
        error, freedom = self._tested(variance)
        return power_of(difference / error, freedom, self.pilot.level) if freedom else math.nan

    def _tested(self, variance: float) -> tuple[float, int]:
        """Return the standard error of what is tested, two such corpora or two systems, and its degrees of freedom."""
        sides = 1 if self.pilot.paired else 2
        tested = self.clusters >= FEW_CLUSTERS and not math.isnan(variance)
        return math.sqrt(sides) * self.error(variance), sides * (self.clusters - 1) * tested


def rows_of(pilot: Pilot, wanted: Wanted) -> Iterator[Row]:
    """Yield the designs of a pilot, the first wanted or its own at the head; then those that a difference needs."""
    parts, alone = pilot.components, not pilot.by_speaker
    about: Row = {
        "item": pilot.names[0],
        "other": pilot.names[-1] * pilot.paired,
        "measure": pilot.measure.name,
        "paired": "yes" if pilot.paired else "no",
        "value": pilot.value,
        "pilot_speakers": math.nan if alone else parts.clusters,
        "pilot_utterances": pilot.utterances,
        "sd_between": math.nan if alone else math.sqrt(max(parts.between, 0.0)),
        "sd_within": math.sqrt(parts.variance(1) if alone else parts.within),
        "note": _note(pilot),
        "signature": pilot.signature,
    }
    designs = [*_designs(pilot, wanted)]
    for design in designs:
        yield {**about, **_row(design, wanted), "needed": "no"}
    for each in dict.fromkeys(design.each for design in designs) if wanted.difference is not None else ():
        yield from ({**about, **row, "needed": "yes"} for row in _needed(pilot, each, wanted))


def _designs(pilot: Pilot, wanted: Wanted) -> Iterator[Design]:
    """Yield the designs: the first wanted, in which the pilot stands for what is not said, then all others."""
    number = pilot.components.clusters
    if not pilot.by_speaker:
        totals = wanted.utterances or (number, *ALONE)
        yield from (Design(pilot, total, 1) for total in dict.fromkeys((totals[0], *sorted(totals))))
        return
    speakers = wanted.speakers or (number, *SPEAKERS)
    each = wanted.utterances or (max(1, round(pilot.utterances / number)), *EACH)
    first = speakers[0], each[0]
    yield from (Design(pilot, *pair) for pair in dict.fromkeys([first, *product(sorted(speakers), sorted(each))]))


def _row(design: Design, wanted: Wanted) -> Row:
    by_speaker, variances = design.pilot.by_speaker, design.pilot.variances(design.each)
    row: Row = {
        "speakers": design.clusters if by_speaker else math.nan,
        "utterances": design.each if by_speaker else design.clusters,
        "power": wanted.power,
        "level": design.pilot.level,
    }
    for end, variance in zip(("", "_low", "_high"), variances, strict=True):
        row |= {
            f"standard_error{end}": design.error(variance),
            f"least_difference{end}": design.least(variance, wanted.power),
        }
    if wanted.difference is not None:
        row |= {"difference": wanted.difference, "difference_power": design.power(variances[0], wanted.difference)}
    return row


def _needed(pilot: Pilot, each: float, wanted: Wanted) -> Iterator[Row]:
    """Yield the design of fewest clusters that finds the difference wanted; nothing where a million do not."""
    number, low, high = (_fewest(pilot, each, variance, wanted) for variance in pilot.variances(each))
    if math.isfinite(number):
        yield {**_row(Design(pilot, int(number), each), wanted), "needed_low": low, "needed_high": high}


def _fewest(pilot: Pilot, each: float, variance: float, wanted: Wanted) -> float:
    """Return how many clusters find the difference wanted, 5 or more; inf above a million, NaN without a variance."""
    difference = wanted.difference or 0.0
    one = Design(pilot, _MOST, each).least(variance, wanted.power) * math.sqrt(_MOST)  # with the t of a million
    if math.isnan(one) or one / difference > math.sqrt(_MOST):
        return one * math.inf
    number = max(FEW_CLUSTERS, int((one / difference) ** 2))
    while Design(pilot, number, each).least(variance, wanted.power) > difference:
        number += 1
    return number


def _note(pilot: Pilot) -> str:
    parts = pilot.components
    if not pilot.by_speaker:
        return (
            "utterances count as independent: no speaker is known to have two; where one has, the plan is too hopeful"
        )
    few = f"{parts.clusters} speakers only: how much speakers differ is hardly known" * (parts.clusters < FEW_CLUSTERS)
    alike = "speakers differ no more than their utterances would make them: the variance between them is taken as 0"
    unsure = "the variance between speakers is not clearly above 0: what many utterances each would find is uncertain"
    known = parts.limits(math.inf, pilot.level)[0] > 0
    return joined([few, alike if parts.between <= 0 else unsure * (not known)])

"""Designs of a study, so many speakers of so many utterances each: what each would find, as rows of plan.tsv."""

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from phonxling.comparison.planning.pilot import Pilot
from phonxling.core.arrays import Floats
from phonxling.core.errors import ConfigurationError
from phonxling.core.estimate import joined
from phonxling.resample.planning.power import assurance, least_difference
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

    def least(self, variances: Floats, power: float) -> float:
        """Return the least difference that is found with an assurance; NaN below five clusters, which have no test."""
        errors, freedom = self._tested(variances)
        return least_difference(power, errors, freedom, self.pilot.level) if len(errors) else math.nan

    def power(self, variances: Floats, difference: float) -> float:
        """Return the probability that a difference is found; NaN as for `least`."""
        errors, freedom = self._tested(variances)
        return assurance(difference, errors, freedom, self.pilot.level) if len(errors) else math.nan

    def _tested(self, variances: Floats) -> tuple[Floats, int]:
        """Return possible standard errors of what is tested, two such corpora or two systems; degrees of freedom."""
        sides = 1 if self.pilot.paired else 2
        tested = variances if self.clusters >= FEW_CLUSTERS else variances[:0]
        return np.sqrt(sides * tested / self.clusters), sides * (self.clusters - 1)


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
    if wanted.difference is not None:
        for each in dict.fromkeys(design.each for design in designs):
            yield from ({**about, **row, "needed": "yes"} for row in _needed(pilot, each, wanted, wanted.difference))


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
    pilot, each = design.pilot, design.each
    possible, *ends = pilot.variances(each)
    least, asked = design.least(possible, wanted.power), wanted.difference
    row: Row = {
        "speakers": design.clusters if pilot.by_speaker else math.nan,
        "utterances": each if pilot.by_speaker else design.clusters,
        "standard_error": math.sqrt(pilot.components.variance(each) / design.clusters) if len(possible) else math.nan,
        "least_difference": least,
        "power": wanted.power,
        "level": pilot.level,
    }
    if asked is not None:
        row |= {"difference": asked, "difference_power": design.power(possible, asked)}
    for name, variances in zip(("low", "high"), ends, strict=True):  # the less is found the more there is of variance
        other = {"low": "high", "high": "low"}[name]
        row[f"standard_error_{other}"] = math.sqrt(variances[0] / design.clusters) if len(variances) else math.nan
        row[f"power_{name}"] = design.power(variances, least)
        if asked is not None:
            row[f"difference_power_{name}"] = design.power(variances, asked)
    return row


def _needed(pilot: Pilot, each: float, wanted: Wanted, difference: float) -> Iterator[Row]:
    """Yield the design of fewest clusters, 5 or more, that finds a difference; nothing where a million do not."""
    possible, *_ = pilot.variances(each)

    def enough(number: int) -> bool:
        return Design(pilot, number, each).power(possible, difference) >= wanted.power

    if enough(_MOST):
        fewest = bisect_left(range(_MOST), True, FEW_CLUSTERS, key=enough)
        yield _row(Design(pilot, fewest, each), wanted)


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

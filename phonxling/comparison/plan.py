"""Designs of a study, so many speakers of so many utterances each: what each would find, as rows of plan.tsv."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd

from phonxling.analyses.measures import Measure, compared
from phonxling.analyses.statistics import named
from phonxling.comparison.items import read_items
from phonxling.comparison.measured import Measured, measured
from phonxling.comparison.other_gold import signature_of, unlike
from phonxling.core.arguments import checked_types
from phonxling.core.arrays import Floats
from phonxling.core.display import Shown, counted
from phonxling.core.display import listed as listed_plan
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.estimate import joined
from phonxling.core.work import Progress, Silent
from phonxling.resample.planning import Components, assurance, components, least_difference, linearised
from phonxling.resample.student import FEW_CLUSTERS
from phonxling.settings.checks import did_you_mean, listed
from phonxling.store.folder import reading
from phonxling.tables.files import table_of

# What a plan rests on: how far the utterances of finished results move a measure, or its difference of two systems.

_USUAL = ("wper", "per")  # the first that all items have is planned, where none is named


@dataclass(frozen=True, eq=False, kw_only=True)
class Pilot:
    """One item, or two systems on the same utterances, and how its utterances and speakers vary in a measure."""

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
    """Yield the pilot of each item, then of each two that have the same utterances and are defined alike."""
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


# How many speakers and utterances are enough, from the variances that finished results show.


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Plan(Shown):
    """What designs of a study would find.

    Parameters
    ----------
    table : DataFrame
        A row a design: speakers, utterances of each, standard error, least difference, assurance. The first
        row of an item is the design that was asked for first, or that of the results themselves. docs/tables.md.
    """

    table: pd.DataFrame

    def _facts(self) -> Iterator[str]:
        first = self.table.drop_duplicates(["item", "other"])
        yield f"{first['measure'].iloc[0]} of {listed_plan(dict.fromkeys(first['item']))}"
        for row in first.to_dict("records"):
            number = f"{row['speakers']:g} speakers × " if row["speakers"] == row["speakers"] else ""
            least = f"{row['least_difference']:.3g} with an assurance of {row['power']:.0%}"
            yield f"{number}{row['utterances']:g} utterances find {least}" + ", paired" * (row["paired"] == "yes")
        yield counted(len(self.table), "design")

    def to_frame(self) -> pd.DataFrame:
        """Return the designs: `table`."""
        return self.table


@checked_types
def plan(
    results: str | Path | Sequence[str | Path],
    *,
    corpus: str | None = None,
    measure: str | None = None,
    difference: float | None = None,
    power: float = 0.8,
    speakers: Sequence[int] | None = None,
    utterances: Sequence[int] | None = None,
) -> Plan:
    """Return what studies of so many speakers and utterances would find, from stored results alone.

    The measure is a ratio R = Σ a / Σ b over utterances; one of them moves it by y = (a − R b) / mean(b). An analysis
    of variance gives the variance of y between speakers, τ², and within them, σ². C speakers of U utterances then have
    the standard error √((τ² + σ²/U) / C). The least difference is what a two-sided t test finds with the assurance
    `power`, its probability averaged over the τ² and σ² that the results leave possible: between two independent
    corpora of that design (2 (C − 1) degrees of freedom), and, where two of the items have the same utterances, between
    two systems on one corpus (C − 1).

    Parameters
    ----------
    results : path, or list of paths
        Folders of finished results: one or more items, as for `compare`.
    corpus : str, optional
        Plan with this corpus alone.
    measure : str, optional
        A ratio that `compare` knows: wper (default, per where there is none), per, per_aligned, accuracy,
        substitution_rate, deletion_rate, insertion_rate, skill_per, skill_wper, attainable_skill_per,
        attainable_skill_wper.
    difference : float, optional
        In the unit of the measure, above 0: with which assurance designs find it, and how many speakers that needs.
    power : float
        From 0.5 to below 1.
    speakers, utterances : list of int, optional
        Designs: speakers (2 or more), utterances of each. Of results without speakers: utterances of all.

    Raises
    ------
    ConfigurationError
        If there is no such corpus or measure; if a number is out of its range; if a folder is given twice.
    DataError
        If a folder holds no finished results, or a table has changed.
        If there is one speaker only, or (no speakers being known) one utterance.
        If an item has no such measure by utterance.

    References
    ----------
    Searle, Casella & McCulloch (1992), chapter 3. Cochran (1977), chapters 6 and 10. O'Hagan, Stevens &
    Campbell (2005).

    Examples
    --------
    `px.plan("results/demo", corpus="yoruba", difference=0.02).table`
    """
    folders = [results] if isinstance(results, str | Path) else [*results]
    wanted = Wanted(difference, power, tuple(speakers or ()), tuple(utterances or ()))
    return planned([Path(folder) for folder in folders], wanted, Silent(), corpus=corpus, measure=measure)


def planned(
    folders: Sequence[Path], wanted: Wanted, progress: Progress, *, corpus: str | None, measure: str | None
) -> Plan:
    """Return the plan of finished results; errors as for `plan`."""
    with ExitStack() as readings:
        for folder in folders:
            readings.enter_context(reading(folder))
        items = read_items(folders, progress, corpus)
    sides = measured(items, paired=True, resamples=0, seed=0)
    known = [*pilots(sides, measure, progress)]
    if wanted.speakers and not all(pilot.by_speaker for pilot in known):
        progress.say("note: where speakers are not known, --utterances are those of all, and --speakers is not used")
    return Plan(table=table_of("plan/plan", (row for pilot in known for row in rows_of(pilot, wanted))))

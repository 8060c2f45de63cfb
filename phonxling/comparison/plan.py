"""How many speakers and utterances are enough: what designs of a study would find, as rows of plan.tsv.

A pilot is one item of finished results, or two on the same utterances: how far its utterances move a measure, or the
difference of the two in it, and how this varies between speakers and within them (`resample.planning`). A design has
so many clusters, speakers of so many utterances each; where speakers are not known, clusters are utterances. It finds
a difference between two independent corpora, of 2 (C − 1) degrees of freedom, or between two systems, of C − 1. Below
five clusters there is no test.
"""

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
from phonxling.comparison.items import read_items, signature_of, unlike
from phonxling.comparison.pairs import Measured, measured
from phonxling.core.arrays import Floats
from phonxling.core.display import Shown, counted, listed as listed_plan
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.estimate import joined
from phonxling.core.work import Progress, Silent
from phonxling.resample.planning import Components, assurance, components, least_difference, linearised
from phonxling.resample.student import FEW_CLUSTERS
from phonxling.settings.checks import did_you_mean, listed
from phonxling.store.folder import reading
from phonxling.tables.files import table_of

SPEAKERS, EACH = (6, 12, 24, 48, 96), (10, 40, math.inf)
ALONE = (100, 200, 400, 800, 1600, 3200)  # utterances, where speakers are not known
_USUAL = ("wper", "per")  # the first that all items have is planned, where none is named
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
    known = [*pilots(measured(items, paired=True, resamples=0, seed=0), measure, progress)]
    if wanted.speakers and not all(pilot.by_speaker for pilot in known):
        progress.say("note: where speakers are not known, --utterances are those of all, and --speakers is not used")
    return Plan(table=table_of("plan/plan", (row for pilot in known for row in rows_of(pilot, wanted))))


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

    def variances(self, utterances: float) -> tuple[Floats, Floats, Floats]:
        """Return what V(U) may be, and its upper and lower limit; none where nothing varies or V(∞) may be 0."""
        low, high = self.components.limits(utterances, self.level)
        known = self.components.variance(utterances) > 0 and (low > 0 or not math.isinf(utterances))
        values = self.components.possible(utterances), np.array([high]), np.array([low])
        return values if known else (np.zeros(0),) * 3

    def least(self, clusters: int, variances: Floats, power: float) -> float:
        """Return the least difference that so many clusters find with an assurance; NaN where there is no test."""
        errors, freedom = self._tested(clusters, variances)
        return least_difference(power, errors, freedom, self.level) if len(errors) else math.nan

    def power(self, clusters: int, variances: Floats, difference: float) -> float:
        """Return the probability that a difference is found; NaN where there is no test."""
        errors, freedom = self._tested(clusters, variances)
        return assurance(difference, errors, freedom, self.level) if len(errors) else math.nan

    def _tested(self, clusters: int, variances: Floats) -> tuple[Floats, int]:
        """Return possible standard errors of what is tested, two such corpora or two systems; degrees of freedom."""
        sides = 1 if len(self.names) > 1 else 2
        tested = variances if clusters >= FEW_CLUSTERS else variances[:0]
        return np.sqrt(sides * tested / clusters), sides * (clusters - 1)


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
    lacking = {}
    for one in [name] if name else _USUAL:
        parts = [(side, *side.parts(known[one])) for side in sides]
        lacking[one] = [
            side.item.name
            for side, above, below in parts
            if not (np.isfinite(above).all() and np.isfinite(below).all() and below.sum() > 0)
        ]
        if not lacking[one]:
            return known[one]
    first, items = next(iter(lacking.items()))
    raise DataError(f"{items[0]}: has no {first} by utterance, so a plan has no pilot")


def _pilot(measure: Measure, *sides: Measured) -> Pilot:
    draws = sides[0].resampling
    if draws.number < 2:
        raise DataError(
            f"{sides[0].item.name}: has one {draws.unit} only, which does not show how {draws.unit}s differ; "
            "a plan needs two at least, and five to be of use"
        )
    moved, value = np.zeros(1), 0
    for sign, side in zip((1, -1)[: len(sides)], sides, strict=True):
        above, below = side.parts(measure)
        moved, value = moved + sign * linearised(above, below), value + sign * above.sum() / below.sum()
    return Pilot(
        names=tuple(side.item.name for side in sides),
        measure=measure,
        value=float(value),
        utterances=len(moved),
        components=components(moved, draws.clusters, draws.number),
        by_speaker=draws.unit == "speaker" and draws.number < len(moved),
        level=draws.level,
        signature=" / ".join(dict.fromkeys(signature_of(side.item, measure.name, measure.variant) for side in sides)),
    )


def rows_of(pilot: Pilot, wanted: Wanted) -> Iterator[Row]:
    """Yield the designs of a pilot, the first wanted or its own at the head; then those that a difference needs."""
    parts, alone, paired = pilot.components, not pilot.by_speaker, len(pilot.names) > 1
    about: Row = {
        "item": pilot.names[0],
        "other": pilot.names[-1] * paired,
        "measure": pilot.measure.name,
        "paired": "yes" if paired else "no",
        "value": pilot.value,
        "pilot_speakers": math.nan if alone else parts.clusters,
        "pilot_utterances": pilot.utterances,
        "sd_between": math.nan if alone else math.sqrt(max(parts.between, 0.0)),
        "sd_within": math.sqrt(parts.variance(1) if alone else parts.within),
        "note": _note(pilot),
        "signature": pilot.signature,
    }
    designs = _designs(pilot, wanted)
    for clusters, each in designs:
        yield {**about, **_row(pilot, clusters, each, wanted), "needed": "no"}
    if (asked := wanted.difference) is None:
        return
    for each in dict.fromkeys(each for _, each in designs):  # the fewest clusters, 5 or more; none if a million fail
        possible = pilot.variances(each)[0]
        if pilot.power(_MOST, possible, asked) >= wanted.power:
            fewest = bisect_left(
                range(_MOST), wanted.power, FEW_CLUSTERS, key=lambda number: pilot.power(number, possible, asked)
            )
            yield {**about, **_row(pilot, fewest, each, wanted), "needed": "yes"}


def _designs(pilot: Pilot, wanted: Wanted) -> list[tuple[int, float]]:
    """Return clusters and utterances of each: the first wanted, the pilot for what is not said, then all others."""
    number = pilot.components.clusters
    if not pilot.by_speaker:
        totals = wanted.utterances or (number, *ALONE)
        return [(total, 1) for total in dict.fromkeys((totals[0], *sorted(totals)))]
    speakers = wanted.speakers or (number, *SPEAKERS)
    each = wanted.utterances or (max(1, round(pilot.utterances / number)), *EACH)
    return [*dict.fromkeys([(speakers[0], each[0]), *product(sorted(speakers), sorted(each))])]


def _row(pilot: Pilot, clusters: int, each: float, wanted: Wanted) -> Row:
    possible, upper, lower = pilot.variances(each)
    least, asked = pilot.least(clusters, possible, wanted.power), wanted.difference
    row: Row = {
        "speakers": clusters if pilot.by_speaker else math.nan,
        "utterances": each if pilot.by_speaker else clusters,
        "standard_error": math.sqrt(pilot.components.variance(each) / clusters) if len(possible) else math.nan,
        "least_difference": least,
        "power": wanted.power,
        "level": pilot.level,
    }
    if asked is not None:
        row |= {"difference": asked, "difference_power": pilot.power(clusters, possible, asked)}
    for error, name, variances in (("high", "low", upper), ("low", "high", lower)):  # more variance, less is found
        row[f"standard_error_{error}"] = math.sqrt(variances[0] / clusters) if len(variances) else math.nan
        row[f"power_{name}"] = pilot.power(clusters, variances, least)
        if asked is not None:
            row[f"difference_power_{name}"] = pilot.power(clusters, variances, asked)
    return row


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

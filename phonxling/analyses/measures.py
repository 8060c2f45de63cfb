"""The measures of the results, a row each in measures.tsv: unit, what it is made of, what it is, how it is read."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, join_notes

_NOTED_RATES = ("per", "wper")
_QUOTES = str.maketrans({"'": "’", '"': "”"})  # of speakers or symbols in a note; R would take them for those of a cell


# `variant` of a measure's first row is that of its main form, mostly none; of what is set beside chance it is `best`,
# and the other rows have a model's name there. Estimators and models of chance are variants without a row of their own.
# `of` and `kind` say what a number is made of: the `level` of chance of another measure, the `excess` over it, the
# `skill` as a share of what chance leaves above the floor, the `p` of its test; the `floor` that no recogniser with
# this inventory can pass. `headline` is the measure's place on the page, in papers' tables and, where it has a `short`
# title, in the terminal; `compared` says whether `compare` has it, `scored` is its place among the few rows that
# `score` prints.
@dataclass(frozen=True, slots=True)
class Measure:
    name: str
    variant: str
    unit: str
    of: str
    kind: str
    direction: str
    headline: str
    compared: str
    scored: str
    short: str
    title: str
    formula: str
    reading: str


@cache
def measures() -> tuple[Measure, ...]:
    """Return all measures, in the order in which they are documented."""
    text = files("phonxling.analyses").joinpath("measures.tsv").read_text(encoding="utf-8")
    return tuple(Measure(*line.split("\t")) for line in text.splitlines()[1:])


def measure(name: str) -> Measure:
    """Return the first row of a measure; KeyError for one that is not declared."""
    return measures_by_name()[name]


@cache
def measures_by_name() -> Mapping[str, Measure]:
    return {one.name: one for one in reversed(measures())}


def nearest_measure(name: str, variant: str) -> Measure:
    """Return the row of a measure that is nearest to a variant; the first of equally near ones."""
    words, rows = set(variant.split()), [one for one in measures() if one.name == name]
    return max(rows, key=lambda one: (one.variant == variant, len(words & set(one.variant.split()))))


def title_of(name: str, variant: str) -> str:
    """Return a measure in words: the title of its row; a variant without one."""
    row = nearest_measure(name, variant)
    if row.variant == variant:
        return row.title
    form = [word for word in variant.replace("_", " ").split() if word not in row.variant.split()]
    return f"{row.title} ({' '.join(form) or 'plain'})"


def derived_measures(name: str) -> tuple[Measure, ...]:
    """Return what is made of a measure and its chance level."""
    return tuple(one for one in measures() if one.of == name and one.kind in ("level", "excess", "skill"))


def headline() -> tuple[Measure, ...]:
    """Return the measures that stand first, on the page and in tables for papers."""
    return tuple(sorted((one for one in measures() if one.headline), key=lambda one: int(one.headline)))


def scored_measures() -> tuple[Measure, ...]:
    """Return the measures of which `score` prints the first few that a corpus has."""
    return tuple(sorted((one for one in measures() if one.scored), key=lambda one: int(one.scored)))


def compared_measures() -> tuple[Measure, ...]:
    return tuple(one for one in measures() if one.compared)


@dataclass(frozen=True, slots=True)
class Row:
    """One number. `n` is how many things it rests on: gold tokens, utterances, or tokens with frames."""

    measure: str
    estimate: Estimate
    n: float
    variant: str = ""
    note: str = ""


def row_of(name: str, value: Estimate | float, n: float, variant: str = "", *notes: str) -> Row:
    """Return one number of a declared measure with what is to be noted of it; NaN needs a reason among the notes."""
    number = value if isinstance(value, Estimate) else Estimate(float(value))
    return Row(name, number, float(n), variant, join_notes(notes))


def number_rows(corpus: str, rows: Sequence[Row]) -> list[tuple[object, ...]]:
    """Return a corpus' rows of the summary; a number that is not defined is missing, DataError where nothing says why.

    What is noted of all intervals of a corpus stands with its rates alone; the status says it of each row.
    """
    lines = list[tuple[object, ...]]()
    noted = {row.estimate.note for row in rows if row.measure in _NOTED_RATES}
    for row in rows:
        number, unit = row.estimate, nearest_measure(row.measure, row.variant).unit
        # once a corpus is enough: a note repeated in each row would hide those that say something of one row
        known = row.measure not in _NOTED_RATES and number.note in noted and number.status and number.defined
        note = join_notes([row.note, "" if known else number.note])
        if not number.defined and not note:
            raise DataError(f"{corpus}: {row.measure} {row.variant} is missing without a reason")
        values = number.value, number.low, number.high, unit, row.n, number.status or "undefined" * (not number.defined)
        lines.append((corpus, row.measure, row.variant, *values, note.translate(_QUOTES)))
    return lines


def stored_estimates(rows: Iterable[Mapping[str, Any]], level: float = math.nan) -> dict[tuple[str, str], Estimate]:
    """Return the estimates of a corpus' rows of the summary, by measure and variant; `level` is of their intervals."""
    found = {}
    for row in rows:
        value, low, high = (float(row[name]) for name in ("value", "low", "high"))
        number = Estimate(value, low, high, level, note=row["note"], status=row["status"])
        found[row["measure"], row["variant"]] = number
    return found


def above_chance(numbers: Mapping[tuple[str, str], Estimate]) -> bool:
    """Return whether a corpus' numbers, by measure and variant, show that answers depend on what was said.

    The skill of wPER decides, or that of PER where there is none, or the excess information; True without any skill.
    Without an interval of the skill its value decides, so that a first look at a few utterances shows its confusions.
    """
    skills = (numbers.get((name, measure(name).variant)) for name in ("skill_wper", "skill_per"))
    # the skill of the rate that stands first
    skill = next((one for one in skills if one is not None and one.defined), None)
    excess = numbers.get(("mutual_information_excess", "best"), Estimate(math.nan))
    if skill is None:
        return True
    # Skill or information: a recogniser that swaps phones consistently has no skill, but its answers depend on what was
    # said.
    least = skill.value if math.isnan(skill.low) else skill.low
    return least > 0 or excess.low > 0


def json_key(name: str, variant: str) -> str:
    """Return what `score --json` calls a number: its measure, with the variant after a colon unless it is the main one.

    >>> json_key("chance_wper", "best"), json_key("chance_wper", "bigram")
    ('chance_wper', 'chance_wper:bigram')
    """
    return name if variant == measure(name).variant else f"{name}:{variant}"

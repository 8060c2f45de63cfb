"""The order of the target corpora by their skill, as groups that a test tells apart: never a bare ranking.

Question
--------
Which corpora does the recogniser serve better? Ordered are the skills of wPER, the headline, and of PER: the share of
the way from guessing to the best that the recogniser's phones allow, (chance − rate) / (chance − floor).

Tests
-----
Each two corpora are tested by Student's t of their difference, from their skills without each cluster: unpaired by
Welch's degrees of freedom; where both are of the same utterances, of two systems, the same clusters are left out of
both. q is Benjamini & Hochberg's over all pairs of both measures. Two that are not told apart (q ≥ .05) share a letter,
two that are share none: a compact letter display. Letters stand where each two of the lettered are tested. There is no
test of other utterances where speakers are unknown or too few, nor of a corpus that is not above chance.

References
----------
Welch (1947). Benjamini & Hochberg (1995). Piepho (2004), An algorithm for a letter-based representation of
all-pairwise comparisons: a letter that holds both of a pair told apart is split, and letters within others are dropped.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product, zip_longest
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd

from phonxling.analyses.beside_chance import skill_of
from phonxling.analyses.case import Case
from phonxling.analyses.chance import best
from phonxling.analyses.measures import Measure, above_chance, headline, measure
from phonxling.analyses.rates import floor_of
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.estimate import SIGNIFICANT, Estimate, Status
from phonxling.core.inventory import merge
from phonxling.phones.pairing import places_among
from phonxling.resample.jackknife import Clusters
from phonxling.resample.p_values import Family, family_of
from phonxling.resample.student import Spread, between, contrast

_MOST_LETTERS = 4  # of a corpus that stand one by one
_Row = Mapping[Any, Any]


@dataclass(frozen=True, eq=False)
class _Skill:
    """A corpus' skill with what it is the ratio of by utterance, [U]; its status says why it is not tested."""

    case: Case
    value: float
    above: Floats
    below: Floats
    status: Status

    @property
    def clusters(self) -> Clusters:
        return self.case.counted.clusters


def order_skills(targets: Sequence[Case], summary: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the letters, tests and status of the targets' skills, by measure and corpus.

    `q` and `least_difference` are of the next corpus in the order of the skill.
    """
    rows = summary.to_dict("records")
    above = {case.name: stored_above_chance(row for row in rows if row["corpus"] == case.name) for case in targets}
    skills = {rate: _known_skills(rate, targets, above) for rate in ("wper", "per")}
    pairs = [(rate, *pair) for rate, own in skills.items() for pair in combinations(own, 2)]
    spreads = [_spread(one, other) for _, one, other in pairs]
    level = targets[0].level if targets else 0.95
    p = [_p(one, other, apart, level) for (_, one, other), apart in zip(pairs, spreads, strict=True)]
    tests = family_of(p, spreads, level)
    places = {(rate, one.case.name, other.case.name): place for place, (rate, one, other) in enumerate(pairs)}
    return {
        (f"skill_{rate}", name): row
        for rate, own in skills.items()
        for name, row in _test_rows(own, tests, {pair[1:]: at for pair, at in places.items() if pair[0] == rate})
    }


def stored_above_chance(rows: Iterable[_Row]) -> bool:
    """Return whether a corpus' stored numbers show that answers depend on what was said."""
    return above_chance({(row["measure"], row["variant"]): Estimate(row["value"], row["low"]) for row in rows})


def _known_skills(rate: str, cases: Sequence[Case], above: Mapping[str, bool]) -> list[_Skill]:
    """Return the skills of the corpora that have one, the highest first."""
    skills = []
    for case in cases:
        analysed, (floor, _) = case.counted, floor_of(rate, case)
        cost, levels = (analysed.unit_cost, analysed.unit_chance) if rate == "per" else (analysed.cost, analysed.chance)
        lowest = best(levels)
        if lowest is None or (rate == "wper" and not analysed.costs.as_rate):
            continue
        least = np.zeros(len(cost)) if floor is None else floor
        found = skill_of(cost, lowest.cost, least, analysed.clusters)
        status: Status = analysed.clusters.status if above[case.name] else "not-above-chance"
        skills.append(_Skill(case, found.value, lowest.cost - cost, lowest.cost - least, status))
    known = sorted((one for one in skills if not math.isnan(one.value)), key=lambda one: -one.value)
    return known if len(known) > 1 else []


def _test_rows(
    skills: Sequence[_Skill], tests: Family, places: Mapping[tuple[str, str], int]
) -> Iterator[tuple[str, dict[str, Any]]]:
    names = [one.case.name for one in skills]
    groups = letters_of_tests(names, {pair: tests.q[at] for pair, at in places.items()})
    for one, following in zip_longest(skills, skills[1:]):
        at = places[one.case.name, following.case.name] if following else None
        q, least = (math.nan, math.nan) if at is None else (tests.q[at], tests.least[at])
        name = one.case.name
        yield name, {"letters": groups[name], "q": q, "least_difference": least, "status": one.status}


def _spread(one: _Skill, other: _Skill) -> Spread:
    """Return how far the difference of two skills may be off."""
    places = same_utterances(one.case, other.case)
    if places is None:
        return between(
            *(side.clusters.spread(_without(side.clusters, side.above, side.below)) for side in (one, other))
        )
    shared = shared_clusters(one.clusters, other.clusters.at(places))
    first, second = _without(shared, one.above, one.below), _without(shared, other.above[places], other.below[places])
    return shared.spread(first - second)


def _without(clusters: Clusters, above: Floats, below: Floats) -> Floats:
    """Return Σ above / Σ below without each group of clusters, [1, C]."""
    top, bottom = clusters.sums(above), clusters.sums(below)
    return divided(top.sum() - top, bottom.sum() - bottom)[None]


def _p(one: _Skill, other: _Skill, apart: Spread, level: float) -> float:
    """Return p of the difference of two skills; NaN where there is no test."""
    statuses = {one.status, other.status}
    if "not-above-chance" in statuses or (any(statuses) and same_utterances(one.case, other.case) is None):
        return math.nan
    return float(contrast(one.value - other.value, apart, level).p[0])


def shared_clusters(first: Clusters, second: Clusters) -> Clusters:
    """Return who is left out of both of two systems on the same utterances: the speakers, fewest where these differ."""
    return min((one for one in (first, second) if one.unit == "speaker"), key=lambda one: one.number, default=first)


def same_utterances(first: Case, second: Case) -> Codes | None:
    """Return where the first's utterances stand in the second; None unless all have the same gold phones."""
    own, other = first.counted.corpus.gold, second.counted.corpus.gold
    places = places_among(own.utterances, other.utterances)
    if places is None:
        return None
    every, moved = merge(own.inventory, other.inventory), other.select(places)
    alike = np.array_equal(own.offsets, moved.offsets)
    return places if alike and np.array_equal(own.recode(every).codes, moved.recode(every).codes) else None


def letters_of_tests(names: Sequence[str], q: Mapping[tuple[str, str], float]) -> dict[str, str]:
    """Return the letters of names of which each two are tested, "" for the others, which no test separates or joins."""
    tested = [pair for pair, own in q.items() if math.isfinite(own)]
    own = [name for name in names if any(name in pair for pair in tested)]
    if len(tested) < math.comb(len(own), 2):
        own = []
    apart = [pair for pair in tested if q[pair] < SIGNIFICANT]
    return dict.fromkeys(names, "") | (letters(own, apart) if own else {})


def ranked() -> list[Measure]:
    """Return the measures by which items are ranked: of those that stand first, rates, entropy and skills."""
    return [one for one in headline() if one.compared and (one.direction == "lower" or one.kind == "skill")]


def ranked_items(differences: pd.DataFrame, name: str) -> dict[str, tuple[float, str]]:
    """Return the items by a measure of a comparison, the best first: the value of each, and its letters.

    Two that share a letter are not told apart; "" where not each two are tested.
    """
    rows = differences[differences["measure"] == name]
    sides = (rows[["item", "value"]], rows[["other", "other_value"]])
    values = {str(item): float(value) for side in sides for item, value in side.itertuples(index=False)}
    values = {item: value for item, value in values.items() if not math.isnan(value)}
    better = -1 if measure(name).direction == "higher" else 1
    order = sorted(values, key=lambda item: better * values[item])
    groups = letters_of_tests(order, dict(zip(zip(rows["item"], rows["other"], strict=True), rows["q"], strict=True)))
    return {item: (values[item], groups[item]) for item in order}


def letters(names: Sequence[str], apart: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the letters of names in their order: two share one exactly where they are not told apart."""
    groups = [frozenset(names)]
    for pair in map(frozenset, apart):
        split = dict.fromkeys(group - {one} if pair <= group else group for group in groups for one in sorted(pair))
        groups = [group for group in split if not any(group < other for other in split)]
    place = {name: number for number, name in enumerate(names)}
    ordered = sorted(groups, key=lambda group: sorted(place[name] for name in group))
    labels = [*ascii_lowercase, *map("".join, product(ascii_lowercase, repeat=2))]
    return {
        name: "".join(label for label, group in zip(labels, ordered, strict=False) if name in group) for name in names
    }


def short_letters(groups: Mapping[str, str]) -> dict[str, str]:
    """Return letters of groups, more than four of them as a range (a–k), or cut where some are missing between.

    None where the alphabet does not suffice: `letters` gives two letters to a group then, which a range would misread.
    """
    every = sorted({letter for own in groups.values() for letter in own})
    if len(every) >= len(ascii_lowercase):
        return {}

    def short(own: str) -> str:
        if len(own) <= _MOST_LETTERS:
            return own
        first, last = every.index(own[0]), every.index(own[-1])
        return f"{own[0]}–{own[-1]}" if last - first + 1 == len(own) else f"{own[: _MOST_LETTERS - 1]}…"

    return {name: short(own) for name, own in groups.items()}

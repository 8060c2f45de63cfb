"""The order of the target corpora by their skill, as groups that a test tells apart: never a bare ranking.

Question
--------
Which corpora does the recogniser serve better? Ordered are attainable skills, (chance − rate) / (chance − floor),
of wPER, the headline, and of PER; where a corpus has no floor, all of them by skill above chance, 1 − rate / chance.

Measures
--------
Each two corpora are tested by Student's t of their difference: unpaired by Welch's degrees of freedom, those of the
same utterances over their common draws. q is Benjamini & Hochberg's over the pairs of a measure, and two corpora are
told apart where q < .05. Two that are not share a letter, two that are share none: a compact letter display. A pair
that has no test, because clusters are too few or speakers are unknown, is not told apart.

References
----------
Welch (1947). Benjamini & Hochberg (1995). Piepho (2004), An algorithm for a letter-based representation of
all-pairwise comparisons: a letter that holds both of a pair told apart is split, and letters within others are dropped.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product, zip_longest
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd

from phonxling.analyses.beside_chance import Sums, level_of, summed
from phonxling.analyses.case import Case
from phonxling.analyses.chance import best
from phonxling.analyses.rates import floor_of
from phonxling.core.arrays import Floats, divided
from phonxling.core.estimate import SIGNIFICANT
from phonxling.core.inventory import merge
from phonxling.resample.p_values import adjusted
from phonxling.resample.power import detectable
from phonxling.resample.student import between, contrast, spread
from phonxling.tables.files import table_of

_MOST_LETTERS = 4  # of a corpus that stand one by one


def orders(cases: Sequence[Case]) -> pd.DataFrame:
    """Return orders.tsv: the targets by the skill of wPER, then of PER, each with the letters of its groups."""
    roles = {case.name: case.experiment.corpora[case.name].role for case in cases}
    targets = [case for case in cases if case.aligned is not None and roles[case.name] == "target"]
    return table_of("orders", (row for rate in ("wper", "per") for row in _order(rate, targets)))


def _order(rate: str, cases: Sequence[Case]) -> Iterator[dict[str, Any]]:
    parts = [(case, own) for case in cases if (own := _sums(rate, case)) is not None]
    floors, skills = all(own[2] is not None for _, own in parts), dict[str, tuple[float, Floats]]()
    for case, (errors, room, least) in parts:
        if floors and least is not None:
            errors, room = errors - least, room - least
        if room.total > 0:  # else chance leaves no room
            skills[case.name] = 1 - errors.total / room.total, 1 - divided(errors.drawn, room.drawn)
    known = sorted((case for case, _ in parts if case.name in skills), key=lambda case: -skills[case.name][0])
    if len(known) < 2:
        return
    pairs = list(combinations(known, 2))
    tests = {(one.name, other.name): _test(skills, one, other) for one, other in pairs}
    q = adjusted([p for p, _ in tests.values()])
    apart = [names for names, own in zip(tests, q, strict=True) if own < SIGNIFICANT]
    groups = letters([case.name for case in known], apart)
    for case, following in zip_longest(known, known[1:]):
        yield {
            "measure": f"{'attainable_' * floors}skill_{rate}",
            "corpus": case.name,
            "value": skills[case.name][0],
            "group": groups[case.name],
            "comparisons": len(pairs),
            "tested": int(np.isfinite(q).sum()),
            "least_difference": tests[case.name, following.name][1] if following else np.nan,
        }


def _sums(rate: str, case: Case) -> tuple[Sums, Sums, Sums | None] | None:
    """Return the sums of a corpus' errors, of its lowest chance level, if there is one, and of its floor."""
    analysed = case.counted
    cost, levels = (analysed.unit_cost, analysed.unit_chance) if rate == "per" else (analysed.cost, analysed.chance)
    lowest, (floor, _) = best(levels), floor_of(rate, case)
    if lowest is None or (rate == "wper" and not analysed.costs.as_rate):
        return None
    least = None if floor is None else summed(analysed.resampling, floor)[0]
    return summed(analysed.resampling, cost)[0], level_of(lowest, analysed.resampling), least


def _test(skills: Mapping[str, tuple[float, Floats]], one: Case, other: Case) -> tuple[float, float]:
    """Return p of the difference of two corpora, and the least that is found in 80 %; NaN where there is no test."""
    (value, drawn), (other_value, other_drawn) = skills[one.name], skills[other.name]
    resampling, other_resampling = one.counted.resampling, other.counted.resampling
    if resampling.speakers_unknown or other_resampling.speakers_unknown:
        return np.nan, np.nan
    clusters, other_clusters = resampling.effective, other_resampling.effective
    if same_utterances(one, other):
        apart = spread((drawn - other_drawn)[:, None], min(clusters, other_clusters))
    else:
        apart = between(spread(drawn[:, None], clusters), spread(other_drawn[:, None], other_clusters))
    p = contrast(value - other_value, apart, resampling.level).p
    return float(p[0]), float(detectable(apart, resampling.level)[0])


def same_utterances(first: Case, second: Case) -> bool:
    """Return whether both have the same utterances, with the same speakers and gold phones, in one order."""
    own, other = first.counted.corpus, second.counted.corpus
    if (own.utterances, own.speakers) != (other.utterances, other.speakers):
        return False
    if not np.array_equal(own.gold.offsets, other.gold.offsets):
        return False
    every = merge(own.gold.inventory, other.gold.inventory)
    golds = [side.gold.recode(every) for side in (own, other)]
    return np.array_equal(golds[0].codes, golds[1].codes)


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

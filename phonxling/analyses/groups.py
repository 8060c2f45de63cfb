"""Rates by speaker, and by groups of speakers: gender, age, accent, as further columns of the table of speakers say.

The limits of a speaker's rates are over that speaker's own utterances, each left out in turn; there are none below five
utterances, or four effective ones.

Each group is held against all other speakers of whom the column says something; a speaker without a value is in
neither. Two groups are so tested once, with both signs. Speakers are left out whole, each side by itself: the test is
Student's t on Welch's degrees of freedom, as for two corpora, and q is Benjamini & Hochberg's over all tests of the
table. There is no test below five speakers on a side, or four effective ones. A test says that groups differ, not why:
they may have said other things, or may be recorded otherwise.

Skill is against the chance level of the whole corpus: (chance − errors) / (chance − floor), summed over the group's
utterances.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from phonxling.analyses.case import Case, Items
from phonxling.analyses.chance import best
from phonxling.analyses.rates import floor_of
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.estimate import Estimate
from phonxling.resample.jackknife import Clusters, clusters_of
from phonxling.resample.p_values import with_q
from phonxling.resample.student import Kind, Spread, between, contrast
from phonxling.tables.files import table_of

_Row = dict[str, Any]


def speaker_groups(case: Case, _: None) -> Items:
    """Yield the table of speakers, where they are known, and that of groups, where groups are asked for."""
    names = case.counted.corpus.speakers
    if names is None:
        return
    yield "speakers", table_of("speakers", _speaker_rows(case, names))
    rows = list[_Row]()
    for column, value_of in case.loaded.groups.items():
        values = np.array([value_of[name] for name in names], dtype=object)
        for group in sorted({*values} - {""}):
            sides = [_sample(case, values == group), _sample(case, (values != group) & (values != ""))]
            rows += ({"by": column, "group": group, **row} for row in _rates(case, *sides))
    if case.loaded.groups:
        yield "groups", table_of("groups", with_q(rows))


def _speaker_rows(case: Case, names: tuple[str, ...]) -> Iterator[_Row]:
    """Yield both rates of each speaker in the order in which they come, with limits over the speaker's utterances."""
    analysed = case.counted
    known = {name: number for number, name in enumerate(dict.fromkeys(names))}
    owner = np.array([known[name] for name in names], dtype=np.int64)
    order, ends = np.argsort(owner, kind="stable"), np.cumsum(np.bincount(owner, minlength=len(known)))
    rates = {"per": analysed.unit_cost} | ({"wper": analysed.cost} if analysed.costs.as_rate else {})
    for name, places in zip(known, np.split(order, ends[:-1]), strict=True):
        tokens = analysed.gold_tokens[places]
        clusters = clusters_of(tokens, cluster="utterance", level=case.level)
        row: _Row = {"speaker": name, "tokens": int(tokens.sum())}
        for rate, cost in rates.items():
            found = clusters.ratio(cost[places], tokens)
            row |= {rate: found.value, f"{rate}_low": found.low, f"{rate}_high": found.high}
        yield row


_Sample = tuple[Codes, Clusters]  # the positions of some utterances of a corpus, and their speakers


def _sample(case: Case, chosen: Bools) -> _Sample:
    (places,), numbers = np.nonzero(chosen), case.counted.corpus.speaker_numbers  # by number: names change nothing
    own = np.zeros(0, np.int64) if numbers is None else numbers[places]
    return places, clusters_of(case.counted.gold_tokens[places], own, cluster="speaker", level=case.level)


def _ratios(case: Case) -> Iterator[tuple[str, Floats, Floats, Kind]]:
    """Yield each measure with what it is the ratio of, by utterance, and its scale."""
    analysed = case.counted
    each = ("per", analysed.unit_cost, analysed.unit_chance), ("wper", analysed.cost, analysed.chance)
    for rate, cost, levels in each[: 1 + analysed.costs.as_rate]:
        yield rate, cost, analysed.gold_tokens, "rate"
        lowest, (floor, _) = best(levels), floor_of(rate, case)
        if lowest is not None:
            least = np.zeros(len(cost)) if floor is None else floor
            yield f"skill_{rate}", lowest.cost - cost, lowest.cost - least, "skill"


def _rates(case: Case, own: _Sample, others: _Sample) -> Iterator[_Row]:
    """Yield each measure of a group, and how it differs from that of the other speakers."""
    for name, above, below, kind in _ratios(case):
        (number, apart), (other, of_others) = (_measured(above, below, kind, side) for side in (own, others))
        difference, both = number.value - other.value, between(apart, of_others)
        tests, status = contrast(difference, both, case.level), ""
        if not len(others[0]) or (np.isnan(tests.p[0]) and not both.few[0]):
            status = "undefined"  # no other speaker has a value, or no speaker differs from the others
        elif both.few[0]:
            status = "too-few-clusters"
        yield {
            "measure": name,
            "tokens": int(case.counted.gold_tokens[own[0]].sum()),
            "value": number.value,
            "low": number.low,
            "high": number.high,
            "difference": difference,
            "difference_low": tests.low[0],
            "difference_high": tests.high[0],
            "p": tests.p[0],
            "status": status,
        }


def _measured(above: Floats, below: Floats, kind: Kind, side: _Sample) -> tuple[Estimate, Spread]:
    """Return a ratio of the sums of some utterances with its interval, and how it is spread without each speaker."""
    places, clusters = side
    above, below = above[places], below[places]
    top, bottom = clusters.sums(above), clusters.sums(below)
    spread = clusters.spread(divided(top.sum() - top, bottom.sum() - bottom)[None])
    if not below.sum() > 0:
        return Estimate(np.nan), spread
    return clusters.ratio(above, below, kind), spread

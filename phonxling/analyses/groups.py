"""Rates by speaker, and by groups of speakers: gender, age, accent, as further columns of the table of speakers say.

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
import pandas as pd

from phonxling.analyses.case import Case, Items
from phonxling.analyses.chance import best
from phonxling.analyses.differences import Side, cell_differences
from phonxling.analyses.rates import floor_of
from phonxling.core.arrays import Bools, Codes, Floats, divided, sum_by
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.jackknife import Clusters, clusters_of, count_of
from phonxling.resample.p_values import with_q
from phonxling.resample.power import family_of
from phonxling.resample.student import FEW_CLUSTERS, Kind, Spread, between, contrast
from phonxling.tables.files import table_of

_Row = dict[str, Any]
_NO_ROOM = "not defined: the chance level is not above the floor"
_CONSTANT = "no test: no speaker differs from the others"


def speaker_groups(case: Case, _: None) -> Items:
    """Yield speakers.tsv, where speakers are known, and groups.tsv and group_confusions.tsv, where groups are asked."""
    names = case.counted.corpus.speakers
    if names is None:
        return
    yield "speakers", _speaker_table(case, names)
    rows, cells, spreads = list[_Row](), list[_Row](), list[Spread]()
    for column, value_of in case.loaded.groups.items():
        values = np.array([value_of[name] for name in names], dtype=object)
        missing = len({name for name in names if not value_of[name]})
        left_out = f"{count_of(missing, 'speaker')} without a value left out" * bool(missing)
        groups = sorted({*values} - {""})
        for group in groups:
            sides = [_sample(case, values == group), _sample(case, (values != group) & (values != ""))]
            names_of = {"column": column, "group": group}
            for row, apart in _rates(case, *sides):
                rows.append({**names_of, **row, "note": joined([row["note"], left_out])})
                spreads.append(apart)
            if len(groups) > 2 or group == groups[0] != groups[-1]:
                cells += [{**names_of, **row} for row in _confusions(case, *sides)]
    if case.loaded.groups:
        tests = family_of([row["p"] for row in rows], spreads, case.level)
        made = zip(rows, tests.q.tolist(), tests.least.tolist(), strict=True)
        yield "groups", table_of("groups", [{**row, "q": q, "least_difference": least} for row, q, least in made])
        yield "group_confusions", table_of("group_confusions", with_q(cells))


def _speaker_table(case: Case, names: tuple[str, ...]) -> pd.DataFrame:
    """Return the sums of utterances.tsv over each speaker, in the order in which they come, and both rates."""
    analysed = case.counted
    known = {name: number for number, name in enumerate(dict.fromkeys(names))}
    owner = np.array([known[name] for name in names], dtype=np.int64)
    operations = zip(("correct", "substitutions", "deletions", "insertions"), analysed.operations.T, strict=True)
    summed = {
        "utterances": np.ones(len(owner), np.int64),
        "gold_tokens": analysed.corpus.gold.lengths,
        "predicted_tokens": analysed.corpus.predicted.lengths,
        **dict(operations),
        "edits": analysed.unit_cost.astype(np.int64),
        "cost": analysed.cost,
    }
    table = pd.DataFrame({name: sum_by(owner, each, len(known)).astype(each.dtype) for name, each in summed.items()})
    table["per"] = divided(table["edits"], table["gold_tokens"])
    table["wper"] = divided(table["cost"], table["gold_tokens"]) if analysed.costs.as_rate else np.nan
    table.insert(0, "speaker", [*known])
    return table


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


def _rates(case: Case, own: _Sample, others: _Sample) -> Iterator[tuple[_Row, Spread]]:
    """Yield each measure of a group, how it differs from that of the other speakers, and how far that may be off."""
    for name, above, below, kind in _ratios(case):
        (number, apart), (other, of_others) = (_measured(above, below, kind, side) for side in (own, others))
        difference, both = number.value - other.value, between(apart, of_others)
        tests, status = contrast(difference, both, case.level), ""
        if not len(others[0]):
            why, status = "no test: no other speaker has a value", "undefined"
        elif both.few[0]:
            why, status = f"no test: fewer than {FEW_CLUSTERS} speakers on a side", "too-few-clusters"
        else:
            why = _CONSTANT * bool(np.isnan(tests.p[0]))
        yield (
            {
                "measure": name,
                "speakers": own[1].number,
                "n": case.counted.gold_tokens[own[0]].sum(),
                "value": number.value,
                "low": number.low,
                "high": number.high,
                "other_speakers": others[1].number,
                "other_value": other.value,
                "difference": difference,
                "difference_low": tests.low[0],
                "difference_high": tests.high[0],
                "p": tests.p[0],
                "level": case.level,
                "status": status or ("undefined" if why else ""),
                "note": joined([number.note, why]),
            },
            both,
        )


def _measured(above: Floats, below: Floats, kind: Kind, side: _Sample) -> tuple[Estimate, Spread]:
    """Return a ratio of the sums of some utterances with its interval, and how it is spread without each speaker."""
    places, clusters = side
    above, below = above[places], below[places]
    top, bottom = clusters.sums(above), clusters.sums(below)
    spread = clusters.spread(divided(top.sum() - top, bottom.sum() - bottom)[None])
    if not below.sum() > 0:
        return Estimate(np.nan, note=_NO_ROOM * bool(len(places))), spread
    return clusters.ratio(above, below, kind), spread


def _confusions(case: Case, own: _Sample, others: _Sample) -> Iterator[_Row]:
    """Yield the cells of the confusion matrix with tokens enough in the group and in the others, tested."""
    if not (len(own[0]) and len(others[0])):
        return
    stack, gaps = case.counted.stack, case.counted.counting.gaps
    sides = [Side(stack=stack.select(places), clusters=clusters, gaps=gaps) for places, clusters in (own, others)]
    yield from cell_differences(sides[0], sides[1], same=False)

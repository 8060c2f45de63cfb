"""What a comparison says in words, in the terminal and on its page: which item is better, and what is not shown.

Systems on the same utterances are judged by their rate, wPER or else PER. Items of other utterances are judged by their
skill: languages differ in how many of their phones a recogniser lacks.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from phonxling.analyses.measures import Measure, measure, nearest
from phonxling.analyses.orders import ranked_items
from phonxling.core.estimate import SIGNIFICANT
from phonxling.report.numbers import equals, figure, rounded, said

Row = Mapping[Any, Any]

_MOST = 8  # that a sentence names; the table has all


def judged(differences: pd.DataFrame) -> str:
    """Return the measure by which items are judged: the first that all pairs have, else the first that one has."""
    same = bool((differences["test"] == "paired").any()) and not (differences["test"] == "unpaired").any()
    names = ("wper", "per") if same else ("skill_wper", "skill_per", "wper", "per")
    known = differences[differences["difference"].notna()].groupby("measure").size()
    return max(names, key=lambda name: known.get(name, 0))  # the first of equals


def short_title(one: Measure) -> str:
    """Return what a measure is called in a sentence."""
    return one.short or one.title


def verdict(differences: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Return in a sentence or two which item is better, or that no clear difference was found."""
    name = judged(differences)
    rows = differences[differences["measure"] == name].to_dict("records")
    if below := below_chance(rows, titles):
        some = any(row["status"] != "not-above-chance" for row in rows)
        return f"{_of_several(rows, name)} {below}" if some else below
    if len(rows) == 1:
        return _of_two(rows[0], titles)
    order = ranked_items(differences, name)
    if not all(letters for _, letters in order.values()):
        return _of_several(rows, name)
    shown = [f"{titles[item]} {figure(value)} ({group})" for item, (value, group) in order.items()]
    return said("comparison.order", measure=short_title(measure(name)), listed=_listed(shown))


def _of_two(row: Row, titles: Mapping[str, str]) -> str:
    one, unit = measure(row["measure"]), unit_of(row)
    numbers = f"{short_title(one)} {rounded(row['value'])} against {rounded(row['other_value'])}{unit}"
    own = {"item": titles[row["item"]], "other": titles[row["other"]], "numbers": numbers}
    if math.isnan(row["q"]):
        return said("comparison.untested", **own)
    own |= {"difference": rounded(row["difference"], row["low"], row["high"]), "q": equals(row["q"])}
    if row["q"] >= SIGNIFICANT:
        least = f"{rounded(row['least_difference'])}{unit}"
        found = said("comparison.least", least=least) if row["least_difference"] > 0 else ""
        return f"{said('comparison.no_difference', **own)} {found}".rstrip()
    if (row["difference"] < 0) != (one.direction == "lower"):
        own |= {"item": own["other"], "other": own["item"]}
    return said(f"comparison.{'better' if row['test'] == 'paired' else 'easier'}", **own)


def _of_several(rows: Sequence[Row], name: str) -> str:
    tested = [row for row in rows if not math.isnan(row["q"])]
    clear = sum(row["q"] < SIGNIFICANT for row in tested)
    title = short_title(measure(name))
    return said("comparison.several", measure=title, clear=clear, tested=len(tested), pairs=len(rows))


def unit_of(row: Row) -> str:
    """Return the unit of a row's numbers behind a space, "" for ratios."""
    unit = nearest(row["measure"], row["variant"]).unit
    return "" if unit == "ratio" else f" {unit}"


def _listed(texts: Sequence[str]) -> str:
    listed = ", ".join(texts[:_MOST])
    return listed if len(texts) <= _MOST else said("orders.more", listed=listed, number=len(texts) - _MOST)


def undecided(rows: Sequence[Row], tests: int, level: float) -> str:
    """Return which of a comparison's rows show no difference, and which they would show, of so many tests."""
    alike = [row for row in rows if row["q"] >= SIGNIFICANT and row["least_difference"] > 0]
    if not alike:
        return ""
    shown = [
        f"{short_title(nearest(row['measure'], row['variant']))} {rounded(row['least_difference'])}{unit_of(row)}"
        for row in alike
    ]
    return said("comparison.undecided", below=f"{1 - level:.2g}/{tests}", listed=_listed(shown))


def below_chance(rows: Sequence[Row], titles: Mapping[str, str]) -> str:
    """Return which items have a pair of which nothing is said, because one is not above chance."""
    apart = dict.fromkeys((row["item"], row["other"]) for row in rows if row["status"] == "not-above-chance")
    pairs = [" and ".join(titles[name] for name in pair) for pair in apart]
    return said("comparison.not_above_chance", pairs=_listed(pairs)) if pairs else ""


def settings_apart(differ: Mapping[str, Sequence[str]], most: int) -> str:
    """Return in a line the settings in which items differ, with their values; "" where there is none."""
    texts = [f"{key} {' against '.join(values)}" for key, values in differ.items()]
    more = f"; and {len(texts) - most} more" if len(texts) > most else ""
    return said("comparison.settings", listed="; ".join(texts[:most]) + more) if texts else ""

"""Rows of phones.tsv and features.tsv of a comparison: what differs by phone and by feature."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.compare.definitions import unlike
from phonxling.compare.difference import contrast
from phonxling.compare.measures import CORRECTED, UNSTORED, Measured, feature_table
from phonxling.compare.pairs import Pair
from phonxling.tables.files import table_of

Floats = NDArray[np.float64]
FEW = 20  # tokens below which a phone or a feature is not tested
_DEFINED_BY = {"accuracy": ("per_aligned", ""), "entropy": ("conditional_entropy", CORRECTED)}
_UNDEFINED = {
    "phone": "not defined, for all its tokens were deleted",
    "feature": "not defined: no substitution of phones with features, or the feature has one value only",
}
_UNITS = {"entropy": "bits"}


@dataclass(frozen=True, eq=False)
class _Side:
    """One item's numbers of one measure by phone or feature: points [K], draws [R, K], tokens [K], clusters [K]."""

    points: Floats
    drawn: Floats
    tokens: Floats
    clusters: Floats


def phone_rows(pairs: Sequence[Pair]) -> pd.DataFrame:
    """Return phones.tsv without q: accuracy and entropy of each gold phone that both items have."""
    rows = [row for pair in pairs for row in _rows(pair, "phone", ("accuracy", "entropy"), shared_phones(pair))]
    return table_of("comparison/phones", rows)


def feature_rows(pairs: Sequence[Pair]) -> pd.DataFrame:
    """Return features.tsv without q: share of substitutions that change a feature, and how much of it comes through.

    Only for items whose features are panphon's: the results do not keep a user's own table.
    """
    rows = [row for pair in pairs for row in _rows(pair, "feature", ("changed", "transfer"), _features(pair))]
    return table_of("comparison/features", rows)


def shared_phones(pair: Pair) -> list[str]:
    """Return the gold phones with tokens in both, in the order of the first."""
    first, second = ((one.item.phones["side"] == "gold") & (one.item.phones["tokens"] > 0) for one in _sides(pair))
    there = set(pair.second.item.phones.loc[second, "phone"])
    return [phone for phone in pair.first.item.phones.loc[first, "phone"] if phone in there]


def _features(pair: Pair) -> list[str]:
    tables = [feature_table(one.item) for one in _sides(pair)]
    return [] if any(table is None for table in tables) or tables[0] is None else list(tables[0].features)


def _rows(pair: Pair, kind: str, measures: Sequence[str], names: Sequence[str]) -> Iterator[dict[str, object]]:
    for measure in measures if names else ():
        sides = [_side(one, kind, measure, names) for one in _sides(pair)]
        difference = sides[0].points - sides[1].points
        few = np.minimum(sides[0].tokens, sides[1].tokens) < FEW
        spread = pair.spread(sides[0].drawn, sides[1].drawn, (sides[0].clusters, sides[1].clusters))
        found = contrast(difference, spread, pair.first.resampling.level)
        apart = unlike(pair.first.item, pair.second.item, *_DEFINED_BY.get(measure, ("per_aligned", "")))
        for place, name in enumerate(names):
            tests = (math.nan,) * 3 if few[place] else (found.low[place], found.high[place], found.p[place])
            why = _why(kind, pair, sides, place, math.isnan(tests[2]))
            notes = [why, "" if why else pair.weakness, f"definitions differ: {apart}" if apart else ""]
            yield {
                kind: name,
                "measure": measure,
                "item": pair.first.item.name,
                "value": sides[0].points[place],
                "other": pair.second.item.name,
                "other_value": sides[1].points[place],
                "difference": difference[place],
                **dict(zip(("difference_low", "difference_high", "p"), tests, strict=True)),
                "test": pair.test,
                "paired": "yes" if pair.paired else "no",
                "n": sides[0].tokens[place],
                "other_n": sides[1].tokens[place],
                "level": pair.first.resampling.level,
                "unit": _UNITS.get(measure, "ratio"),
                "note": "; ".join(filter(None, notes)),
            }


def _why(kind: str, pair: Pair, sides: Sequence[_Side], place: int, untested: bool) -> str:
    """Return why a row has no number or no test, "" when it has both."""
    for one, side in zip(_sides(pair), sides, strict=True):
        if one.item.averaged:
            return f"{one.item.name}: {UNSTORED}"
        if math.isnan(side.points[place]):
            return f"{one.item.name}: {_UNDEFINED[kind]}"
    if min(side.tokens[place] for side in sides) < FEW:
        return f"not tested: fewer than {FEW} tokens"
    return "not tested: the resampled values of an item do not differ, or are of one cluster" if untested else ""


def _side(one: Measured, kind: str, measure: str, names: Sequence[str]) -> _Side:
    columns = {key: place for place, key in enumerate(one.profile.names)}
    found = one.confusions[:, [columns[measure, name] for name in names]]
    if kind == "phone":
        tokens, clusters = _phone_tokens(one, names), one.clusters_with(names)
    else:
        counts = one.item.stack.total()
        same = counts.substitutions[counts.same_symbol()].sum()
        number = counts.substitutions.sum() - (same if measure == "changed" else 0.0)
        tokens, clusters = np.full(len(names), number), np.full(len(names), float(one.resampling.number))
    return _Side(found[0], found[1:], tokens, clusters)


def _phone_tokens(one: Measured, names: Sequence[str]) -> Floats:
    rows = one.item.phones
    tokens = rows[rows["side"] == "gold"].set_index("phone")["tokens"]
    return tokens[list(names)].to_numpy(float)


def _sides(pair: Pair) -> tuple[Measured, Measured]:
    return pair.first, pair.second

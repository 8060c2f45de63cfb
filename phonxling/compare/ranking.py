"""What the ranking figure shows: each item's headline numbers beside its lowest chance level."""

import math
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from phonxling.compare.items import Item
from phonxling.compare.rows import MEASURES, Numbers
from phonxling.tables.files import table_of

_RANKED = ("wper", "per", "conditional_entropy")
_CHANCE = {"wper": "chance_wper", "per": "chance_per"}


def ranking_table(items: Sequence[Item], numbers: Mapping[str, Numbers]) -> pd.DataFrame:
    """Return measure, item, value, low, high and the lowest chance level; of each measure the lowest value first."""
    ranking = table_of("comparison/ranking", (row for measure in _RANKED for row in _rows(measure, items, numbers)))
    order = ranking["measure"].map({measure: place for place, measure in enumerate(_RANKED)})
    return (
        ranking.assign(order=order)
        .sort_values(["order", "value"], kind="stable", ignore_index=True)
        .drop(columns="order")
    )


def _rows(measure: str, items: Sequence[Item], numbers: Mapping[str, Numbers]) -> Iterator[tuple[object, ...]]:
    place = next(place for place, (name, _) in enumerate(MEASURES) if name == measure)
    for item in items:
        found = numbers[item.name].estimates[place]
        row = item.stored(_CHANCE.get(measure, ""), "best")
        if not math.isnan(found.value):
            yield measure, item.name, found.value, found.low, found.high, math.nan if row is None else row["value"]

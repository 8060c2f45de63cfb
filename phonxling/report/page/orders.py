"""The orders of phones that the page offers: by the IPA chart, by features; and their natural classes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from phonxling.analyses.features.order import by_features
from phonxling.core.inventory import GAP
from phonxling.core.phonology.chart import by_chart
from phonxling.load.resources.features import panphon_features
from phonxling.phones.natural_classes import natural_classes
from phonxling.tables.files import read_table

_WITH_PHONES = {"confusions": ("gold", "predicted"), "association": ("recognised",), "sounds_like": ("recognised",)}


def stored_orders(folders: Mapping[str, Path]) -> dict[str, object]:
    """Return the orders of all phones of corpora (the folder of each by name), and which have these classes."""
    orders = phone_orders(phone for folder in folders.values() for phone in _phones(folder))
    natural: Mapping[str, Sequence[str]] = orders["natural"]
    return {**orders, "classed": [name for name, folder in folders.items() if _classed(folder, natural)]}


def _phones(folder: Path) -> Iterator[str]:
    for name, columns in _WITH_PHONES.items():
        if (folder / f"{name}.tsv").exists():
            table = read_table(folder.parent, f"{folder.name}/{name}.tsv")
            for column in columns:
                yield from dict.fromkeys(table[column])


def _classed(folder: Path, natural: Mapping[str, Sequence[str]]) -> bool:
    files = [f"{folder.name}/{name}.tsv" for name in ("confusions", "class_confusions")]
    if not all((folder.parent / file).exists() for file in files):
        return False
    confusions, class_confusions = (read_table(folder.parent, file) for file in files)
    return classes_hold(confusions, class_confusions, natural)


def phone_orders(phones: Iterable[str]) -> dict[str, Any]:
    """Return the phones, ∅ left out, in the order of the chart and in that of features, and by natural class."""
    listed, table = [phone for phone in dict.fromkeys(phones) if phone != GAP], panphon_features()
    natural = natural_classes(listed, table)
    classes = {phone: natural.default_of(phone) for phone in listed}
    vectors = {phone: vector.astype(np.float64) for phone in listed if (vector := table.vector(phone)[0]) is not None}
    chart = by_chart(listed, classes, natural.names)
    members = {name: [phone for phone in chart if classes[phone] == name] for name in natural.names}
    return {
        "inventory": chart,
        "features": by_features(listed, vectors),
        "natural": {name: own for name, own in members.items() if own},
    }


def classes_hold(
    confusions: pd.DataFrame, class_confusions: pd.DataFrame, natural: Mapping[str, Sequence[str]]
) -> bool:
    """Return whether sums of confusions over these classes are those of class_confusions.tsv.

    They are not with features of the user's own, or of raw symbols, which have no classes.
    """
    if not len(class_confusions):
        return False
    of = {phone: name for name, own in natural.items() for phone in own} | {GAP: GAP}
    sums = confusions.groupby([confusions[side].map(of) for side in ("gold", "predicted")])["count"].sum()
    stored = class_confusions.set_index(["gold", "predicted"])["count"]
    return bool(sums.equals(stored[stored > 0].reindex(sums.index)) and sums.sum() == stored.sum())

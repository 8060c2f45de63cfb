"""Insertions in the results: the share of each kind in the summary, and insertions.tsv."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.insertions.kinds import (
    KINDS,
    InsertionKinds,
    count_kinds,
    inserted_between,
    insertion_kinds,
    shares_without_structure,
)
from phonxling.analyses.rows import Row, row_of
from phonxling.count.neighbours import EDGE


def insertions(case: Case, _: None) -> Items:
    """Yield the share of each kind of insertion, and insertions.tsv."""
    path = case.counted.path
    kinds = insertion_kinds(path.gold_inventory, path.predicted_inventory, case.features)
    yield from _rows(case, kinds)
    yield "insertions", _table(case, kinds)


def _rows(case: Case, kinds: InsertionKinds) -> Iterator[Row]:
    """Yield the share of the insertions that is of each kind, and what it would be if places did not matter."""
    counted = case.counted
    counts = count_kinds(counted.path, kinds)
    insertions, n = counts.sum(axis=1), float(counts.sum())
    for kind, of_kind in zip(KINDS, counts.T, strict=True):
        share = counted.resampling.ratio(of_kind, insertions, "share") if n else math.nan
        yield row_of("insertion_share", share, n, kind, counted.path_note if n else "nothing is inserted")
    for kind, value in zip(KINDS, shares_without_structure(counted.path, kinds), strict=True):
        note = "the same phones inserted at any place alike" if n else "nothing is inserted"
        yield row_of("insertion_share_null", value, n, kind, note)


def _table(case: Case, kinds: InsertionKinds) -> pd.DataFrame:
    """Return how often each phone is inserted between gold phones of which classes, and as what kind.

    `share` is of all insertions; over the rows it sums to 1. `#` is the edge of an utterance.
    """
    path = case.counted.path
    (phone, left, right), number = np.unique(np.stack(inserted_between(path)), axis=1, return_counts=True)
    classes = np.array([*map(case.classes.default_of, path.gold_inventory), EDGE], dtype=object)
    inserted = pd.DataFrame(
        {
            "code": phone,
            "predicted": np.array(path.predicted_inventory.phones, dtype=object)[phone],
            "left": classes[left],
            "right": classes[right],
            "kind": np.array(KINDS, dtype=object)[kinds[phone, left, right]],
            "count": number,
        }
    )
    counted = inserted.groupby(list(inserted.columns[:-1]))["count"].sum().reset_index().drop(columns="code")
    return counted.assign(share=counted["count"] / max(number.sum(), 1))

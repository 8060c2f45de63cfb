"""Insertions in the results: insertions.tsv."""

import numpy as np
import pandas as pd

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.insertions.kinds import KINDS, InsertionKinds, inserted_between, insertion_kinds
from phonxling.count.neighbours import EDGE


def insertions(case: Case, _: None) -> Items:
    """Yield insertions.tsv."""
    path = case.counted.path
    kinds = insertion_kinds(path.gold_inventory, path.predicted_inventory, case.features)
    yield "insertions", _table(case, kinds)


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

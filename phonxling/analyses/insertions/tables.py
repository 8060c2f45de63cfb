"""Insertions in the results: insertions.tsv, and their kinds in the summary."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.insertions.kinds import (
    KINDS,
    count_kinds,
    inserted_between,
    insertion_kinds,
    shares_without_structure,
)
from phonxling.analyses.rows import Row, row_of
from phonxling.core.estimate import Estimate
from phonxling.core.phonology.features import FeatureTable
from phonxling.count.neighbours import EDGE
from phonxling.phones.natural_classes import NaturalClasses
from phonxling.resample.weights import Resampling

Floats = NDArray[np.float64]
ONE_PATH = "of one best alignment"  # said where the alignment in use is an average


def insertion_rows(analysis: AnalysedCorpus, table: FeatureTable) -> Iterator[Row]:
    """Yield the share of the insertions that is of each kind, and what it would be if places did not matter."""
    path = analysis.path
    kinds = insertion_kinds(path.gold_inventory, path.predicted_inventory, table)
    counts = count_kinds(path, kinds)
    every, n = counts.sum(axis=1), float(counts.sum())
    said = ONE_PATH if path is not analysis.aligned else ""
    for place, kind in enumerate(KINDS):
        if n:
            yield Row("insertion_share", share_of(counts[:, place], every, analysis.resampling), n, kind, said)
        else:
            yield row_of("insertion_share", math.nan, n, kind, "nothing is inserted")
    for kind, value in zip(KINDS, shares_without_structure(path, kinds), strict=True):
        note = "the same phones inserted at any place alike" if n else "nothing is inserted"
        yield row_of("insertion_share_null", value, n, kind, note)


def share_of(part: Floats, whole: Floats, resampling: Resampling) -> Estimate:
    """Return Σ part / Σ whole over utterances, [U] each, with its interval; no interval where it is 0 or 1."""
    if whole.sum() and np.array_equal(part, whole):
        return Estimate(1.0, note="no interval: resampling cannot tell how far from 1 it may be")
    return resampling.ratio(part, whole)


def insertion_table(analysis: AnalysedCorpus, table: FeatureTable, classes: NaturalClasses) -> pd.DataFrame:
    """Return insertions.tsv: how often each phone is inserted between gold phones of which classes, and as what kind.

    `share` is of all insertions; over the rows it sums to 1. `#` is the edge of an utterance.
    """
    path = analysis.path
    kinds = insertion_kinds(path.gold_inventory, path.predicted_inventory, table)
    phone, left, right = inserted_between(path)
    names = np.array([*map(classes.default_of, path.gold_inventory), EDGE], dtype=object)
    found = pd.DataFrame(
        {
            "code": phone,
            "predicted": np.array(path.predicted_inventory.phones, dtype=object)[phone],
            "left": names[left],
            "right": names[right],
            "kind": np.array(KINDS, dtype=object)[kinds[phone, left, right]],
        }
    )
    counted = found.groupby(list(found.columns)).size().rename("count").reset_index().drop(columns="code")
    return counted.assign(share=counted["count"] / max(len(found), 1))

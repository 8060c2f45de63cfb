"""Which confusions differ between two corpora or systems: p(predicted | gold) cell by cell, tested.

A cell is compared where both sides have its gold and its predicted phone, and tokens enough for a test: twenty of the
gold phone on either side, and on both sides together ten in the cell and ten outside of it. Shares are those of
confusions.tsv: of the tokens that were not deleted, unless ∅ is counted as a symbol, on both sides. The test is that of
`resample.two_corpora`; there is no p below five clusters with the gold phone on either side, or four effective ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from phonxling.analyses.statistics import by_cluster
from phonxling.core.arrays import Codes, whole
from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import GAP, merge
from phonxling.resample import two_corpora
from phonxling.resample.jackknife import Clusters
from phonxling.resample.two_corpora import CellShares, Errors

_Row = dict[str, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Side:
    """The confusions of one of two that are compared: by utterance, and with ∅ as a symbol where `gaps`."""

    stack: ConfusionStack
    clusters: Clusters
    gaps: bool

    @cached_property
    def shares(self) -> CellShares:
        """What its clusters show of each cell."""
        counts = by_cluster(self.stack, self.clusters)
        return two_corpora.cell_shares(counts if self.gaps else counts[:, :-1, :-1])

    @property
    def labels(self) -> list[list[str]]:
        """The labels of its rows and of its columns."""
        gap = [GAP] if self.gaps else []
        return [[*self.stack.gold, *gap], [*self.stack.predicted, *gap]]


def cell_differences(first: Side, second: Side, *, same: bool, tested: bool = True) -> Iterator[_Row]:
    """Yield the cells that are compared, with interval and p; `same`: both are of the same utterances, in one order.

    Without a test (`tested`) p is NaN.
    """
    if first.gaps != second.gaps:  # else the shares of one side would be of more tokens
        first, second = (replace(side, gaps=False) for side in (first, second))
    labels = [
        [label for label in mine if label in {*theirs}]
        for mine, theirs in zip(first.labels, second.labels, strict=True)
    ]
    sides, level = (first, second), first.clusters.level
    own, other = (side.shares.at(*map(_places, side.labels, labels)) for side in sides)
    errors = _paired(sides, labels) if same else two_corpora.unpaired(own, other)
    difference = own.shares - other.shares
    tests = errors.contrast(difference, level)
    few = np.broadcast_to(errors.by_cluster.few, difference.shape)
    tokens, other_tokens = (whole(side.tokens[:, 0]).tolist() for side in (own, other))
    for cell in map(tuple, np.argwhere(two_corpora.enough(own, other)).tolist()):
        row, column = cell
        p = tests.p[cell] if tested else np.nan
        yield {
            "gold": labels[0][row],
            "predicted": labels[1][column],
            "value": own.shares[cell],
            "other_value": other.shares[cell],
            "difference": difference[cell],
            "difference_low": tests.low[cell],
            "difference_high": tests.high[cell],
            "p": p,
            "level": level,
            "n": tokens[row],
            "other_n": other_tokens[row],
            "status": "too-few-clusters" if few[cell] else "undefined" if tested and np.isnan(p) else "",
        }


def _places(labels: Sequence[str], some: Sequence[str]) -> Codes:
    """Return where some labels stand, −1 for one that is missing."""
    known = {label: place for place, label in enumerate(labels)}
    return np.array([known.get(label, -1) for label in some], dtype=np.int64)


def _paired(sides: tuple[Side, Side], labels: Sequence[Sequence[str]]) -> Errors:
    """Return the errors of differences over the same utterances, both sides counted over the phones of both."""
    gold, predicted = (merge(*(getattr(side.stack, name) for side in sides)) for name in ("gold", "predicted"))
    both = [replace(side, stack=side.stack.over(gold, predicted)) for side in sides]
    places = [_places([*every, GAP], some) for every, some in zip((gold, predicted), labels, strict=True)]
    own, other = (side.shares.at(*places) for side in both)
    return two_corpora.paired(own, other, two_corpora.discordance(*(side.stack for side in both))[np.ix_(*places)])

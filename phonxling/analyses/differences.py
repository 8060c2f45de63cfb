"""Which confusions differ between two corpora or systems: p(predicted | gold) cell by cell, tested.

A cell is compared where both sides have its gold and its predicted phone, and tokens enough for a test: twenty of the
gold phone on either side, and on both sides together ten in the cell and ten outside of it. Shares are those of
confusions.tsv: of the tokens that were not deleted, unless ∅ is counted as a symbol, on both sides. The test is that of
`resample.two_corpora`; there is no p below five effective clusters with the gold phone on either side, nor where
speakers are unknown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from phonxling.core.arrays import Codes, whole
from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import GAP, merge
from phonxling.resample import two_corpora
from phonxling.resample.entropies import cluster_cells
from phonxling.resample.intervals import UNTESTED_UTTERANCES, Resampling, weakness
from phonxling.resample.two_corpora import CellShares, Errors

_Row = dict[str, Any]
_CONSTANT = "no test: no cluster differs from the others"


@dataclass(frozen=True, eq=False, kw_only=True)
class Side:
    """The confusions of one of two that are compared: by utterance, and with ∅ as a symbol where `gaps`."""

    stack: ConfusionStack
    resampling: Resampling
    gaps: bool

    @cached_property
    def shares(self) -> CellShares:
        """What its clusters show of each cell."""
        return two_corpora.cell_shares(cluster_cells(self.stack, self.resampling, gaps=self.gaps))

    @property
    def labels(self) -> list[list[str]]:
        """The labels of its rows and of its columns."""
        gap = [GAP] if self.gaps else []
        return [[*self.stack.gold, *gap], [*self.stack.predicted, *gap]]


def cell_differences(first: Side, second: Side, *, same: bool) -> Iterator[_Row]:
    """Yield the cells that are compared, with interval and p; `same`: both are of the same utterances, in one order."""
    if first.gaps != second.gaps:  # else the shares of one side would be of more tokens
        first, second = (replace(side, gaps=False) for side in (first, second))
    both = zip(first.labels, second.labels, strict=True)
    labels = [[label for label in mine if label in set(theirs)] for mine, theirs in both]
    sides = first, second
    own, other = (side.shares.at(*map(_places, side.labels, labels)) for side in sides)
    errors = _paired(sides, labels) if same else two_corpora.unpaired(own, other)
    (rows, columns), resampling = labels, first.resampling
    difference = own.shares - other.shares
    tests = errors.contrast(difference, resampling.level)
    tokens, other_tokens = (whole(side.tokens[:, 0]).tolist() for side in (own, other))
    unknown = UNTESTED_UTTERANCES * any(side.resampling.speakers_unknown for side in sides)
    for row, column in np.argwhere(two_corpora.enough(own, other)).tolist():
        cell = row, column
        clusters = float(errors.by_cluster.clusters[row, 0])
        weak = weakness(resampling, clusters=clusters)
        if clusters <= 1:
            weak = f"no interval: the gold phone is of one {resampling.unit} on a side"
        yield {
            "gold": rows[row],
            "predicted": columns[column],
            "value": own.shares[cell],
            "other_value": other.shares[cell],
            "difference": difference[cell],
            "difference_low": tests.low[cell],
            "difference_high": tests.high[cell],
            "p": np.nan if unknown else tests.p[cell],
            "level": resampling.level,
            "n": tokens[row],
            "other_n": other_tokens[row],
            "note": weak or unknown or _CONSTANT * bool(np.isnan(tests.p[cell])),
        }


def _places(labels: Sequence[str], some: Sequence[str]) -> Codes:
    """Return where some labels stand, −1 for one that is missing."""
    known = {label: place for place, label in enumerate(labels)}
    return np.array([known.get(label, -1) for label in some], dtype=np.int64)


def _paired(sides: tuple[Side, Side], labels: Sequence[Sequence[str]]) -> Errors:
    """Return the errors of differences over the same utterances, both sides counted over the phones of both."""
    gold, predicted = (merge(*(getattr(side.stack, name) for side in sides)) for name in ("gold", "predicted"))
    stacks = [side.stack.over(gold, predicted) for side in sides]
    own, other = (
        cluster_cells(stack, side.resampling, gaps=side.gaps) for stack, side in zip(stacks, sides, strict=True)
    )
    places = [_places([*every, GAP], some) for every, some in zip((gold, predicted), labels, strict=True)]
    chosen = np.ix_(*places)
    return two_corpora.paired(
        two_corpora.cell_shares(own).at(*places),
        two_corpora.cell_shares(other).at(*places),
        together=two_corpora.co_deviations(own, other)[chosen],
        discordant=two_corpora.discordance(*stacks)[chosen],
    )

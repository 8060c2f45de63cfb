"""Which confusions differ between two corpora or systems: p(predicted | gold) cell by cell, tested.

A cell is compared where both sides have its gold and its predicted phone, and tokens enough for a test: twenty of the
gold phone on either side, and on both sides together ten in the cell and ten outside of it. Shares are those of
confusions.tsv: of the tokens that were not deleted, unless ∅ is counted as a symbol. The test is that of
`resample.two_corpora.cells`; there is no p below five effective clusters with the gold phone on either side, nor where
speakers are unknown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from phonxling.analyses.case import Case
from phonxling.analyses.loaded import one_recogniser
from phonxling.core.arrays import Codes, whole
from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import GAP, merge
from phonxling.resample.entropies import cluster_cells
from phonxling.resample.intervals import UNTESTED_UTTERANCES, Resampling, weakness
from phonxling.resample.p_values import adjusted
from phonxling.resample.two_corpora import (
    CellShares,
    Errors,
    cell_shares,
    co_deviations,
    discordance,
    enough,
    paired,
    unpaired,
)
from phonxling.tables.files import table_of

if TYPE_CHECKING:
    import pandas as pd


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
        return cell_shares(cluster_cells(self.stack, self.resampling, gaps=self.gaps))

    @property
    def labels(self) -> list[list[str]]:
        """The labels of its rows and of its columns."""
        gap = [GAP] if self.gaps else []
        return [[*self.stack.gold, *gap], [*self.stack.predicted, *gap]]


def differences(cases: Sequence[Case], _: None) -> "Iterator[tuple[str, pd.DataFrame]]":
    """Yield differences.tsv: pairs of corpora of one recogniser, or of the same utterances."""
    analysed = [case for case in cases if case.aligned is not None and case.counted.resampling.replicates]

    def side(case: Case, drawn: Case) -> Side:
        """Return the confusions of a case, and the clusters of a case of the same utterances."""
        gaps = case.experiment.entropy.gaps == "include"
        return Side(stack=case.counted.stack, resampling=drawn.counted.resampling, gaps=gaps)

    sides, rows = {case.name: side(case, case) for case in analysed}, list[_Row]()
    for first, second in combinations(analysed, 2):
        same = same_utterances(first, second)
        alike = one_recogniser(first.loaded, second.loaded, first.experiment.expected)
        if not same and (first.is_reference or second.is_reference or not alike):
            continue
        other = side(second, first) if same else sides[second.name]
        found = list(cell_differences(sides[first.name], other, same=same))
        q = adjusted([row["p"] for row in found]).tolist()
        names = {"corpus": first.name, "other": second.name, "paired": "yes" if same else "no"}
        rows += [{**names, **row, "q": one} for row, one in zip(found, q, strict=True)]
    yield "differences", table_of("differences", rows)


def same_utterances(first: Case, second: Case) -> bool:
    """Return whether both have the same utterances, with the same speakers and gold phones, in one order."""
    own, other = first.counted.corpus, second.counted.corpus
    if (own.utterances, own.speakers) != (other.utterances, other.speakers):
        return False
    every = merge(own.gold.inventory, other.gold.inventory)
    golds = [side.gold.recode(every) for side in (own, other)]
    return all(np.array_equal(*(getattr(gold, name) for gold in golds)) for name in ("offsets", "codes"))


def cell_differences(first: Side, second: Side, *, same: bool) -> Iterator[_Row]:
    """Yield the cells that are compared, with interval and p; `same`: both are of the same utterances, in one order."""
    both = zip(first.labels, second.labels, strict=True)
    labels = [[label for label in mine if label in set(theirs)] for mine, theirs in both]
    (rows, columns), sides = labels, (first, second)
    own, other = (side.shares.at(*map(_places, side.labels, labels)) for side in sides)
    errors = _paired(sides, labels) if same else unpaired(own, other)
    difference = own.shares - other.shares
    tests = errors.contrast(difference, first.resampling.level)
    tokens, other_tokens = (whole(side.tokens[:, 0]).tolist() for side in (own, other))
    unknown = UNTESTED_UTTERANCES * any(side.resampling.speakers_unknown for side in sides)
    for row, column in np.argwhere(enough(own, other)).tolist():
        cell, clusters = (row, column), float(errors.by_cluster.clusters[row, 0])
        weak = weakness(first.resampling, clusters=clusters)
        if clusters <= 1:
            weak = f"no interval: the gold phone is of one {first.resampling.unit} on a side"
        yield {
            "gold": rows[row],
            "predicted": columns[column],
            "value": own.shares[cell],
            "other_value": other.shares[cell],
            "difference": difference[cell],
            "difference_low": tests.low[cell],
            "difference_high": tests.high[cell],
            "p": np.nan if unknown else tests.p[cell],
            "level": first.resampling.level,
            "n": tokens[row],
            "other_n": other_tokens[row],
            "note": weak or unknown or _CONSTANT * bool(np.isnan(tests.p[cell])),
        }


def _places(labels: Sequence[str], some: Sequence[str]) -> Codes:
    return np.array([labels.index(label) for label in some], dtype=np.int64)


def _paired(sides: tuple[Side, Side], labels: Sequence[Sequence[str]]) -> Errors:
    """Return the errors of differences over the same utterances, both sides counted over the phones of both."""
    gold, predicted = (merge(*(getattr(side.stack, name) for side in sides)) for name in ("gold", "predicted"))
    stacks = [side.stack.over(gold, predicted) for side in sides]
    own, other = (
        cluster_cells(stack, side.resampling, gaps=side.gaps) for stack, side in zip(stacks, sides, strict=True)
    )
    places = [_places([*every, GAP], some) for every, some in zip((gold, predicted), labels, strict=True)]
    chosen = np.ix_(*places)
    return paired(
        cell_shares(own).at(*places),
        cell_shares(other).at(*places),
        together=co_deviations(own, other)[chosen],
        discordant=discordance(*stacks)[chosen],
    )

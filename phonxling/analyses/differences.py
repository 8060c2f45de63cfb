"""Which confusions differ between two corpora or systems: p(predicted | gold) cell by cell, tested.

A cell is compared where both sides have its gold and its predicted phone, and tokens enough for a test: twenty of the
gold phone on either side, and on both sides together ten in the cell and ten outside of it. Shares are those of
confusions.tsv: of the tokens that were not deleted, unless ∅ is counted as a symbol. The test is that of
`resample.two_corpora.cells`; there is no p below five effective clusters with the gold phone on either side, nor where
speakers are unknown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from phonxling.analyses.case import Case
from phonxling.analyses.loaded import one_recogniser
from phonxling.core.arrays import Codes, whole
from phonxling.core.confusion import ConfusionStack
from phonxling.core.frames import with_gap
from phonxling.core.inventory import Inventory, merge
from phonxling.resample.intervals import UNTESTED_UTTERANCES, weakness
from phonxling.resample.jackknife import ClusterCells, cluster_cells
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
from phonxling.resample.weights import Resampling
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
        return cell_shares(self.cells())

    def cells(self, *phones: Inventory) -> ClusterCells:
        """Return the counts of its clusters, over its own phones or over others that hold them."""
        return cluster_cells(self.stack.over(*phones) if phones else self.stack, self.resampling, gaps=self.gaps)

    def labels(self, side: str) -> Sequence[str]:
        """Return the labels of its rows (`gold`) or columns (`predicted`)."""
        phones: Inventory = getattr(self.stack, side)
        return with_gap(phones.phones) if self.gaps else phones.phones


def differences(cases: Sequence[Case], _: None) -> "Iterator[tuple[str, pd.DataFrame]]":
    """Yield differences.tsv: pairs of corpora of one recogniser, or of the same utterances."""
    analysed = [case for case in cases if case.aligned is not None and case.counted.resampling.replicates]
    sides = {case.name: _side(case, case) for case in analysed}
    pairs = [pair for pair in combinations(analysed, 2) if _comparable(*pair)]
    rows = [row for first, second in pairs for row in _rows(first, second, sides)]
    yield "differences", table_of("differences", rows)


def _side(case: Case, drawn: Case) -> Side:
    """Return the confusions of a case, and the clusters of a case of the same utterances."""
    gaps = case.experiment.entropy.gaps == "include"
    return Side(stack=case.counted.stack, resampling=drawn.counted.resampling, gaps=gaps)


def _comparable(first: Case, second: Case) -> bool:
    if same_utterances(first, second):
        return True
    beside_reference = first.is_reference or second.is_reference
    return not beside_reference and one_recogniser(first.loaded, second.loaded, first.experiment.expected)


def same_utterances(first: Case, second: Case) -> bool:
    """Return whether both have the same utterances, with the same speakers and gold phones, in one order."""
    own, other = first.counted.corpus, second.counted.corpus
    if (own.utterances, own.speakers) != (other.utterances, other.speakers):
        return False
    every = merge(own.gold.inventory, other.gold.inventory)
    golds = [side.gold.recode(every) for side in (own, other)]
    return all(np.array_equal(*(getattr(gold, name) for gold in golds)) for name in ("offsets", "codes"))


def _rows(first: Case, second: Case, sides: Mapping[str, Side]) -> list[_Row]:
    same = same_utterances(first, second)
    other = _side(second, first) if same else sides[second.name]
    rows = list(cell_differences(sides[first.name], other, same=same))
    q = adjusted([row["p"] for row in rows]).tolist()
    names = {"corpus": first.name, "other": second.name, "paired": "yes" if same else "no"}
    return [{**names, **row, "q": one} for row, one in zip(rows, q, strict=True)]


def cell_differences(first: Side, second: Side, *, same: bool) -> Iterator[_Row]:
    """Yield the cells that are compared, with interval and p; `same`: both are of the same utterances, in one order."""
    (rows, columns), (own_places, other_places) = _common(first, second)
    own, other = first.shares.at(*own_places), second.shares.at(*other_places)
    errors = _paired(first, second, (rows, columns)) if same else unpaired(own, other)
    difference = own.shares - other.shares
    tests = errors.contrast(difference, first.resampling.level)
    tokens, other_tokens = (whole(side.tokens[:, 0]).tolist() for side in (own, other))
    unknown = UNTESTED_UTTERANCES * any(side.resampling.speakers_unknown for side in (first, second))
    for row, column in np.argwhere(enough(own, other)).tolist():
        cell, clusters = (row, column), float(errors.by_cluster.clusters[row, 0])
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
            "note": _note(clusters, first.resampling) or unknown or _CONSTANT * bool(np.isnan(tests.p[cell])),
        }


def _note(clusters: float, resampling: Resampling) -> str:
    if clusters <= 1:
        return f"no interval: the gold phone is of one {resampling.unit} on a side"
    return weakness(resampling, clusters=clusters)


def _common(first: Side, second: Side) -> tuple[list[list[str]], list[list[Codes]]]:
    """Return the labels of gold and of predicted phones that both have, and their places on either side."""
    sides = [(first.labels(side), second.labels(side)) for side in ("gold", "predicted")]
    labels = [[label for label in own if label in set(other)] for own, other in sides]
    places = [
        [_places(one[place], common) for one, common in zip(sides, labels, strict=True)] for place in range(len(sides))
    ]
    return labels, places


def _places(labels: Sequence[str], some: Sequence[str]) -> Codes:
    return np.array([labels.index(label) for label in some], dtype=np.int64)


def _paired(first: Side, second: Side, labels: Sequence[Sequence[str]]) -> Errors:
    phones = [merge(getattr(first.stack, side), getattr(second.stack, side)) for side in ("gold", "predicted")]
    own, other = first.cells(*phones), second.cells(*phones)
    places = [_places(with_gap(every.phones), some) for every, some in zip(phones, labels, strict=True)]
    chosen = np.ix_(*places)
    return paired(
        cell_shares(own).at(*places),
        cell_shares(other).at(*places),
        together=co_deviations(own, other)[chosen],
        discordant=discordance(first.stack.over(*phones), second.stack.over(*phones))[chosen],
    )

"""Which confusions differ between two corpora or systems: p(predicted | gold) cell by cell, tested.

A cell is compared where both sides have its gold and its predicted phone, and tokens enough for a test: twenty of the
gold phone on either side, and on both sides together ten in the cell and ten outside of it. Shares are those of
confusions.tsv: of the tokens that were not deleted, unless ∅ is counted as a symbol, on both sides. The test is that of
`resample.two_corpora.cells`; there is no p below five effective clusters with the gold phone on either side, nor where
speakers are unknown.

Of many languages, each is compared with the mean of the others, which takes as many tests as there are languages; every
two of them would take the square of that. The mean is of shares: each language counts once, however long its corpus is,
where it has twenty tokens of the gold phone, of two clusters. Languages of which nothing shows that anything was heard
are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case
from phonxling.analyses.loaded import one_recogniser
from phonxling.core.arrays import Bools, Codes, whole
from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import GAP, merge
from phonxling.resample import two_corpora
from phonxling.resample.entropies import cluster_cells
from phonxling.resample.intervals import UNTESTED_UTTERANCES, Resampling, weakness
from phonxling.resample.p_values import with_q
from phonxling.resample.two_corpora import CellShares, Errors
from phonxling.settings.models import Differences
from phonxling.tables.files import table_of

_Row = dict[str, Any]
OTHERS = "the others"  # no corpus has a name with a space
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


def differences(cases: Sequence[Case], settings: Differences) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield differences.tsv: each corpus and the mean of the others of its recogniser, or every two of them."""
    analysed = [case for case in cases if case.aligned is not None and case.counted.resampling.replicates]

    def side(case: Case, drawn: Case) -> Side:
        """Return the confusions of a case, and the clusters of a case of the same utterances."""
        gaps = case.experiment.entropy.gaps == "include"
        return Side(stack=case.counted.stack, resampling=drawn.counted.resampling, gaps=gaps)

    sides, rows = {case.name: side(case, case) for case in analysed}, list[_Row]()
    others: dict[str, list[Case]] = {case.name: [] for case in analysed}
    pairs = list[tuple[Case, Case, bool]]()
    for first, second in combinations(analysed, 2):
        same = same_utterances(first, second)
        alike = one_recogniser(first.loaded, second.loaded, first.experiment.expected)
        comparable = alike and not (first.is_reference or second.is_reference)
        if same or comparable:
            pairs.append((first, second, same))
        if comparable and not same:
            others[first.name].append(second)
            others[second.name].append(first)

    def add(names: Mapping[str, str], found: Iterator[_Row]) -> None:
        rows.extend({"others": 1, **names, **row} for row in with_q([*found]))

    each = settings.against == "each"
    for first, second, same in pairs:
        if same or each or len(others[first.name]) == len(others[second.name]) == 1:
            other = side(second, first) if same else sides[second.name]
            names = {"corpus": first.name, "other": second.name, "paired": "yes" if same else "no"}
            add(names, cell_differences(sides[first.name], other, same=same))
    for case in () if each else analysed:
        heard = [sides[other.name] for other in others[case.name] if not other.deaf]
        if len(others[case.name]) > 1 and heard:
            names = {"corpus": case.name, "other": OTHERS, "paired": "no"}
            add(names, differences_from_mean(sides[case.name], heard))
    yield "differences", table_of("differences", rows)


def same_utterances(first: Case, second: Case) -> bool:
    """Return whether both have the same utterances, with the same speakers and gold phones, in one order."""
    own, other = first.counted.corpus, second.counted.corpus
    if (own.utterances, own.speakers) != (other.utterances, other.speakers):
        return False
    if not np.array_equal(own.gold.offsets, other.gold.offsets):
        return False
    every = merge(own.gold.inventory, other.gold.inventory)
    golds = [side.gold.recode(every) for side in (own, other)]
    return np.array_equal(golds[0].codes, golds[1].codes)


def cell_differences(first: Side, second: Side, *, same: bool) -> Iterator[_Row]:
    """Yield the cells that are compared, with interval and p; `same`: both are of the same utterances, in one order."""
    if first.gaps != second.gaps:  # else the shares of one side would be of more tokens
        first, second = (replace(side, gaps=False) for side in (first, second))
    both = zip(first.labels, second.labels, strict=True)
    labels = [[label for label in mine if label in set(theirs)] for mine, theirs in both]
    sides = first, second
    own, other = (side.shares.at(*map(_places, side.labels, labels)) for side in sides)
    errors = _paired(sides, labels) if same else two_corpora.unpaired(own, other)
    for row in _tested(labels, own, other, errors, sides=sides, chosen=two_corpora.enough(own, other)):
        yield row | {"other_n": whole(other.tokens[labels[0].index(row["gold"])]).tolist()[0]}


def differences_from_mean(own: Side, others: Sequence[Side]) -> Iterator[_Row]:
    """Yield the same of a side and the mean of others, with how many of them say the gold phone often enough."""
    known = [set().union(*labels) for labels in zip(*(side.labels for side in others), strict=True)]
    labels = [[label for label in mine if label in theirs] for mine, theirs in zip(own.labels, known, strict=True)]
    tables = [side.shares.at(*map(_places, side.labels, labels)) for side in others]
    mean, used = two_corpora.mean_shares(tables)
    tokens = np.where(used, [table.tokens[:, 0] for table in tables], 0.0).sum(axis=0)
    here = own.shares.at(*map(_places, own.labels, labels))
    alike = np.minimum(mean.tokens, here.tokens)  # else tokens of fifty languages would list what is seldom in all
    chosen = two_corpora.enough(here, replace(mean, counts=mean.shares * alike, tokens=alike))
    for row in _tested(labels, here, mean, two_corpora.unpaired(here, mean), sides=(own, *others), chosen=chosen):
        place = labels[0].index(row["gold"])
        yield row | {"others": int(used[:, place].sum()), "other_n": whole(tokens[place : place + 1]).tolist()[0]}


def _tested(
    labels: Sequence[Sequence[str]],
    own: CellShares,
    other: CellShares,
    errors: Errors,
    *,
    sides: Sequence[Side],
    chosen: Bools,
) -> Iterator[_Row]:
    """Yield the chosen cells: difference, interval and p; `sides` are all that it rests on."""
    (rows, columns), resampling = labels, sides[0].resampling
    difference = own.shares - other.shares
    tests = errors.contrast(difference, resampling.level)
    tokens = whole(own.tokens[:, 0]).tolist()
    unknown = UNTESTED_UTTERANCES * any(side.resampling.speakers_unknown for side in sides)
    every = np.broadcast_to(errors.by_cluster.clusters, difference.shape)
    for row, column in np.argwhere(chosen).tolist():
        cell = row, column
        clusters = float(every[cell])
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

"""The jackknife of entropies and information: bias-corrected estimates, from leaving out each cluster in turn.

Leaving out cluster c changes only the cells that it has tokens in, so that all C values come from one pass over the
sparse counts. For whole counts it is the Miller–Madow estimate that is jackknifed: what bias that leaves (cells never
seen, tokens of one speaker that are alike) is of order 1/N too, and the jackknife takes it off. Fractional counts have
no number of cells seen, and the plug-in is jackknifed.

References
----------
Quenouille (1956), Notes on bias in estimation. Zahl (1977), Jackknifing an index of diversity. Miller (1955).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.count.kernel import merge_cells
from phonxling.resample.entropy_sums import EntropySums, entropy_sums, information, n_log_n, row_entropies
from phonxling.resample.kernel import NOTHING, add_changes, add_whole_changes, sum_rows
from phonxling.resample.student import effective_number
from phonxling.resample.weights import Resampling

_KNOWN = 16  # counts below which what leaving them out changes is worked out once
_CLUSTERS = 1 << 14  # that are left out together, one at a time: their sums stay in the processor's memory
_TOGETHER = 1 << 17  # cells of clusters that are looked at together


class RowEntropies(NamedTuple):
    """The corrected entropy of each row, [rows], its standard error, and the effective clusters of the row's tokens."""

    value: Floats
    error: Floats
    clusters: Floats


class Cells(NamedTuple):
    """The m cells with counts of some clusters, one cluster after the other, ascending."""

    first: int
    offsets: Codes
    row: Codes
    column: Codes
    tokens: Floats

    @property
    def cluster(self) -> Codes:
        """The cluster of each, [m]."""
        return np.repeat(np.arange(len(self.offsets) - 1) + self.first, np.diff(self.offsets))

    def by_row(self, *values: Floats) -> tuple[Codes, Floats]:
        """Return the row of each pair of a cluster and a row that it has, [n], in order, and the sums of k values."""
        rows, sums = np.empty(len(self.row), np.int64), np.empty((len(values), len(self.row)))
        ends = np.zeros(len(self.offsets), np.int64)
        own = np.zeros((len(values), self.row.max(initial=-1) + 1))
        sum_rows(self.offsets, self.row, np.stack(values), own, sums, rows, ends[1:])
        return rows[: ends[-1]], sums[:, : ends[-1]]


@dataclass(frozen=True, eq=False)
class ClusterCells:
    """The counts of clusters: those of a stack that has a matrix for each, without ∅ unless `gaps`."""

    stack: ConfusionStack
    gaps: bool
    turned: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        sides = len(self.stack.gold) + self.gaps, len(self.stack.predicted) + self.gaps
        return sides[::-1] if self.turned else sides

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return len(self.stack.offsets) - 1

    @cached_property
    def table(self) -> Floats:
        """The sum over clusters, [rows, columns]."""
        counts = self.stack.total().counts
        counts = counts if self.gaps else counts[:-1, :-1]
        return np.ascontiguousarray(counts.T if self.turned else counts)

    @cached_property
    def left_out(self) -> Mapping[str, Floats]:
        """Each measure of information of the table without each cluster, [C]."""
        parts = [information(sums) for sums in left_out_sums(self, corrected=self.stack.whole)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def transposed(self) -> "ClusterCells":
        """Return the same with rows and columns changed over."""
        return replace(self, turned=not self.turned)

    def parts(self) -> Iterator[Cells]:
        """Yield the cells with counts, those of some clusters at a time."""
        offsets, places = self.stack.offsets, self.places
        first = 0
        while first < self.clusters:
            last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + _TOGETHER, side="right")) - 1)
            run = slice(offsets[first], offsets[last])
            row, column = places[:, self.stack.cells[run]]
            chosen = row >= 0
            bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(chosen)])[offsets[first : last + 1] - run.start]
            yield Cells(first, bounds, row[chosen], column[chosen], self.stack.counts[run][chosen].astype(np.float64))
            first = last

    @property
    def places(self) -> Codes:
        """The row and the column of each cell of the stack, [2, cells]; −1 for one that is not counted."""
        rows, columns = len(self.stack.gold) + 1, len(self.stack.predicted) + 1
        places = np.stack(np.divmod(np.arange(rows * columns), columns))
        if not self.gaps:
            places[:, (places[0] == rows - 1) | (places[1] == columns - 1)] = -1
        return places[::-1].copy() if self.turned else places


def jackknife(value: float, left_out: Floats) -> float:
    """Return C·value − (C − 1)·mean of the C values without each cluster."""
    clusters = len(left_out)
    return float(clusters * value - (clusters - 1) * left_out.mean()) if clusters > 1 else np.nan


def cluster_cells(stack: ConfusionStack, resampling: Resampling, *, gaps: bool = False) -> ClusterCells:
    """Return the counts of each cluster, without ∅ unless `gaps`; nothing is copied where clusters are utterances."""
    clusters, number = resampling.clusters, resampling.number
    if number == len(stack) and np.array_equal(clusters, np.arange(number)):
        return ClusterCells(stack, gaps)
    cells, counts, ends = np.empty_like(stack.cells), np.empty_like(stack.counts), np.zeros(number + 1, np.int64)
    order = np.argsort(clusters, kind="stable")
    bounds = np.searchsorted(clusters[order], np.arange(number + 1))
    size = (len(stack.gold) + 1) * (len(stack.predicted) + 1)
    sums = np.zeros(size, stack.counts.dtype)
    merge_cells(order, bounds, stack.offsets, stack.cells, stack.counts, sums, cells, counts, ends[1:])
    names, filled = tuple(map(str, range(number))), slice(ends[-1])
    return ClusterCells(
        replace(stack, utterances=names, offsets=ends, cells=cells[filled], counts=counts[filled]), gaps
    )


def left_out_sums(parts: ClusterCells, *, corrected: bool = False) -> Iterator[EntropySums]:
    """Yield the sums of the table without each cluster, those of some clusters at a time."""
    table, stack, sizes = parts.table, parts.stack, parts.shape
    whole, lines = entropy_sums(table, corrected=corrected), parts.places
    cells = np.zeros(lines.shape[1])
    cells[lines[0] >= 0] = table[tuple(lines[:, lines[0] >= 0])]
    total = np.concatenate([table.sum(axis=1), table.sum(axis=0), cells])
    known, _ = _change(total, np.arange(float(_KNOWN))[:, None])
    lines[1] += sizes[0]
    for first in range(0, max(1, parts.clusters), _CLUSTERS):
        offsets = stack.offsets[first : first + _CLUSTERS + 1]
        sums = np.zeros((7, len(offsets) - 1))  # changes, see `add_changes`
        if stack.counts.dtype.kind == "i":
            add_whole_changes(offsets, stack.cells, stack.counts, lines, sizes, total, known, sums)
        else:
            add_changes(offsets, stack.cells, stack.counts, lines, sizes, total, sums)
        seen = whole.seen
        yield EntropySums(
            tokens=whole.tokens - sums[0],
            rows=whole.rows + sums[1],
            columns=whole.columns + sums[2],
            cells=whole.cells + sums[3],
            seen=(seen[0] - sums[4], seen[1] - sums[5], seen[2] - sums[6]) if seen else None,
        )


def jackknifed_rows(parts: ClusterCells) -> RowEntropies:
    """Return the corrected entropy of each row, over the clusters in which the row has tokens."""
    table, is_whole = parts.table, parts.stack.whole
    total, sums, seen = table.sum(axis=1), n_log_n(table).sum(axis=1), np.count_nonzero(table, axis=1)
    value = row_entropies(total, sums, seen if is_whole else None)
    rows, entropies, squares = [np.zeros(0, np.int32)], [np.zeros(0)], np.zeros(len(table))
    for cells in parts.parts():
        row, (tokens, change, gone) = cells.by_row(cells.tokens, *_change(table[cells.row, cells.column], cells.tokens))
        left = total[row] - tokens
        left_seen = seen[row] - gone if is_whole else None
        rows.append(row.astype(np.int32))
        entropies.append(row_entropies(np.where(left > NOTHING, left, 0.0), sums[row] + change, left_seen))
        np.add.at(squares, row, tokens**2)
    row, without, size = np.concatenate(rows), np.concatenate(entropies), len(table)
    clusters = np.bincount(row, minlength=size).astype(np.float64)
    number = np.where(clusters > 1, clusters, np.nan)
    mean = np.bincount(row, without, minlength=size) / number
    error = np.sqrt((number - 1) / number * np.bincount(row, (without - mean[row]) ** 2, minlength=size))
    jackknifed = np.where(clusters > 1, number * value - (number - 1) * mean, value)
    return RowEntropies(jackknifed, error, effective_number(total, squares))


def _change(before: Floats, count: Floats) -> tuple[Floats, Floats]:
    left = before - count
    left = np.where(left > NOTHING, left, 0.0)
    return n_log_n(left) - n_log_n(before), (left == 0).astype(np.float64)

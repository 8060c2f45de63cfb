"""The jackknife of entropies and information: bias-corrected estimates, from leaving out each cluster in turn.

Leaving out cluster c changes only the cells that it has tokens in, so that all C values come from one pass over the
sparse counts. For whole counts it is the Miller–Madow estimate that is jackknifed: what bias that leaves (cells never
seen, tokens of one speaker that are alike) is of order 1/N too, and the jackknife takes it off. Fractional counts have
no number of cells seen, and the plug-in is jackknifed.

References
----------
Quenouille (1956), Notes on bias in estimation. Zahl (1977), Jackknifing an index of diversity. Miller (1955).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from phonxling.core.arrays import Codes, Floats, sum_by
from phonxling.core.confusion import ConfusionStack
from phonxling.resample.entropy_sums import EntropySums, entropy_sums, information, n_log_n, row_entropies
from phonxling.resample.weights import Resampling

_NOTHING = 1e-9  # a count that subtraction leaves of none


@dataclass(frozen=True, eq=False)
class RowEntropies:
    """The corrected entropy of each row, [rows], its standard error, and the clusters that the row has tokens in.

    Of a row with tokens in one cluster the value is not jackknifed, and there is no standard error.
    """

    value: Floats
    error: Floats
    clusters: Floats


@dataclass(frozen=True, eq=False)
class ClusterCells:
    """The sparse counts of clusters: entry m says that cluster[m] has count[m] tokens in cell (row[m], column[m]).

    `whole` says whether they are of whole tokens, so that the cells seen can be counted.
    """

    cluster: Codes
    row: Codes
    column: Codes
    count: Floats
    shape: tuple[int, int]
    clusters: int
    whole: bool

    @cached_property
    def table(self) -> Floats:
        """The sum over clusters, [rows, columns]."""
        flat = self.row * self.shape[1] + self.column
        return sum_by(flat, self.count, self.shape[0] * self.shape[1]).reshape(self.shape)

    @cached_property
    def left_out(self) -> Mapping[str, Floats]:
        """Each measure of information of the table without each cluster, [C]."""
        return information(left_out_sums(self, corrected=self.whole))

    def transposed(self) -> "ClusterCells":
        """Return the same with rows and columns changed over."""
        return replace(self, row=self.column, column=self.row, shape=self.shape[::-1])


def jackknife(value: float, left_out: Floats) -> float:
    """Return C·value − (C − 1)·mean of the C values without each cluster; NaN where these are not two or more numbers.

    Its bias is of a higher order than that of the value.

    Examples
    --------
    The plug-in variance of (1, 2, 6) is 14/3; without one number 4, 25/4 and 1/4. The jackknife makes it unbiased, 7:

    >>> round(jackknife(14 / 3, np.array([4, 25 / 4, 1 / 4])), 12)
    7.0
    """
    clusters = len(left_out)
    return float(clusters * value - (clusters - 1) * left_out.mean()) if clusters > 1 else np.nan


def cluster_cells(stack: ConfusionStack, resampling: Resampling, *, gaps: bool = False) -> ClusterCells:
    """Return the counts of each cluster, without ∅ unless `gaps`."""
    rows, columns = len(stack.gold) + 1, len(stack.predicted) + 1
    owner = np.repeat(resampling.clusters, np.diff(stack.offsets))
    keys, places = np.unique(owner * (rows * columns) + stack.cells, return_inverse=True)
    count = sum_by(places, stack.counts, len(keys))
    cluster, cell = np.divmod(keys, rows * columns)
    row, column = np.divmod(cell, columns)
    chosen = np.full(len(keys), True) if gaps else (row < rows - 1) & (column < columns - 1)
    shape = (rows, columns) if gaps else (rows - 1, columns - 1)
    return ClusterCells(
        cluster[chosen], row[chosen], column[chosen], count[chosen], shape, resampling.number, stack.whole
    )


def left_out_sums(parts: ClusterCells, *, corrected: bool = False) -> EntropySums:
    """Return the sums of the table without each cluster, [C] each."""
    table = parts.table
    whole = entropy_sums(table, corrected=corrected)
    flat = parts.row * parts.shape[1] + parts.column
    by_row, by_column = _merged(parts, parts.row, parts.shape[0]), _merged(parts, parts.column, parts.shape[1])
    rows, rows_gone = _changes(*by_row, table.sum(axis=1), parts.clusters)
    columns, columns_gone = _changes(*by_column, table.sum(axis=0), parts.clusters)
    cells, cells_gone = _changes(parts.cluster, flat, parts.count, table.ravel(), parts.clusters)
    seen = whole.seen
    return EntropySums(
        tokens=whole.tokens - sum_by(parts.cluster, parts.count, parts.clusters),
        rows=whole.rows + rows,
        columns=whole.columns + columns,
        cells=whole.cells + cells,
        seen=(seen[0] + rows_gone, seen[1] + columns_gone, seen[2] + cells_gone) if seen else None,
    )


def jackknifed_rows(parts: ClusterCells) -> RowEntropies:
    """Return the corrected entropy of each row, over the clusters in which the row has tokens."""
    table = parts.table
    total, sums, seen = table.sum(axis=1), n_log_n(table).sum(axis=1), np.count_nonzero(table, axis=1)
    value = row_entropies(total, sums, seen if parts.whole else None)
    owner, row, tokens = _merged(parts, parts.row, parts.shape[0])
    pair = np.searchsorted(owner * parts.shape[0] + row, parts.cluster * parts.shape[0] + parts.row)
    change, gone = _change(table[parts.row, parts.column], parts.count)
    left = total[row] - tokens
    without = row_entropies(
        np.where(left > _NOTHING, left, 0.0),
        sums[row] + sum_by(pair, change, len(row)),
        seen[row] - sum_by(pair, gone, len(row)) if parts.whole else None,
    )
    return _of_rows(value, row, without)


def _of_rows(value: Floats, row: Codes, left_out: Floats) -> RowEntropies:
    def total(values: Floats) -> Floats:
        return sum_by(row, values, len(value))

    clusters = total(np.ones(len(row)))
    number = np.where(clusters > 1, clusters, np.nan)
    mean = total(left_out) / number
    error = np.sqrt((number - 1) / number * total((left_out - mean[row]) ** 2))
    return RowEntropies(np.where(clusters > 1, number * value - (number - 1) * mean, value), error, clusters)


def _merged(parts: ClusterCells, code: Codes, codes: int) -> tuple[Codes, Codes, Floats]:
    """Return the cluster, the code and the count of each pair of the two, in order."""
    keys, places = np.unique(parts.cluster * codes + code, return_inverse=True)
    return *np.divmod(keys, codes), sum_by(places, parts.count, len(keys))


def _changes(cluster: Codes, code: Codes, count: Floats, total: Floats, clusters: int) -> tuple[Floats, Floats]:
    """Return what leaving out each cluster changes in Σ n log2 n, and in how many counts are not 0."""
    change, gone = _change(total[code], count)
    return (
        sum_by(cluster, change, clusters),
        -sum_by(cluster, gone, clusters),
    )


def _change(before: Floats, count: Floats) -> tuple[Floats, Floats]:
    left = before - count
    left = np.where(left > _NOTHING, left, 0.0)
    return n_log_n(left) - n_log_n(before), (left == 0).astype(np.float64)

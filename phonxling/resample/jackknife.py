"""The jackknife of entropies and information: a bias-corrected estimate and its standard error, leaving out clusters.

Leaving out cluster c changes only the cells that it has tokens in, so that all C values come from one pass over the
sparse counts. For whole counts it is the Miller–Madow estimate that is jackknifed: what bias that leaves (cells never
seen, tokens of one speaker that are alike) is of order 1/N too, and the jackknife takes it off. Fractional counts have
no number of cells seen, and the plug-in is jackknifed.

References
----------
Quenouille (1956), Notes on bias in estimation. Zahl (1977), Jackknifing an index of diversity. Miller (1955).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from phonxling.core.arrays import Codes, Floats, sum_by
from phonxling.core.confusion import ConfusionStack
from phonxling.resample.entropy_sums import EntropySums, entropy_sums, information, n_log_n, row_entropies
from phonxling.resample.student import jackknife_error
from phonxling.resample.weights import Resampling

_NOTHING = 1e-9  # a count that subtraction leaves of none


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Bias-corrected estimates and their standard errors, arrays of one shape; NaN where a cluster alone has tokens."""

    value: Floats
    error: Floats


@dataclass(frozen=True, eq=False)
class ClusterCells:
    """The sparse counts of clusters: entry m says that cluster[m] has count[m] tokens in cell (row[m], column[m])."""

    cluster: Codes
    row: Codes
    column: Codes
    count: Floats
    shape: tuple[int, int]
    clusters: int

    def table(self) -> Floats:
        """Return the sum over clusters, [rows, columns]."""
        flat = self.row * self.shape[1] + self.column
        return sum_by(flat, self.count, self.shape[0] * self.shape[1]).reshape(self.shape)

    def transposed(self) -> "ClusterCells":
        """Return the same with rows and columns changed over."""
        return ClusterCells(self.cluster, self.column, self.row, self.count, self.shape[::-1], self.clusters)


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
    return ClusterCells(cluster[chosen], row[chosen], column[chosen], count[chosen], shape, resampling.number)


def left_out_sums(parts: ClusterCells, *, corrected: bool = False) -> EntropySums:
    """Return the sums of the table without each cluster, [C] each."""
    table = parts.table()
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


def jackknifed(value: ArrayLike, left_out: Floats) -> Jackknife:
    """Return C·θ − (C − 1)·mean θ₋c of the values without each of C clusters, whose bias is of a higher order than θ's.

    Examples
    --------
    The plug-in variance of (1, 2, 6) is 14/3; without one number 4, 25/4 and 1/4. The jackknife makes it unbiased, 7:

    >>> round(float(jackknifed(14 / 3, np.array([4, 25 / 4, 1 / 4])).value), 12)
    7.0
    """
    number = len(left_out)
    mean = left_out.mean() if number else np.nan
    value_without_bias = number * np.asarray(value) - (number - 1) * mean
    return Jackknife(np.asarray(value_without_bias), np.asarray(jackknife_error(left_out)))


def jackknifed_information(parts: ClusterCells) -> Mapping[str, Jackknife]:
    """Return the corrected estimate of each measure of information, with its standard error."""
    corrected = _whole(parts.count)
    values = information(entropy_sums(parts.table(), corrected=corrected))
    left_out = information(left_out_sums(parts, corrected=corrected))
    return {name: jackknifed(value, left_out[name]) for name, value in values.items()}


def jackknifed_rows(parts: ClusterCells) -> Jackknife:
    """Return the same of the entropy of each row, [rows]: over the clusters in which the row has tokens."""
    corrected, table = _whole(parts.count), parts.table()
    total, sums, seen = table.sum(axis=1), n_log_n(table).sum(axis=1), (table > 0).sum(axis=1).astype(np.float64)
    value = row_entropies(total, sums, seen if corrected else None)
    owner, row, tokens = _merged(parts, parts.row, parts.shape[0])
    pair = np.searchsorted(owner * parts.shape[0] + row, parts.cluster * parts.shape[0] + parts.row)
    change, gone = _change(table[parts.row, parts.column], parts.count)
    left = total[row] - tokens
    without = row_entropies(
        np.where(left > _NOTHING, left, 0.0),
        sums[row] + sum_by(pair, change, len(row)),
        seen[row] - sum_by(pair, gone, len(row)) if corrected else None,
    )
    return _of_rows(value, row, without)


def _of_rows(value: Floats, row: Codes, left_out: Floats) -> Jackknife:
    def total(values: Floats) -> Floats:
        return sum_by(row, values, len(value))

    number = np.where((many := total(np.ones(len(row)))) > 1, many, np.nan)
    mean = total(left_out) / number
    error = np.sqrt((number - 1) / number * total((left_out - mean[row]) ** 2))
    return Jackknife(number * value - (number - 1) * mean, error)


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


def _whole(counts: Floats) -> bool:
    return bool((counts == np.round(counts)).all())

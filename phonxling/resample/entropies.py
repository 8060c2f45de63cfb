"""Entropies and information of many confusion tables: from sums of n log2 n, jackknifed, with their intervals.

Sums
----
H(Y) = log2 N − Σ_y n_y log2 n_y / N, and H(X), H(X,Y) alike; H(X|Y) = H(X,Y) − H(Y); I = H(X) + H(Y) − H(X,Y). The
Miller–Madow correction adds (m − 1) / 2N nats to each of the three, m the number of rows, columns or cells with tokens.

Jackknife
---------
Leaving out cluster c changes only the cells that it has tokens in, so that all C values come from one pass over the
sparse counts. It is the Miller–Madow estimate that is jackknifed: what bias that leaves (cells never seen, tokens of
one speaker that are alike) is of order 1/N too, and the jackknife takes it off.

Intervals
---------
They are of the jackknifed estimate, which is the value. Draws of an entropy are biased once more than the estimate, so
that limits made of their quantiles would miss the truth nearly always when cells are many: draws are moved until their
mean is the value, and tell its spread alone. `docs/uncertainty.md` has the coverage.

References
----------
Quenouille (1956), Notes on bias in estimation. Zahl (1977), Jackknifing an index of diversity. Miller (1955).
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.count.kernel import merge_cells
from phonxling.resample.intervals import Resampling, estimate
from phonxling.resample.kernel import NOTHING, add_changes
from phonxling.resample.student import effective_number

FEW_PER_CELL = 4.0  # below so many tokens a cell seen, intervals held the truth in fewer than 90 % of simulations
FEW_PER_CELL_OF_DIVERGENCES = 10.0  # the same of these
_KNOWN = 16  # counts below which what leaving them out changes is worked out once
_CLUSTERS = 1 << 14  # that are left out together, one at a time: their sums stay in the processor's memory
_LARGEST = math.log2(np.finfo(float).max)  # bits above which 2 to their power is no number
_TOGETHER = 1 << 12  # clusters whose cells are looked at together


@dataclass(frozen=True, eq=False)
class EntropySums:
    """N, and the sums of n log2 n over rows, columns and cells; arrays of one shape."""

    tokens: Floats
    rows: Floats
    columns: Floats
    cells: Floats
    seen: tuple[Floats, Floats, Floats] | None = None


def n_log_n(counts: Floats) -> Floats:
    """Return n log2 n, 0 for n = 0; most cells of a large table are 0, and have no logarithm taken."""
    found = np.zeros(counts.shape)
    np.log2(counts, out=found, where=~(counts <= 0))  # NaN stays
    found *= counts
    return found


def shares_entropy(shares: Floats, axis: int = -1) -> Floats:
    """Return the entropy in bits of the distributions along an axis; 0 where all shares are 0."""
    return np.asarray(0.0 - n_log_n(shares).sum(axis=axis))


def entropy_sums(pairs: Floats, *, corrected: bool = False) -> EntropySums:
    """Return the sums of tables [G, P, …]."""
    rows, columns = pairs.sum(axis=1), pairs.sum(axis=0)
    seen = (_seen(rows, 0), _seen(columns, 0), _seen(pairs, (0, 1))) if corrected else None
    return _sums(rows, columns, np.asarray(n_log_n(pairs).sum(axis=(0, 1))), seen)


def _sums(rows: Floats, columns: Floats, cells: Floats, seen: tuple[Floats, Floats, Floats] | None) -> EntropySums:
    """Return the sums of tables of so many tokens in rows and columns."""
    of_columns = n_log_n(columns)  # one after the other, so that no phone that is never predicted changes a bit
    return EntropySums(
        tokens=np.asarray(rows.sum(axis=0)),
        rows=np.asarray(n_log_n(rows).sum(axis=0)),
        columns=np.asarray(of_columns.cumsum(axis=0)[-1] if len(of_columns) else of_columns.sum(axis=0)),
        cells=cells,
        seen=seen,
    )


def sparse_entropy_sums(rows: Codes, columns: Codes, counts: Floats, shape: tuple[int, int]) -> EntropySums:
    """Return the sums of tables that have counts in K cells only, [K, R]; `rows` and `columns` [K] say which."""
    from scipy.sparse import csc_array  # a fifth of a second, which `check` need not wait

    each, ones = np.arange(len(counts) + 1), np.ones(len(counts))  # a column of the matrix has one cell
    of_rows, of_columns = (
        np.asarray(csc_array((ones, codes, each), shape=(size, len(counts))) @ counts)
        for codes, size in zip((rows, columns), shape, strict=True)
    )
    seen = _seen(of_rows, 0), _seen(of_columns, 0), _seen(counts, 0)
    return _sums(of_rows, of_columns, np.asarray(n_log_n(counts).sum(axis=0)), seen)


def information(sums: EntropySums) -> Mapping[str, Floats]:
    """Return each measure of information by its name in the summary, in bits; NaN without tokens."""
    tokens = np.where(sums.tokens > 0, sums.tokens, math.nan)
    none = np.ones_like(sums.tokens)
    rows, columns, cells = sums.seen or (none, none, none)
    more = 1 / (2 * tokens * math.log(2))
    gold = np.log2(tokens) - sums.rows / tokens + more * (rows - 1)
    predicted = np.log2(tokens) - sums.columns / tokens + more * (columns - 1)
    joint = np.log2(tokens) - sums.cells / tokens + more * (cells - 1)
    shared, known = gold + predicted - joint, gold > 1e-9  # 0 up to rounding
    measures = {
        "conditional_entropy": joint - gold,
        "conditional_entropy_given_predicted": joint - predicted,
        "entropy_gold": gold,
        "entropy_predicted": predicted,
        "mutual_information": shared,
        "uncertainty_coefficient_gold": np.where(known, shared / np.where(known, gold, 1.0), math.nan),
    }
    return measures if sums.seen else {name: np.maximum(value, 0.0) for name, value in measures.items()}


def largest_information(shape: tuple[int, int]) -> Mapping[str, float]:
    """Return the largest value that each measure of information in bits can have."""
    rows, columns = (math.log2(max(number, 1)) for number in shape)
    return {
        "conditional_entropy": columns,
        "conditional_entropy_given_predicted": rows,
        "entropy_gold": rows,
        "entropy_predicted": columns,
        "mutual_information": min(rows, columns),
    }


def row_entropies(rows: Floats, cells: Floats, seen: Floats | NDArray[np.int64]) -> Floats:
    """Return each row's entropy by Miller–Madow, its tokens, its sum and its cells seen given; NaN without tokens."""
    tokens = np.where(rows > 0, rows, math.nan)
    plain = np.maximum(np.log2(tokens) - cells / tokens, 0.0)
    more = (seen - 1) / (2 * tokens * math.log(2))
    return np.where(seen == 1, 0.0, plain + more)  # one cell alone leaves nothing unknown, and no rounding either


def _seen(counts: Floats, axis: int | tuple[int, ...]) -> Floats:
    return np.asarray(np.count_nonzero(counts > 0, axis=axis), dtype=np.float64)


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
        rows, clusters = int(self.row.max(initial=-1)) + 1, len(self.offsets) - 1
        place = (self.cluster - self.first) * rows + self.row
        sums: Floats = np.stack([np.bincount(place, one, minlength=clusters * rows) for one in values])
        present = np.flatnonzero(sums[0])
        return present % max(rows, 1), sums[:, present]


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
        parts = [information(sums) for sums in left_out_sums(self)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def parts(self) -> Iterator[Cells]:
        """Yield the cells with counts, those of some clusters at a time."""
        places, stack = self.places, self.stack
        for first in range(0, self.clusters, _TOGETHER):
            bounds = stack.offsets[first : first + _TOGETHER + 1]
            run = slice(bounds[0], bounds[-1])
            row, column = places[:, stack.cells[run]]
            chosen = row >= 0
            ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(chosen)])[bounds - run.start]
            yield Cells(first, ends, row[chosen], column[chosen], stack.counts[run][chosen].astype(np.float64))

    @property
    def places(self) -> Codes:
        """The row and the column of each cell of the stack, [2, cells]; −1 for one that is not counted."""
        rows, columns = len(self.stack.gold) + 1, len(self.stack.predicted) + 1
        places = np.stack(np.divmod(np.arange(rows * columns), columns))
        if not self.gaps:
            places[:, (places[0] == rows - 1) | (places[1] == columns - 1)] = -1
        return places[::-1].copy() if self.turned else places


def jackknife(value: float, left_out: Floats) -> float:
    """Return C·value − (C − 1)·mean of the C values without each cluster; the value where one is not defined."""
    clusters = len(left_out)
    if clusters < 2 or not np.isfinite(left_out).all():
        return value
    return float(clusters * value - (clusters - 1) * left_out.mean())


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


def left_out_sums(parts: ClusterCells) -> Iterator[EntropySums]:
    """Yield the sums of the table without each cluster, those of some clusters at a time."""
    table, stack, sizes = parts.table, parts.stack, parts.shape
    whole, lines = entropy_sums(table, corrected=True), parts.places
    cells = np.zeros(lines.shape[1])
    cells[lines[0] >= 0] = table[tuple(lines[:, lines[0] >= 0])]
    total = np.concatenate([table.sum(axis=1), table.sum(axis=0), cells])
    known, _ = _change(total, np.arange(float(_KNOWN))[:, None])
    lines[1] += sizes[0]
    for first in range(0, max(1, parts.clusters), _CLUSTERS):
        offsets = stack.offsets[first : first + _CLUSTERS + 1]
        sums = np.zeros((7, len(offsets) - 1))  # changes, see `add_changes`
        add_changes(offsets, stack.cells, stack.counts, lines, sizes, total, known, sums)
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
    table = parts.table
    total, sums, seen = table.sum(axis=1), n_log_n(table).sum(axis=1), np.count_nonzero(table, axis=1)
    value = row_entropies(total, sums, seen)
    rows, entropies, squares = [np.zeros(0, np.int32)], [np.zeros(0)], np.zeros(len(table))
    for cells in parts.parts():
        row, (tokens, change, gone) = cells.by_row(cells.tokens, *_change(table[cells.row, cells.column], cells.tokens))
        left = total[row] - tokens
        rows.append(row.astype(np.int32))
        entropies.append(row_entropies(np.where(left > NOTHING, left, 0.0), sums[row] + change, seen[row] - gone))
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


def information_interval(
    value: float,
    drawn: Floats,
    resampling: Resampling,
    *,
    left_out: Floats | None = None,
    error: float = 0.0,
    clusters: float | None = None,
    most: float = math.inf,
) -> Estimate:
    """Return a measure of information with its interval, all within 0 and the greatest possible number."""
    if math.isnan(error) or (left_out is not None and np.isnan(left_out).any()):
        note = f"no interval: all its tokens are of one {resampling.unit}, and the value is not jackknifed"
        return Estimate(value, note="" if math.isnan(value) else note).within(0, most)
    moved = moved_to(value, drawn)
    return estimate(value, moved, resampling, left_out=left_out, error=error, clusters=clusters).within(0, most)


def moved_to(value: float, drawn: Floats) -> Floats:
    """Return draws [R] moved until their mean is the value: of measures that resampling itself shifts."""
    defined = drawn[np.isfinite(drawn)]
    return np.asarray(drawn + (value - defined.mean()) if len(defined) else drawn)


def in_phones(bits: Estimate) -> Estimate:
    """Return an entropy's value and interval as perplexities, 2^bits: NaN where that is beyond all numbers."""
    value, low, high = (2.0**end if end <= _LARGEST else math.nan for end in (bits.value, bits.low, bits.high))
    return replace(bits, value=value, low=low, high=high)


def few_per_cell(counts: Floats, least: float = FEW_PER_CELL) -> str:
    """Return the warning that the cells seen have too few tokens for the interval to hold what it says, or ""."""
    seen = int(np.count_nonzero(counts))
    if not seen:
        return ""
    mean = float(counts.sum()) / seen
    if mean >= least:
        return ""
    return f"only {mean:.1f} tokens a cell seen: the interval holds the truth less often than it says"

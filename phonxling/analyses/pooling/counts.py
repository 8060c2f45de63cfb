"""What clusters were heard as, in the form in which the posterior is drawn; a row is a gold phone of one corpus."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from phonxling.core.arrays import Codes, Floats, sum_by

GRID = np.geomspace(0.3, 10_000, 60)  # the values of κ


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledCounts:
    """The counts of the clusters of L corpora: R rows of K outcomes, which belong to H rows of the habit.

    Parameters
    ----------
    corpus, habit : int64 array [R]
        The corpus of each row, and its row of the habit.
    never : int64 array [H]
        The outcome that a row of the habit cannot have; −1 where it may have all.
    tokens : float64 array [R, K]
        Tokens of all clusters.
    seen : int64 array [4, N]
        Cells (flat, row · K + column), a cluster's tokens in it and in its whole row, and how many clusters have these.
    evidence : float64 array [R, 60]
        Σ_s log Γ(κ) − log Γ(κ + n_s) for each κ of the grid, n_s a cluster's tokens of the row.
    most : float64 array [R]
        The tokens of the cluster that has most: where it is one, nothing is known of κ.
    """

    corpus: Codes
    habit: Codes
    never: Codes
    tokens: Floats
    seen: Codes
    evidence: Floats
    most: Floats

    @property
    def rows(self) -> Codes:
        """The row of each cell seen, [N]."""
        return np.asarray(self.seen[0] // self.tokens.shape[1])


def pooled_counts(cells: Codes, tokens: Codes, *, rows: Codes, never: Codes, columns: int) -> PooledCounts:
    """Return counts given as cluster, row and column of each cell [3, n] with its whole tokens [n], all above 0.

    `rows` [2, R] has the corpus and the row of the habit of each row. A cluster is of one corpus, and has a cell once.
    """
    cluster, row, column = cells
    flat, shape = row * columns + column, (rows.shape[1], columns)
    owned, owner = np.unique(cluster * shape[0] + row, return_inverse=True)
    by_cluster, most = sum_by(owner, tokens, len(owned)).astype(np.int64), np.zeros(shape[0])
    np.maximum.at(most, owned % shape[0], by_cluster)
    seen, times = np.unique(np.stack([flat, tokens, by_cluster[owner]]), axis=1, return_counts=True)
    return PooledCounts(
        corpus=rows[0],
        habit=rows[1],
        never=never,
        tokens=sum_by(flat, tokens, shape[0] * columns).reshape(shape),
        seen=np.stack([*seen, times]),
        evidence=_evidence(owned % shape[0], by_cluster, shape[0]),
        most=most,
    )


def _evidence(row: Codes, tokens: Codes, rows: int) -> Floats:
    """Return Σ log Γ(κ) − log Γ(κ + n) over clusters of n tokens of a row, [R, 60]; equal n are worked out once."""
    numbers, number = np.unique(tokens, return_inverse=True)
    times = np.zeros((rows, len(numbers)))
    np.add.at(times, (row, number), 1.0)
    return np.asarray(times @ (gammaln(GRID) - gammaln(GRID + numbers[:, None])))

"""Which confusions differ from those that the reference language leads one to expect, cell by cell.

Measures
--------
A cell's residual r = P(y)·(p(x|y) − p_E(x|y)) is tested by t = r / SE, on Welch's degrees of freedom. SE² is P(y)²
times the larger of the variances by speaker and by token of two independent samples (`resample.two_corpora.cells`).
Cells are tested that carry a verdict: twenty tokens of the phone in either language, ten in the cell, and ten outside
of it (`resample.two_corpora.cells.enough`).

References
----------
Welch (1947). Benjamini & Hochberg (1995). Benjamini & Yekutieli (2001), which holds whatever the dependence of the
tests.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from phonxling.analyses.expected.confusions import ExpectedConfusions
from phonxling.analyses.expected.replicates import Clusters
from phonxling.core.arrays import Floats, divided
from phonxling.resample.p_values import Correction, adjusted
from phonxling.resample.student import effective_number, t_reach
from phonxling.resample.two_corpora.cells import CellShares, enough, unpaired


@dataclass(frozen=True, eq=False)
class CellTests:
    """Interval, p and q of each cell's residual, float64 [T, P] each; NaN where nothing is tested."""

    low: Floats
    high: Floats
    p: Floats
    q: Floats

    def columns(self) -> dict[str, Floats]:
        """Return the same by name, a value a cell, [T · P]."""
        return {name: getattr(self, name).ravel() for name in ("low", "high", "p", "q")}


def cell_tests(
    confusions: ExpectedConfusions, clusters: Clusters | None, *, level: float, correction: Correction
) -> CellTests:
    """Return the test of each cell.

    Parameters
    ----------
    confusions : ExpectedConfusions
        The restricted counts.
    clusters : Clusters or None
        The counts of each speaker of both languages; None: nothing is tested.
    level : float
        Level of the intervals.
    correction : {"benjamini-hochberg", "benjamini-yekutieli"}
        How q is made of p over all tested cells.
    """
    if clusters is None:
        nothing = np.full(confusions.target.shape, np.nan)
        return CellTests(nothing, nothing, nothing, nothing)
    both = _shares(clusters.target), _shares(clusters.reference)
    errors = unpaired(*both)
    variance, freedom = np.maximum(errors.by_cluster.variance, errors.by_token), errors.by_cluster.freedom
    error = confusions.observed.sum(axis=1, keepdims=True) * np.sqrt(variance)
    reach = t_reach(freedom, level) * error
    p = 2 * scipy.special.stdtr(freedom, -np.abs(divided(confusions.residual, error)))
    p = np.where(enough(*both), p, np.nan)
    return CellTests(confusions.residual - reach, confusions.residual + reach, p, adjusted(p, correction))


def _shares(by_speaker: Floats) -> CellShares:
    """Return how the shares p(x|y) vary over speakers, of their counts [C, T, P]."""
    tokens, counts = by_speaker.sum(axis=2, keepdims=True), by_speaker.sum(axis=0)
    whole = tokens.sum(axis=0)
    apart = by_speaker - divided(counts, whole, undefined=0.0) * tokens
    return CellShares(counts, whole, effective_number(whole, (tokens**2).sum(axis=0)), (apart**2).sum(axis=0))

"""Which confusions differ from those that the reference language leads one to expect, cell by cell.

Measures
--------
A cell's residual r = P(y)·(p(x|y) − p_E(x|y)) is tested by z = r / SE, two-sided normal. SE is the larger of two:

- the standard deviation of r over bootstrap replicates of both languages, by cluster, times √(C / (C − 1)), C being the
  smaller number of clusters: it knows that tokens of one speaker are alike;
- that of a test of two proportions, P(y)·√(p₀(1 − p₀)(1/n + 1/m)), with p₀ the cell's share of both languages' n and m
  tokens of y together: a confusion that one language never shows is never drawn either, so the bootstrap would take its
  share of 0 as certain.

Cells that neither language shows are not tested.

References
----------
Benjamini & Hochberg (1995). Benjamini & Yekutieli (2001), which holds whatever the dependence of the tests.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from phonxling.analyses.expected.confusions import ExpectedConfusions
from phonxling.core.arrays import Floats, divided
from phonxling.resample.p_values import Correction, adjusted


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
    confusions: ExpectedConfusions, residuals: Floats, *, clusters: int, level: float, correction: Correction
) -> CellTests:
    """Return the test of each cell.

    Parameters
    ----------
    confusions : ExpectedConfusions
        The restricted counts.
    residuals : float64 array [T, P, R]
        The residuals of the bootstrap replicates; with fewer than two there is no test.
    clusters : int
        The smaller number of clusters of the two languages; with one there is no test.
    level : float
        Level of the intervals.
    correction : {"benjamini-hochberg", "benjamini-yekutieli"}
        How q is made of p over all tested cells.
    """
    error = standard_errors(confusions, residuals, clusters)
    reach = float(ndtri((1 + level) / 2)) * error
    p = np.asarray(2 * ndtr(-np.abs(divided(confusions.residual, error))))
    return CellTests(confusions.residual - reach, confusions.residual + reach, p, adjusted(p, correction))


def standard_errors(confusions: ExpectedConfusions, residuals: Floats, clusters: int) -> Floats:
    """Return the standard error of each residual, [T, P]; NaN for cells that are not tested."""
    if residuals.shape[-1] < 2 or clusters < 2:
        return np.full(confusions.target.shape, np.nan)
    drawn = _deviations(residuals) * np.sqrt(clusters / (clusters - 1))
    larger = np.fmax(drawn, pooled_errors(confusions))
    attested = (confusions.target + confusions.reference > 0) & (confusions.target.sum(axis=1, keepdims=True) > 0)
    return np.asarray(np.where(attested & (larger > 0), larger, np.nan))


def pooled_errors(confusions: ExpectedConfusions) -> Floats:
    """Return the standard error of each residual if both languages had the same confusions, token by token, [T, P]."""
    n, m = (counts.sum(axis=1, keepdims=True) for counts in (confusions.target, confusions.reference))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (confusions.target + confusions.reference) / (n + m)
        spread = np.sqrt(share * (1 - share) * (1 / n + 1 / m)) * n / n.sum()
    return np.asarray(np.nan_to_num(spread, nan=0.0, posinf=0.0))


def _deviations(residuals: Floats) -> Floats:
    """Return the standard deviation over the replicates in which a row is known, [T, P]; NaN with fewer than two."""
    deviations = np.full(residuals.shape[:2], np.nan)
    for row, drawn in enumerate(residuals):
        known = drawn[:, ~np.isnan(drawn).any(axis=0)]
        if known.shape[1] > 1:
            deviations[row] = known.std(axis=1, ddof=1)
    return deviations

"""Which confusions differ from those that the reference language leads one to expect, cell by cell.

Measures
--------
A cell's residual r = P(y)·(p(x|y) − p_E(x|y)) is tested by t = r / SE. SE² = P(y)²·(V + V_E), where V is the variance
of the language's share p(x|y). It is the larger of two, so that neither is taken as certain:

- the jackknife's over the language's clusters that have y: tokens of one speaker are alike;
- that of the share p₀ of both languages together, p₀(1 − p₀)/n for n tokens of y: a confusion that one language never
  shows has a jackknife variance of 0 there.

t has Welch's degrees of freedom, (V + V_E)² / (V²/(C − 1) + V_E²/(C_E − 1)) for C and C_E clusters that have y. Cells
that neither language shows are not tested, nor those of a phone that fewer than two clusters of a language have.

References
----------
Welch (1947). Benjamini & Hochberg (1995). Benjamini & Yekutieli (2001), which holds whatever the dependence of the
tests.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from phonxling.analyses.expected.confusions import ExpectedConfusions
from phonxling.analyses.expected.replicates import Clusters
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
    pooled = confusions.target + confusions.reference
    usual = np.nan_to_num(divided(pooled, pooled.sum(axis=1, keepdims=True)))
    (own, free), (other, other_free) = (_variance(counts, usual) for counts in (clusters.target, clusters.reference))
    variance = np.where(pooled > 0, own + other, np.nan)
    freedom = divided(variance**2, own**2 / free + other**2 / other_free)
    error = confusions.observed.sum(axis=1, keepdims=True) * np.sqrt(variance)
    reach = stdtrit(freedom, (1 + level) / 2) * error
    p = np.asarray(2 * stdtr(freedom, -np.abs(divided(confusions.residual, error))))
    return CellTests(confusions.residual - reach, confusions.residual + reach, p, adjusted(p, correction))


def _variance(counts: Floats, usual: Floats) -> tuple[Floats, Floats]:
    """Return the variance of a language's p(x|y), [T, P], and its degrees of freedom, [T, 1]; NaN where unknown."""
    total, tokens = counts.sum(axis=0), counts.sum(axis=2, keepdims=True)
    whole = tokens.sum(axis=0)
    left_out = np.where(tokens > 0, divided(total - counts, whole - tokens), np.nan)
    number = (tokens > 0).sum(axis=0)
    mean = divided(np.nansum(left_out, axis=0), number)
    spread = divided((number - 1) * np.nansum((left_out - mean) ** 2, axis=0), number)
    free = np.where(number > 1, number - 1.0, np.nan)
    return np.maximum(spread, divided(usual * (1 - usual), whole)) + 0 * free, free

"""Which confusions differ from those that the reference language leads one to expect, cell by cell.

Measures
--------
A cell's residual r = P(y)·(p(x|y) − p_E(x|y)) is tested by t = r / SE. SE² is P(y)² times the larger of two:

- V + V_E, the variances of the languages' shares p(x|y) over the speakers who say y, of whom a language has C, with n_s
  of its n tokens and c_s in the cell: V = C/(C − 1) Σ_s (c_s − p(x|y) n_s)² / n². Tokens of one speaker are alike;
- p₀(1 − p₀)(1/n + 1/n_E), that of a test of two proportions, p₀ being the share of both languages together: a confusion
  that one language never shows varies over none of its speakers, and would else be taken as certain.

t has Welch's degrees of freedom, (V + V_E)² / (V²/(C − 1) + V_E²/(C_E − 1)). Cells that neither language shows are not
tested, nor those of a phone that fewer than two speakers of a language say.

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
from phonxling.resample.student import t_reach


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
    tokens = [counts.sum(axis=1, keepdims=True) for counts in (confusions.target, confusions.reference)]
    usual = divided(pooled, sum(tokens), undefined=0.0)
    (own, free), (other, other_free) = (_variance(counts) for counts in (clusters.target, clusters.reference))
    least = usual * (1 - usual) * (divided(1.0, tokens[0]) + divided(1.0, tokens[1]))
    variance = np.where(pooled > 0, np.maximum(own + other, least), np.nan)
    freedom = np.where(
        own + other > 0, divided((own + other) ** 2, own**2 / free + other**2 / other_free), free + other_free
    )
    error = confusions.observed.sum(axis=1, keepdims=True) * np.sqrt(variance)
    reach = t_reach(freedom, level) * error
    p = np.asarray(2 * scipy.special.stdtr(freedom, -np.abs(divided(confusions.residual, error))))
    return CellTests(confusions.residual - reach, confusions.residual + reach, p, adjusted(p, correction))


def _variance(counts: Floats) -> tuple[Floats, Floats]:
    """Return the variance of p(x|y) over the speakers of a language, [T, P], and its degrees of freedom, [T, 1].

    NaN for a phone that fewer than two of them say.
    """
    tokens = counts.sum(axis=2, keepdims=True)
    whole, speakers = tokens.sum(axis=0), (tokens > 0).sum(axis=0)
    apart = counts - divided(counts.sum(axis=0), whole, undefined=0.0) * tokens
    free = np.where(speakers > 1, speakers - 1.0, np.nan)
    return divided(speakers * (apart**2).sum(axis=0), free * whole**2), free

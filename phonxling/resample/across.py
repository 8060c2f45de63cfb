"""Numbers over whole languages: means and rank correlations.

The mean is that of k languages, each once. Its variance is s²/k, with k − 1 degrees of freedom; where languages are of
families, and these of at least five, cluster-robust: G/(G − 1) · Σ_g (Σ_{i∈g} (yᵢ − ȳ))²/k², with Kish's effective
number of families less 1.

References
----------
Cameron, Gelbach & Miller (2008). Bonett & Wright (2000), on the interval of Spearman's ρ.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from phonxling.core.arrays import Floats
from phonxling.resample.student import FEW_CLUSTERS, Spread, effective_clusters, freedom_of, spread_of


def mean_spread(values: Floats, families: Sequence[str]) -> tuple[float, Spread, int]:
    """Return the mean over languages, its spread, and of how many families: 0 where these are no clusters."""
    number = len(values)
    shares = np.full(number, 1 / number)
    mean = float((shares * values).sum())
    codes, names = pd.factorize(np.array(families, dtype=object))
    clustered = len(names) >= FEW_CLUSTERS and "" not in names
    own = codes if clustered else np.arange(number)
    sums = np.bincount(own, weights=shares * (values - mean))
    clusters = len(sums)
    variance = 0.0 if clusters < 2 else float(clusters / (clusters - 1) * (sums**2).sum())
    variance = variance if variance > 0 else math.nan  # languages that are all alike have no spread to go by
    effective = effective_clusters(np.bincount(own, weights=shares).astype(np.float64))
    return mean, spread_of(variance, float(freedom_of(effective)), effective), clusters * clustered


def rank_correlation(x: Floats, y: Floats, level: float) -> tuple[float, float, float, float]:
    """Return Spearman's ρ over at least five languages, its limits (Bonett & Wright) and its p (Student's t)."""
    ranks = [pd.Series(one).rank().to_numpy() for one in (x, y)]
    if any(np.ptp(one) == 0 for one in ranks):
        return (math.nan,) * 4
    rho = float(np.corrcoef(ranks[0], ranks[1])[0, 1].clip(-1, 1))
    number = len(x)
    if abs(rho) > 1 - 1e-12:
        return rho, math.nan, math.nan, math.nan
    reach = float(scipy.special.ndtri((1 + level) / 2)) * math.sqrt((1 + rho**2 / 2) / (number - 3))
    t = abs(rho) * math.sqrt((number - 2) / (1 - rho**2))
    p = 2 * float(scipy.special.stdtr(number - 2, -t))
    return rho, math.tanh(math.atanh(rho) - reach), math.tanh(math.atanh(rho) + reach), p

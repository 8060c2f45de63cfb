"""Numbers over whole languages: means, what of their spread is sampling, and ranks with their certainty.

Of k languages with values y and sampling variances v:

- The mean is that of languages, each once. Its variance is s²/k, with k − 1 degrees of freedom; where languages are of
  families, and these of at least five, cluster-robust: G/(G − 1) · Σ_g (Σ_{i∈g} (yᵢ − ȳ))²/k², with Kish's effective
  number of families less 1.
- τ² is the variance of the true values between languages (Paule & Mandel): Σ (yᵢ − μ)²/(vᵢ + τ²) = k − 1 with
  weights w = 1/(v + τ²), 0 where no τ² > 0 solves it. I² = τ²/(τ² + v̄) with the typical v̄ of Higgins & Thompson.
- μ's interval is Hartung & Knapp's (their factor at least 1), t with k − 1, but of families as clusters that of the
  mean with weights w; the prediction interval, of one further
  language, μ ± t √(τ² + SE²) with k − 2 (Higgins et al.).
- The shrunken value of a language is μ + B(y − μ) with B = τ²/(τ² + v), of variance Bv + ((1 − B) SE)².
- Ranks: a language is surely behind those that its simultaneous limits of differences put before it, and before those
  that they put behind it (Mogstad et al., marginal confidence sets, one step). The critical value is the quantile of
  max_j |tᵢ√vᵢ − tⱼ√vⱼ| / √(vᵢ + vⱼ) over draws of t with each language's degrees of freedom.

References
----------
Paule & Mandel (1982). Hartung & Knapp (2001). Röver, Knapp & Friede (2015). Higgins & Thompson (2002). Higgins,
Thompson & Spiegelhalter (2009). Mogstad, Romano, Shaikh & Wilhelm (2024), Inference for ranks. Cameron, Gelbach &
Miller (2008). Bonett & Wright (2000), on the interval of Spearman's ρ.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from phonxling.core.arrays import Codes, Floats
from phonxling.resample.student import FEW_CLUSTERS, Spread, effective_clusters, freedom_of, spread_of, t_reach

_DRAWS = 2000


@dataclass(frozen=True, eq=False)
class Heterogeneity:
    """What a random-effects meta-analysis of k languages says; `shrunken` has values and standard errors, [2, k]."""

    tau2: float
    i2: float
    mean: float
    error: float
    reach: float
    predicted: float
    shrunken: Floats


def mean_spread(values: Floats, families: Sequence[str], weights: Floats | None = None) -> tuple[float, Spread, int]:
    """Return the mean over languages, its spread, and of how many families: 0 where these are no clusters."""
    number = len(values)
    shares = np.full(number, 1 / number) if weights is None else weights / weights.sum()
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


def heterogeneity(values: Floats, variances: Floats, level: float, *, families: Sequence[str] = ()) -> Heterogeneity:
    """Return the random-effects meta-analysis of at least three languages with positive sampling variances."""
    number = len(values)
    tau2 = _paule_mandel(values, variances)
    weights = 1 / (variances + tau2)
    mean = float((weights * values).sum() / weights.sum())
    factor = max(1.0, float((weights * (values - mean) ** 2).sum()) / (number - 1))
    error = math.sqrt(factor / weights.sum())
    freedom = float(number - 1)
    if families:
        _, spread, clusters = mean_spread(values, families, weights)
        if clusters:
            error, freedom = max(error, math.sqrt(spread.variance[0])), float(spread.freedom[0])
    fixed = 1 / variances
    typical = (number - 1) * fixed.sum() / (fixed.sum() ** 2 - (fixed**2).sum())
    kept = tau2 / (tau2 + variances)
    shrunken = np.stack([mean + kept * (values - mean), np.sqrt(kept * variances + ((1 - kept) * error) ** 2)])
    return Heterogeneity(
        tau2=tau2,
        i2=float(tau2 / (tau2 + typical)),
        mean=mean,
        error=error,
        reach=float(t_reach(freedom, level)) * error,
        predicted=float(t_reach(max(1, number - 2), level)) * math.sqrt(tau2 + error**2),
        shrunken=shrunken,
    )


def _paule_mandel(values: Floats, variances: Floats) -> float:
    def excess(tau2: float) -> float:
        weights = 1 / (variances + tau2)
        mean = (weights * values).sum() / weights.sum()
        return float((weights * (values - mean) ** 2).sum()) - (len(values) - 1)

    if excess(0.0) <= 0:
        return 0.0
    most = float(np.ptp(values) ** 2) * len(values)  # there every weight is so small that the sum is below k − 1
    return float(scipy.optimize.brentq(excess, 0.0, most, xtol=1e-14, rtol=1e-12))


def rank_limits(
    values: Floats, variances: Floats, freedom: Floats, *, level: float, generator: np.random.Generator
) -> tuple[Codes, Codes]:
    """Return the first and the last rank that each of k languages may have, 1 the lowest value, each at the level."""
    number = len(values)
    errors = np.sqrt(variances)
    noise = generator.standard_t(freedom, (_DRAWS, number)) * errors
    first, last = np.empty(number, dtype=np.int64), np.empty(number, dtype=np.int64)
    for place in range(number):
        scale = np.sqrt(variances + variances[place])
        others = np.arange(number) != place
        greatest = np.abs((noise - noise[:, place, None]) / scale)[:, others].max(axis=1)
        apart = (values - values[place]) / scale
        reach = np.quantile(greatest, level)
        first[place] = 1 + np.count_nonzero(others & (apart < -reach))
        last[place] = number - np.count_nonzero(others & (apart > reach))
    return first, last


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

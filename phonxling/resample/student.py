"""Student's t limits and p-values from the bootstrap's standard error: of one number, and of differences of two.

Conventions
-----------
The columns of `drawn` [R, K] are K measures over R replicates, NaN where one is not defined. A bootstrap over C
clusters has a standard error that is too small by √((C − 1)/C), and C clusters are C − 1 degrees of freedom: the
variance is widened by C/(C − 1), and limits and p come from Student's t. Of clusters with unequal numbers m of tokens,
C is Kish's effective number (Σm)²/Σm²; below two, two is taken. Two samples: Welch's degrees of freedom. A p
counted over R replicates could not be below 2/(R + 1), too coarse for families of hundreds.

Limits of shares, rates and skills stand around the number on a scale g on which they cannot leave its range; an error
e of x is e · g′(x) there.

References
----------
Efron & Tibshirani (1993). Welch (1947). Cameron, Gelbach & Miller (2008), Bootstrap-based improvements for inference
with clustered errors. Benjamini & Hochberg (1995). Holm (1979). Kish (1965), Survey sampling, on unequal weights.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from phonxling.core.arrays import Bools, Floats, divided

FEW_CLUSTERS = 5  # below, an interval describes, and decides nothing
_NEARLY = 0.5  # five clusters that differ a little are 4.9 effective ones, and count as five
_ROUNDING = 1e-12  # of an effective number
_CONSTANT = 1e-9  # a standard deviation below this, or this share of the mean, is rounding
Kind = Literal["number", "share", "rate", "skill"]
"""What a number may be: anything; from 0 to 1; at least 0; at most 1."""


_Scale = tuple[float, float, Callable[[float], float], Callable[[float], float], Callable[[float], float]]
_SCALES: Mapping[Kind, _Scale] = {  # least, most, g, g′ and the inverse of g
    "number": (-math.inf, math.inf, float, lambda _: 1.0, float),
    "share": (
        0,
        1,
        lambda x: float(scipy.special.logit(x)),
        lambda x: 1 / (x * (1 - x)),
        lambda z: float(scipy.special.expit(z)),
    ),
    "rate": (0, math.inf, math.log, lambda x: 1 / x, np.exp),
    "skill": (-math.inf, 1, lambda x: -math.log(1 - x), lambda x: 1 / (1 - x), lambda z: 1 - np.exp(-z)),
}


def effective_number(total: ArrayLike, squares: ArrayLike) -> Floats:
    """Return Kish's effective number of clusters, (Σm)²/Σm², of Σm and Σm² over their tokens m; 0 without tokens."""
    number = divided(np.asarray(total, dtype=np.float64) ** 2, squares, undefined=0.0)
    return np.where(np.abs(number - np.rint(number)) < _ROUNDING * number, np.rint(number), number)


def effective_clusters(tokens: Floats) -> float:
    """Return the effective number of clusters with these numbers of tokens, [C]."""
    return float(effective_number(tokens.sum(), (tokens**2).sum()))


def too_few(clusters: ArrayLike) -> Bools:
    """Return whether so many effective clusters decide nothing."""
    return np.asarray(np.asarray(clusters) < FEW_CLUSTERS - _NEARLY)


def freedom_of(clusters: ArrayLike) -> Floats:
    """Return the degrees of freedom of so many clusters, C − 1, and at least 1."""
    return np.maximum(np.asarray(clusters, dtype=np.float64), 2.0) - 1.0


def t_reach(freedom: float | Floats, level: float) -> Floats:
    """Return how many standard errors limits of a level are from the estimate."""
    return np.asarray(scipy.special.stdtrit(freedom, (1 + level) / 2), dtype=np.float64)


def student_limits(value: float, error: float, *, freedom: float, level: float, kind: Kind) -> tuple[float, float]:
    """Return g⁻¹(g(value) ± t · error · g′(value)); NaN where the value is at an end of its range."""
    least, most, scaled, steepness, back = _SCALES[kind]
    if not least < value < most:
        return math.nan, math.nan
    centre, reach = scaled(value), float(t_reach(freedom, level)) * error * steepness(value)
    return float(back(centre - reach)), float(back(centre + reach))


def jackknife_error(left_out: Floats) -> float:
    """Return √((C − 1)/C · Σ (θ₋c − mean)²) of the values without each of C clusters; 0 for fewer than two."""
    known = left_out[np.isfinite(left_out)]
    number = len(known)
    return math.sqrt((number - 1) / number * float(((known - known.mean()) ** 2).sum())) if number > 1 else 0.0


@dataclass(frozen=True, eq=False)
class Spread:
    """Of K estimates, float64 [K]: variance, degrees of freedom, replicates without a value, effective clusters."""

    variance: Floats
    freedom: Floats
    lost: Floats
    clusters: Floats


def spread_of(variance: float, freedom: float, clusters: float) -> Spread:
    """Return the spread of one estimate."""
    return Spread(*(np.array([one], np.float64) for one in (variance, freedom, 0.0, clusters)))


def spread(drawn: Floats, clusters: ArrayLike) -> Spread:
    """Return the spread of K measures, drawn [R, K], that rest on so many effective clusters each."""
    number = np.full(drawn.shape[1:], clusters, dtype=np.float64)
    finite = np.isfinite(drawn)
    values = finite.sum(axis=0)
    mean = np.where(finite, drawn, 0.0).sum(axis=0) / np.maximum(values, 1)
    variance = (np.where(finite, drawn - mean, 0.0) ** 2).sum(axis=0) / np.maximum(values - 1, 1)
    known = (values > 1) & (number > 1) & (variance > (_CONSTANT * np.maximum(1.0, np.abs(mean))) ** 2)
    freedom = freedom_of(number)
    widened = variance * (freedom + 1) / freedom
    lost = 1 - values / max(1, len(drawn))
    return Spread(np.where(known, widened, np.nan), np.where(known, freedom, np.nan), lost, number)


def between(first: Spread, second: Spread) -> Spread:
    """Return the spread of the difference of two independent samples, by Welch's degrees of freedom."""
    variance = first.variance + second.variance
    freedom = variance**2 / (first.variance**2 / first.freedom + second.variance**2 / second.freedom)
    return Spread(variance, freedom, np.maximum(first.lost, second.lost), np.minimum(first.clusters, second.clusters))


@dataclass(frozen=True, eq=False)
class Contrast:
    """Limits of K differences at a level, and their two-sided p-values; float64 [K], NaN where there is none."""

    low: Floats
    high: Floats
    p: Floats


def contrast(difference: float | Floats, spread: Spread, level: float) -> Contrast:
    """Return difference ± t · standard error, and p; p < 1 − level exactly when 0 lies outside the limits."""
    error = np.sqrt(spread.variance)
    reach = t_reach(spread.freedom, level) * error
    p = 2 * scipy.special.stdtr(spread.freedom, -np.abs(difference) / error)
    return Contrast(difference - reach, difference + reach, np.where(too_few(spread.clusters), np.nan, p))

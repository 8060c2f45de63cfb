"""The variance between clusters and within them, of a ratio of sums over utterances, and the power that it leaves.

Variance
--------
A ratio R = Σ a / Σ b moves with each utterance by y_u = (a_u − R b_u) / mean(b), to first order (Taylor). With m_s
utterances of speaker s, N of all C: θ_W = Σ (y − ȳ_s)² / (N − C); θ_B = Σ m_s (ȳ_s − ȳ)² / ((C − 1) m₀), where
m₀ = (N − Σ m_s² / N) / (C − 1). Within: σ² = θ_W. Between: τ² = θ_B − θ_W / m₀, which may come out negative. The mean
of U utterances of one speaker varies by V(U) = τ² + σ² / U, and R of C such speakers by V(U) / C.

Limits: those of θ_B and θ_W are the chi-square ones on f degrees of freedom, ¾ of 2 θ² / var(θ) by the jackknife over
speakers, but of C − 1 and N − C at most. (A quarter is taken off because a pilot that lacks the rare, much worse
speakers has too small a mean square and too many degrees of freedom at once: simulations in docs/plan.md.) Those of V,
a sum c₁ θ_B + c₂ θ_W, come of theirs (Graybill & Wang). What V may be: that of θ_B · f / χ²_f and θ_W · f / χ²_f, the
two independent of each other.

Assurance
---------
A difference of δ, a standard error of e, f degrees of freedom: power = P(|T| > t), T noncentral t with f and δ / e, t
the quantile of (1 + level) / 2. Both tails count, so that power at δ = 0 is 1 − level. A pilot does not tell e, only an
estimate of e² on ν degrees of freedom, which leaves e² · ν / χ²_ν open; the assurance is the mean of power over that.
One that plugs the estimate in promises more than it keeps, because power is lost faster than it is gained.

References
----------
Searle, Casella & McCulloch (1992), Variance Components, chapter 3. Cochran (1977), Sampling Techniques, chapters 6, 10.
Graybill & Wang (1980), JASA 75. Zou & Donner (2008), Statistics in Medicine 27, on sums with a negative part. O'Hagan,
Stevens & Campbell (2005), Assurance in clinical trial design. Julious & Owen (2006), Pharmaceutical Statistics 4 and 5.
Of one standard error, R's `power.t.test(strict = TRUE)` is the same.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.resample.student import Spread, jackknife_error, t_reach, too_few

_SURE = 35.0  # standard errors, which are always found; nctdtr is NaN from some more on
_POWER = 0.8  # with which a comparison finds the least difference
_PLACES = 64  # of a distribution, each the median of as much of it


def open_ratios(freedom: float) -> Floats:
    """Return what a variance may be, over its estimate on so many degrees of freedom: 64 quantiles of ν / χ²_ν."""
    if math.isinf(freedom):
        return np.ones(1)
    return np.asarray(freedom / scipy.special.chdtri(freedom, (np.arange(_PLACES) + 0.5) / _PLACES))


def medians(values: Floats) -> Floats:
    """Return at most 64 values that stand for many: the median of each part, as many in each, smallest first."""
    parts = np.array_split(np.sort(values), min(len(values), _PLACES))
    return np.array([np.median(part) for part in parts])


def assurance(difference: float, errors: Floats, freedom: float, level: float) -> float:
    """Return the probability that a difference is found, the mean over standard errors that are equally likely, [K]."""
    reach = t_reach(freedom, level)
    with np.errstate(divide="ignore"):
        shifts = np.minimum(difference / errors, _SURE)
    missed = scipy.special.nctdtr(freedom, np.stack([shifts, -shifts]), reach)
    return float(np.mean(2 - missed.sum(axis=0)))


def least_difference(power: float, errors: Floats, freedom: float, level: float) -> float:
    """Return the least difference that is found with an assurance above 1 − level."""
    high = float(errors.max())
    while assurance(high, errors, freedom, level) < power:
        high *= 2
    return float(scipy.optimize.brentq(lambda one: assurance(one, errors, freedom, level) - power, 0.0, high))


@lru_cache(maxsize=4096)
def _errors_found(freedom: float, level: float) -> float:
    """Return the least difference in standard errors that are estimated on so many degrees of freedom."""
    return least_difference(_POWER, np.sqrt(open_ratios(freedom)), freedom, level)


def detectable(apart: Spread, level: float) -> Floats:
    """Return the least difference that comparisons of such data find in 80 %, [K]; NaN without a test."""
    error = np.where(too_few(apart.clusters), np.nan, np.sqrt(apart.variance))
    pairs = zip(error.tolist(), apart.freedom.tolist(), strict=True)
    found = [e if math.isnan(e) else e * _errors_found(float(f"{freedom:.3g}"), level) for e, freedom in pairs]
    return np.array(found, dtype=np.float64)


def linearised(above: Floats, below: Floats) -> Floats:
    """Return how each utterance moves the ratio Σ above / Σ below, [U] each: (a − R b) / mean(b)."""
    ratio = above.sum() / below.sum()
    return np.asarray((above - ratio * below) / below.mean())


@dataclass(frozen=True, slots=True)
class MeanSquare:
    """A mean square and its degrees of freedom."""

    value: float
    freedom: float

    def limits(self, level: float) -> tuple[float, float]:
        """Return the chi-square limits of its expectation; the value itself twice where it is known exactly."""
        if math.isinf(self.freedom):
            return self.value, self.value
        high, low = scipy.special.chdtri(self.freedom, [(1 + level) / 2, (1 - level) / 2]).tolist()
        return self.value * self.freedom / low, self.value * self.freedom / high


@dataclass(frozen=True, slots=True)
class Components:
    """What the utterances of C speakers show: θ_B, θ_W, and m₀, how many utterances a speaker has for this."""

    clusters: int
    size: float
    speakers: MeanSquare
    utterances: MeanSquare

    @property
    def between(self) -> float:
        """The variance between speakers, τ²; below 0 where they differ less than their utterances make them."""
        return self.speakers.value - self.utterances.value / self.size

    @property
    def within(self) -> float:
        """The variance of the utterances of one speaker, σ²."""
        return self.utterances.value

    def variance(self, utterances: float) -> float:
        """Return V(U), the variance between means of so many utterances; τ² below 0 counts as 0."""
        return max(self.between, 0.0) + self.within / utterances

    def possible(self, utterances: float) -> Floats:
        """Return what V(U) may be, equally likely values, at most 64, smallest first."""
        speakers, inside = (one.value * open_ratios(one.freedom) for one in (self.speakers, self.utterances))
        between = np.maximum(speakers[:, None] - inside / self.size, 0.0)
        return medians((between + inside / utterances).ravel())

    def limits(self, utterances: float, level: float) -> tuple[float, float]:
        """Return the limits of V(U), none below what utterances alone make."""
        factor = 1 / utterances - 1 / self.size
        low, high = self.speakers.limits(level)
        least, most = self.utterances.limits(level)
        down, up = (self.within - least, most - self.within)[:: 1 if factor > 0 else -1]
        value = self.speakers.value + factor * self.within
        floor = least / utterances
        return (
            max(floor, value - math.hypot(self.speakers.value - low, factor * down)),
            max(floor, self.variance(utterances), value + math.hypot(high - self.speakers.value, factor * up)),
        )


def components(values: Floats, clusters: Codes, number: int) -> Components:
    """Return the components of values [U] in two or more clusters, numbered from 0, none empty."""
    sizes, sums, squares = (sum_by(clusters, values**power, number) for power in range(3))
    parts = np.stack([sizes, sums, np.maximum(squares - sums**2 / sizes, 0.0), sums**2 / sizes, sizes**2])
    whole = parts.sum(axis=1)[:, None]
    (between, within, size), left_out = _squares(whole, number), _squares(whole - parts, number - 1)
    found, degrees = [], (number - 1, int(sizes.sum()) - number)
    for value, without, most in zip((between[0], within[0]), left_out[:2], degrees, strict=True):
        error = jackknife_error(without) if most else 0.0
        fewest = min(most, 2 * value**2 / error**2 if error else most)
        found.append(MeanSquare(float(value), max(1.0, 0.75 * fewest) if most else math.inf))
    return Components(number, float(size[0]), *found)


def _squares(totals: Floats, clusters: int) -> Floats:
    """Return θ_B, θ_W and m₀ of totals [5, K] over so many clusters, [3, K]; NaN where there is none."""
    tokens, total, inside, means, sizes = totals
    degrees = np.full(len(tokens), clusters - 1.0)
    size = divided(tokens - divided(sizes, tokens), degrees)
    within = np.where(tokens > clusters, divided(inside, tokens - clusters), 0.0)
    return np.stack([divided(means - total**2 / tokens, degrees * size), within, size])

"""Are there more errors than in the reference (level), and are they of other kinds (pattern)? Two tests, by speakers.

Conventions
-----------
y is a common phone, x ≠ y a wrong phone (y′ stands for y in the reference), s a speaker. In the target, n_y tokens of y
are not deleted and a_y of them are wrong; m_y and b_y in the reference. No phone is weighed by how often one language
says it, so that no null depends on P(Y). What the aligner makes of one channel in both languages is taken off both
statistics, see `common_channel`.

Measures
--------
Level: D = Σ_y w_y (a_y/n_y − b_y/m_y), w_y = n_y m_y/(n_y + m_y) over their sum (Mantel & Haenszel's weights). Its
variance is the sum of both languages' C/(C − 1) Σ_s d_s², d_s = Σ_y w_y (a_ys − n_ys a_y/n_y)/n_y, C the effective
number of speakers, and of the chance of the draws of one channel; limits and p are Student's on Welch's degrees of
freedom.

Pattern: U = ½ Σ_y w_y Σ_x (q(x|y) − q_E(x|y))² − bias, q(x|y) the share of x among the wrong tokens of y,
w_y = a_y b_y/(a_y + b_y) over their sum. 0: errors are of the same kinds. 1: each phone is always taken for one other,
and for another one in the reference. q − q_E is a sum of speakers' deviations h_s = (c_s(y,x) − a_ys q₀(x|y))/a_y, q₀
the kinds of both languages together (the reference's with a minus). Where nothing differs, the squares of single h_s
are all that is expected, and are the bias. The null gives each h_s a random sign (wild bootstrap, 9,999 times), and
adds the chance of the draws of one channel; p is one-sided, and 1 where the kinds are the same. Bias and null take
h_s/√(1 − a_ys/(a_y + b_y)), because the speaker is part of q₀.

References
----------
Mantel & Haenszel (1959). Welch (1947). Cameron, Gelbach & Miller (2008), Bootstrap-based improvements for inference
with clustered errors, on random signs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from phonxling.analyses.expected.divergence import row_shares
from phonxling.analyses.expected.replicates import Clusters
from phonxling.core.arrays import Bools, Floats, divided
from phonxling.core.estimate import Estimate
from phonxling.resample.p_values import p_value
from phonxling.resample.student import Spread, between, contrast, effective_number, freedom_of

SIGNS = 9_999
_SMALLEST = 0.2  # of 1 − a_ys/(a_y + b_y), for a phone whose errors are nearly all of one speaker
Drawn: TypeAlias = Sequence[tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class PatternTest:
    """U, its p, and its draws where nothing differs, [SIGNS]; NaN and none where nothing can be compared."""

    value: float
    p: float
    null: Floats


def level_test(clusters: Clusters, right: Bools, drawn: Drawn, level: float) -> tuple[Estimate, float]:
    """Return D with its limits, and p; NaN without common tokens.

    Parameters
    ----------
    clusters : Clusters
        The counts of each speaker of both languages.
    right : bool array [T, P]
        The cells of phones that were heard right.
    drawn : sequence of pairs of float64 arrays [T, P]
        Both languages' counts of one channel.
    level : float
        Level of the limits.
    """
    sides = clusters.target, clusters.reference
    weights = _weights(*(side.sum(axis=(0, 2)) for side in sides))
    if not weights.any():
        return Estimate(np.nan), np.nan

    def excess(own: Floats, other: Floats) -> float:
        return float(weights @ (_error_rates(own, right) - _error_rates(other, right)))

    shifts = np.array([excess(*one) for one in drawn])
    shift, noise = (shifts.mean(), shifts.var(ddof=1) / len(shifts)) if len(shifts) else (0.0, 0.0)
    value = excess(*(side.sum(axis=0) for side in sides)) - shift
    own, other = (_spread(side, right, weights) for side in sides)
    if not own.variance + other.variance:
        return Estimate(float(value), note="no interval: no speaker differs from the others"), np.nan
    both = between(own, other)
    test = contrast(np.array([value]), replace(both, variance=both.variance + noise), level)
    return Estimate(float(value), float(test.low[0]), float(test.high[0])), float(test.p[0])


def pattern_test(clusters: Clusters, right: Bools, drawn: Drawn, generator: np.random.Generator) -> PatternTest:
    """Return U, its p, and its null; arguments as for `level_test`.

    Phones count that two speakers of each language have errors of.
    """
    wrong = [np.where(right, 0.0, side) for side in (clusters.target, clusters.reference)]
    of_speakers = [side.sum(axis=2) for side in wrong]
    known = np.logical_and(*((side > 0).sum(axis=0) >= 2 for side in of_speakers))
    errors = [np.where(known, side.sum(axis=0), 0.0) for side in of_speakers]
    scale = np.sqrt(_weights(*errors) / 2)[:, None]
    if not scale.any():
        return PatternTest(np.nan, np.nan, np.zeros(0))
    both = [side.sum(axis=0) for side in wrong]
    together = row_shares(both[0] + both[1])
    signed = []
    for side, own, number, sign in zip(wrong, of_speakers, errors, (1, -1), strict=True):
        apart = divided(side - own[..., None] * np.nan_to_num(together), number[:, None], undefined=0.0)
        kept = np.maximum(1 - divided(own, errors[0] + errors[1], undefined=0.0), _SMALLEST)
        signed.append(sign * (scale * apart / np.sqrt(kept)[..., None]).reshape(len(side), -1))
    deviations = np.concatenate(signed)
    products = deviations @ deviations.T
    chance = float(np.trace(products))
    np.fill_diagonal(products, 0.0)
    signs = generator.choice(np.array([-1.0, 1.0]), (SIGNS, len(products)))
    null = ((signs @ products) * signs).sum(axis=1)
    apart = scale * (_kinds(both[0], right) - _kinds(both[1], right))
    if drawn:
        shifts = np.array([(scale * (_kinds(own, right) - _kinds(other, right))).ravel() for own, other in drawn])
        shift = shifts.mean(axis=0)
        errors_of_it = (shifts - shift) / np.sqrt(len(shifts))  # as far as their mean may be off
        squares = (errors_of_it**2).sum(axis=1)
        noise = float(squares.sum()) / (len(shifts) - 1)
        one = generator.integers(0, len(shifts), SIGNS)
        crossed = deviations @ errors_of_it.T
        null += 2 * (signs * crossed.T[one]).sum(axis=1) + squares[one] - noise
        apart = apart - shift.reshape(apart.shape)
        chance += noise
    value = float((apart**2).sum()) - chance
    alike = not (_kinds(both[0], right) - _kinds(both[1], right)).any()
    return PatternTest(value, 1.0 if alike else p_value(value, null), null)


def _weights(first: Floats, second: Floats) -> Floats:
    """Return the weights of phones that have so many tokens in two languages, [T]: their sum is 1, or 0 without any."""
    weights = divided(first * second, first + second, undefined=0.0)
    return divided(weights, weights.sum(), undefined=0.0)


def _error_rates(counts: Floats, right: Bools) -> Floats:
    """Return the share of wrong tokens of each phone, [T]; 0 without tokens."""
    return divided(np.where(right, 0.0, counts).sum(axis=1), counts.sum(axis=1), undefined=0.0)


def _kinds(counts: Floats, right: Bools) -> Floats:
    """Return q(x|y), [T, P]; 0 for a phone without errors."""
    return np.nan_to_num(row_shares(np.where(right, 0.0, counts)))


def _spread(by_speaker: Floats, right: Bools, weights: Floats) -> Spread:
    """Return the spread of Σ_y w_y a_y/n_y of a language, of the counts of its speakers [C, T, P]."""
    tokens = by_speaker.sum(axis=2)
    each = divided(weights, tokens.sum(axis=0), undefined=0.0)
    errors = np.where(right, 0.0, by_speaker).sum(axis=2)
    apart = (errors - tokens * _error_rates(by_speaker.sum(axis=0), right)) @ each
    carried = tokens @ each
    clusters = effective_number(carried.sum(), (carried**2).sum())
    freedom = freedom_of(clusters)
    variance = (freedom + 1) / freedom * (apart**2).sum()
    return Spread(*(np.atleast_1d(one) for one in (variance, freedom, 0.0, clusters)))

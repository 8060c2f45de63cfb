"""The entropy estimator of Nemenman, Shafee & Bialek (2002): "Entropy and inference, revisited".

For a symmetric Dirichlet prior of concentration β over K symbols, and κ = K·β:

- posterior mean entropy S(β) = ψ(n + κ + 1) − Σ_i (n_i + β)/(n + κ) · ψ(n_i + β + 1);
- evidence ρ(β) = Γ(κ)/Γ(n + κ) · Π_i Γ(n_i + β)/Γ(β);
- prior expected entropy ξ(β) = ψ(κ + 1) − ψ(β + 1), which is given a flat prior between 0 and ln K.

The estimate is ∫ S ρ dξ / ∫ ρ dξ. The integrand is smooth in ln β and falls off exponentially on both sides, so that
equal steps in ln β (the trapezoid rule) are exact to rounding.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, digamma, polygamma

Floats = NDArray[np.float64]
_WIDEST = 30.0  # ln β from −30 to 30
_COARSE, _FINE = 241, 2001
_NEGLIGIBLE = 45.0  # nats below the greatest value of the integrand: 1e-20 of it


def nsb_nats(seen: Floats, support: int) -> float:
    """Return the estimate in nats from the counts, all ≥ 1, of the symbols seen, and the number K of possible ones."""
    if support == 1:
        return 0.0
    sizes, times = np.unique(seen, return_counts=True)
    coarse = np.linspace(-_WIDEST, _WIDEST, _COARSE)
    weight = _log_weight(coarse, sizes, times, support)
    near = coarse[weight > weight.max() - _NEGLIGIBLE]
    step = coarse[1] - coarse[0]
    fine = np.linspace(near[0] - step, near[-1] + step, _FINE)
    weight = _log_weight(fine, sizes, times, support)
    share = np.exp(weight - weight.max())
    return float((share * _mean_entropy(fine, sizes, times, support)).sum() / share.sum())


def _log_weight(log_beta: Floats, sizes: Floats, times: NDArray[np.int64], support: int) -> Floats:
    """Return ln(ρ · dξ/dβ · β): the weight of each ln β."""
    beta, n = np.exp(log_beta), float((sizes * times).sum())
    slope = support * polygamma(1, support * beta + 1) - polygamma(1, beta + 1)
    evidence = -_log_rising(support * beta, n)
    for size, number in zip(sizes, times, strict=True):
        evidence = evidence + number * _log_rising(beta, float(size))
    with np.errstate(divide="ignore"):
        return np.asarray(evidence + np.log(np.maximum(slope, 0)) + log_beta)


def _log_rising(base: Floats, steps: float) -> Floats:
    """Return ln Γ(base + steps) − ln Γ(base) without the loss of digits that their difference has for a large base."""
    return np.asarray(math.lgamma(steps) - betaln(base, steps))


def _mean_entropy(log_beta: Floats, sizes: Floats, times: NDArray[np.int64], support: int) -> Floats:
    beta, n = np.exp(log_beta), float((sizes * times).sum())
    total = n + support * beta
    unseen = support - int(times.sum())
    mean = unseen * beta * digamma(beta + 1)
    for size, number in zip(sizes, times, strict=True):
        mean = mean + number * (size + beta) * digamma(size + beta + 1)
    return np.asarray(digamma(total + 1) - mean / total)

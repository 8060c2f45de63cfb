"""Sums over the cells of confusions [T, P …]: shares of rows, relative entropy, means over tokens."""

import numpy as np

from phonxling.core.arrays import Floats, divided

LEAST = 1e-300  # stands for 0 below a fraction line and in logarithms, which are then multiplied by 0


def row_shares(counts: Floats) -> Floats:
    """Return the share of each cell in its row, [T, P …]; NaN for a row without counts."""
    return divided(counts, counts.sum(axis=1, keepdims=True))


def relative_entropy(p: Floats, q: Floats) -> Floats:
    """Return Σ p log2 p/q over all cells, [...]; q is above 0 where p is."""
    return np.asarray((p * np.log2(np.maximum(p, LEAST) / np.maximum(q, LEAST))).sum(axis=(0, 1)))


def mean_over_tokens(by_phone: Floats, counts: Floats) -> float | Floats:
    """Return Σ_y P(y) v(y) of values [T …] for the tokens of counts [T, P …]; NaN without tokens."""
    tokens = counts.sum(axis=1)
    shares = divided(tokens, tokens.sum(axis=0))
    means = np.where(tokens > 0, shares * by_phone, 0.0).sum(axis=0)
    return one_or_many(np.where(tokens.sum(axis=0) > 0, means, np.nan))


def one_or_many(values: Floats) -> float | Floats:
    """Return a single value as a number, others as they are."""
    return float(values) if values.ndim == 0 else values

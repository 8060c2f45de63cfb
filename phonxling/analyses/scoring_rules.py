"""Proper scoring rules, log loss and Brier score: how far the probabilities that were given are from the truth.

Conventions
-----------
`labels` [N] are what was true. `probabilities` [N, K] hold a row over K classes an item, and labels are positions 0 …
K − 1; or they are [N], the probability that the label is 1, and labels are 0 or 1. Bits. A probability of 0 for what is
true costs infinitely many bits; `floor` > 0 takes every probability below it as the floor (and, where there are two
classes, every one above 1 − floor as that), and is never applied unasked.

Measures
--------
Cross-entropy −(1/N) Σ log2 p(y_i|x_i), perplexity 2^that; normalised: divided by what a constant baseline pays.
Brier score: mean (p − y)², of K classes mean Σ_e (p_e − 1{e = y})².

References
----------
Brier (1950). Good (1952), Rational decisions. NIST SCTK, sclite: normalised cross-entropy.
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from phonxling.core.arguments import checked_types
from phonxling.core.arrays import Codes, Floats
from phonxling.core.estimate import Estimate

Denominator = Literal["labels", "baseline"]
_LARGEST = math.log2(np.finfo(float).max)  # bits above which 2 to their power is no number


def bits_of_truth(labels: ArrayLike, probabilities: ArrayLike, floor: float = 0.0) -> Floats:
    """Return −log2 of the probability that each item's label was given, float64 [N], infinite where it is 0."""
    if not 0 <= floor < 0.5:
        raise ValueError(f"a floor lies in 0 … ½, not {floor:g}")
    places, p = checked(labels, probabilities)
    if p.ndim == 1:
        p = np.stack([1 - p, p], axis=1)
        p = np.clip(p, floor, 1 - floor)
    truth = np.maximum(p[np.arange(len(places)), places], floor)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(-np.log2(truth), 0.0))


def checked(labels: ArrayLike, probabilities: ArrayLike) -> tuple[Codes, Floats]:
    """Return labels and probabilities as arrays; ValueError as for `bits_of_truth`."""
    places, p = np.asarray(labels), np.asarray(probabilities, dtype=np.float64)
    if p.ndim not in {1, 2} or places.shape != p.shape[:1]:
        raise ValueError(f"one label for each item is needed: {places.shape} labels for {p.shape} probabilities")
    if not ((p >= 0) & (p <= 1 + 1e-6)).all():
        raise ValueError("probabilities must lie in 0 … 1")
    classes = p.shape[1] if p.ndim == 2 else 2
    codes = places.astype(np.int64)
    if (codes != places).any() or (codes < 0).any() or (codes >= classes).any():
        raise ValueError(f"labels must be whole numbers from 0 to {classes - 1}")
    return codes, np.minimum(p, 1.0)


@checked_types
def cross_entropy(labels: ArrayLike, probabilities: ArrayLike, floor: float = 0.0) -> float:
    """Return the mean log loss −(1/N) Σ log2 p(y_i|x_i) in bits, ≥ 0; NaN without items, infinite where a p is 0.

    Errors as for `bits_of_truth`.

    Examples
    --------
    >>> cross_entropy([0, 1], [[0.5, 0.5], [0.875, 0.125]])
    2.0
    >>> cross_entropy([1], [[1, 0]]), round(cross_entropy([1], [[1, 0]], floor=1e-7), 2)
    (inf, 23.25)
    """
    bits = bits_of_truth(labels, probabilities, floor)
    return float(bits.mean()) if len(bits) else math.nan


def perplexity_of(bits: Estimate) -> Estimate:
    """Return 2 to an estimate and to its limits: NaN where that is beyond all numbers."""
    value, low, high = (2.0**end if end <= _LARGEST else math.nan for end in (bits.value, bits.low, bits.high))
    return Estimate(value, low, high, bits.level, bits.note)


@checked_types
def normalised_cross_entropy(
    labels: ArrayLike,
    probabilities: ArrayLike,
    baseline: ArrayLike | None = None,
    denominator: Denominator = "labels",
    floor: float = 0.0,
) -> float:
    """Return the mean log loss over that of a constant baseline: 1 is no better than the baseline, lower is better.

    Parameters
    ----------
    labels : int array [N]
        What was true.
    probabilities : float array [N, K] or [N]
        What was given.
    baseline : float array [K], or a number, optional
        The baseline's probabilities, summing to 1 (of label 1, for two classes): those of the training or reference
        set. By default the shares of the labels themselves.
    denominator : {"labels", "baseline"}
        What the baseline pays on these labels, or, as some tutorials have it, the baseline's own entropy: with that the
        baseline itself does not score 1 when the two sets have other shares. Without a baseline they are the same.
    floor : float
        As for `bits_of_truth`.

    Returns
    -------
    float
        NaN without items, and where the baseline pays nothing, or infinitely much.

    Raises
    ------
    ValueError
        As for `bits_of_truth`, and if the baseline is no distribution over the classes.

    Examples
    --------
    The baseline scores 1, being sure and right 0; of correctness it is 1 − NCE:

    >>> normalised_cross_entropy([1, 1, 1, 0], [0.75] * 4), normalised_cross_entropy([0, 1], [[1, 0], [0, 1]])
    (1.0, 0.0)
    >>> normalised_cross_entropy([1, 0, 0, 0], [0.5] * 4, baseline=0.5)
    1.0
    """
    places, p = checked(labels, probabilities)
    loss = cross_entropy(places, p, floor)
    constant = _baseline(places, p, baseline)
    possible = constant > 0
    shares = constant if denominator == "baseline" else _shares(places, len(constant))
    if math.isnan(loss) or (shares[~possible] > 0).any():
        return math.nan
    baseline_loss = float(-(shares[possible] * np.log2(constant[possible])).sum())
    return loss / baseline_loss if baseline_loss > 0 else math.nan


def _shares(places: Codes, classes: int) -> Floats:
    return np.asarray(np.bincount(places, minlength=classes) / max(len(places), 1), dtype=np.float64)


def _baseline(places: Codes, p: Floats, baseline: ArrayLike | None) -> Floats:
    classes = p.shape[1] if p.ndim == 2 else 2
    if baseline is None:
        return _shares(places, classes)
    constant = np.asarray(baseline, dtype=np.float64)
    if constant.ndim == 0 and p.ndim == 1:
        constant = np.stack([1 - constant, constant])
    if constant.shape != (classes,) or not (constant >= 0).all() or abs(constant.sum() - 1) > 1e-6:
        raise ValueError(f"the baseline must be {classes} probabilities that sum to 1")
    return constant


@checked_types
def brier_score(labels: ArrayLike, probabilities: ArrayLike) -> float:
    """Return the mean squared distance of probabilities from the truth: in [0, 1] for correctness, [0, 2] for classes.

    Parameters
    ----------
    labels : array [M]
        Whether each is correct, or the position of the true class.
    probabilities : float array [M] or [M, K]
        The confidence in each, or the probabilities of all classes.

    Returns
    -------
    float
        NaN without items.

    Raises
    ------
    ValueError
        If there is not one label an item, a label names no class, or a probability lies outside 0 … 1.

    Examples
    --------
    >>> brier_score([1, 0], [0.5, 0.5]), brier_score([0], [[0.5, 0.5]]), brier_score([1, 0], [1, 0])
    (0.25, 0.5, 0.0)
    """
    distances = squared_distances(labels, probabilities)
    return float(distances.mean()) if len(distances) else math.nan


def squared_distances(labels: ArrayLike, probabilities: ArrayLike) -> Floats:
    """Return each item's squared distance from the truth, [M]; see `brier_score`."""
    places, p = checked(labels, probabilities)
    if p.ndim == 1:
        return np.asarray((p - places) ** 2)
    truth = p[np.arange(len(places)), places]
    return np.asarray((p**2).sum(axis=1) - truth**2 + (1 - truth) ** 2)

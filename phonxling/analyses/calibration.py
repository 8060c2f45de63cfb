"""Proper scoring rules, and confidence: whether a recogniser is right 80 times of 100 where it is sure to 80 %.

Conventions
-----------
`labels` [N] are what was true. `probabilities` [N, K] hold a row over K classes an item, and labels are positions 0 …
K − 1; or they are [N], the probability that the label is 1, and labels are 0 or 1: whether each predicted phone is
right, `correct` [M], beside its `confidence` [M]. Bits. A probability of 0 for what is true costs infinitely many bits;
`floor` > 0 takes every probability below it as the floor (and, where there are two classes, every one above 1 − floor
as that), and is never applied unasked.

Bins are (from, to], the first one [from, to]. `width`: of equal width over 0 … 1. `mass`: between quantiles of the
confidences (linear interpolation), so that each holds about the same number of phones; equal confidences are never
parted, so there may be fewer bins, and the highest confidence has a bin of its own where quantiles equal it.

Measures
--------
Cross-entropy −(1/N) Σ log2 p(y_i|x_i), perplexity 2^that; normalised: divided by what a constant baseline pays.
Brier score: mean (p − y)², of K classes mean Σ_e (p_e − 1{e = y})². ECE = Σ_b (n_b/n) |accuracy_b − confidence_b|:
chance differences within bins are counted as miscalibration too, so ECE is too high where tokens are few;
`calibrated_error` says how high it is expected to be for a recogniser that is perfectly calibrated.

References
----------
Brier (1950). Good (1952), Rational decisions. Naeini, Cooper & Hauskrecht (2015), Obtaining well calibrated
probabilities using Bayesian binning. Guo et al. (2017), On calibration of modern neural networks. Wilson (1927). Murphy
& Winkler (1977), on reliability diagrams. Hong (2013), On computing the distribution function for the Poisson binomial
distribution. NIST SCTK, sclite: normalised cross-entropy of confidences. Siu & Gish (1999), Evaluation of word
confidence for speech recognition systems.
"""

import math
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from phonxling.core.arrays import Codes, Floats, code_type, divided
from phonxling.core.estimate import Estimate
from phonxling.resample.jackknife import Clusters
from phonxling.resample.shares import wilson
from phonxling.resample.tokens import sums_by

Denominator = Literal["labels", "baseline"]
Binning = Literal["width", "mass"]
BINNINGS: tuple[Binning, ...] = ("width", "mass")
Bins = tuple[Floats, NDArray[np.integer]]  # B + 1 edges, and the bin of each confidence, [M]
UNDEFINED = "no predicted phone, or every one, is correct"
_CLIP = 1e-7  # as sclite does: a confidence of 0 or 1 that is wrong would cost infinitely many bits
_TOGETHER = 1024  # phones that are multiplied at one time


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


def cross_entropy(labels: ArrayLike, probabilities: ArrayLike, floor: float = 0.0) -> float:
    """Return the mean log loss −(1/N) Σ log2 p(y_i|x_i) in bits, ≥ 0; NaN without items, infinite where a p is 0.

    `labels` [N], `probabilities` [N, K] or of label 1 [N], `floor` in 0 … ½: see the module's text. ValueError if there
    is not one label an item, a label names no class, or a probability lies outside 0 … 1.

    Examples
    --------
    >>> cross_entropy([0, 1], [[0.5, 0.5], [0.875, 0.125]])
    2.0
    >>> cross_entropy([1], [[1, 0]]), round(cross_entropy([1], [[1, 0]], floor=1e-7), 2)
    (inf, 23.25)
    """
    bits = bits_of_truth(labels, probabilities, floor)
    return float(bits.mean()) if len(bits) else math.nan


def normalised_cross_entropy(
    labels: ArrayLike,
    probabilities: ArrayLike,
    baseline: ArrayLike | None = None,
    denominator: Denominator = "labels",
    floor: float = 0.0,
) -> float:
    """Return the mean log loss over that of a constant baseline: 1 is no better than the baseline, lower is better.

    `baseline` [K], or that of label 1, sums to 1: the shares of a training or reference set; by default those of the
    labels. With the `denominator` "baseline" its own entropy takes the place of what it pays on these labels, and it
    scores 1 only where both sets have the same shares. NaN without items, and where the baseline pays nothing, or
    infinitely much. ValueError as for `cross_entropy`, and if the baseline is no distribution over the classes.

    Examples
    --------
    The baseline scores 1, being sure and right 0; of correctness it is 1 − NCE:

    >>> normalised_cross_entropy([1, 1, 1, 0], [0.75] * 4), normalised_cross_entropy([0, 1], [[1, 0], [0, 1]])
    (1.0, 0.0)
    >>> normalised_cross_entropy([1, 0, 0, 0], [0.5] * 4, baseline=0.5)
    1.0
    """
    places, p = checked(labels, probabilities)
    loss, classes = cross_entropy(places, p, floor), p.shape[1] if p.ndim == 2 else 2
    shares = np.bincount(places, minlength=classes) / max(len(places), 1)
    constant = shares if baseline is None else np.asarray(baseline, dtype=np.float64)
    if constant.ndim == 0 and p.ndim == 1:
        constant = np.stack([1 - constant, constant])
    is_distribution = constant.shape == (classes,) and (constant >= 0).all() and abs(constant.sum() - 1) <= 1e-6
    if baseline is not None and not is_distribution:
        raise ValueError(f"the baseline must be {classes} probabilities that sum to 1")
    possible = constant > 0
    shares = constant if denominator == "baseline" else shares
    if math.isnan(loss) or (shares[~possible] > 0).any():
        return math.nan
    baseline_loss = float(-(shares[possible] * np.log2(constant[possible])).sum())
    return loss / baseline_loss if baseline_loss > 0 else math.nan


def brier_score(labels: ArrayLike, probabilities: ArrayLike) -> float:
    """Return the mean squared distance of probabilities from the truth: in [0, 1] for correctness, [0, 2] for classes.

    NaN without items; arguments and errors as for `cross_entropy`.

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


def cut(confidence: ArrayLike, bins: int = 10, by: Binning = "width") -> Bins:
    """Return the edges of bins of equal width or of equal mass, and the bin of each confidence."""
    confidences = np.asarray(confidence, dtype=np.float64)
    if bins < 1:
        raise ValueError(f"at least one bin is needed, not {bins}")
    if by not in BINNINGS:
        raise ValueError(f"bins are of equal {' or '.join(BINNINGS)}, not {by!r}")
    edges = np.arange(bins + 1) / bins  # 0.3 is 3/10, where steps of a tenth would end beside it
    if by == "mass" and len(confidences):
        # the highest confidence, often 1 and frequent, may have a bin of its own
        below = confidences[confidences < confidences.max()]
        highest = below.max() if len(below) else -1.0
        inner = np.unique(np.minimum(np.quantile(confidences, edges[1:-1]), highest))
        edges = np.concatenate([[0.0], inner[inner >= 0], [1.0]])
    return edges, np.searchsorted(edges[1:-1], confidences, side="left").astype(code_type(bins))


def bin_sums(correct: ArrayLike, confidence: Floats, cuts: Bins) -> Floats:
    """Return of each bin its number of phones, of correct ones, and the sum of their confidences, [B, 3]."""
    edges, places = cuts
    return sums_by(places, binned_values(correct, confidence), len(edges) - 1)


def binned_values(correct: ArrayLike, confidence: Floats) -> Floats:
    """Return what `bin_sums` sums, [M, 3]: 1, whether the phone is correct, and its confidence."""
    return np.stack([np.ones(len(confidence)), np.asarray(correct, dtype=np.float64), confidence]).T


def expected_calibration_error(
    correct: ArrayLike, confidence: ArrayLike, bins: int = 10, by: Binning = "width"
) -> float:
    """Return ECE = Σ_b (n_b/n) |accuracy_b − confidence_b|, in [0, 1]: 0 when confidences are shares of correct phones.

    `correct` [M], `confidence` [M] in 0 … 1; `bins` of equal "width" or "mass". Too high where tokens are few, see
    `calibrated_error`; NaN without phones. ValueError as for `brier_score`, and if there are no bins, or no such ones.

    Examples
    --------
    >>> expected_calibration_error([1, 1, 0, 0], [0.75] * 4), expected_calibration_error([1, 1, 1, 0], [0.75] * 4)
    (0.25, 0.0)
    """
    right, confidences = checked(correct, confidence)
    return float(ece_of_sums(bin_sums(right, confidences, cut(confidences, bins, by))))


def ece_of_sums(sums: Floats) -> Floats:
    """Return ECE of the sums of bins […, B, 3] as of `bin_sums`, for one table or many […]; NaN without phones."""
    number, right, confidences = np.moveaxis(sums, -1, 0)
    return divided(abs(right - confidences).sum(axis=-1), number.sum(axis=-1))


def calibrated_error(confidence: ArrayLike, bins: int = 10, by: Binning = "width") -> float:
    """Return the ECE to be expected of as many phones whose confidences are exactly right: what chance alone makes.

    E = Σ_b E|K_b − Σ a| / n, with K_b the number correct among the phones of bin b, each correct with probability a:
    the exact expectation (to 1e-9), K_b being Poisson-binomial. NaN and errors as `expected_calibration_error`.

    Examples
    --------
    Of two phones of confidence one half, none or both are correct half of the time: |K − 1| / 2 is ½ then, else 0.

    >>> round(calibrated_error([0.5, 0.5]), 9), round(calibrated_error([0.5] * 10_000), 6)
    (0.25, 0.003989)
    """
    confidences = np.asarray(confidence, dtype=np.float64)
    confidences = checked(np.zeros(len(confidences), dtype=bool), confidences)[1]
    return error_of_calibrated(confidences, cut(confidences, bins, by))[0]


def error_of_calibrated(confidences: Floats, cuts: Bins) -> tuple[float, float]:
    """Return the mean and the standard deviation of the ECE of phones whose confidences are exactly right; or NaN."""
    (edges, places), number = cuts, len(confidences) or math.nan
    distances = np.array([_mean_distance(confidences[places == place]) for place in range(len(edges) - 1)])
    variances = np.bincount(places, weights=confidences * (1 - confidences), minlength=len(edges) - 1)
    return math.fsum(distances) / number, math.sqrt(max(math.fsum(variances - distances**2), 0.0)) / number


def _mean_distance(shares: Floats) -> float:
    """Return E|K − Σ a| of K correct phones, each correct with its own probability a, [n]."""
    mean, variance = shares.sum(), (shares * (1 - shares)).sum()
    if not variance:
        return 0.0
    reach = math.ceil(16 + math.sqrt(236 + 93 * variance))
    window = 2 * reach + 1
    angles = 2 * np.pi * np.arange(reach + 1) / window
    turns = np.exp(1j * angles[variance * (1 - np.cos(angles)) < 47])  # |φ(t)| ≤ exp(−variance (1 − cos t))
    characteristic = np.ones_like(turns)
    for first in range(0, len(shares), _TOGETHER):
        some = shares[first : first + _TOGETHER, None]
        characteristic *= np.multiply.reduce(1 - some + some * turns, axis=0)
    probability = np.fft.irfft(characteristic.conj(), window)
    numbers = math.floor(mean) + np.arange(-reach, reach + 1)
    return float(abs(numbers - mean) @ np.maximum(probability[numbers % window], 0.0))


def reliability_table(
    correct: ArrayLike, confidence: ArrayLike, bins: int = 10, by: Binning = "width", level: float = 0.95
) -> pd.DataFrame:
    """Return each bin's accuracy beside its mean confidence, one row a bin, empty ones too (their shares missing).

    Columns bin, from, to, tokens, confidence, accuracy, accuracy_low and accuracy_high, which are Wilson's limits at
    `level`, as if phones were independent. Other arguments and errors as for `expected_calibration_error`.

    Examples
    --------
    >>> table = reliability_table([1, 0, 1, 1], [0.2, 0.4, 0.8, 1.0], bins=2)
    >>> table[["tokens", "accuracy"]].to_numpy().tolist(), table["confidence"].round(3).tolist()
    ([[2.0, 0.5], [2.0, 1.0]], [0.3, 0.9])
    """
    right, confidences = checked(correct, confidence)
    edges, places = cut(confidences, bins, by)
    number, hits, total = bin_sums(right, confidences, (edges, places)).T
    accuracy = divided(hits, number)
    low, high = wilson(accuracy, number, level)
    return pd.DataFrame(
        {
            "bin": np.arange(1, len(edges)),
            "from": edges[:-1],
            "to": edges[1:],
            "tokens": number.astype(np.int64),
            "confidence": divided(total, number),
            "accuracy": accuracy,
            "accuracy_low": low,
            "accuracy_high": high,
        }
    )


def nist_nce(correct: ArrayLike, confidence: ArrayLike) -> float:
    """Return NIST's normalised cross-entropy: 0 when confidences say no more than the share that is right, at most 1.

    With M predicted phones, insertions among them, m of them correct, and p = m/M:
    H_max = −m log2 p − (M − m) log2(1 − p);
    NCE = (H_max + Σ_correct log2 â + Σ_incorrect log2(1 − â)) / H_max, â clipped to 1e-7 … 1 − 1e-7.

    NaN when no phone, or every phone, is correct: the baseline has no entropy then. ValueError if the two differ in
    length, or a confidence lies outside 0 … 1 or is not a number.

    Examples
    --------
    A constant confidence equal to the share of correct phones says nothing; a certain and right one says everything:

    >>> nist_nce([1, 1, 1, 0], [0.75] * 4)
    0.0
    >>> round(nist_nce([1, 0], [1.0, 0.0]), 6)
    1.0
    """
    return float(nce_of_sums(nce_values(correct, confidence).sum(axis=0)))


def nce_values(correct: ArrayLike, confidence: ArrayLike) -> Floats:
    """Return what NCE sums over phones, [M, 3]: 1, whether the phone is correct, and its gain."""
    right, confidences = np.asarray(correct, dtype=bool), np.asarray(confidence, dtype=np.float64)
    if right.shape != confidences.shape or right.ndim != 1:
        raise ValueError(f"one confidence for each predicted phone is needed: {confidences.shape} for {right.shape}")
    if not ((confidences >= 0) & (confidences <= 1)).all():
        raise ValueError("confidences must lie in 0 … 1")
    clipped = np.clip(confidences, _CLIP, 1 - _CLIP)
    gained = np.log2(np.where(right, clipped, 1 - clipped))
    return np.stack([np.ones(len(confidences)), right, gained]).T


def nce_of_sums(sums: Floats) -> Floats:
    """Return NCE of sums […, 3] of `nce_values`, for one set or many […]; NaN as for `nist_nce`."""
    total, hits, gained = np.moveaxis(sums, -1, 0)
    baseline = _entropies(hits, total)
    defined = (hits > 0) & (hits < total)
    return np.asarray(np.divide(baseline + gained, baseline, out=np.full_like(baseline, np.nan), where=defined))


def nce_estimate(values: Floats, owner: Codes, clusters: Clusters) -> Estimate:
    """Return NCE of `nce_values` [M, 3] with its interval; `owner` [M] are the positions of the phones' utterances."""
    by_cluster = sums_by(clusters.group[owner], values, len(clusters.sizes))
    total = values.sum(axis=0)
    left_out = nce_of_sums(total - by_cluster)
    return clusters.estimate(float(nce_of_sums(total)), left_out, "skill", sizes=by_cluster[:, 0])


def binned_nce(correct: ArrayLike, confidence: ArrayLike, bins: int = 10, by: Binning = "width") -> float:
    """Return NCE after each confidence is replaced by the accuracy of its bin: what calibration could gain.

    In [0, 1]: the information that the bin has about correctness, over its entropy. It is of the same phones that the
    accuracies come from, so it is too high where phones are few. NaN and errors as for `nist_nce`.

    Examples
    --------
    Confidences that are wrong the right way round mislead, but tell all:

    >>> round(nist_nce([1, 1, 0, 0], [0.1, 0.1, 0.9, 0.9]), 2), binned_nce([1, 1, 0, 0], [0.1, 0.1, 0.9, 0.9])
    (-2.32, 1.0)
    """
    right = nce_values(correct, confidence)[:, 1]
    sums = bin_sums(right, np.asarray(confidence, dtype=np.float64), cut(confidence, bins, by))
    return float(binned_nce_of_sums(sums))


def binned_nce_of_sums(sums: Floats) -> Floats:
    """Return binned NCE of the sums of bins […, B, 3] as of `bin_sums`, for one table or many […]."""
    number, hits, _ = np.moveaxis(sums, -1, 0)
    gained = -_entropies(hits, number).sum(axis=-1)
    return nce_of_sums(np.stack([number.sum(axis=-1), hits.sum(axis=-1), gained], axis=-1))


def _entropies(hits: Floats, total: Floats) -> Floats:
    """Return −h log2(h/n) − (n − h) log2(1 − h/n), 0 where either kind is missing."""
    share = np.divide(hits, total, out=np.zeros_like(total), where=total > 0)
    mixed = (hits > 0) & (hits < total)
    logs = np.log2(np.where(mixed, share, 0.5)), np.log2(np.where(mixed, 1 - share, 0.5))
    return np.where(mixed, -hits * logs[0] - (total - hits) * logs[1], 0.0)

"""Confidence: whether a recogniser knows when it is right.

References
----------
NIST SCTK, sclite: normalised cross-entropy of confidences. Siu & Gish (1999), Evaluation of word confidence for speech
recognition systems.
"""

import numpy as np
from numpy.typing import ArrayLike

from phonxling.analyses.confidence.calibration import Binning, bin_sums, cut
from phonxling.core.arrays import Codes, Floats
from phonxling.core.estimate import Estimate
from phonxling.core.interface.arguments import checked_types
from phonxling.resample.intervals import estimate
from phonxling.resample.sums import cluster_sums, replicate_sums
from phonxling.resample.weights import Resampling

UNDEFINED = "no predicted phone, or every one, is correct"
CLIP = 1e-7  # as sclite does: a confidence of 0 or 1 that is wrong would cost infinitely many bits


@checked_types
def nist_nce(correct: ArrayLike, confidence: ArrayLike) -> float:
    """Return NIST's normalised cross-entropy: 0 when confidences say no more than the share that is right, at most 1.

    With M predicted phones, insertions among them, m of them correct, and p = m/M:
    H_max = −m log2 p − (M − m) log2(1 − p);
    NCE = (H_max + Σ_correct log2 â + Σ_incorrect log2(1 − â)) / H_max, â clipped to 1e-7 … 1 − 1e-7.

    Parameters
    ----------
    correct : bool array [M]
        Whether each predicted phone is correct.
    confidence : float array [M]
        Its confidence, 0 to 1.

    Returns
    -------
    float
        NaN when no phone, or every phone, is correct: the baseline has no entropy then.

    Raises
    ------
    ValueError
        If the two differ in length.
        If a confidence lies outside 0 … 1 or is not a number.

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
    """Return what NCE sums over phones, [M, 3]: 1, whether the phone is correct, and its gain.

    The gain is log2 of the confidence that was given to what the phone turned out to be, ≤ 0. Errors as for `nist_nce`.
    """
    right, confidences = np.asarray(correct, dtype=bool), np.asarray(confidence, dtype=np.float64)
    if right.shape != confidences.shape or right.ndim != 1:
        raise ValueError(f"one confidence for each predicted phone is needed: {confidences.shape} for {right.shape}")
    if not ((confidences >= 0) & (confidences <= 1)).all():
        raise ValueError("confidences must lie in 0 … 1")
    clipped = np.clip(confidences, CLIP, 1 - CLIP)
    gained = np.log2(np.where(right, clipped, 1 - clipped))
    return np.stack([np.ones(len(confidences)), right, gained]).T


def nce_of_sums(sums: Floats) -> Floats:
    """Return NCE of sums […, 3] of `nce_values`, one for each replicate […]; NaN as for `nist_nce`.

    Examples
    --------
    >>> nce_of_sums(np.array([[4.0, 2.0, -2.0], [4.0, 4.0, 0.0]])).tolist()
    [0.5, nan]
    """
    total, hits, gained = np.moveaxis(sums, -1, 0)
    baseline = _entropies(hits, total)
    defined = (hits > 0) & (hits < total)
    return np.asarray(np.divide(baseline + gained, baseline, out=np.full_like(baseline, np.nan), where=defined))


def nce_estimate(values: Floats, owner: Codes, resampling: Resampling) -> Estimate:
    """Return NCE of `nce_values` [M, 3] with its interval; `owner` [M] are the positions of the phones' utterances."""
    by_cluster = cluster_sums(values, owner, resampling)
    drawn, total = nce_of_sums(replicate_sums(by_cluster, resampling)), values.sum(axis=0)
    left_out = nce_of_sums(total - by_cluster)
    return estimate(float(nce_of_sums(total)), drawn, resampling, kind="skill", left_out=left_out)


@checked_types
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
    """Return binned NCE of the sums of bins […, B, 3] as of `bin_sums`, one for each replicate […]."""
    number, hits, _ = np.moveaxis(sums, -1, 0)
    gained = -_entropies(hits, number).sum(axis=-1)
    return nce_of_sums(np.stack([number.sum(axis=-1), hits.sum(axis=-1), gained], axis=-1))


def _entropies(hits: Floats, total: Floats) -> Floats:
    """Return −h log2(h/n) − (n − h) log2(1 − h/n), 0 where either kind is missing."""
    share = np.divide(hits, total, out=np.zeros_like(total), where=total > 0)
    mixed = (hits > 0) & (hits < total)
    logs = np.log2(np.where(mixed, share, 0.5)), np.log2(np.where(mixed, 1 - share, 0.5))
    return np.where(mixed, -hits * logs[0] - (total - hits) * logs[1], 0.0)

"""Confidence: whether a recogniser knows when it is right.

References
----------
NIST SCTK, sclite: normalised cross-entropy of confidences. Siu & Gish (1999), Evaluation of word confidence for speech
recognition systems.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

CLIP = 1e-7  # as sclite does: a confidence of 0 or 1 that is wrong would cost infinitely many bits


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
    right, given = np.asarray(correct, dtype=bool), np.asarray(confidence, dtype=np.float64)
    if right.shape != given.shape or right.ndim != 1:
        raise ValueError(f"one confidence for each predicted phone is needed: {given.shape} for {right.shape}")
    if not ((given >= 0) & (given <= 1)).all():
        raise ValueError("confidences must lie in 0 … 1")
    total, hits = len(right), int(right.sum())
    if hits in {0, total}:
        return math.nan
    share = hits / total
    baseline = -hits * math.log2(share) - (total - hits) * math.log2(1 - share)
    clipped = np.clip(given, CLIP, 1 - CLIP)
    gained = float(np.log2(np.where(right, clipped, 1 - clipped)).sum())
    return (baseline + gained) / baseline

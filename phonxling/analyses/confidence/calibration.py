"""Calibration: whether what a recogniser is sure of to 80 % is right 80 times of 100.

Conventions
-----------
`correct` [M] says whether each predicted phone is right, `confidence` [M] in 0 … 1 how sure the recogniser was.
Bins are of equal width or of equal mass, see `bins`.

Measures
--------
ECE = Σ_b (n_b/n) |accuracy_b − confidence_b|; Brier = mean (a − correct)², of classes mean Σ_e (p_e − 1{e = y})².
Chance differences within bins are counted as miscalibration too, so ECE is too high where tokens are few:
`calibrated_error` says how high it is expected to be for a recogniser that is perfectly calibrated.

References
----------
Brier (1950). Naeini, Cooper & Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning.
Guo et al. (2017), On calibration of modern neural networks.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.analyses.confidence.bins import Binning, bin_sums, cut
from phonxling.analyses.posteriors.log_loss import checked

Floats = NDArray[np.float64]


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
    places, given = checked(labels, probabilities)
    if given.ndim == 1:
        return np.asarray((given - places) ** 2)
    truth = given[np.arange(len(places)), places]
    return np.asarray((given**2).sum(axis=1) - truth**2 + (1 - truth) ** 2)


def expected_calibration_error(
    correct: ArrayLike, confidence: ArrayLike, bins: int = 10, by: Binning = "width"
) -> float:
    """Return ECE = Σ_b (n_b/n) |accuracy_b − confidence_b|, in [0, 1]: 0 when confidences are shares of correct phones.

    Too high where tokens are few; see `calibrated_error`. NaN without phones. Errors as for `brier_score` and `cut`.

    Examples
    --------
    >>> expected_calibration_error([1, 1, 0, 0], [0.75] * 4), expected_calibration_error([1, 1, 1, 0], [0.75] * 4)
    (0.25, 0.0)
    """
    right, given = checked(correct, confidence)
    sums = bin_sums(right, given, cut(given, bins, by))
    return float(ece_of_sums(sums.T.ravel()[None])[0]) if len(given) else math.nan


def ece_of_sums(sums: Floats) -> Floats:
    """Return ECE of each row of sums, [R, 3·B]: numbers of all bins, then correct ones, then sums of confidences."""
    number, right, given = np.split(sums, 3, axis=1)
    total = number.sum(axis=1)
    apart = abs(right - given).sum(axis=1)
    return np.asarray(np.divide(apart, total, out=np.full(len(sums), np.nan), where=total > 0))


def calibrated_error(confidence: ArrayLike, bins: int = 10, by: Binning = "width") -> float:
    """Return the ECE to be expected of as many phones whose confidences are exactly right: what chance alone makes.

    Within a bin the number correct is a sum of M_b draws with variance Σ a(1 − a); taken as normal, it is √(2/π)
    standard deviations from its mean on average. NaN without phones; errors as for `cut`.

    Examples
    --------
    >>> round(calibrated_error([0.5] * 100), 4), round(calibrated_error([0.5] * 10_000), 4)
    (0.0399, 0.004)
    """
    given = np.asarray(confidence, dtype=np.float64)
    cuts = cut(given, bins, by)
    variance = np.bincount(cuts.places, weights=given * (1 - given), minlength=len(cuts))
    return float(math.sqrt(2 / math.pi) * np.sqrt(variance).sum() / len(given)) if len(given) else math.nan

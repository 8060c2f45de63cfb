"""Calibration: whether what a recogniser is sure of to 80 % is right 80 times of 100.

Conventions
-----------
`correct` [M] says whether each predicted phone is right, `confidence` [M] in 0 … 1 how sure the recogniser was.
Bins are (from, to], the first one [from, to]. `width`: of equal width over 0 … 1. `mass`: between quantiles of the
confidences, so that each holds about the same number of phones; equal confidences are never parted, so there may be
fewer bins.

Measures
--------
ECE = Σ_b (n_b/n) |accuracy_b − confidence_b|; Brier = mean (a − correct)², of classes mean Σ_e (p_e − 1{e = y})².
Chance differences within bins are counted as miscalibration too, so ECE is too high where tokens are few:
`calibrated_error` says how high it is expected to be for a recogniser that is perfectly calibrated.

References
----------
Brier (1950). Naeini, Cooper & Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning.
Guo et al. (2017), On calibration of modern neural networks. Wilson (1927).
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from phonxling.measure.log_loss import checked

Floats = NDArray[np.float64]
Binning = Literal["width", "mass"]
BINNINGS: tuple[Binning, ...] = ("width", "mass")


@dataclass(frozen=True, eq=False)
class Bins:
    """Confidences cut into bins: B + 1 edges, and the bin of each confidence, [M]."""

    edges: Floats
    places: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.edges) - 1


def cut(confidence: ArrayLike, bins: int = 10, by: Binning = "width") -> Bins:
    """Return confidences cut into bins of equal width or of equal mass.

    ValueError for another way of cutting, or less than one bin.

    Examples
    --------
    >>> cut([0.0, 0.5, 0.51], 2).places.tolist(), cut([0.1, 0.2, 0.3, 0.9], 2, "mass").edges.tolist()
    ([0, 0, 1], [0.0, 0.25, 1.0])
    """
    given = np.asarray(confidence, dtype=np.float64)
    if bins < 1:
        raise ValueError(f"at least one bin is needed, not {bins}")
    if by not in BINNINGS:
        raise ValueError(f"bins are of equal {' or '.join(BINNINGS)}, not {by!r}")
    edges = np.arange(bins + 1) / bins  # 0.3 is 3/10, where steps of a tenth would end beside it
    if by == "mass" and len(given):
        below = given[given < given.max()]  # the highest confidence, often 1 and frequent, may have a bin of its own
        highest = below.max() if len(below) else -1.0
        inner = np.unique(np.minimum(np.quantile(given, edges[1:-1]), highest))
        edges = np.concatenate([[0.0], inner[inner >= 0], [1.0]])
    return Bins(edges, np.searchsorted(edges[1:-1], given, side="left").astype(np.int64))


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


def bin_sums(right: ArrayLike, given: Floats, cuts: Bins) -> Floats:
    """Return of each bin its number, its correct ones, and the sum of its confidences, [B, 3]."""
    values = (np.ones(len(given)), np.asarray(right, dtype=np.float64), given)
    return np.stack([np.bincount(cuts.places, weights=value, minlength=len(cuts)) for value in values], axis=1)


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


def reliability_table(
    correct: ArrayLike, confidence: ArrayLike, bins: int = 10, by: Binning = "width", level: float = 0.95
) -> pd.DataFrame:
    """Return each bin's accuracy beside its mean confidence, one row a bin, empty ones too (their shares missing).

    Parameters
    ----------
    correct : bool array [M]
        Whether each predicted phone is right.
    confidence : float array [M]
        Its confidence, 0 to 1.
    bins : int
        How many.
    by : {"width", "mass"}
        Of equal width, or of about equal numbers.
    level : float
        Of the interval of each accuracy: Wilson's, as if phones were independent.

    Returns
    -------
    DataFrame
        bin, from, to, tokens, confidence, accuracy, accuracy_low, accuracy_high.

    Raises
    ------
    ValueError
        As for `brier_score` and `cut`.

    Examples
    --------
    >>> table = reliability_table([1, 0, 1, 1], [0.2, 0.4, 0.8, 1.0], bins=2)
    >>> table[["tokens", "accuracy"]].to_numpy().tolist(), table["confidence"].round(3).tolist()
    ([[2.0, 0.5], [2.0, 1.0]], [0.3, 0.9])
    """
    right, given = checked(correct, confidence)
    cuts = cut(given, bins, by)
    number, hits, total = bin_sums(right, given, cuts).T
    accuracy, mean = (
        np.divide(part, number, out=np.full(len(cuts), np.nan), where=number > 0) for part in (hits, total)
    )
    low, high = wilson(accuracy, number, level)
    return pd.DataFrame(
        {
            "bin": np.arange(1, len(cuts) + 1),
            "from": cuts.edges[:-1],
            "to": cuts.edges[1:],
            "tokens": number.astype(np.int64),
            "confidence": mean,
            "accuracy": accuracy,
            "accuracy_low": low,
            "accuracy_high": high,
        }
    )


def wilson(share: Floats, number: Floats, level: float) -> tuple[Floats, Floats]:
    """Return Wilson's limits of shares of so many independent draws, NaN where there are none.

    Examples
    --------
    >>> low, high = wilson(np.array([1.0]), np.array([10.0]), 0.95)
    >>> float(low[0].round(4)), float(high[0])
    (0.7225, 1.0)
    """
    z = float(ndtri((1 + level) / 2))
    draws = np.where(number > 0, number, np.nan)
    middle = (share + z * z / (2 * draws)) / (1 + z * z / draws)
    reach = z / (1 + z * z / draws) * np.sqrt(share * (1 - share) / draws + (z / (2 * draws)) ** 2)
    return np.clip(middle - reach, 0, share), np.clip(middle + reach, share, 1)

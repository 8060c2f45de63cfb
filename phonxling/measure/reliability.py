"""The table behind a reliability diagram: each bin's share of correct phones beside its mean confidence.

References
----------
Wilson (1927), Probable inference, the law of succession, and statistical inference. Murphy & Winkler (1977).
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from phonxling.measure.bins import Binning, bin_sums, cut
from phonxling.measure.log_loss import checked

Floats = NDArray[np.float64]


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

"""The table behind a reliability diagram: each bin's share of correct phones beside its mean confidence.

References
----------
Wilson (1927), Probable inference, the law of succession, and statistical inference. Murphy & Winkler (1977).
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from phonxling.analyses.confidence.bins import Binning, bin_sums, cut
from phonxling.analyses.posteriors.log_loss import checked
from phonxling.resample.proportion import wilson

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

"""How far a picture can be trusted: neighbourhoods and distances before and after, and nearest phones in full space.

References
----------
Venna & Kaski (2001), Neighborhood preservation in nonlinear projection methods. Spearman (1904).
"""

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from phonxling.core.means import PhoneMeans
from phonxling.projection.points import check_columns, hellinger_points, jensen_shannon_distances

Floats = NDArray[np.float64]


def neighbourhood_trust(means: Floats, plane: Floats, neighbours: int = 5) -> float:
    """Return the trustworthiness of a picture, in [0, 1]: 1 when no phone has false neighbours in it.

    Over `neighbours` nearest phones, or half the phones when there are fewer; NaN below four phones.
    """
    near = min(neighbours, (len(means) - 1) // 2)
    if len(means) < 4 or near < 1:
        return math.nan
    from sklearn.manifold import trustworthiness  # takes a second to import

    return float(trustworthiness(hellinger_points(means), plane, n_neighbors=near))


def distance_correlation(means: Floats, plane: Floats) -> float:
    """Return Spearman's ρ between Hellinger distances in full space and distances in the picture, in [−1, 1].

    NaN below three phones, or when all distances are equal.
    """
    if len(means) < 3:
        return math.nan
    before, after = pdist(hellinger_points(means)), pdist(plane)
    if np.ptp(before) == 0 or np.ptp(after) == 0:
        return math.nan
    return float(spearmanr(before, after).statistic)


def nearest_references(target: PhoneMeans, reference: PhoneMeans, k: int = 3) -> pd.DataFrame:
    """Return each target phone's k nearest reference phones by Jensen–Shannon distance of their full distributions.

    Columns: phone, rank (from 1), reference, distance (√JS, base 2, in [0, 1]). DataError when the two are over
    different recogniser's phones.
    """
    check_columns(reference, target)
    distances = jensen_shannon_distances(target.means, reference.means)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    rows = [
        (phone, rank + 1, reference.phones.phones[code], distances[row, code])
        for row, phone in enumerate(target.phones)
        for rank, code in enumerate(order[row])
    ]
    return pd.DataFrame(rows, columns=["phone", "rank", "reference", "distance"])

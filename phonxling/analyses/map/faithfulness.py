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

from phonxling.analyses.map.points import check_columns, hellinger_points, jensen_shannon_distances
from phonxling.core.means import PhoneMeans

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


def nearest_references(target: PhoneMeans, reference: PhoneMeans, k: int = 3, *, own: bool = False) -> pd.DataFrame:
    """Return each target phone's k nearest reference phones by Jensen–Shannon distance of their full distributions.

    Columns: phone, rank (from 1), reference, distance (√JS, base 2, in [0, 1]), and the tokens that the phone's mean
    and the reference's rest on: a mean of few tokens lies too far from all others. Equal distances keep the reference's
    order. With `own` both are of one language, and no phone counts as its own neighbour.

    Raises
    ------
    DataError
        If the two are over different recogniser's phones.

    Examples
    --------
    >>> from phonxling.core.inventory import Inventory
    >>> rows = np.array([[1, 0], [0.5, 0.5]])
    >>> english = PhoneMeans(
    ...     phones=Inventory(("p", "b")), columns=Inventory(("p", "t")), means=rows, tokens=[9, 4],
    ...     batch_phones=[0, 1], batch_means=rows)
    >>> nearest_references(english, english, k=1)[["phone", "reference", "distance"]].to_numpy().tolist()
    [['p', 'p', 0.0], ['b', 'b', 0.0]]
    """
    check_columns(reference, target)
    distances = jensen_shannon_distances(target.means, reference.means)
    order, found = closest(distances, k, own=own)
    number = order.shape[1]
    return pd.DataFrame(
        {
            "phone": np.repeat(np.array(target.phones.phones, dtype=object), number),
            "rank": np.tile(np.arange(1, number + 1), len(target.phones)),
            "reference": np.array(reference.phones.phones, dtype=object)[order.ravel()],
            "distance": found.ravel(),
            "tokens": np.repeat(target.tokens, number),
            "reference_tokens": reference.tokens[order.ravel()],
        }
    )


def closest(distances: Floats, k: int, *, own: bool = False) -> tuple[NDArray[np.intp], Floats]:
    """Return the columns of the k least distances in each row [N, M], nearest first, and these distances, [N, k].

    NaN counts as farthest. With `own` the diagonal is left out.
    """
    kept = np.where(np.isnan(distances), np.inf, distances)
    if own:
        np.fill_diagonal(kept, np.inf)
    number = min(k, kept.shape[1] - own)
    order = np.argsort(kept, axis=1, kind="stable")[:, : max(number, 0)]
    return order, np.take_along_axis(distances, order, axis=1)

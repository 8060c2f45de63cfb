"""Which order puts like rows of a matrix, and phones of like features, side by side."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import pdist

from phonxling.core.arrays import Floats


def order_rows(profiles: Floats) -> NDArray[np.intp]:
    """Return the order of rows that puts similar profiles side by side.

    Parameters
    ----------
    profiles : array [rows, columns]
        Values ≥ 0, one row a phone; missing ones count as 0.

    Notes
    -----
    Average linkage on the Hellinger distance of rows, leaves ordered optimally (Bar-Joseph et al. 2001, "Fast optimal
    leaf ordering for hierarchical clustering"). Of the two directions the one that begins with the earlier row.

    Examples
    --------
    >>> order_rows(np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1]])).tolist()
    [0, 2, 1]
    """
    if len(profiles) < 3:
        return np.arange(len(profiles))
    roots = np.sqrt(np.clip(np.nan_to_num(profiles), 0, None))
    leaves = leaves_list(linkage(pdist(roots), method="average", optimal_ordering=True))
    return np.asarray(leaves if leaves[0] < leaves[-1] else leaves[::-1], dtype=np.intp)


def by_features(phones: Sequence[str], vectors: Mapping[str, Floats]) -> list[str]:
    """Return the phones, each once, so that those of like features are neighbours; those without features come last.

    Average linkage on the number of features that differ, leaves ordered optimally.

    Examples
    --------
    >>> vectors = {"p": np.array([-1.0, -1]), "a": np.array([1.0, 1]), "b": np.array([-1.0, 1])}
    >>> by_features(["p", "a", "?", "b"], vectors)
    ['p', 'b', 'a', '?']
    """
    known = [phone for phone in dict.fromkeys(phones) if phone in vectors]
    rows = np.array([vectors[phone] for phone in known])
    # the Hellinger distance of 0 and 1 is the square root of how many differ: − as one column, + as another
    ordered = order_rows(np.hstack([rows < 0, rows > 0]).astype(float)) if known else range(0)
    return [*(known[place] for place in ordered), *(phone for phone in dict.fromkeys(phones) if phone not in vectors)]

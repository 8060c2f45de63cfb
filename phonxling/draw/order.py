"""Where phones stand on the axes: like ones side by side, strong cells near the diagonal, rare ones folded."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import pdist

REST = "…"  # the label of phones that are drawn together

_Floats = NDArray[np.float64]
_Places = NDArray[np.intp]


def order_rows(profiles: _Floats) -> _Places:
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


def order_columns(weights: _Floats) -> _Places:
    """Return the order of columns that brings strong cells near the diagonal, for rows that stand in order already.

    Each column goes to the mean position of its rows, weighted by the square of its cells; empty columns go last.

    Examples
    --------
    >>> order_columns(np.array([[0.0, 0.9, 0.0], [0.8, 0.1, 0.0]])).tolist()
    [1, 0, 2]
    """
    squares = np.nan_to_num(weights) ** 2
    total = squares.sum(axis=0)
    pulled = np.arange(len(weights), dtype=np.float64) @ squares
    return np.argsort(np.where(total > 0, pulled / np.where(total > 0, total, 1), np.inf), kind="stable")


def given_order(labels: Sequence[str], order: Sequence[str]) -> _Places:
    """Return the places of `labels` in a given order; labels that it does not name come after, as they stood."""
    rank = {label: place for place, label in enumerate(order)}
    return np.argsort([rank.get(label, len(rank)) for label in labels], kind="stable")


def rest_last(places: _Places, labels: Sequence[str]) -> _Places:
    """Return the places with those labelled `…` moved to the end."""
    return places[np.argsort([labels[place] == REST for place in places], kind="stable")]


def rarest(tokens: _Floats, room: int) -> _Places:
    """Return which phones must be folded into one so that `room` places are enough, rarest first; none if all fit.

    Examples
    --------
    >>> rarest(np.array([5.0, 1.0, 9.0, 2.0]), room=3).tolist()   # two phones and the rest
    [1, 3]
    """
    too_many = len(tokens) - room
    return np.argsort(tokens, kind="stable")[: too_many + 1] if too_many > 0 else np.arange(0)

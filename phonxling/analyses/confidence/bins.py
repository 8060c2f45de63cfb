"""Bins of confidences: of equal width, or of equal mass.

Bins are (from, to], the first one [from, to]. `width`: of equal width over 0 … 1. `mass`: between quantiles of the
confidences, so that each holds about the same number of phones; equal confidences are never parted, so there may be
fewer bins.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def bin_sums(right: ArrayLike, given: Floats, cuts: Bins) -> Floats:
    """Return of each bin its number, its correct ones, and the sum of its confidences, [B, 3]."""
    values = (np.ones(len(given)), np.asarray(right, dtype=np.float64), given)
    return np.stack([np.bincount(cuts.places, weights=value, minlength=len(cuts)) for value in values], axis=1)

"""A corpus cut into runs of utterances of about equal work: the same ones for any number of workers."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def runs(work: NDArray[np.int64], size: int) -> list[tuple[int, int]]:
    """Return (first, last + 1) of runs of items that together take about `size` each; none for no items.

    Examples
    --------
    >>> runs(np.array([4, 4, 4, 20, 1]), 8)
    [(0, 2), (2, 4), (4, 5)]
    """
    if not len(work):
        return []
    before = np.cumsum(work) - work
    begins = np.flatnonzero(np.diff(before // size, prepend=-1))
    return list(pairwise([*begins.tolist(), len(work)]))

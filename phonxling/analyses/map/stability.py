"""How far a picture depends on chance: pictures of other seeds laid over it.

References
----------
Gower (1975), Generalized Procrustes analysis. Peres-Neto & Jackson (2001), How well do multivariate data sets match?
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import procrustes

Floats = NDArray[np.float64]


def agreements(plane: Floats, others: Iterable[Floats]) -> Floats:
    """Return, for each other picture of the same points [N, 2], 1 − Procrustes' disparity from this one, in [0, 1].

    Each is moved, scaled, turned and mirrored to lie over the first as well as it can; 1 when all points then coincide,
    near 0 for unrelated pictures of many points.

    Raises
    ------
    ValueError
        If a picture has one point only, or all in one place.

    Examples
    --------
    >>> plane = np.array([[0.0, 0], [2, 0], [0, 1]])
    >>> agreements(plane, [plane[:, ::-1] * 3 + 1]).round(9).tolist()
    [1.0]
    """
    return np.array([1 - procrustes(plane, other)[2] for other in others], dtype=np.float64)

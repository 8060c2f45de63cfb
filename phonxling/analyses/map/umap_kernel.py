"""The loops of UMAP: distances, how much neighbours belong together, and the layout of several maps at once.

The arithmetic is that of umap-learn 0.5 (McInnes et al., BSD-3-Clause), in single precision where that is, and as free
to reorder sums: a layout is chaotic, and one bit more or less in a step makes another map.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats

_NEAR_ENOUGH, _STEPS = 1e-5, 64  # of the search for a width
_LEAST_WIDTH = 1e-3  # of the mean distance
_LARGEST = float(np.finfo(np.float32).max)

Singles = NDArray[np.float32]


@numba.njit(cache=True, nogil=True, fastmath=True)
def distances(points: Singles, others: Singles) -> Singles:
    """Return the Euclidean distances of points [N, K] from others [M, K], [N, M]."""
    apart = np.empty((len(points), len(others)), np.float32)
    for one in range(len(points)):
        for other in range(len(others)):
            total = 0.0
            for axis in range(points.shape[1]):
                total += (points[one, axis] - others[other, axis]) ** 2
            apart[one, other] = np.sqrt(total)
    return apart


@numba.njit(cache=True, nogil=True)
def _width(distances: Singles, nearest: np.float32, wanted: float) -> float:
    """Return the width for which all neighbours but the first belong to a point by `wanted` in sum: by bisection."""
    low, high, width = 0.0, _LARGEST, 1.0
    for _ in range(_STEPS):
        total = 0.0
        for distance in distances[1:]:
            beyond = distance - nearest
            total += np.exp(-(beyond / width)) if beyond > 0 else 1.0
        if np.fabs(total - wanted) < _NEAR_ENOUGH:
            break
        if total > wanted:
            high = width
        else:
            low = width
        width = width * 2 if high >= _LARGEST else (low + high) / 2.0
    return width


@numba.njit(cache=True, nogil=True)
def memberships(distances: Singles, from_nearest: bool) -> Singles:
    """Return by how much neighbours at sorted distances [N, k] belong to each point, in [0, 1], [N, k].

    exp(−(d − ρ) / σ), where ρ is the distance of the nearest other point, or 0, and σ such that they sum to log₂ k.
    """
    wanted, mean = np.log2(float(distances.shape[1])), np.mean(distances)
    strengths = np.ones_like(distances)
    for point, row in enumerate(distances):
        apart = row[row > 0.0]
        nearest = apart[0] if from_nearest and len(apart) else np.float32(0)
        least = _LEAST_WIDTH * (np.mean(row) if nearest > 0.0 else mean)
        width = np.float32(max(_width(row, nearest, wanted), least))
        for place, distance in enumerate(row):
            if distance > nearest:
                strengths[point, place] = np.exp(-((distance - nearest) / width))
    return strengths


@numba.njit(nogil=True)
def _drawn(state: NDArray[np.int64]) -> int:
    """Return a random int32 of a Tausworthe generator, and move its state [3] on."""
    state[0] = (((state[0] & 4294967294) << 12) & 0xFFFFFFFF) ^ ((((state[0] << 13) & 0xFFFFFFFF) ^ state[0]) >> 19)
    state[1] = (((state[1] & 4294967288) << 4) & 0xFFFFFFFF) ^ ((((state[1] << 2) & 0xFFFFFFFF) ^ state[1]) >> 25)
    state[2] = (((state[2] & 4294967280) << 17) & 0xFFFFFFFF) ^ ((((state[2] << 3) & 0xFFFFFFFF) ^ state[2]) >> 11)
    return int(np.int32(state[0] ^ state[1] ^ state[2]))


@numba.njit(nogil=True)
def _clipped(step: float) -> float:
    return min(max(step, -4.0), 4.0)


@numba.njit(cache=True, nogil=True, fastmath=True)
def lay_out(
    places: Singles,
    fitted: Singles,
    heads: NDArray[np.int64],
    tails: NDArray[np.int64],
    attracting: Floats,
    repelling: Floats,
    states: NDArray[np.int64],
    curve: tuple[float, float],
    rates: Floats,
    both: bool,
) -> None:
    """Move `places` [S, N, 2] of S maps by stochastic gradient descent; `fitted` [S, M, 2] too, if `both`.

    From a head to a tail there is an attraction every so many epochs, and every so many one of the points fitted is
    drawn, which repels: `attracting` and `repelling`, each [edges]; `rates` [epochs]. Maps take turns within an edge:
    a processor computes one's powers while it waits for another's.
    """
    a, b = curve
    next_attracting, next_repelling = attracting.copy(), repelling.copy()
    for epoch, rate in enumerate(rates):
        for edge in range(len(heads)):
            if next_attracting[edge] > epoch:
                continue
            head, tail = heads[edge], tails[edge]
            draws = int((epoch - next_repelling[edge]) / repelling[edge])
            next_attracting[edge] += attracting[edge]
            next_repelling[edge] += draws * repelling[edge]
            for one in range(len(places)):
                x, y = places[one, head, 0] - fitted[one, tail, 0], places[one, head, 1] - fitted[one, tail, 1]
                square = x * x + y * y
                if square > 0.0:
                    pull = -2.0 * a * b * pow(square, b - 1.0) / (a * pow(square, b) + 1.0)
                    x_step, y_step = _clipped(pull * x) * rate, _clipped(pull * y) * rate
                    places[one, head, 0] += x_step
                    places[one, head, 1] += y_step
                    if both:
                        fitted[one, tail, 0] -= x_step
                        fitted[one, tail, 1] -= y_step
            for _ in range(draws):
                for one in range(len(places)):
                    drawn = _drawn(states[one, head]) % fitted.shape[1]
                    x, y = places[one, head, 0] - fitted[one, drawn, 0], places[one, head, 1] - fitted[one, drawn, 1]
                    square = x * x + y * y
                    if square > 0.0:
                        push = 2.0 * b / ((0.001 + square) * (a * pow(square, b) + 1))
                        places[one, head, 0] += _clipped(push * x) * rate
                        places[one, head, 1] += _clipped(push * y) * rate

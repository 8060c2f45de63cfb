"""UMAP of few points: all distances are computed, and the maps of several seeds are laid out together.

References
----------
McInnes, Healy & Melville (2018), UMAP; umap-learn 0.5, whose coordinates these are.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from phonxling.analyses.map.umap_kernel import Singles, distances, lay_out, memberships
from phonxling.core.arrays import Floats

_CURVE = (1.5769434602697652, 0.8950608778515733)  # 1 / (1 + a d^2b) for points that are to lie at least 0.1 apart
_EPOCHS, _FEWER = 500, 100  # of the fit; of placing others, which begins more slowly
_RATE, _SLOWER = 1.0, 0.25
_REPELLING = 5  # points drawn that repel, for each that attracts
_PLACING_SEED = 42
_LOWEST, _HIGHEST = -(2**31) + 1, 2**31 - 2  # of the integers that random states begin with
Edges = tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]


def umap_maps(
    points: Floats, others: Floats, begin: Floats, *, n_neighbors: int, seeds: Sequence[int]
) -> list[tuple[Floats, Floats]]:
    """Return, for each seed, coordinates of points [N, K] and of others [M, K], placed together: [N, 2] and [M, 2].

    `begin` [N, 2] is where the points are at first. One seed gives one map on one machine, not on all.
    """
    single, far, start = (values.astype(np.float32) for values in (points, others, begin))
    fitted = _fitted(single, start, n_neighbors, seeds)
    placed = _placed(far, single, fitted, n_neighbors) if len(far) else np.zeros((len(seeds), 0, 2))
    return list(zip(fitted.astype(np.float64), placed.astype(np.float64), strict=True))


def _fitted(points: Singles, begin: Singles, n_neighbors: int, seeds: Sequence[int]) -> Singles:
    """Return the points' coordinates of each seed, [S, N, 2]."""
    randoms = [np.random.RandomState(seed) for seed in seeds]
    places = np.stack([_begun(begin, random) for random in randoms])
    states = np.stack([_states(place, random) for place, random in zip(places, randoms, strict=True)])
    lay_out(places, places, *_edges(points, n_neighbors), states, _CURVE, _rates(_RATE, _EPOCHS), True)
    return places


def _placed(others: Singles, points: Singles, fitted: Singles, n_neighbors: int) -> Singles:
    """Return the others' coordinates on each map of the points, [S, M, 2]."""
    near, strengths = _nearest(others, points, n_neighbors)
    places = np.stack([_among(place, near, strengths) for place in fitted])
    states = np.stack([_states(place, np.random.RandomState(_PLACING_SEED)) for place in places])
    heads, order = np.nonzero(strengths >= strengths.max() / _FEWER)
    edges = heads, near[heads, order], *_intervals(strengths[heads, order], _FEWER)
    lay_out(places, fitted, *edges, states, _CURVE, _rates(_SLOWER, _FEWER), False)
    return places


def _begun(begin: Singles, random: np.random.RandomState) -> Singles:
    """Return where points begin, [N, 2], from 0 to 10 on each axis; where two share a place, all are moved a little."""
    if len(np.unique(begin, axis=0)) < len(begin):
        apart = np.mean(KDTree(begin).query(begin, k=[2])[0])
        begin = begin + random.normal(scale=0.001 * apart, size=begin.shape).astype(np.float32)
    low, high = begin.min(axis=0), begin.max(axis=0)
    return np.asarray(10.0 * (begin - low) / (high - low), dtype=np.float32)


def _states(places: Singles, random: np.random.RandomState) -> NDArray[np.int64]:
    """Return the state of each point's random numbers, [N, 3]."""
    return random.randint(_LOWEST, _HIGHEST, 3) + places[:, :1].astype(np.float64).view(np.int64)


def _edges(points: Singles, n_neighbors: int) -> Edges:
    """Return heads and tails of the edges of the points' graph, and after how many epochs each attracts and repels."""
    apart = distances(points, points)
    near = np.argsort(apart, axis=1, kind="stable")[:, :n_neighbors]
    directed = np.zeros_like(apart)
    strengths = memberships(np.take_along_axis(apart, near, axis=1), True)
    np.put_along_axis(directed, near, strengths, axis=1)
    np.fill_diagonal(directed, 0)
    weights = directed + directed.T - directed * directed.T
    heads, tails = np.nonzero(weights >= weights.max() / _EPOCHS)
    return heads, tails, *_intervals(weights[heads, tails], _EPOCHS)


def _nearest(others: Singles, points: Singles, n_neighbors: int) -> tuple[NDArray[np.int64], Singles]:
    """Return the points nearest to each other one, [M, k], and by how much they belong to it, [M, k]."""
    apart = distances(others, points)
    near = np.argpartition(apart, n_neighbors)[:, :n_neighbors]
    near = np.take_along_axis(near, np.argsort(np.take_along_axis(apart, near, axis=1)), axis=1)
    return near, memberships(np.take_along_axis(apart, near, axis=1), False)


def _among(fitted: Singles, near: NDArray[np.int64], strengths: Singles) -> Singles:
    """Return where others begin, [M, 2]: in the weighted middle of their neighbours, or where one is equal to them."""
    order = np.argsort(near, axis=1)
    near, strengths = np.take_along_axis(near, order, axis=1), np.take_along_axis(strengths, order, axis=1)
    shares = strengths / strengths.sum(axis=1, keepdims=True)
    middle = (shares[..., None] * fitted[near]).cumsum(axis=1)[:, -1]  # summed in this order
    equal = strengths == 1
    first = np.take_along_axis(near, equal.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.where(equal.any(axis=1)[:, None], fitted[first], middle)


def _intervals(weights: Singles, epochs: int) -> tuple[Floats, Floats]:
    """Return after how many epochs edges of weights [E] attract again, and after how many a point repels, each [E]."""
    attracting = epochs / (epochs * (weights / weights.max())).astype(np.float64)
    return attracting, attracting / _REPELLING


def _rates(first: float, epochs: int) -> Floats:
    """Return how far points move in each epoch: the first rate twice, then less and less."""
    return np.array([first * (1 - max(epoch - 1, 0) / epochs) for epoch in range(epochs)])

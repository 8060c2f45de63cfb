"""How far the phone map can be trusted: neighbourhoods, distances, and pictures of other seeds.

References
----------
Venna & Kaski (2001), Neighborhood preservation in nonlinear projection methods. Spearman (1904).
Gower (1975), Generalized Procrustes analysis. Peres-Neto & Jackson (2001), How well do multivariate data sets match?
"""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from scipy.spatial.distance import pdist, squareform

from phonxling.analyses.map.projection import LEAST_KEPT, Projection
from phonxling.analyses.rows import Row, row_of
from phonxling.core.arrays import Floats, divided

_NEIGHBOURS = 5
FAITHFULNESS = ("trustworthiness", "distance_correlation")


def neighbourhood_trust(points: Floats, plane: Floats) -> float:
    """Return the trustworthiness of a picture of points [N, K], in [0, 1]: 1 when no phone has false neighbours in it.

    1 − 2/(Nk(2N − 3k − 1)) Σ (rank in full space − k) over the k nearest phones in the picture that are not among the
    k nearest in full space. k is 5, or half the phones when there are fewer; NaN below four phones.
    """
    near = min(_NEIGHBOURS, (len(points) - 1) // 2)
    if len(points) < 4 or near < 1:
        return math.nan
    full, pictured = (squareform(pdist(place)) + np.diag(np.full(len(points), np.inf)) for place in (points, plane))
    ranks = np.argsort(np.argsort(full, axis=1), axis=1) + 1
    nearest = np.argsort(pictured, axis=1)[:, :near]
    beyond = np.maximum(np.take_along_axis(ranks, nearest, axis=1) - near, 0).sum()
    return float(1 - beyond * (2 / (len(points) * near * (2 * len(points) - 3 * near - 1))))


def distance_correlation(points: Floats, plane: Floats) -> float:
    """Return Spearman's ρ between distances of points [N, K] in full space and in the picture, in [−1, 1].

    NaN below three phones, or when all distances are equal.
    """
    return float(rank_agreement(pdist(points), pdist(plane)))


def rank_agreement(first: Floats, second: Floats) -> Floats:
    """Return Spearman's ρ of numbers [..., N] and others [..., N]; NaN below three, or where all of a side are equal.

    Examples
    --------
    >>> rank_agreement(np.array([[1.0, 2, 9], [5, 5, 5]]), np.array([0.4, 0.2, 0.3])).tolist()
    [-0.5, nan]
    """
    one, other = centred_ranks(first), centred_ranks(second)
    products = [np.vecdot(*pair) for pair in ((one, other), (one, one), (other, other))]
    size = np.sqrt(products[1] * products[2])
    return divided(products[0], size if first.shape[-1] > 2 else 0 * size)


def centred_ranks(values: Floats) -> Floats:
    """Return the ranks of numbers [..., N] less their mean, [..., N]; equal numbers share a rank."""
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    number, places = values.shape[-1], np.arange(values.shape[-1])
    new = np.ones((*values.shape[:-1], number + 1), dtype=bool)
    new[..., 1:-1] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(new[..., :-1], places, 0), axis=-1)
    last = np.minimum.accumulate(np.where(new[..., 1:], places, number)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last - (number - 1)) / 2, axis=-1)
    return ranks


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
    from scipy.spatial import procrustes  # takes a quarter of a second to import

    return np.array([1 - procrustes(plane, other)[2] for other in others], dtype=np.float64)


def coordinates(plane: Projection, place: int) -> Floats:
    """Return the coordinates of the reference's phones, or of a target's, counted from 1."""
    return plane.reference if place == 0 else plane.targets[place - 1]


def shown(plane: Projection, place: int) -> Floats:
    """Return what a panel shows: the reference's phones, and with a target its phones too."""
    return np.concatenate([coordinates(plane, number) for number in sorted({0, place})])


def map_rows(
    before: Floats, planes: Sequence[Projection], refitted: Sequence[Projection], place: int, note: str = ""
) -> Iterator[Row]:
    """Yield the rows of one corpus, over what its panel shows; `before` are the points of these phones in full space.

    `refitted` are maps of other seeds than that of the first plane, which is the chosen one. Of a weak one beside it
    the reference has missing rows, which say so.
    """
    n = float(len(before))
    for plane in planes:
        kept, after = _kept(plane, chosen=plane is planes[0]) * (place == 0), shown(plane, place)
        if plane.weak and plane is not planes[0]:
            if place == 0:
                yield from (row_of(measure, math.nan, n, plane.method, kept) for measure in FAITHFULNESS)
            continue
        trust, rank = neighbourhood_trust(before, after), distance_correlation(before, after)
        few = "too few phones" if math.isnan(trust) else note
        flat = "too few phones, or all distances are equal" if math.isnan(rank) else note
        yield row_of(FAITHFULNESS[0], trust, n, plane.method, kept, few)
        yield row_of(FAITHFULNESS[1], rank, n, plane.method, kept, flat)
    if refitted:
        yield _stability(planes[0], refitted, place, n, note)


def _kept(plane: Projection, *, chosen: bool) -> str:
    """Return what is to be said of a picture that keeps little of the variance, "" of one that keeps enough."""
    follows = "distances on the map mean little" if chosen else f"under {100 * LEAST_KEPT:.0f} %, so not drawn"
    return f"keeps {100 * plane.variance_kept:.0f} % of the variance: {follows}" if plane.weak else ""


def missing_rows(why: str) -> list[Row]:
    """Return the rows of a corpus that has no place on a map."""
    return [row_of(measure, math.nan, 0, "", why) for measure in FAITHFULNESS]


def _stability(plane: Projection, refitted: Sequence[Projection], place: int, n: float, note: str) -> Row:
    alike = agreements(shown(plane, place), [shown(other, place) for other in refitted])
    seeds = f"{len(alike)} other seed{'s' * (len(alike) > 1)}: {alike.min():.3g} to {alike.max():.3g}"
    return row_of("embedding_stability", float(alike.mean()), n, plane.method, note, seeds)

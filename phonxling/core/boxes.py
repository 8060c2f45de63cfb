"""Free places for boxes beside points: on the page, over no point, over no other box, lines apart where that is wanted.

Twelve places touch a point's surroundings; further ones stand on a grid around it, the nearest first. The first that is
free is taken, as textalloc does it (Kjellson 2022, github.com/ckjellson/textalloc), whose places these are; here a box
is tried in few places before it is tried in many.

Shapes: a box is (left, bottom, right, top), a line (x, y, x, y) of its two ends, a point (x, y).
"""

import math
from dataclasses import dataclass

import numpy as np

from phonxling.core.arrays import Bools, Floats

_MOST = 600  # places that are tried
_AT_ONCE = (8, 40, 150)  # most boxes stand in one of the first
_NONE = np.zeros((0, 4))


@dataclass(frozen=True, eq=False, kw_only=True)
class Page:
    """The page, `limits` (left, bottom, right, top), and widths and heights on it, each [2]."""

    limits: Floats
    margin: Floats
    nearest: Floats
    farthest: Floats


@dataclass(frozen=True)
class Apart:
    """What lines between boxes and their points keep off: boxes, each other, the points of other boxes."""

    boxes: bool
    lines: bool
    points: bool = False


def free_places(
    points: Floats, sizes: Floats, taken: Floats, page: Page, apart: Apart, *, all_or_none: bool = False
) -> list[Floats | None]:
    """Return a place for each box of these sizes [n, 2] beside its point [n, 2], None where none is free."""
    grid, boxes, lines = _grid(page), _NONE, _NONE
    places: list[Floats | None] = []
    for point, size in zip(points, sizes, strict=True):
        middles = grid + point
        around = np.concatenate([middles - size / 2, middles + size / 2], axis=1)
        tried = np.concatenate([_beside(point, size, page.nearest), around])[:_MOST]
        others = points[np.abs(points - point).max(1) > 1]
        place = None
        for chunk in np.split(tried, _AT_ONCE):
            some = _free(chunk, taken, boxes, page)
            if not len(some):
                continue
            to_point, free = lines_to(point, some[:, :2], size), np.arange(len(some))
            if apart.points:
                free = free[~_near(to_point, others, page.margin.max()).any(1)]
            if apart.lines:
                free = free[~_cross(to_point[free, None], lines).any(1)]
            if apart.boxes:
                free = free[~_meet(_grown(boxes, page), to_point[free]).any(0)]
                free = free[~_meet(_grown(some[free], page), lines).any(1)]
            if len(free):
                place = some[free[0]]
                boxes = np.concatenate([boxes, [[*place[:2], *place[:2] + size]]])
                lines = np.concatenate([lines, lines_to(point, place[None, :2], size)])
                break
        places.append(place)
        if place is None and all_or_none:
            break
    return places


def lines_to(point: Floats, corners: Floats, size: Floats) -> Floats:
    """Return the lines [k, 4] to a point from the nearest places on boxes with these lower left corners [k, 2]."""
    near = np.clip(point, corners, corners + size)
    return np.concatenate([near, np.broadcast_to(point, near.shape)], axis=1)


def _beside(point: Floats, size: Floats, gap: Floats) -> Floats:
    (x, y), (w, h), (dx, dy) = point, size, gap
    left, right = (x - w - dx, x - dx), (x + dx, x + w + dx)
    middle, leftish, rightish = (x - w / 2, x + w / 2), (x - 3 * w / 4, x + w / 4), (x - w / 4, x + 3 * w / 4)
    below, level, above = (y - h - dy, y - dy), (y - h / 2, y + h / 2), (y + dy, y + h + dy)
    corners = [(right, above), (left, above), (left, below), (right, below)]
    sides = [(left, level), (right, level), (middle, above), (middle, below)]
    shifted = [(leftish, above), (rightish, above), (leftish, below), (rightish, below)]
    return np.array([(x0, y0, x1, y1) for (x0, x1), (y0, y1) in corners + sides + shifted])


def _grid(page: Page) -> Floats:
    """Return the offsets [k, 2] of places around a point, the nearest first; of equally near ones as textalloc does."""
    (near_x, near_y), (far_x, far_y) = page.nearest, page.farthest
    step = np.sqrt((far_x * far_y - near_x * near_y) / _MOST)
    sides = [np.linspace(-far, far, math.ceil(far / step)) for far in (far_x, far_y)]
    grid: Floats = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    grid = grid[(np.abs(grid) > page.nearest).any(1)]
    return grid[np.argsort(grid[:, 0] ** 2 + grid[:, 1] ** 2)]


def _grown(boxes: Floats, page: Page) -> Floats:
    return np.asarray(boxes + np.concatenate([-page.margin, page.margin]))


def _free(boxes: Floats, taken: Floats, others: Floats, page: Page) -> Floats:
    """Return the boxes that are on the page, off the other boxes, and on no point that is taken."""
    boxes = boxes[np.all((boxes[:, :2] >= page.limits[:2]) & (boxes[:, 2:] <= page.limits[2:]), axis=1)]
    x0, y0, x1, y1 = _grown(boxes, page).T[:, :, None]
    left, bottom, right, top = others.T
    boxes = boxes[((x0 > right) | (x1 < left) | (y0 > top) | (y1 < bottom)).all(1)]
    x0, y0, x1, y1 = _grown(boxes, page).T[:, :, None]
    px, py = taken.T
    return np.asarray(boxes[((x0 >= px) | (x1 <= px) | (y0 >= py) | (y1 <= py)).all(1)])


def _meet(boxes: Floats, lines: Floats) -> Bools:
    """Return which boxes [k] are crossed by, or hold, which lines [m], [k, m]."""
    (left, bottom, right, top), (x, y, x1, y1) = boxes.T[:, :, None], lines.T
    beside = (np.maximum(x, x1) <= left) | (np.minimum(x, x1) >= right)
    beside |= (np.maximum(y, y1) <= bottom) | (np.minimum(y, y1) >= top)
    one, other = (left - x) * (y1 - y), (right - x) * (y1 - y)
    low, high = (bottom - y) * (x1 - x), (top - y) * (x1 - x)
    beside |= (np.maximum(one, other) < np.minimum(low, high)) | (np.minimum(one, other) > np.maximum(low, high))
    return np.asarray(~beside)


def _near(lines: Floats, points: Floats, reach: float) -> Bools:
    """Return which lines [k] come nearer than `reach` to which points [m], [k, m]."""
    begin, way = lines[:, None, :2], (lines[:, 2:] - lines[:, :2])[:, None]
    share = np.clip(np.sum((points - begin) * way, axis=-1) / np.maximum(np.sum(way**2, axis=-1), 1e-9), 0, 1)
    return np.asarray(np.sum((begin + share[..., None] * way - points) ** 2, axis=-1) < reach**2)


def _cross(lines: Floats, others: Floats) -> Bools:
    """Return which lines cross: the ends of each lie on different sides of the other."""
    begin, end, other_begin, other_end = lines[..., :2], lines[..., 2:], others[..., :2], others[..., 2:]
    parted = _left(begin, other_begin, other_end) != _left(end, other_begin, other_end)
    return np.asarray(parted & (_left(begin, end, other_begin) != _left(begin, end, other_end)))


def _left(first: Floats, second: Floats, third: Floats) -> Bools:
    """Return whether the way from the first point over the second to the third turns left."""
    up, along = third[..., 1] - first[..., 1], third[..., 0] - first[..., 0]
    return np.asarray(up * (second[..., 0] - first[..., 0]) > (second[..., 1] - first[..., 1]) * along)

"""Free places for boxes beside points: on the page, over no point, over no other box, lines apart where that is wanted.

Twelve places touch a point's surroundings; further ones stand on a grid around it, the nearest first. The first that is
free is taken, as textalloc does it (Kjellson 2022, github.com/ckjellson/textalloc), whose places these are; here a box
is tried in few places before it is tried in many.

Shapes: a box is (left, bottom, right, top), a line (x, y, x, y) of its two ends, a point (x, y).

Names from data are written as figures can show them.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from phonxling.core.arrays import Bools, Floats
from phonxling.core.errors import printable
from phonxling.draw.style import PHONE

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


LONGEST = 40  # letters
_SENTENCES = {"claim": 200}  # letters of columns whose texts are sentences, not names
_POINT, _SHORT, _AIR = 6, 10, 2  # pixels at 300 dpi: half of a point, a line that says nothing, a label from its line
_STRICTNESS = (  # whether labels keep off outlines, what lines keep off
    (True, Apart(boxes=True, lines=True, points=True)),
    (False, Apart(boxes=True, lines=True, points=True)),
    (False, Apart(boxes=True, lines=False)),
)


def drawable(name: str, longest: int = LONGEST) -> str:
    r"""Return a name as a figure shows it: what cannot be seen is escaped, what is too long is cut."""
    if len(name) <= longest and name.isprintable():
        return name
    seen = printable(name).replace("\n", r"\n")
    if len(seen) <= longest:
        return seen
    mark = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:7]
    return f"{seen[: longest - len(mark) - 1]}…{mark}"


def with_drawable_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts can be drawn; the same table when they all can."""
    changed: dict[str, pd.Series[str]] = {}
    for column in map(str, table.select_dtypes(exclude="number")):
        longest = _SENTENCES.get(column, LONGEST)
        names = {name: drawable(name, longest) for name in table[column].unique()}
        if any(name != seen for name, seen in names.items()):
            changed[column] = table[column].map(names)
    return table.assign(**changed) if changed else table


def write_labels(
    axes: Axes,
    points: pd.DataFrame,
    inks: list[str],
    bold: int = 0,
    *,
    outlines: Sequence[Floats] = (),
) -> list[str]:
    """Write each label near its point, with a thin line where it stands off; return those that find no free place."""
    weights = ["bold"] * bold + ["normal"] * (len(points) - bold)
    texts = [
        axes.text(0, 0, phone, size=PHONE, fontweight=weight, color=ink, va="bottom", parse_math=False)
        for phone, weight, ink in zip(points["phone"], weights, inks, strict=True)
    ]
    sizes = np.array([text.get_window_extent().size for text in texts]).reshape(-1, 2)
    to_pixels, page = axes.transData.transform, _page(axes)
    middles, further = to_pixels(points[["x", "y"]].to_numpy(float)), [to_pixels(outline) for outline in outlines]
    for off_outlines, apart in _STRICTNESS:
        obstacles = np.concatenate([middles, *(further if off_outlines else ())])
        place_all = partial(free_places, all_or_none=True) if off_outlines else _in_rounds
        places = place_all(middles, sizes, obstacles, page, apart)
        if all(place is not None for place in places):
            break
    for text, place, middle, size in zip(texts, places, middles, sizes, strict=True):
        if place is None:
            text.remove()
        else:
            _put(axes, text, middle, place[:2], size)
    return [phone for phone, place in zip(points["phone"], places, strict=True) if place is None]


def _in_rounds(points: Floats, sizes: Floats, taken: Floats, page: Page, apart: Apart) -> list[Floats | None]:
    """Return a place for each label; those without one choose first in another round, while that helps."""
    order, fewest = np.arange(len(points)), len(points) + 1
    best: list[Floats | None] = []
    while fewest:
        chosen = free_places(points[order], sizes[order], taken, page, apart)
        missed = np.array([place is None for place in chosen], bool)
        if missed.sum() >= fewest:
            break
        best, fewest = [chosen[place] for place in np.argsort(order)], missed.sum()
        order = np.concatenate([order[missed], order[~missed]])
    return best


def _page(axes: Axes) -> Page:
    """Return the axes as a page in pixels, with distances that are shares of it."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    corners = axes.transData.transform([(left, bottom), (right, top)])
    wide, high = cast("Figure", axes.figure).get_size_inches()
    extent = corners[1] - corners[0]
    nearest, farthest = (np.maximum(extent * share * (1, wide / high), _POINT + 1) for share in (0.006, 0.15))
    inside = corners + np.array([[1], [-1]]) * _AIR  # off the axes' lines
    return Page(limits=inside.ravel(), margin=np.full(2, float(_POINT)), nearest=nearest, farthest=farthest)


def _put(axes: Axes, text: Text, middle: Floats, corner: Floats, size: Floats) -> None:
    """Put a label, of a size in pixels, where its lower left corner shall be, with a line to its point if it is far."""
    quarters = corner[0] + size[0] * np.array([0.25, 0.75])
    side = "center" if quarters[0] < middle[0] < quarters[1] else "left" if middle[0] < quarters[1] else "right"
    share = {"left": 0, "center": 0.5, "right": 1}[side]
    to_data = axes.transData.inverted().transform
    text.set(position=to_data(corner + size * (share, 0)), horizontalalignment=side)
    line = lines_to(middle, corner[None] - _AIR, size + 2 * _AIR).reshape(2, 2)
    if np.hypot(*np.ptp(line, axis=0)) >= _SHORT:
        axes.plot(*to_data(line).T, linewidth=0.3, color=text.get_color(), zorder=0.9)

"""Labels: names from data as figures can show them, and the labels of points, none over another."""

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from phonxling.core.arrays import Floats
from phonxling.core.boxes import Apart, Page, free_places, lines_to
from phonxling.core.errors import printable
from phonxling.draw.style import PHONE

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

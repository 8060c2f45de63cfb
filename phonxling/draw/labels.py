"""Labels: names from data as figures can show them, and where they stand beside points.

Places are those of textalloc (Kjellson 2022, github.com/ckjellson/textalloc): each label takes the nearest place that
is on the axes, over no point and over no other label. The same points give the same places: nothing is drawn by chance.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from textalloc import allocate

from phonxling.core.arrays import Floats
from phonxling.core.errors import printable
from phonxling.draw.style import PHONE

LONGEST = 40  # letters
_SENTENCES = {"claim": 200}  # letters of columns whose texts are sentences, not names
_AIR, _SHORT = 6, 20  # pixels at 300 dpi: between labels and points; a shorter line to a point says nothing


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
    """Write each label near its point, with a thin line where it stands off; return those that find no free place.

    Labels keep off outlines, and their lines off labels and each other, where that leaves a place for every label.
    """
    if points.empty:
        return []
    phones, middles = points["phone"].tolist(), points[["x", "y"]].to_numpy(float)
    (wide, high), (figure_wide, figure_high) = axes.get_window_extent().size, axes.figure.bbox.size
    pixel = 1 / min(wide, high * figure_wide / figure_high)  # as textalloc measures: a share of the axes, both ways
    texts, lines = list[Any](), list[Any]()
    for off_outlines, apart in ((True, True), (False, True), (False, False)):
        for artist in filter(None, [*texts, *lines]):  # of a stricter way, which had no place for some
            artist.remove()
        taken = np.concatenate([middles, *(outlines if off_outlines else ())])
        *_, texts, lines = allocate(
            axes,
            middles[:, 0],
            middles[:, 1],
            text_list=phones,
            x_scatter=taken[:, 0],
            y_scatter=taken[:, 1],
            textsize=PHONE,
            fontweight=["bold"] * bold + ["normal"] * (len(phones) - bold),
            textcolor=inks,
            linecolor=inks,
            linewidth=0.3,
            margin=_AIR * pixel,
            min_distance=(_AIR + 1) * pixel,
            max_distance=0.15,
            draw_all=False,
            avoid_label_lines_overlap=apart,
            avoid_crossing_label_lines=apart,
            va="bottom",
        )
        if None not in texts:
            break
    for line in filter(None, lines):
        label, point = axes.transData.transform(line.get_xydata())
        way = point - label
        if np.hypot(*way) < _SHORT:
            line.remove()
        else:
            line.set_data(*axes.transData.inverted().transform([label + 2 * way / np.hypot(*way), point]).T)
    return [phone for phone, text in zip(phones, texts, strict=True) if text is None]

"""Labels: names from data as figures can show them, and the labels of points, none over another."""

import hashlib
from collections.abc import Sequence
from typing import cast

import numpy as np
import pandas as pd
import textalloc
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text

from phonxling.core.arrays import Floats
from phonxling.core.errors import printable
from phonxling.draw.style import PHONE

LONGEST = 40  # letters
_SHORT = 14  # pixels at 300 dpi: a line shorter than this says nothing
_STRICTNESS = (  # labels keep off outlines, lines off labels, lines off lines
    (True, True, True),
    (False, True, True),
    (False, True, False),
    (False, False, False),
)


def drawable(name: str) -> str:
    r"""Return a name as a figure shows it: what cannot be seen is escaped, what is too long is cut.

    A cut name ends in a mark of its own, so that two names stay two.

    Examples
    --------
    >>> drawable("k͡p"), drawable("a\u202eb"), drawable("x" * 1000)
    ('k͡p', 'a\\u202eb', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…44f8354')
    """
    if len(name) <= LONGEST and name.isprintable():
        return name
    seen = printable(name).replace("\n", r"\n")
    if len(seen) <= LONGEST:
        return seen
    mark = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:7]
    return f"{seen[: LONGEST - len(mark) - 1]}…{mark}"


def with_drawable_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts can be drawn; the same table when they all can."""
    changed: dict[str, pd.Series[str]] = {}
    for column in map(str, table.select_dtypes(exclude="number")):
        names = {name: drawable(name) for name in table[column].unique()}
        if any(name != seen for name, seen in names.items()):
            changed[column] = table[column].map(names)
    return table.assign(**changed) if changed else table


def write_labels(
    axes: Axes, points: pd.DataFrame, inks: list[str], bold: int = 0, outlines: Sequence[Floats] = ()
) -> list[str]:
    """Write each label near its point, with a thin line where it stands off; return those that find no free place.

    The first `bold` labels are bold, and choose their places first. Labels keep off the points of outlines [n, 2],
    lines off labels and off each other, where that leaves room for all labels, else they may cross.
    """
    for strictness in _STRICTNESS:
        texts, lines = _allocate(axes, points, inks, bold, outlines=outlines, strictness=strictness)
        left_out = [phone for phone, text in zip(points["phone"], texts, strict=True) if text is None]
        if not left_out or strictness == _STRICTNESS[-1]:
            break
        for artist in filter(None, [*texts, *lines]):
            artist.remove()
    for line in filter(None, lines):
        ends = axes.transData.transform(np.asarray(line.get_xydata()))
        line.set_visible(bool(np.hypot(*np.ptp(ends, axis=0)) >= _SHORT))
    return left_out


def _allocate(
    axes: Axes,
    points: pd.DataFrame,
    inks: list[str],
    bold: int,
    *,
    outlines: Sequence[Floats],
    strictness: tuple[bool, bool, bool],
) -> tuple[list[Text | None], list[Line2D | None]]:
    x, y = points["x"].to_numpy(float), points["y"].to_numpy(float)
    kept_free = np.concatenate([np.column_stack([x, y]), *(outlines if strictness[0] else ())])
    _, _, texts, lines = textalloc.allocate(
        axes,
        x,
        y,
        points["phone"].tolist(),
        x_scatter=kept_free[:, 0],
        y_scatter=kept_free[:, 1],
        textsize=PHONE,
        fontweight=["bold"] * bold + ["normal"] * (len(points) - bold),
        textcolor=inks,
        linecolor=inks,
        linewidth=0.3,
        margin=0.004,
        min_distance=0.006,
        max_distance=0.2,
        nbr_candidates=600,
        avoid_label_lines_overlap=strictness[1],
        avoid_crossing_label_lines=strictness[2],
        draw_all=False,
        va="bottom",
        parse_math=False,
    )
    return cast("list[Text | None]", texts), cast("list[Line2D | None]", lines)

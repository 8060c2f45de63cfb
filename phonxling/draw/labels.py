"""Labels of points in the plane: near their points, none over another; what finds no place is left out and said."""

from typing import cast

import numpy as np
import pandas as pd
import textalloc
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text

from phonxling.draw.style import PHONE

_SHORT = 14  # pixels at 300 dpi: a line shorter than this says nothing
_STRICTNESS = ((True, True), (True, False), (False, False))  # lines keep off labels, lines keep off lines


def write_labels(axes: Axes, points: pd.DataFrame, inks: list[str], bold: int = 0) -> list[str]:
    """Write each label near its point, with a thin line where it stands off; return those that find no free place.

    The first `bold` labels are bold, and choose their places first. Lines keep off labels and off each other where that
    leaves room for all labels, else they may cross.
    """
    for labels_too, lines_too in _STRICTNESS:
        texts, lines = _allocate(axes, points, inks, bold, labels_too, lines_too)
        left_out = [phone for phone, text in zip(points["phone"], texts, strict=True) if text is None]
        if not left_out or (labels_too, lines_too) == _STRICTNESS[-1]:
            break
        for artist in filter(None, [*texts, *lines]):
            artist.remove()
    for line in filter(None, lines):
        ends = axes.transData.transform(np.asarray(line.get_xydata()))
        line.set_visible(bool(np.hypot(*np.ptp(ends, axis=0)) >= _SHORT))
    return left_out


def _allocate(
    axes: Axes, points: pd.DataFrame, inks: list[str], bold: int, labels_too: bool, lines_too: bool
) -> tuple[list[Text | None], list[Line2D | None]]:
    x, y = points["x"].to_numpy(float), points["y"].to_numpy(float)
    _, _, texts, lines = textalloc.allocate(
        axes,
        x,
        y,
        points["phone"].tolist(),
        x_scatter=x,
        y_scatter=y,
        textsize=PHONE,
        fontweight=["bold"] * bold + ["normal"] * (len(points) - bold),
        textcolor=inks,
        linecolor=inks,
        linewidth=0.3,
        margin=0.004,
        min_distance=0.006,
        max_distance=0.2,
        nbr_candidates=600,
        avoid_label_lines_overlap=labels_too,
        avoid_crossing_label_lines=lines_too,
        draw_all=False,
        va="bottom",
        parse_math=False,
    )
    return cast("list[Text | None]", texts), cast("list[Line2D | None]", lines)

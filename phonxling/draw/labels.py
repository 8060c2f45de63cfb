"""Labels of points in the plane: near their points, none over another; what finds no place is left out and said."""

import numpy as np
import pandas as pd
import textalloc
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from phonxling.draw.style import PHONE

_SHORT = 14  # pixels at 300 dpi: a line shorter than this says nothing


def write_labels(axes: Axes, points: pd.DataFrame, inks: list[str]) -> list[str]:
    """Write each label at its point, or near it with a thin line where the place is taken; return those left out."""
    x, y = points["x"].to_numpy(float), points["y"].to_numpy(float)
    phones = points["phone"].tolist()
    _, _, texts, lines = textalloc.allocate(
        axes,
        x,
        y,
        phones,
        x_scatter=x,
        y_scatter=y,
        textsize=PHONE,
        textcolor=inks,
        linecolor=inks,
        linewidth=0.3,
        margin=0.004,
        min_distance=0.006,
        max_distance=0.2,
        nbr_candidates=600,
        avoid_label_lines_overlap=True,
        avoid_crossing_label_lines=True,
        draw_all=False,
        va="bottom",
        parse_math=False,
    )
    for line in lines:
        if isinstance(line, Line2D):
            ends = axes.transData.transform(np.column_stack([line.get_xdata(), line.get_ydata()]))
            line.set_visible(bool(np.hypot(*np.ptp(ends, axis=0)) >= _SHORT))
    return [phone for phone, text in zip(phones, texts, strict=True) if text is None]

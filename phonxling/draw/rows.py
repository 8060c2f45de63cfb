"""Figures of named rows: a name, what is drawn beside it (dots on a grid, or bars), and a text at its right end."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from phonxling.core.arrays import Floats
from phonxling.draw.sheet import NAMES, Sheet, fitted, name_rows, text_size, wrap, write_beside
from phonxling.draw.style import AXIS_LABEL, EDGE, GRID, LINE, PHONE, SMALL, TEXT, FigureOptions

ABOVE, AXIS, ENTRY, ROW = 8.0, 7.4, 2.8, 3.0  # mm: title and header, the axis, a line of the legend, a row
_BARS_AXIS = 6.0  # mm: an axis without a name


def row_figure(
    names: Sequence[str],
    draw: Callable[[Axes, Floats], object],
    options: FigureOptions,
    *,
    title: str,
    beside: tuple[str, Iterable[str], float],
    notes: Iterable[str],
    legend: Mapping[str, Artist],
    columns: int = 1,
    legend_lines: int = 0,
    axes_names: tuple[str, str] | None = None,
    most: float | None = 1.0,
    step: float | None = None,
    wide: float | None = None,
) -> Sheet:
    """Return a figure whose rows `draw` fills, given the axes and the rows' places.

    `beside` are a header, the text right of each row, and how wide in mm. With names of the axes (rows, x) there are
    dots on a grid from 0 to `most` (None: as drawn); without, bars of 100 %. `step` and `wide` are a row and the
    names, in mm; `legend_lines` is how many lines the legend takes at least.
    """
    dots, header, texts, right = axes_names is not None, *beside
    size = PHONE if dots else TEXT
    names = [fitted(name, options.width_mm * NAMES, size=size) for name in names]
    sizes = [text_size(name, size) for name in names]
    wide = max(width for width, *_ in sizes) if wide is None else wide
    step = max([ROW, *(height + 0.2 for _, height, _ in sizes)]) if step is None else step
    lines, places = wrap(notes, options.width_mm), np.arange(len(names), dtype=np.float64)
    foot = EDGE + LINE * len(lines) + 0.8
    bottom = foot + ENTRY * max(-(-len(legend) // columns), legend_lines) + (AXIS if dots else _BARS_AXIS)
    left, top = EDGE + (AXIS_LABEL + wide + 2.5 if dots else wide + 2), bottom + step * len(names)
    figure = Sheet(options.width_mm, top + ABOVE)
    axes = figure.axes_at(left, bottom, options.width_mm - left - right - EDGE, step * len(names))
    draw(axes, places)
    write_beside(axes, places, texts, right)
    name_rows(axes, places, names, size=size, pad=4.0 if dots else 1.5)
    axes.set(xlim=(0, most), ylim=(len(names) - 0.5, -0.5))
    axes.spines["left"].set_visible(False)
    figure.legend_at(EDGE, foot, legend, columns)
    figure.write_title(top + ABOVE, title)
    header_at = top + (0.8 if dots else 0.4)
    figure.write(options.width_mm - EDGE, header_at, header, SMALL, ha="right", va="bottom")
    if axes_names is None:
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    else:
        axes.hlines(places, 0, 1, color=GRID, linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0.9)
        axes.grid(axis="x", color=GRID, linewidth=0.4)
        axes.set_xlabel(axes_names[1], fontsize=SMALL)
        figure.write(EDGE, (bottom + top) / 2, axes_names[0], rotation=90, va="center")
    figure.finish(lines)
    return figure

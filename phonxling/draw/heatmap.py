"""The labelled heat map that confusions, residuals and association share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from phonxling.draw.colours import GREY, INK, PALE_GREY
from phonxling.draw.grid import GAP_WIDTH, Grid, Scale, centres, edges
from phonxling.draw.layout import AXIS_LABEL, MARGIN_BAR, TICK, Layout
from phonxling.draw.margins import draw_bars, draw_key
from phonxling.draw.page import axes_at, settle, sheet, text_size, wrap, write_at, write_notes
from phonxling.draw.style import EDGE, FEW, LINE, PHONE, SMALL, TEXT, FigureOptions, house_style

_PAD = 1.2  # points between a tick and its label

_Bools = NDArray[np.bool_]


def draw_heatmap(
    grid: Grid, scale: Scale, layout: Layout, title: str, notes: Sequence[str], options: FigureOptions
) -> Figure:
    """Return the figure: title, bars of tokens, cells, labels, colour bar with its unit, legend, notes."""
    with house_style(options.font):
        lines = [line for note in notes for line in wrap(note, SMALL, layout.width - 2 * EDGE)]
        rows, columns = (len(labels) + GAP_WIDTH * grid.apart for labels in (grid.rows, grid.columns))
        high, wide = rows * layout.cell_height, columns * layout.cell_width
        top = TEXT * 0.6 + (MARGIN_BAR if grid.column_tokens is not None else 0) + 1
        key = EDGE + LINE * len(lines) + 4.2  # the colour bar's lower side
        bottom = key + 2 + 4 + AXIS_LABEL + layout.below_cells
        figure = sheet(layout.width, bottom + high + top)
        write_at(figure, EDGE, bottom + high + top - 1, title, va="top", bold=True)
        axes = axes_at(figure, layout.left, bottom, wide, high)
        _draw_cells(axes, grid, scale)
        _label(axes, grid, layout)
        middle = bottom + high / 2
        write_at(figure, EDGE, middle, grid.row_name, va="center", ha="left", upwards=True)
        write_at(figure, layout.left + wide / 2, bottom - layout.below_cells, grid.column_name, va="top", ha="center")
        if grid.row_tokens is not None and grid.column_tokens is not None:
            draw_bars(figure, grid, (layout.left, bottom, wide, high))
        draw_key(figure, grid, scale, (EDGE + AXIS_LABEL, key, max(40.0, text_size(scale.label, SMALL)[0])))
        write_notes(figure, lines)
        settle(figure)
    return figure


def _draw_cells(axes: Axes, grid: Grid, scale: Scale) -> None:
    values = grid.values
    if grid.apart:
        values = np.insert(np.insert(values, -1, np.nan, axis=1), values.shape[0] - 1, np.nan, axis=0)
    x, y = (edges(len(labels), grid.apart) for labels in (grid.columns, grid.rows))
    shown = np.ma.masked_invalid(values)
    axes.pcolormesh(x, y, shown, cmap=scale.colours, norm=scale.norm, edgecolors="white", linewidth=0.25)
    axes.set(xlim=(x[0], x[-1]), ylim=(y[-1], y[0]))
    axes.spines[:].set_visible(False)
    missing = np.isnan(grid.values)
    if grid.apart:
        missing[-1, -1] = False  # ∅ against ∅ does not exist
    _boxes(axes, grid, missing, {"facecolor": PALE_GREY, "edgecolor": "white", "linewidth": 0.25})
    _signs(axes, grid, missing, "x", GREY)
    if grid.dotted is not None:
        _boxes(axes, grid, grid.dotted, {"facecolor": "white", "edgecolor": "white", "linewidth": 0.25})
        _signs(axes, grid, grid.dotted, ".", GREY)
    if grid.outlined is not None:
        look = {"facecolor": "none", "edgecolor": grid.outline, "linewidth": 0.6, "zorder": 3, "clip_on": False}
        _boxes(axes, grid, grid.outlined, look)
    if grid.dashed is not None:
        _signs(axes, grid, grid.dashed, "_", INK)


def _boxes(axes: Axes, grid: Grid, chosen: _Bools, look: dict[str, Any]) -> None:
    x, y = centres(len(grid.columns), grid.apart), centres(len(grid.rows), grid.apart)
    boxes = [Rectangle((x[j] - 0.5, y[i] - 0.5), 1, 1) for i, j in np.argwhere(chosen)]
    if boxes:
        axes.add_collection(PatchCollection(boxes, **look), autolim=False)


def _signs(axes: Axes, grid: Grid, chosen: _Bools, marker: str, colour: str) -> None:
    at = np.argwhere(chosen)
    if len(at):
        x, y = centres(len(grid.columns), grid.apart)[at[:, 1]], centres(len(grid.rows), grid.apart)[at[:, 0]]
        axes.plot(x, y, linestyle="none", marker=marker, markersize=1.8, markeredgewidth=0.45, color=colour)


def _label(axes: Axes, grid: Grid, layout: Layout) -> None:
    step, ascent, tick = (mm / 25.4 * 72 for mm in (layout.label_height, layout.label_ascent, TICK))
    axes.set_yticks(centres(len(grid.rows), grid.apart), list(grid.rows), fontsize=PHONE, va="center")
    axes.set_xticks(centres(len(grid.columns), grid.apart), list(grid.columns), fontsize=PHONE, va="baseline")
    axes.tick_params(length=tick, pad=_PAD, color=GREY)
    for label, few in zip(axes.get_yticklabels(), _few(grid), strict=True):
        label.set_color(GREY if few else INK)
    for place, mark in enumerate(axes.xaxis.get_major_ticks()):
        drop = place % layout.levels * step
        mark.set_pad(_PAD + ascent + drop)
        mark.tick1line.set_markersize(tick + drop)


def _few(grid: Grid) -> _Bools:
    """Return which rows rest on few tokens."""
    tokens = np.full(len(grid.rows), np.inf) if grid.row_tokens is None else grid.row_tokens
    return np.asarray(tokens < FEW)
